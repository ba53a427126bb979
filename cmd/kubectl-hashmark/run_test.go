//go:build integration

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/process"
)

const login = `apiVersion: hashmark.dev/v1beta1
kind: SizingExperiment
metadata: {name: login}
spec:
  matrix: {costs: [10], cpuLimits: ["500m"]}
  objective: {p95Milliseconds: 1000}
  demand: {loginsPerSecond: 5, maxTotalCPU: "1"}
`

// The chart's roles for users.
const (
	viewer = "hashmark-view"
	editor = "hashmark-edit"
)

// operate sets the phase of the experiment, as the operator would.
func operate(t *testing.T, e *v1beta1.SizingExperiment, phase v1beta1.ExperimentPhase, change func(*v1beta1.SizingExperimentStatus)) {
	t.Helper()
	before := client.MergeFrom(e.DeepCopy())
	e.Status.Phase = phase
	for _, kind := range []string{v1beta1.ConditionReconciling, v1beta1.ConditionFinished} {
		meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{
			Type: kind, Status: metav1.ConditionTrue, Reason: "Test", Message: "this is " + string(phase),
		})
	}
	if change != nil {
		change(&e.Status)
	}
	if err := cluster.Status().Patch(t.Context(), e, before); err != nil {
		t.Fatal(err)
	}
}

// recommends returns a change of the status to a recommendation of the variant, or of no
// size if it is empty.
func recommends(variant string) func(*v1beta1.SizingExperimentStatus) {
	return func(s *v1beta1.SizingExperimentStatus) {
		s.Results = []v1beta1.VariantResult{{
			Variant: "c10-500m", Hash: v1beta1.BcryptHash(10), CPULimit: "500m",
			ObjectiveMet: ptr.To(true), CapacityMilliPerSecond: ptr.To[int64](7000), Verdict: v1beta1.VerdictValid,
		}}
		s.Recommendation = &v1beta1.Recommendation{Reason: "The test says so."}
		s.Recommendation.Variant = variant
		if variant != "" {
			s.Recommendation.Cost, s.Recommendation.CPULimit, s.Recommendation.Replicas = 10, "500m", 1
			s.Recommendation.TotalCPU, s.Recommendation.Confidence = "500m", v1beta1.ConfidenceHigh
		}
	}
}

func TestRunExitCodes(t *testing.T) {
	for name, tt := range map[string]struct {
		phase  v1beta1.ExperimentPhase
		change func(*v1beta1.SizingExperimentStatus)
		want   int
	}{
		"a size is recommended": {v1beta1.ExperimentSucceeded, recommends("c10-500m"), 0},
		"no size fits":          {v1beta1.ExperimentSucceeded, recommends(""), 1},
		"it failed":             {v1beta1.ExperimentFailed, nil, 2},
		"it was cancelled":      {v1beta1.ExperimentCancelled, recommends("c10-500m"), 2},
	} {
		t.Run(name, func(t *testing.T) {
			ns := cluster.Namespace(t, "cli")
			junit := filepath.Join(t.TempDir(), "junit.xml")
			p := process.Start(t, userWith(t, ns, viewer, editor), login, "run", "-f", "-", "-n", ns, "--junit-file", junit)
			e := experiment(t, ns)
			awaits(t, p, "Waits for an operator to look at it")
			operate(t, e, v1beta1.ExperimentRunning, nil)
			awaits(t, p, "Running: this is Running")
			operate(t, e, tt.phase, tt.change)
			if got := p.Code(); got != tt.want {
				t.Errorf("it ended with %d, want %d", got, tt.want)
			}
			written, _ := os.ReadFile(junit)
			if p.Stdout() == "" || len(written) == 0 {
				t.Errorf("it printed %q, and wrote %q", p.Stdout(), written)
			}
			if strings.ContainsAny(p.Stderr(), "\r\x1b") {
				t.Errorf("a control character was written where no terminal is: %q", p.Stderr())
			}
		})
	}
}

