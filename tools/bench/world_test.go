//go:build bench

package bench

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
	"github.com/hashmark-dev/hashmark/tools/lab"
)

// patience is longer than the longest experiment of these benchmarks.
const patience = 3 * time.Hour

// testNamespace is a namespace in the cluster for the experiments of a benchmark.
type testNamespace struct {
	client    client.Client
	namespace string
}

// onCluster creates a namespace, which is deleted with all its experiments when the benchmark
// ends.
func onCluster(t *testing.T) testNamespace {
	t.Helper()
	connection, err := lab.Connect()
	must(t, err)
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "bench-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	must(t, connection.Create(t.Context(), ns))
	t.Cleanup(func() { _ = connection.Delete(context.Background(), ns) })
	return testNamespace{client: connection, namespace: ns.Name}
}

// change is a change of a manifest's spec.
type change func(*v1beta1.SizingExperimentSpec)

// experiment returns the experiment of a manifest in testdata, under another name.
func (w testNamespace) experiment(t *testing.T, name, manifest string, changes ...change) *v1beta1.SizingExperiment {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", manifest+".yaml"))
	must(t, err)
	e := &v1beta1.SizingExperiment{}
	must(t, yaml.UnmarshalStrict(text, e))
	e.Namespace, e.Name = w.namespace, name
	for _, change := range changes {
		change(&e.Spec)
	}
	return e
}

// measure creates the experiment, waits for its end, and returns its trials in the order in
// which they were measured.
func (w testNamespace) measure(t *testing.T, e *v1beta1.SizingExperiment) []v1beta1.SizingTrial {
	t.Helper()
	must(t, w.client.Create(t.Context(), e))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	last := ""
	must(t, lab.Finished(ctx, w.client, e, func(now *v1beta1.SizingExperiment) {
		if line := fmt.Sprintf("%s: %s %s", now.Name, now.Status.Phase, now.Status.Display.Trials); line != last {
			last = line
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

// hashTime returns the CPU time of a hash at a cost from a separate calibration. Rates and
// objectives are derived from it.
func (w testNamespace) hashTime(t *testing.T, cost int32) time.Duration {
	t.Helper()
	trials := w.measure(t, w.experiment(t, fmt.Sprintf("probe-c%d", cost), "probe", costs(cost)))
	if len(trials) != 1 || trials[0].Status.Calibration == nil {
		t.Fatalf("the probe was not calibrated: %+v", trials)
	}
	return time.Duration(trials[0].Status.Calibration.HashMicroseconds) * time.Microsecond
}

func costs(costs ...int32) change {
	return func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = costs }
}

func limits(limits ...string) change {
	return func(s *v1beta1.SizingExperimentSpec) { s.Matrix.CPULimits = fixture.Limits(limits...) }
}

func repetitions(n int32) change {
	return func(s *v1beta1.SizingExperimentSpec) { s.Repetitions = &n }
}

func stepSeconds(n int) change {
	return func(s *v1beta1.SizingExperimentSpec) { s.Load.StepSeconds = int32(n) }
}

// concurrency replaces the manifest's concurrency.
func concurrency(modes ...v1beta1.ConcurrencyMode) change {
	return func(s *v1beta1.SizingExperimentSpec) {
		s.Matrix.Concurrency = nil
		for _, mode := range modes {
			s.Matrix.Concurrency = append(s.Matrix.Concurrency, v1beta1.Concurrency{Mode: mode})
		}
	}
}

// rates sets the rates, in thousandths of a login per second.
func rates(perSecond ...float64) change {
	return func(s *v1beta1.SizingExperimentSpec) {
		s.Load.Rates.PerSecond = nil
		for _, rate := range perSecond {
			s.Load.Rates.PerSecond = append(s.Load.Rates.PerSecond, intstr.FromString(strconv.FormatFloat(rate, 'f', 3, 64)))
		}
	}
}

func objective(limit time.Duration) change {
	return func(s *v1beta1.SizingExperimentSpec) { s.Objective.P95Milliseconds = int32(limit.Milliseconds()) }
}

// verdicts returns the number of trials of each verdict and the names of the reasons, as a
// short note on a figure.
func verdicts(trials []v1beta1.SizingTrial) string {
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
	text := strings.Join(words, ", ")
	if len(reasons) > 0 {
		text += " (" + strings.Join(slices.Sorted(maps.Keys(reasons)), ", ") + ")"
	}
	return text
}
