//go:build e2e

package e2e

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// elsewhere lists the documented commands that this test does not run, by how they begin, and
// what runs them instead, or why nothing does.
var elsewhere = []struct{ begin, why string }{
	{"make demo-clean", "it removes the cluster that the suite runs on"},
	{"make cluster-down", "it removes the cluster that the suite runs on"},
	{"make cluster-up", "make demo runs it"},
	{"make demo", "the suite begins with it"},
	{"make cli", "make demo runs it"},
	{"hack/bench-docs.sh", "it writes the figures of benchmarks into the documentation"},
	{"hack/gallery.sh", "it takes half an hour"},
	{"make bench", "it takes up to hours on a machine that does nothing else"},
	{"eval ", "the suite runs in that environment"},
	{"export ", "it only changes the shell's environment"},
	{"git clone ", "the suite runs in a clone"},
	{"IMAGES=registry.example.com/team make release-local", "make test-long NAME=release runs it with a registry on loopback"},
	{"docker login ", "it needs an account at a registry"},
	{"docker cp ", "it needs Docker; make test-long NAME=images reads the same licences"},
	{"go version -m operator", "it needs the program out of an image"},
	{"helm install hashmark ", "TestTheChartOnACluster installs the chart"},
	{"helm upgrade hashmark ", "TestTheChartOnACluster upgrades the chart"},
	{"helm upgrade --install hashmark ", "TestTheChartOnACluster installs the chart"},
	{"helm test hashmark ", "TestTheChartOnACluster runs it"},
	{"helm uninstall hashmark ", "TestTheChartOnACluster runs it"},
	{"kubectl create namespace hashmark-system", "make demo runs it"},
	{"kubectl label namespace hashmark-system ", "make demo runs it"},
	{"kubectl delete customresourcedefinition ", "TestTheChartOnACluster removes the definitions"},
	{"kubectl apply -f ", "the other tests apply experiments, and TestSamplesAreAccepted the samples"},
	{"kubectl -n hashmark-system logs deployment/hashmark-operator", "the suite runs an operator of its own instead"},
	{"kubectl get sizingtrials --watch", "it never ends"},
	{"kubectl krew install ", "hack/krew.sh release runs it with krew"},
	{"cosign verify", "it needs a published release; make test-long NAME=release runs it with a key"},
	{"cosign generate-key-pair", "make test-long NAME=release runs it"},
	{"COSIGN_KEY=cosign.key make release-sign", "make test-long NAME=release signs with a registry on loopback"},
	{"gh attestation verify ", "it needs a published release"},
	{"HASHMARK_FAULTS_SEED=7 make test-integration", "CI runs the target"},
	{"HASHMARK_FAULTS=all go test ", "make test-long NAME=faults runs it"},
	{"HASHMARK_SPEED_OF=", "make test-browser runs the test"},
	{"hack/screenshot.sh docs", "make test-browser runs the script"},
	{"hack/dashboards/render.sh docs", "make test-browser runs the script"},
	{"tools/cluster/cluster.sh status", "it looks into the local cluster only"},
	{"ctr ", "it looks into the local cluster only"},
	{"nsenter ", "it looks into the local cluster only"},
	{"cat /sys/fs/cgroup", "it looks into the local cluster only"},
	{"jq ", "it looks into the local cluster only"},
}

// flagsOnly matches commands that measure, that stop what is measured, or that ask for hashes that the quickstart lacks. Only
// their flags are checked.
var flagsOnly = regexp.MustCompile(`kubectl hashmark (run|calibrate|init|measure|cancel|suspend|resume)\b|--hashes `)

// TestDocumentedCommandsRun runs the commands of README and docs that ask a cluster, with the
// quickstart instead of the experiments that they name.
func TestDocumentedCommandsRun(t *testing.T) {
	e, _ := quickstart(t)
	trial := trialsOf(t, e)[0].Name
	shell := documentationShell(t, e)
	unused := map[string]bool{}
	for _, one := range elsewhere {
		unused[one.begin] = true
	}
	ran, flags, notRun := 0, 0, 0
	for _, command := range documentedCommands(t) {
		at := slices.IndexFunc(elsewhere, func(one struct{ begin, why string }) bool { return strings.HasPrefix(command.text, one.begin) })
		switch {
		case at >= 0:
			delete(unused, elsewhere[at].begin)
			notRun++
			t.Logf("not run: %s (%s)", command.text, elsewhere[at].why)
		case flagsOnly.MatchString(command.text):
			flags++
			shell.run(t, command, command.text+" --help")
		default:
			ran++
			shell.run(t, command, ofTheQuickstart(command.text, e, trial))
		}
	}
	for begin := range unused {
		t.Errorf("no documented command begins with %q", begin)
	}
	t.Logf("%d documented commands ran, of %d others the flags were checked, %d did not run", ran, flags, notRun)
}

// docCommand is a command of the documentation.
type docCommand struct {
	// The file and the command in one line, without its comment.
	file, text string
}

var (
	fence   = regexp.MustCompile("^ *```(\\w*)$")
	comment = regexp.MustCompile(`\s+# .*$`)
)