func TestInterruptedRunSaysWhatHappensToTheExperiment(t *testing.T) {
	for name, tt := range map[string]struct {
		flags       []string
		interrupted bool
		want        []string
		cancelled   bool
		deleted     bool
	}{
		"it goes on": {nil, true, []string{
			"interrupted; experiment", "goes on", "kubectl hashmark watch login -n", "kubectl hashmark cancel login -n",
		}, false, false},
		"it is cancelled":               {[]string{"--cancel-on-interrupt"}, true, []string{"interrupted", "is cancelled"}, true, false},
		"it is deleted":                 {[]string{"--cancel-on-interrupt", "--delete"}, true, []string{"interrupted", "is deleted"}, false, true},
		"it goes on when time is up":    {[]string{"--timeout=2s"}, false, []string{"no operator looked at the experiment within 2s", "goes on"}, false, false},
		"its time is up and it is done": {[]string{"--timeout=2s", "--cancel-on-interrupt"}, false, []string{"not finished after 2s", "is cancelled"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			ns := cluster.Namespace(t, "cli")
			p := process.Start(t, userWith(t, ns, viewer, editor), login, append([]string{"run", "-f", "-", "-n", ns}, tt.flags...)...)
			e := experiment(t, ns)
			if tt.interrupted {
				awaits(t, p, "Waits for an operator")
				p.Signal(syscall.SIGINT)
			}
			if code := p.Code(); code != 2 {
				t.Errorf("it ended with %d", code)
			}
			for _, words := range tt.want {
				if !strings.Contains(p.Stderr(), words) {
					t.Errorf("it does not say %q", words)
				}
			}
			err := cluster.Get(t.Context(), client.ObjectKeyFromObject(e), e)
			if apierrors.IsNotFound(err) != tt.deleted || (err == nil && ptr.Deref(e.Spec.Cancel, false) != tt.cancelled) {
				t.Errorf("the experiment is there with %v, cancel %t", err, ptr.Deref(e.Spec.Cancel, false))
			}
		})
	}
}

func TestRunEndsWhenItsExperimentIsDeleted(t *testing.T) {
	ns := cluster.Namespace(t, "cli")
	p := process.Start(t, userWith(t, ns, viewer, editor), login, "run", "-f", "-", "-n", ns)
	e := experiment(t, ns)
	awaits(t, p, "Waits for an operator")
	if err := cluster.Delete(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if code := p.Code(); code != 2 || !strings.Contains(p.Stderr(), "the experiment was deleted before it finished") {
		t.Errorf("it ended with %d", code)
	}
}

func TestRunOutlivesAnAPIServerOutage(t *testing.T) {
	ns := cluster.Namespace(t, "cli")
	door, kubeconfig := behindADoor(t, userWith(t, ns, viewer, editor))
	p := process.Start(t, kubeconfig, login, "run", "-f", "-", "-n", ns)
	e := experiment(t, ns)
	awaits(t, p, "Waits for an operator")
	door.shut()
	awaits(t, p, "The API server can't be reached, retrying")
	operate(t, e, v1beta1.ExperimentSucceeded, recommends("c10-500m"))
	door.open()
	awaits(t, p, "The API server can be reached again")
	if code := p.Code(); code != 0 {
		t.Errorf("it ended with %d", code)
	}
	if n := strings.Count(p.Stderr(), "can't be reached, retrying"); n != 1 {
		t.Errorf("it said %d times that the API server can't be reached", n)
	}
}

func TestCancellationOutlivesAnAPIServerOutage(t *testing.T) {
	ns := cluster.Namespace(t, "cli")
	door, kubeconfig := behindADoor(t, userWith(t, ns, viewer, editor))
	p := process.Start(t, kubeconfig, login, "run", "-f", "-", "-n", ns, "--cancel-on-interrupt")
	e := experiment(t, ns)
	awaits(t, p, "Waits for an operator")
	door.shut()
	p.Signal(syscall.SIGINT)
	awaits(t, p, "interrupted; cancelling the experiment")
	door.open()
	if code := p.Code(); code != 2 || !strings.Contains(p.Stderr(), "is cancelled") {
		t.Errorf("it ended with %d", code)
	}
	if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(e), e); err != nil || !ptr.Deref(e.Spec.Cancel, false) {
		t.Errorf("the experiment has %v, cancel %t", err, ptr.Deref(e.Spec.Cancel, false))
	}
}

