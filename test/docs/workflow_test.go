package docs_test

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// elsewhere has what the workflow calls instead of a target that takes too long on a hosted runner.
var elsewhere = map[string]string{"test-e2e": "demo CLUSTER=kind"}

var (
	called = regexp.MustCompile(`(?m)^make (.+)$`)
	suites = regexp.MustCompile(`(?m)^test:.*\n((?:\t.*\n)+)`)
	suite  = regexp.MustCompile(`\btest-[\w-]+`)
)

// A suite that is added to make test must not be missing for pull requests.
func TestTheWorkflowRunsWhatCIRuns(t *testing.T) {
	var want []string
	for _, target := range called.FindAllStringSubmatch(read(t, "../../.ci/run"), -1) {
		if target[1] == "test" {
			recipe := suites.FindStringSubmatch(read(t, "../../Makefile"))
			want = append(want, suite.FindAllString(recipe[1], -1)...)
		} else {
			want = append(want, target[1])
		}
	}
	for i, target := range want {
		if instead, there := elsewhere[target]; there {
			want[i] = instead
		}
	}
	got := workflowTargets(t)
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("targets of make (-.ci/run +.github/workflows/test.yml):\n%s", diff)
	}
}

// workflowTargets returns what follows make in the workflow, with the targets of a matrix.
func workflowTargets(t *testing.T) []string {
	t.Helper()
	var workflow struct {
		Jobs map[string]struct {
			Strategy struct{ Matrix struct{ Target []string } }
			Steps    []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../../.github/workflows/test.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	var targets []string
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			for _, target := range called.FindAllStringSubmatch(step.Run, -1) {
				if target[1] == "${{ matrix.target }}" {
					targets = append(targets, job.Strategy.Matrix.Target...)
				} else {
					targets = append(targets, target[1])
				}
			}
		}
	}
	return targets
}

// kinds are the files that list packages, by what Dependabot calls their kind.
var kinds = map[string]string{"go.mod": "gomod", "package.json": "npm", "pom.xml": "maven", "requirements.txt": "pip"}

func TestDependabotKnowsEveryPackage(t *testing.T) {
	var config struct {
		Updates []struct {
			Kind        string `json:"package-ecosystem"`
			Directories []string
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "../../.github/dependabot.yml")), &config); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "git", "-C", "../..", "ls-files").Output()
	if err != nil {
		t.Fatal(err)
	}
	for file := range strings.Lines(string(out)) {
		folder, name := path.Split("/" + strings.TrimSpace(file))
		kind, lists := kinds[name]
		if !lists {
			continue
		}
		known := false
		for _, update := range config.Updates {
			known = known || update.Kind == kind && slices.ContainsFunc(update.Directories, func(pattern string) bool {
				matches, _ := path.Match(pattern, path.Clean(folder))
				return matches
			})
		}
		if !known {
			t.Errorf(".github/dependabot.yml does not have %s of %s", kind, folder)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