// documentedCommands returns all commands, which are in blocks of bash.
func documentedCommands(t *testing.T) []docCommand {
	t.Helper()
	files, err := filepath.Glob("../../docs/*.md")
	must(t, err)
	files = append(files, "../../README.md", "../../docs/accounts/README.md", "../../docs/gallery/README.md", "../../charts/hashmark/README.md", "../../tools/cluster/README.md")
	var all []docCommand
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		all = append(all, commandsOf(file, string(text))...)
	}
	if len(all) < 100 {
		t.Fatalf("found only %d commands", len(all))
	}
	return all
}

// commandsOf returns the commands of a page. A line that ends with a backslash or a pipe goes on
// in the next one.
func commandsOf(file, page string) []docCommand {
	var all []docCommand
	inside, bash, begun := false, false, ""
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if match := fence.FindStringSubmatch(line); match != nil {
			inside = !inside
			bash = inside && match[1] == "bash"
			continue
		}
		line = strings.TrimSpace(begun + comment.ReplaceAllString(line, ""))
		begun = ""
		switch {
		case !bash || line == "":
		case strings.HasSuffix(line, "\\"):
			begun = strings.TrimSuffix(line, "\\")
		case strings.HasSuffix(line, "|"):
			begun = line + " "
		default:
			all = append(all, docCommand{file: file, text: line})
		}
	}
	return all
}

var (
	experimentName = regexp.MustCompile(`(szx[ /]|hashmark (?:report|recommend|watch) )[a-zA-Z][\w-]*(\s|$)`)
	comparedNames  = regexp.MustCompile(`hashmark compare \S+ \S+`)
)

// ofTheQuickstart returns a command with the quickstart and one of its trials instead of the
// objects that it names. Saved reports keep their names.
func ofTheQuickstart(command string, e *v1beta1.SizingExperiment, trial string) string {
	command = experimentName.ReplaceAllString(command, "${1}"+e.Name+"${2}")
	if !strings.Contains(command, ".json") {
		command = comparedNames.ReplaceAllString(command, "hashmark compare "+e.Name+" "+e.Namespace+"/"+e.Name)
	}
	return strings.NewReplacer("sizingtrial TRIAL", "sizingtrial "+trial, "/tmp/", "").Replace(command)
}

// aShell runs commands in a folder of its own, which has docs/, with the quickstart's namespace as the default.
type aShell struct {
	folder string
	env    []string
}

func documentationShell(t *testing.T, e *v1beta1.SizingExperiment) aShell {
	t.Helper()
	folder := t.TempDir()
	config := filepath.Join(folder, "kubeconfig")
	must(t, os.WriteFile(config, []byte(kubectl(t, "config", "view", "--raw", "--flatten")), 0o600))
	must(t, os.MkdirAll(filepath.Join(folder, ".local", "bin"), 0o700))
	docs, err := filepath.Abs("../../docs")
	must(t, err)
	must(t, os.Symlink(docs, filepath.Join(folder, "docs"))) // for the reports of the gallery
	sample, err := os.ReadFile("../../config/samples/quickstart.yaml")
	must(t, err)
	overlay := filepath.Join("overlays", "sizing")
	must(t, os.MkdirAll(filepath.Join(folder, overlay), 0o700))
	for name, text := range map[string][]byte{
		"experiment.yaml": sample, "login-sizing.yaml": sample, // for the commands that need no cluster
		filepath.Join(overlay, "experiment.yaml"): sample, filepath.Join(overlay, "kustomization.yaml"): []byte("resources: [experiment.yaml]\n"),
	} {
		must(t, os.WriteFile(filepath.Join(folder, name), text, 0o600))
	}
	shell := aShell{folder: folder, env: append(os.Environ(), "KUBECONFIG="+config, "HOME="+folder)}
	shell.run(t, docCommand{}, "kubectl config set-context --current --namespace="+e.Namespace)
	// Reports that are compared with later ones.
	for _, name := range []string{"last-week.json", "today.json", "last.json"} {
		shell.run(t, docCommand{}, "kubectl hashmark report "+e.Name+" -o json --output-file "+name)
	}
	return shell
}

// run runs a command. One that recommends or compares may also answer no, with exit code 1. What
// asks for a field has to print something.
func (s aShell) run(t *testing.T, from docCommand, command string) {
	t.Helper()
	process := exec.CommandContext(t.Context(), "bash", "-c", command)
	process.Dir, process.Env = s.folder, s.env
	var stderr strings.Builder
	process.Stderr = &stderr
	out, err := process.Output()
	var ended *exec.ExitError
	answers := strings.Contains(command, "hashmark recommend ") || strings.Contains(command, "hashmark compare ")
	if err != nil && !(answers && errors.As(err, &ended) && ended.ExitCode() == 1) {
		t.Errorf("%s: %s\n%v\n%s%s", from.file, command, err, out, stderr.String())
	}
	if strings.Contains(command, "jsonpath=") && !strings.Contains(command, "?(") && strings.TrimSpace(string(out)) == "" {
		t.Errorf("%s: %s printed nothing", from.file, command)
	}
}
