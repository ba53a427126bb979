package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// module is a Go module of which a program contains at least one package.
type module struct {
	path, version string
	// root is its folder.
	root string
	// texts are the licences and notices, by their path in the module.
	texts map[string]string
	// licenses are identifiers of SPDX, in alphabetical order.
	licenses []string
	// note is what is said about the module beyond its texts.
	note string
}

// golang has the licence of the standard library and the runtime. It is a copy, because the Go
// of many distributions comes without it.
//
//go:embed golang
var golang embed.FS

// listed is what the go command prints about a package.
type listed struct {
	Dir      string
	Standard bool
	Module   *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// ours begins the paths of Hashmark's own modules, which are under the licence of the tree.
const ours = "github.com/hashmark-dev/hashmark/"

// linked returns the modules in a program, the standard library first and then by their path.
// The program's own module is not among them, nor are others of Hashmark.
func linked(folder, program string) ([]module, error) {
	packages, err := list(folder, program)
	if err != nil {
		return nil, err
	}
	found := map[string]module{}
	for _, p := range packages {
		if p.Standard || p.Module.Main || strings.HasPrefix(p.Module.Path, ours) {
			continue
		}
		m, known := found[p.Module.Path]
		if !known {
			m = module{path: p.Module.Path, version: p.Module.Version, root: p.Module.Dir, texts: map[string]string{}}
			found[m.path] = m
		}
		if err := m.readUpwards(p.Dir); err != nil {
			return nil, err
		}
	}
	modules := make([]module, 0, len(found))
	for _, m := range found {
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	standard, err := standardLibrary()
	return slices.Insert(modules, 0, standard), err
}

// list returns the packages that a program is linked from.
func list(folder, program string) ([]listed, error) {
	command := exec.Command("go", "list", "-deps", "-json=Dir,Standard,Module", program)
	command.Dir, command.Stderr = folder, os.Stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", program, err)
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(output)); ; {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		all = append(all, p)
	}
}

// legal matches the names of files that have to go along with a program.
var legal = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying|copyright|notice|patents|authors)([-_.].*)?$`)

// readUpwards reads the legal files of a folder and of those above it, up to the module's root.
func (m module) readUpwards(folder string) error {
	for ; ; folder = filepath.Dir(folder) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if entry.IsDir() || !legal.MatchString(entry.Name()) || filepath.Ext(entry.Name()) == ".go" {
				continue
			}
			if err := m.readText(filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
		if folder == m.root {
			return nil
		}
	}
}

func (m module) readText(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	name, err := filepath.Rel(m.root, file)
	m.texts[filepath.ToSlash(name)] = string(text)
	return err
}

func standardLibrary() (module, error) {
	m := module{path: "Go standard library and runtime", version: runtime.Version(), texts: map[string]string{}}
	for _, name := range []string{"LICENSE", "PATENTS"} {
		text, err := golang.ReadFile("golang/" + name)
		if err != nil {
			return m, err
		}
		m.texts[name] = string(text)
	}
	return m, nil
}
