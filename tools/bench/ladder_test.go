//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/tools/bench/figures"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

const (
	// rungs is the number of rates of the whole ladder, each 5 % of the bound above the last.
	rungs       = 20
	rungSeconds = 60
)

// TestLadder compares the capacity of one trial with an exhaustive ladder of rates. The short
// run measures only the rates around the capacity, for less time, and uses the planned time of
// the whole ladder.
func TestLadder(t *testing.T) {
	w, r := onCluster(t), begin(t, "ladder")
	hash := w.hashTime(t, 8)
	for _, cell := range pick([]ladderCell{
		{"1", 1, v1beta1.ConcurrencyWorkerPool}, {"500m", .5, v1beta1.ConcurrencyWorkerPool},
		{"1", 1, v1beta1.ConcurrencyUnbounded}, {"500m", .5, v1beta1.ConcurrencyUnbounded},
	}, []ladderCell{{"1", 1, v1beta1.ConcurrencyWorkerPool}}) {
		// A subtest, so that -test.run can select one cell.
		t.Run(cell.name(), func(t *testing.T) { w.climb(t, r, cell, hash) })
	}
	conclude(t, r)
}

type ladderCell struct {
	limit string
	cpus  float64
	mode  v1beta1.ConcurrencyMode
}

func (c ladderCell) name() string {
	if c.mode == v1beta1.ConcurrencyUnbounded {
		return "unbounded-" + c.limit
	}
	return "pool-" + c.limit
}

// climb measures a cell in both ways and compares capacities and times.
func (w testNamespace) climb(t *testing.T, r *report.Report, cell ladderCell, hash time.Duration) {
	t.Helper()
	bound := cell.cpus / hash.Seconds()
	limit := time.Duration(10 * float64(hash) / cell.cpus).Round(time.Millisecond)
	alike := []change{limits(cell.limit), concurrency(cell.mode), objective(limit)}
	trials := w.measure(t, w.experiment(t, "capacity-"+cell.name(), "ladder-capacity", alike...))
	capacities := capacitiesOf(trials)
	if len(capacities) != 1 {
		r.Add("capacity ÷ ladder's, "+cell.name(), math.NaN(), report.Between(0.95, 1.05), "no capacity; "+verdicts(trials))
		return
	}
	perSecond, seconds := rungsFor(bound, capacities[0])
	climbed := w.measure(t, w.experiment(t, "ladder-"+cell.name(), "ladder-rungs",
		append(alike, rates(perSecond...), stepSeconds(seconds))...))
	exhaustive := figures.Crossing(figures.Rising(rungsOf(climbed)), float64(limit.Microseconds()))
	took, ladderTook := spent(trials), spent(climbed)
	if *cut {
		ladderTook = rungs * rungSeconds * time.Second
	}
	method := trials[0].Status.Result.CapacityMethod
	r.Add("capacity ÷ ladder's, "+cell.name(), capacities[0]/exhaustive, report.Between(0.95, 1.05),
		fmt.Sprintf("%.2f/s (%s) and %.2f/s, objective %s; %s", capacities[0], method, exhaustive, limit, verdicts(append(trials, climbed...))))
	r.Add("its time ÷ the ladder's, "+cell.name(), took.Seconds()/ladderTook.Seconds(), report.AtMost(0.2),
		fmt.Sprintf("%s and %s", took, ladderTook))
	r.Add("k6 Jobs, "+cell.name(), float64(len(trials[0].Status.Attempts)), report.AtMost(2), "")
}

// rungsFor returns the rates of the ladder, and for how long each is offered.
func rungsFor(bound, capacity float64) (perSecond []float64, seconds int) {
	for rung := 1; rung <= rungs; rung++ {
		rate := bound * float64(rung) / rungs
		if near := math.Abs(rate-capacity) <= 0.12*bound; near || !*cut {
			perSecond = append(perSecond, rate)
		}
	}
	return perSecond, pick(rungSeconds, 20)
}

// rungsOf returns the steps of the trial. An overloaded step has an infinite p95.
func rungsOf(trials []v1beta1.SizingTrial) []figures.Step {
	var all []figures.Step
	for _, trial := range trials {
		for _, step := range trial.Status.Steps {
			rung := figures.Step{Rate: float64(*step.OfferedMilliPerSecond) / 1000, P95: math.Inf(1)}
			if step.P95Microseconds != nil {
				rung.P95 = float64(*step.P95Microseconds)
			}
			all = append(all, rung)
		}
	}
	return all
}

// spent returns the time of all attempts.
func spent(trials []v1beta1.SizingTrial) time.Duration {
	var all time.Duration
	for _, trial := range trials {
		for _, attempt := range trial.Status.Attempts {
			if attempt.EndTime != nil {
				all += attempt.EndTime.Sub(attempt.StartTime.Time)
			}
		}
	}
	return all
}

func capacitiesOf(trials []v1beta1.SizingTrial) []float64 {
	var capacities []float64
	for _, trial := range trials {
		if trial.Status.Result != nil && trial.Status.Result.CapacityMilliPerSecond != nil {
			capacities = append(capacities, float64(*trial.Status.Result.CapacityMilliPerSecond)/1000)
		}
	}
	return capacities
}
