//go:build bench

package bench

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/lab"
)

// patience is longer than the longest experiment of these benches.
const patience = 3 * time.Hour

// world is a namespace of the cluster in which a bench asks its questions.
type world struct {
	client    client.WithWatch
	namespace string
}

// onCluster makes a namespace that goes, with all that was measured, when the
// bench ends.
func onCluster(t *testing.T) world {
	t.Helper()
	connection, err := lab.Connect()
	must(t, err)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "bench-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	must(t, connection.Create(t.Context(), ns))
	t.Cleanup(func() { _ = connection.Delete(context.Background(), ns) })
	return world{client: connection, namespace: ns.Name}
}

// change is what a bench asks beside what a manifest does.
type change func(*v1alpha1.SizingExperimentSpec)

// experiment is the one of a manifest in testdata, under a name of its own.
func (w world) experiment(t *testing.T, name, manifest string, changes ...change) *v1alpha1.SizingExperiment {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", manifest+".yaml"))
	must(t, err)
	e := &v1alpha1.SizingExperiment{}
	must(t, yaml.UnmarshalStrict(text, e))
	e.Namespace, e.Name = w.namespace, name
	for _, change := range changes {
		change(&e.Spec)
	}
	return e
}

// measure asks the question, waits for the answer, and gives the trials in the
// order in which they were measured.
func (w world) measure(t *testing.T, e *v1alpha1.SizingExperiment) []v1alpha1.SizingTrial {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, w.client.Create(ctx, e))
	said := ""
	must(t, lab.Finished(ctx, w.client, e, func(now *v1alpha1.SizingExperiment) {
		if line := fmt.Sprintf("%s: %s %s", now.Name, now.Status.Phase, now.Status.Display.Trials); line != said {
			said = line
			say("%s", line)
		}
	}))
	trials, err := lab.Trials(ctx, w.client, e)
	must(t, err)
	for _, trial := range trials {
		if trial.Status.Result == nil {
			say("%s is %s: %s: %s", trial.Name, trial.Status.Phase, trial.Status.Reason, trial.Status.Message)
		}
	}
	return trials
}

// hashTime is the CPU time of a hash at a cost, from a calibration of its own:
// what rates, and objectives, are chosen by.
func (w world) hashTime(t *testing.T, cost int32) time.Duration {
	t.Helper()
	trials := w.measure(t, w.experiment(t, fmt.Sprintf("probe-c%d", cost), "probe", costs(cost)))
	if len(trials) != 1 || trials[0].Status.Calibration == nil {
		t.Fatalf("the probe was not calibrated: %+v", trials)
	}
	return time.Duration(trials[0].Status.Calibration.HashMicroseconds) * time.Microsecond
}

// table is what kubectl shows of the namespace's trials.
func (w world) table(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "kubectl", "get", "sizingtrials", "-n", w.namespace, "--sort-by=.metadata.name").Output()
	must(t, err)
	return string(out)
}

func costs(costs ...int32) change {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Matrix.Costs = costs }
}

func limits(limits ...string) change {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Matrix.CPULimits = limits }
}

func repetitions(n int32) change {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Repetitions = n }
}

func seeded(seed int64) change {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Seed = ptr.To(seed) }
}

func users(numbers ...int32) change {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Load.Users = numbers }
}

func stepSeconds(n int) change {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Load.StepSeconds = int32(n) }
}

// concurrency takes the place of all that the manifest has.
func concurrency(modes ...v1alpha1.ConcurrencyMode) change {
	return func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.Concurrency = nil
		for _, mode := range modes {
			s.Matrix.Concurrency = append(s.Matrix.Concurrency, v1alpha1.Concurrency{Mode: mode})
		}
	}
}

// rates are held to the thousandth of a login per second.
func rates(perSecond ...float64) change {
	return func(s *v1alpha1.SizingExperimentSpec) {
		s.Load.RatesPerSecond = nil
		for _, rate := range perSecond {
			s.Load.RatesPerSecond = append(s.Load.RatesPerSecond, intstr.FromString(strconv.FormatFloat(rate, 'f', 3, 64)))
		}
	}
}

func objective(limit time.Duration) change {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Objective.P95Milliseconds = int32(limit.Milliseconds()) }
}

// verdicts counts the trials of each verdict and names the reasons, in a few
// words to stand beside a figure.
func verdicts(trials []v1alpha1.SizingTrial) string {
	counts, reasons := map[string]int{}, map[string]bool{}
	for _, trial := range trials {
		if trial.Status.Result == nil {
			counts[string(trial.Status.Phase)]++
			continue
		}
		counts[string(trial.Status.Result.Verdict)]++
		for _, reason := range trial.Status.Result.Reasons {
			reasons[reason.Type] = true
		}
	}
	var words []string
	for verdict, count := range counts {
		words = append(words, fmt.Sprintf("%d %s", count, verdict))
	}
	slices.Sort(words)
	said := strings.Join(words, ", ")
	if len(reasons) > 0 {
		var names []string
		for name := range reasons {
			names = append(names, name)
		}
		slices.Sort(names)
		said += " (" + strings.Join(names, ", ") + ")"
	}
	return said
}
