package cli

import (
	"context"
	"errors"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const login = `apiVersion: hashmark.dev/v1beta1
kind: SizingExperiment
metadata: {name: login}
spec:
  matrix: {costs: [8, 10], cpuLimits: ["500m"]}
  objective: {p95Milliseconds: 1000}
`

// reaches is a stage in the operator's words.
func reaches(phase v1beta1.ExperimentPhase, message string) func(*v1beta1.SizingExperiment) {
	return func(e *v1beta1.SizingExperiment) {
		e.Status.Phase = phase
		for _, kind := range []string{v1beta1.ConditionReconciling, v1beta1.ConditionFinished} {
			meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Message: message})
		}
	}
}

// ends is a stage at the end of which each variant has met the objective or not.
func ends(met ...bool) func(*v1beta1.SizingExperiment) {
	return func(e *v1beta1.SizingExperiment) {
		reaches(v1beta1.ExperimentSucceeded, "All measured")(e)
		e.Status.Results = nil
		for i, m := range met {
			e.Status.Results = append(e.Status.Results, v1beta1.VariantResult{
				Variant: []string{"c8-500m", "c10-500m"}[i], Hash: v1beta1.BcryptHash(int32(8 + 2*i)), CPULimit: "500m",
				ObjectiveMet: ptr.To(m), Verdict: v1beta1.VerdictValid,
			})
		}
	}
}

func TestRunPrintsEachChangeOnceAndItsExitCode(t *testing.T) {
	halfway := reaches(v1beta1.ExperimentRunning, "1 of 2 trials have ended. c10-500m: under load")
	stages := []func(*v1beta1.SizingExperiment){
		reaches(v1beta1.ExperimentQueued, "Waits for its turn"),
		reaches(v1beta1.ExperimentQueued, "Waits for its turn"),
		func(e *v1beta1.SizingExperiment) {
			halfway(e)
			e.Status.Progress = &v1beta1.Progress{Trials: 2, Finished: 1, EstimatedEndTime: ptr.To(metav1.NewTime(noon.Add(250 * time.Second)))}
		},
	}
	for name, tt := range map[string]struct {
		end  func(*v1beta1.SizingExperiment)
		code int
		last string
	}{
		"one variant meets the objective": {ends(true, false), 0, "Succeeded: All measured"},
		"none meets it":                   {ends(false, false), 1, "Succeeded: All measured"},
		"none was measured":               {reaches(v1beta1.ExperimentFailed, "No variant was measured"), 2, "error: the experiment ended as Failed: No variant was measured"},
		"it was cancelled":                {reaches(v1beta1.ExperimentCancelled, "Cancelled"), 2, "error: the experiment was cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			got := carryOut(t, world{stages: append(stages[:3:3], tt.end)}.client(t), login, "run", "-f", "-")
			want := `sizingexperiment.hashmark.dev/login created in namespace ns
12:00:00  Waits for an operator to look at it
12:00:00  Queued: Waits for its turn
12:00:00  Running: 1 of 2 trials have ended. c10-500m: under load, about 4:10 left
`
			if !strings.HasPrefix(got.err, want) || !strings.Contains(got.err, tt.last) {
				t.Errorf("it printed (-want +got), and should have ended with %q:\n%s", tt.last, cmp.Diff(want, got.err))
			}
			if got.code != tt.code {
				t.Errorf("it ended with %d, want %d", got.code, tt.code)
			}
			if strings.ContainsAny(got.out+got.err, "\r\x1b") {
				t.Errorf("a control character was written where no terminal is: %q", got.out+got.err)
			}
		})
	}
}

