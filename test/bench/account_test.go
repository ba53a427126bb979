//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// TestAccount repeats the comparison of goroutines and a worker pool from 2015: 15, 30 and 90
// users, cost 10. Its result applies to the first seconds of a run. The lasting cost of
// unbounded goroutines is p95.
func TestAccount(t *testing.T) {
	w, r := onCluster(t), begin(t, "account")
	callers := pick([]int32{15, 30, 90}, []int32{90})
	alike := []change{users(callers...)}
	if *cut {
		alike = append(alike, concurrency(v1alpha1.ConcurrencyUnbounded, v1alpha1.ConcurrencyWorkerPool))
	}
	hash := w.hashTime(t, 10).Seconds()
	// The runs of 2015 took 5 s, in which the machine computed 61 to 69 hashes. Here the first run takes
	// as long as 60 hashes, so 90 unbounded logins that start together end after it, and 30 before.
	first := max(1, int(math.Round(60*hash)))
	short := w.measure(t, w.experiment(t, "first-seconds", "account-first-seconds", users(callers...), stepSeconds(first)))
	long := w.measure(t, w.experiment(t, "users", "account-users", append(alike, stepSeconds(pick(60, 45)))...))
	for step, n := range callers {
		goal := report.Goal{}
		if n == 90 {
			goal = report.AtMost(0.75)
		}
		r.Add(fmt.Sprintf("throughput of the first %d s, %d users, unbounded ÷ pool", first, n), ofPools(short, throughputOf(step)), goal, verdicts(short))
		r.Add(fmt.Sprintf("throughput of a settled run, %d users, unbounded ÷ pool", n), ofPools(long, throughputOf(step)), report.AtLeast(0.9), verdicts(long))
	}
	w.equalRates(t, r, .7/hash, alike[1:])
	r.Shown = w.table(t)
	conclude(t, r)
}

// equalRates adds what unbounded costs in p95 at 70 % of the bound.
func (w testNamespace) equalRates(t *testing.T, r *report.Report, rate float64, changes []change) {
	t.Helper()
	trials := w.measure(t, w.experiment(t, "rates", "account-rates", append(changes, rates(rate), stepSeconds(pick(120, 40)))...))
	r.Add(fmt.Sprintf("p95 at %.1f/s, unbounded ÷ pool", rate), ofPools(trials, p95OfReported), report.AtLeast(1.1), verdicts(trials))
}

// ofPools returns a number of the unbounded trial divided by that of the first pool's trial.
func ofPools(trials []v1alpha1.SizingTrial, number func(v1alpha1.SizingTrialStatus) *int64) float64 {
	numbers := map[v1alpha1.ConcurrencyMode]float64{v1alpha1.ConcurrencyUnbounded: math.NaN(), v1alpha1.ConcurrencyWorkerPool: math.NaN()}
	for _, trial := range trials {
		mode := trial.Spec.Variant.Concurrency.Mode
		if measured := number(trial.Status); measured != nil && math.IsNaN(numbers[mode]) {
			numbers[mode] = float64(*measured)
		}
	}
	return numbers[v1alpha1.ConcurrencyUnbounded] / numbers[v1alpha1.ConcurrencyWorkerPool]
}

// throughputOf returns the throughput of a step, or 0 if none of its logins ended in time.
func throughputOf(step int) func(v1alpha1.SizingTrialStatus) *int64 {
	return func(status v1alpha1.SizingTrialStatus) *int64 {
		if step >= len(status.Steps) {
			return nil
		}
		if status.Steps[step].ThroughputMilliPerSecond == nil {
			return new(int64)
		}
		return status.Steps[step].ThroughputMilliPerSecond
	}
}

func p95OfReported(status v1alpha1.SizingTrialStatus) *int64 {
	if status.Result == nil {
		return nil
	}
	return status.Result.P95Microseconds
}
