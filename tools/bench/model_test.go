//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

// modelCell is a configuration of the service, and the goal of the model at each load.
type modelCell struct {
	name, limit string
	cpus        float64
	mode        v1beta1.ConcurrencyMode
	loads       []float64
	goals       []report.Goal
}

// TestModel compares the simulation of a step's own logins, with that step's CPU time per
// login, with the measurement.
func TestModel(t *testing.T) {
	w, r := onCluster(t), begin(t, "model")
	hash := w.hashTime(t, 8)
	requests := pick(2000, 600)
	tenth, fifth, quarter := report.Between(0.9, 1.1), report.Between(0.8, 1.2), report.Between(0.75, 1.25)
	for _, cell := range []modelCell{
		{"pool at 1", "1", 1, v1beta1.ConcurrencyWorkerPool, []float64{.5, .6, .7, .8, .9}, []report.Goal{tenth, tenth, tenth, tenth, fifth}},
		{"pool at 500m", "500m", .5, v1beta1.ConcurrencyWorkerPool, []float64{.5, .6, .7, .8, .9}, []report.Goal{fifth, fifth, fifth, fifth, {}}},
		{"unbounded at 1", "1", 1, v1beta1.ConcurrencyUnbounded, []float64{.5, .6, .7, .8, .9}, []report.Goal{quarter, quarter, quarter, quarter, {}}},
	} {
		if *cut {
			cell.loads, cell.goals = []float64{.5, .8}, []report.Goal{cell.goals[0], cell.goals[3]}
		}
		w.model(t, r, cell, hash, requests)
	}
	conclude(t, r)
}

// model measures a cell and adds a figure for each load.
func (w testNamespace) model(t *testing.T, r *report.Report, cell modelCell, hash time.Duration, requests int) {
	t.Helper()
	var perSecond []float64
	for _, load := range cell.loads {
		perSecond = append(perSecond, load*cell.cpus/hash.Seconds())
	}
	seconds := int(math.Ceil(float64(requests) / perSecond[0]))
	name := fmt.Sprintf("model-%s-%s", map[bool]string{true: "pool", false: "unbounded"}[cell.mode == v1beta1.ConcurrencyWorkerPool], cell.limit)
	trials := w.measure(t, w.experiment(t, name, "model",
		limits(cell.limit), concurrency(cell.mode), rates(perSecond...), stepSeconds(seconds)))
	for i, load := range cell.loads {
		what := fmt.Sprintf("predicted ÷ measured p95, %s, ρ %v", cell.name, load)
		if len(trials) != 1 || i >= len(trials[0].Status.Steps) {
			r.Add(what, math.NaN(), cell.goals[i], verdicts(trials))
			continue
		}
		step := trials[0].Status.Steps[i]
		r.Add(what, ofMeasured(step), cell.goals[i],
			fmt.Sprintf("%d logins; with the calibration's time %.3f; %s", step.OK, beforehand(t, trials[0], i), verdicts(trials)))
	}
}

// ofMeasured returns the status's simulated p95 divided by the measured one.
func ofMeasured(step v1beta1.Step) float64 {
	if step.Model == nil || step.P95Microseconds == nil {
		return math.NaN()
	}
	return float64(step.Model.P95Microseconds) / float64(*step.P95Microseconds)
}

// beforehand returns the same ratio with the calibration's hash time instead of the step's CPU
// time per login.
func beforehand(t *testing.T, trial v1beta1.SizingTrial, step int) float64 {
	t.Helper()
	if trial.Status.Calibration == nil || trial.Status.Steps[step].P95Microseconds == nil {
		return math.NaN()
	}
	plan, err := loadplan.Build(trial.Spec, speed.PlannedFor(trial.Status), trial.Status.Prediction)
	must(t, err)
	planned := plan.WithoutWarmup()[step]
	p95, ok := model.NewService(trial.Spec, *trial.Status.Calibration, 0).P95(model.ArrivalsOf(planned), uint64(planned.Seed))
	if !ok {
		return math.NaN()
	}
	return float64(p95.Microseconds()) / float64(*trial.Status.Steps[step].P95Microseconds)
}
