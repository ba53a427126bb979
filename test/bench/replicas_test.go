//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

const (
	// several is the number of replicas, which fit on the service's CPU with a quarter each.
	several = 3
	// quarter is the CPU limit of each replica.
	quarter = 0.25
)

// TestReplicas compares several replicas at several times the rate with one replica at the
// rate. Logins that are distributed at random find the same queue in each replica as with a
// single one. If all replicas shared one queue, p95 would be much lower, and a recommendation
// that divides the rate among replicas would be too large. A saturation keeps all of them
// busy.
func TestReplicas(t *testing.T) {
	w, r := onCluster(t), begin(t, "replicas")
	bound := quarter / w.hashTime(t, 8).Seconds()
	loads := []float64{0.5, 0.8}
	one, all := w.replicated(t, 1, loads, bound), w.replicated(t, several, loads, bound)
	for i, load := range loads {
		alone, together := stepOf(one, i), stepOf(all, i)
		r.Add(fmt.Sprintf("p95 of %d replicas ÷ of one, ρ %v", several, load), p95Of(together)/p95Of(alone), report.Between(0.8, 1.25),
			fmt.Sprintf("%.0f and %.0f ms, %d and %d logins; %s", p95Of(together), p95Of(alone), together.OK, alone.OK, verdicts(append(one, all...))))
	}
	for _, cell := range []struct {
		name string
		mode v1alpha1.ConcurrencyMode
		goal report.Goal
	}{
		{"pool", v1alpha1.ConcurrencyWorkerPool, report.AtLeast(0.97)},
		{"unbounded", v1alpha1.ConcurrencyUnbounded, report.AtLeast(0.95)},
	} {
		trials := w.measure(t, w.experiment(t, "saturated-"+cell.name, "bound",
			limits("250m"), concurrency(cell.mode), repetitions(pick[int32](5, 1)), servedBy(several)))
		r.Add(fmt.Sprintf("maximum ÷ bound of %d replicas, %s", several, cell.name), figures.Median(ofBound(trials)), cell.goal, verdicts(trials))
	}
	conclude(t, r)
}

// servedBy sets the number of replicas.
func servedBy(replicas int32) func(*v1alpha1.SizingExperimentSpec) {
	return func(s *v1alpha1.SizingExperimentSpec) { s.Service.Replicas = replicas }
}

// replicated measures a number of replicas, each at the given shares of its bound.
func (w testNamespace) replicated(t *testing.T, replicas int32, loads []float64, bound float64) []v1alpha1.SizingTrial {
	t.Helper()
	var perSecond []float64
	for _, load := range loads {
		perSecond = append(perSecond, load*bound*float64(replicas))
	}
	return w.measure(t, w.experiment(t, fmt.Sprintf("replicas-%d", replicas), "replicas",
		rates(perSecond...), stepSeconds(pick(240, 60)), servedBy(replicas)))
}

// stepOf returns a step of the only trial, or an empty one.
func stepOf(trials []v1alpha1.SizingTrial, i int) v1alpha1.Step {
	if len(trials) != 1 || i >= len(trials[0].Status.Steps) {
		return v1alpha1.Step{}
	}
	return trials[0].Status.Steps[i]
}

// p95Of returns a step's p95, in milliseconds.
func p95Of(step v1alpha1.Step) float64 {
	if step.P95Microseconds == nil {
		return math.NaN()
	}
	return float64(*step.P95Microseconds) / 1000
}
