//go:build bench

package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// TestAccountPools repeats the comparison of goroutines and worker pools from 2015: 15, 30 and 90
// users, cost 10. Its result applies to the first seconds of a run. The lasting cost of
// unbounded goroutines is p95.
func TestAccountPools(t *testing.T) {
	w, r := onCluster(t), begin(t, "account-pools")
	hash := w.hashTime(t, 10).Seconds()
	// The runs of 2015 took 5 s, in which the machine computed 61 to 69 hashes. Here the first run takes
	// as long as 60 hashes, so 90 unbounded logins that start together end after it, and 30 before.
	first := max(1, int(math.Round(60*hash)))
	changed := []change{stepSeconds(first)}
	if *cut {
		changed = append(changed, concurrency(v1alpha1.ConcurrencyUnbounded, v1alpha1.ConcurrencyWorkerPool))
	}
	short := w.measure(t, w.account(t, "worker-pools", changed...))
	if !*cut {
		short = append(short, w.measure(t, w.account(t, "more-workers", changed...))...)
	}
	settled := w.measure(t, w.account(t, "settled"))
	callers := short[0].Spec.Load.Users
	r.Tables = fmt.Sprintf("Logins that were answered in the first %d s, and in brackets those that found the queue full:\n\n%s", first, answered(short, callers))
	for step, n := range callers {
		goal := report.Goal{}
		if n == 90 {
			goal = report.AtMost(0.75)
		}
		r.Add(fmt.Sprintf("throughput of the first %d s, %d users, unbounded ÷ pool", first, n), ofPools(short, throughputOf(step)), goal, verdicts(short))
		r.Add(fmt.Sprintf("throughput of a settled run, %d users, unbounded ÷ pool", n), ofPools(settled, throughputOf(step)), report.AtLeast(0.9), verdicts(settled))
	}
	rate := .7 / hash
	same := w.measure(t, w.account(t, "same-rate", rates(rate), stepSeconds(pick(60, 40))))
	r.Add(fmt.Sprintf("p95 at %.1f/s, unbounded ÷ pool", rate), ofPools(same, p95OfReported), report.AtLeast(1.1), verdicts(same))
	conclude(t, r)
}

// answered returns a table of the logins of each step, a row per mechanism in the order of the names.
func answered(trials []v1alpha1.SizingTrial, callers []int32) string {
	header := []string{"mechanism"}
	for _, n := range callers {
		header = append(header, fmt.Sprintf("%d callers", n))
	}
	sorted := slices.SortedFunc(slices.Values(trials), func(a, b v1alpha1.SizingTrial) int { return cmp.Compare(a.Spec.Variant.Name, b.Spec.Variant.Name) })
	var rows [][]string
	for _, trial := range sorted {
		row := []string{results.Concurrency(trial.Spec.Variant.Concurrency)}
		for _, step := range trial.Status.Steps {
			if step.Kind == v1alpha1.StepClosed {
				row = append(row, fmt.Sprintf("%.0f (%d)", answeredInTime(step), step.Refused))
			}
		}
		rows = append(rows, row)
	}
	return report.Table(header, rows)
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
