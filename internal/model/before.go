package model

import (
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// Before returns the model's prediction for a variant before any load, from only its
// calibration. It returns nil if the calibration has no hash time, and for a variant with
// sessions, because few of its requests are hashed.
func Before(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration) *v1alpha1.Prediction {
	if spec.Variant.Sessions || cal.HashMicroseconds <= 0 {
		return nil
	}
	model, seed, uniform := NewService(spec, cal, 0), uint64(spec.Seed), evenlySpaced(spec.Load)
	expected := &v1alpha1.Prediction{NoLoadP95Microseconds: model.NoLoadP95().Microseconds()}
	if capacity := milliPerSecond(model.Capacity(LimitOf(spec.Objective), uniform, seed)); capacity > 0 {
		expected.CapacityMilliPerSecond = &capacity
	}
	if spec.Load.Mode == v1alpha1.LoadCapacity || spec.Load.Mode == "" {
		reported := model.MaxPerSecond() * loadplan.ReportedLoadPercent / 100
		if p95, ok := model.SteadyP95(reported, uniform, seed); ok {
			micros := p95.Microseconds()
			expected.P95Microseconds = &micros
		}
	}
	return expected
}

// LimitOf returns the objective as a limit of the simulation.
func LimitOf(objective v1alpha1.Objective) Limit {
	return Limit{
		P50:        time.Duration(objective.P50Milliseconds) * time.Millisecond,
		P95:        time.Duration(objective.P95Milliseconds) * time.Millisecond,
		P99:        time.Duration(objective.P99Milliseconds) * time.Millisecond,
		ErrorShare: float64(objective.MaxErrorPerMille) / 1000,
	}
}

// Infeasible reports whether no rate can meet the objective, because logins on an idle service
// already take longer. It returns false without a prediction.
func Infeasible(spec v1alpha1.SizingTrialSpec, p *v1alpha1.Prediction) bool {
	if p == nil {
		return false
	}
	return p.NoLoadP95Microseconds > LimitOf(spec.Objective).P95.Microseconds()
}

func evenlySpaced(load v1alpha1.Load) bool { return load.Arrivals == v1alpha1.ArrivalsUniform }

// milliPerSecond rounds down, because a higher rate was not found to meet the objective.
func milliPerSecond(perSecond float64) int64 { return int64(math.Floor(perSecond * milli)) }