func TestRunWritesFilesForCI(t *testing.T) {
	folder := t.TempDir()
	junit, page := filepath.Join(folder, "junit.xml"), filepath.Join(folder, "report.md")
	got := carryOut(t, world{stages: []func(*v1beta1.SizingExperiment){ends(true, true)}}.client(t), login,
		"run", "-f", "-", "-o", "csv", "--junit-file", junit, "--report-file", page)
	if got.code != 0 {
		t.Fatalf("it ended with %d: %s", got.code, got.err)
	}
	for _, file := range []string{junit, page} {
		if content, err := os.ReadFile(file); err != nil || len(content) == 0 {
			t.Errorf("%s holds %d bytes, %v", file, len(content), err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".*")); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

func TestRunWithDeleteLeavesNothing(t *testing.T) {
	cluster := world{stages: []func(*v1beta1.SizingExperiment){ends(true, true)}}.client(t)
	if got := carryOut(t, cluster, login, "run", "-f", "-", "--delete"); got.code != 0 {
		t.Fatalf("it ended with %d: %s", got.code, got.err)
	}
	err := cluster.Get(t.Context(), client.ObjectKey{Namespace: "ns", Name: "login"}, &v1beta1.SizingExperiment{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the experiment is still there, %v", err)
	}
}

func TestRunRefusesBeforeItCreates(t *testing.T) {
	folder := t.TempDir()
	for name, tt := range map[string]struct {
		stdin     string
		arguments []string
		want      string
	}{
		"no file":                            {"", nil, `required flag(s) "filename" not set`},
		"a file that is missing":             {"", []string{"-f", "nowhere.yaml"}, "nowhere.yaml: no such file"},
		"an empty file":                      {"# nothing\n", []string{"-f", "-"}, "- is empty"},
		"several documents":                  {login + "---\n" + login, []string{"-f", "-"}, "contains several documents; put each experiment in its own file"},
		"another kind":                       {"kind: Pod\napiVersion: v1\n", []string{"-f", "-"}, `contains a "Pod" of "v1"; it must contain a SizingExperiment`},
		"a key twice":                        {login + "spec: {}\n", []string{"-f", "-"}, `key "spec" already set`},
		"no YAML":                            {"{", []string{"-f", "-"}, "is not valid YAML"},
		"a spec that is too large":           {login + "  baseline: " + strings.Repeat("a", 200_000), []string{"-f", "-"}, "-: the spec has 200099 bytes as JSON, and at most 131072 are allowed"},
		"no name":                            {strings.Replace(login, "{name: login}", "{}", 1), []string{"-f", "-"}, "does not name the experiment"},
		"two namespaces":                     {strings.Replace(login, "name: login", "name: login, namespace: other", 1), []string{"-f", "-"}, "remove one of them"},
		"an unknown format":                  {login, []string{"-f", "-", "-o", "pdf"}, "must be one of csv, html, json, junit, markdown, table"},
		"a report without extension":         {login, []string{"-f", "-", "--report-file", filepath.Join(folder, "report")}, "the extension must be one of .csv, .html"},
		"a file in a folder that is missing": {login, []string{"-f", "-", "--junit-file", filepath.Join(folder, "none", "x.xml")}, "does not exist"},
		"an argument that it does not take":  {login, []string{"-f", "-", "now"}, `unknown command "now"`},
		"an unknown flag":                    {login, []string{"-f", "-", "--fast"}, "unknown flag: --fast"},
	} {
		t.Run(name, func(t *testing.T) {
			created := false
			cluster := world{functions: interceptor.Funcs{
				Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
					created = true
					return apierrors.NewInternalError(os.ErrInvalid)
				},
			}}.client(t)
			got := carryOut(t, cluster, tt.stdin, append([]string{"run"}, tt.arguments...)...)
			if got.code != 2 || !strings.Contains(got.err, tt.want) || created {
				t.Errorf("it ended with %d, created is %t, and it said %q, want %q in it", got.code, created, got.err, tt.want)
			}
		})
	}
}

// The API server creates the experiment even if the command is interrupted before the answer.
func TestRunInterruptedWhileCreatingKnowsItsExperiment(t *testing.T) {
	for want, flags := range map[string][]string{
		"experiment ns/login goes on": nil,
		"ns/login is deleted":         {"--cancel-on-interrupt", "--delete"},
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		cluster := world{functions: interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.CreateOption) error {
				interrupt()
				return errors.Join(c.Create(ctx, object, opts...), ctx.Err())
			},
		}}.client(t)
		got := carryOutIn(ctx, t, cluster, login, append([]string{"run", "-f", "-"}, flags...)...)
		if !strings.Contains(got.err, want) {
			t.Errorf("with %v it said %q, want %q in it", flags, got.err, want)
		}
		list := &v1beta1.SizingExperimentList{}
		if err := cluster.List(t.Context(), list); err != nil || (len(list.Items) == 0) != (flags != nil) {
			t.Errorf("with %v there are %d experiments, %v", flags, len(list.Items), err)
		}
	}
}

func TestRunTakesNameAndNamespaceFromFlags(t *testing.T) {
	for name, tt := range map[string]struct {
		metadata  string
		arguments []string
		want      string
	}{
		"its own":                     {"{name: login}", nil, "ns/login"},
		"the namespace that it names": {"{name: login, namespace: ns}", nil, "ns/login"},
		"another name":                {"{name: login}", []string{"--name=nightly"}, "ns/nightly"},
		"a generated name":            {"{generateName: login-}", nil, "ns/login-?????"},
		"a name for a generated one":  {"{generateName: login-}", []string{"--name=nightly"}, "ns/nightly"},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := world{stages: []func(*v1beta1.SizingExperiment){ends(true, true)}}.client(t)
			got := carryOut(t, cluster, strings.Replace(login, "{name: login}", tt.metadata, 1), append([]string{"run", "-f", "-"}, tt.arguments...)...)
			list := &v1beta1.SizingExperimentList{}
			if err := cluster.List(t.Context(), list); err != nil || len(list.Items) != 1 {
				t.Fatalf("there are %d experiments, %v: %s", len(list.Items), err, got.err)
			}
			made := client.ObjectKeyFromObject(&list.Items[0])
			if matches, _ := path.Match(tt.want, made.String()); !matches || !strings.HasPrefix(got.err, "sizingexperiment.hashmark.dev/"+made.Name+" created") {
				t.Errorf("it made %s, want %s, and said %s", made, tt.want, got.err)
			}
		})
	}
}