// TestSecondInterruptEndsRunAtOnce interrupts it while it cancels, which takes long
// because the API server does not answer. Signals are sent until it ends, since the test
// can't see when it has handled the first.
func TestSecondInterruptEndsRunAtOnce(t *testing.T) {
	ns := cluster.Namespace(t, "cli")
	door, kubeconfig := behindADoor(t, userWith(t, ns, viewer, editor))
	p := process.Start(t, kubeconfig, login, "run", "-f", "-", "-n", ns, "--cancel-on-interrupt")
	awaits(t, p, "Waits for an operator")
	door.hang()
	p.Signal(syscall.SIGINT)
	awaits(t, p, "interrupted; cancelling the experiment")
	process.Eventually(t, "it ends", patience, func() bool {
		p.Signal(syscall.SIGINT)
		select {
		case <-p.Ended:
			return true
		default:
			return false
		}
	})
	if status, ok := p.Command.ProcessState.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
		t.Errorf("it ended by itself, with %d", p.Code())
	}
}

func TestRefusalsAreOneLine(t *testing.T) {
	ns := cluster.Namespace(t, "cli")
	all := userWith(t, ns, viewer, editor)
	if code := process.Start(t, all, login, "run", "-f", "-", "-n", ns, "--timeout=1s").Code(); code != 2 {
		t.Fatalf("the first one ended with %d", code)
	}
	elsewhere := cluster.Namespace(t, "cli")
	for name, tt := range map[string]struct {
		kubeconfig, file string
		arguments        []string
		want             string
	}{
		"the name is taken":           {all, login, []string{"run", "-f", "-", "-n", ns}, "experiment login already exists in namespace " + ns},
		"a rule of the API is broken": {all, strings.Replace(login, "[10]", "[31]", 1), []string{"run", "-f", "-", "-n", ns, "--name=other"}, "spec.matrix.costs: each cost must be between 4 and 16"},
		"a field is unknown":          {all, strings.Replace(login, "objective", "sessions: 1\n  objective", 1), []string{"run", "-f", "-", "-n", ns, "--name=other"}, `unknown field "spec.sessions"`},
		"nothing may be created":      {userWith(t, elsewhere, viewer), login, []string{"run", "-f", "-", "-n", elsewhere}, "you can't create sizingexperiments in namespace " + elsewhere},
		"nothing may be seen":         {all, "", []string{"watch", "-n", elsewhere, "login"}, "you can't get sizingexperiments in namespace " + elsewhere},
		"no experiment of that name":  {all, "", []string{"watch", "-n", ns, "logout"}, "experiment logout was not found in namespace " + ns},
		"no cluster":                  {"", "", []string{"watch", "login", "--server=127.0.0.1:1"}, "the API server can't be reached"},
	} {
		t.Run(name, func(t *testing.T) {
			p := process.Start(t, tt.kubeconfig, tt.file, tt.arguments...)
			if code := p.Code(); code != 2 || !strings.Contains(p.Stderr(), tt.want) {
				t.Errorf("it ended with %d, and does not say %q", code, tt.want)
			}
			if lines := strings.Count(p.Stderr(), "\n"); lines != 1 {
				t.Errorf("it took %d lines", lines)
			}
		})
	}
}

// TestViewRoleSufficesToRead goes through everything that only reads.
func TestViewRoleSufficesToRead(t *testing.T) {
	ns := cluster.Namespace(t, "cli")
	maker := process.Start(t, userWith(t, ns, viewer, editor), login, "run", "-f", "-", "-n", ns)
	operate(t, experiment(t, ns), v1beta1.ExperimentSucceeded, recommends("c10-500m"))
	if code := maker.Code(); code != 0 {
		t.Fatalf("the experiment ended with %d", code)
	}
	kubeconfig, saved := userWith(t, ns, viewer), filepath.Join(t.TempDir(), "saved.json")
	for _, arguments := range [][]string{
		{"watch", "login"},
		{"report", "login"},
		{"report", "login", "-o", "html"},
		{"report", "login", "-o", "json", "--output-file", saved},
		{"report", "-f", saved, "-o", "markdown"},
		{"compare", "login", ns + "/login"},
		{"compare", "login", saved, "-o", "json"},
		{"report", "-f", saved, "-o", "junit", "--output-file", saved + ".xml"},
		{"__complete", "watch", ""},
	} {
		p := process.Start(t, kubeconfig, "", append(arguments, "-n", ns)...)
		if code := p.Code(); code != 0 {
			t.Errorf("%v ended with %d", arguments, code)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(saved), ".*")); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
	if info, err := os.Stat(saved); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("the saved report is %v, %v", info, err)
	}
}
