// Package docs_test checks what the documentation and the workflows say about the code.
package docs_test

import (
	"encoding/json"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "github.com/hashmark-dev/hashmark/"

// programs are the letters that the map uses for the programs.
var programs = map[string]string{"o": "operator", "s": "loginservice", "l": "loadrunner", "c": "kubectl-hashmark"}

// mapped is a row of the map: `internal/matrix` | o l c | …
var mapped = regexp.MustCompile("(?m)^\\| `((?:api|controllers|internal)[\\w/]*)` \\| ([a-z ]+) \\|")

// The map in docs/architecture.md has every package, and names the programs that contain it.
func TestEveryPackageIsOnTheMap(t *testing.T) {
	documented := map[string]string{}
	for _, row := range mapped.FindAllStringSubmatch(read(t, "../../docs/architecture.md"), -1) {
		documented[row[1]] = row[2]
	}
	if diff := cmp.Diff(packages(t), documented); diff != "" {
		t.Errorf("packages and the programs that contain them (-code +docs/architecture.md):\n%s", diff)
	}
}

// namesPackage finds the names of packages in a comment, and what stands before them.
var namesPackage = regexp.MustCompile(`(?:(\w+) |\()(package ([a-z0-9]+)|packages ([a-z0-9]+) and ([a-z0-9]+))\b`)

// lineOfComment is where a comment goes on in the next line.
var lineOfComment = regexp.MustCompile(`\n\s*// ?`)

// A comment that says which package does something names one that exists.
func TestCommentsNamePackagesThatExist(t *testing.T) {
	known := map[string]bool{"": true}
	for _, path := range list(t, "../../...", module+"api/...") {
		known[filepath.Base(path)] = true
	}
	named := 0
	for _, folder := range []string{"api", "cmd", "controllers", "internal"} {
		err := filepath.WalkDir("../../"+folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			for _, found := range namesPackage.FindAllStringSubmatch(lineOfComment.ReplaceAllString(read(t, path), " "), -1) {
				if strings.EqualFold(found[1], "the") || strings.EqualFold(found[1], "this") {
					continue
				}
				named++
				if name := found[3] + found[4]; !known[name] || !known[found[5]] {
					t.Errorf("%s: there is no such package: %q", path, found[0])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named < 10 {
		t.Errorf("found only %d names of packages", named)
	}
}

// Whoever imports the types gets nothing else than the library that all types of Kubernetes need.
func TestTheAPIRequiresOnlyAPIMachinery(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json", "../../api/go.mod").Output()
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Require []struct {
			Path     string
			Indirect bool
		}
	}
	if err := json.Unmarshal(out, &file); err != nil {
		t.Fatal(err)
	}
	var direct []string
	for _, required := range file.Require {
		if !required.Indirect {
			direct = append(direct, required.Path)
		}
	}
	if diff := cmp.Diff([]string{"k8s.io/apimachinery"}, direct); diff != "" {
		t.Errorf("modules that api/go.mod requires (-want +got):\n%s", diff)
	}
}

// packages returns the project's packages, with the letters of the programs that import
// them, in the order of the map's heading.
func packages(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, path := range list(t, module+"api/...", "../../controllers/...", "../../internal/...") {
		found[path] = ""
	}
	for _, letter := range []string{"o", "s", "l", "c"} {
		for _, path := range list(t, "-deps", "../../cmd/"+programs[letter]) {
			if before, known := found[path]; known {
				found[path] = strings.TrimSpace(before + " " + letter)
			}
		}
	}
	return found
}

// list returns the paths of the project's packages, without the module's.
func list(t *testing.T, arguments ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"list"}, arguments...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	paths := slices.DeleteFunc(strings.Fields(string(out)), func(path string) bool { return !strings.HasPrefix(path, module) })
	for i := range paths {
		paths[i] = strings.TrimPrefix(paths[i], module)
	}
	return paths
}
