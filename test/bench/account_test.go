//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// TestAccount asks again what the account of goroutines against a worker pool
// asked in 2015: 15, 30 and 90 users, cost 10. What it found is a matter of a
// run's first seconds; what unbounded goroutines cost for good is p95.
func TestAccount(t *testing.T) {
	w, r := onCluster(t), begin(t, "account")
	short := w.measure(t, w.experiment(t, "first-seconds", "account-first-seconds"))
	long := w.measure(t, w.experiment(t, "users", "account-users", stepSeconds(pick(30, 15))))
	load := .7 / w.hashTime(t, 10).Seconds()
	equal := w.measure(t, w.experiment(t, "rates", "account-rates", rates(load), stepSeconds(pick(120, 40))))

	pool := highest(long, v1alpha1.ConcurrencyWorkerPool)
	r.Add("throughput of the first 5 s, 90 users, unbounded ÷ pool",
		highest(short, v1alpha1.ConcurrencyUnbounded)/highest(short, v1alpha1.ConcurrencyWorkerPool), report.AtMost(0.75), verdicts(short))
	r.Add("throughput of a settled run, 90 users, unbounded ÷ pool",
		highest(long, v1alpha1.ConcurrencyUnbounded)/pool, report.AtLeast(0.95), fmt.Sprintf("the pool's is %.1f/s; %s", pool, verdicts(long)))
	r.Add(fmt.Sprintf("p95 at %.1f/s, unbounded ÷ pool", load),
		reportedP95(equal, v1alpha1.ConcurrencyUnbounded)/reportedP95(equal, v1alpha1.ConcurrencyWorkerPool), report.AtLeast(1.1), verdicts(equal))
	r.Shown = w.table(t)
	conclude(t, r)
}

// highest is the throughput of the last step, the one with most users, of the
// first trial of a mode.
func highest(trials []v1alpha1.SizingTrial, mode v1alpha1.ConcurrencyMode) float64 {
	for _, trial := range trials {
		steps := trial.Status.Steps
		if trial.Spec.Variant.Concurrency.Mode == mode && len(steps) > 0 && steps[len(steps)-1].ThroughputMilliPerSecond != nil {
			return float64(*steps[len(steps)-1].ThroughputMilliPerSecond) / 1000
		}
	}
	return math.NaN()
}

// reportedP95 is that of the first trial of a mode, in seconds.
func reportedP95(trials []v1alpha1.SizingTrial, mode v1alpha1.ConcurrencyMode) float64 {
	for _, trial := range trials {
		if trial.Spec.Variant.Concurrency.Mode == mode && trial.Status.Result != nil && trial.Status.Result.P95Microseconds != nil {
			return float64(*trial.Status.Result.P95Microseconds) / 1e6
		}
	}
	return math.NaN()
}
