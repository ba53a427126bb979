package model

import (
	"math/rand/v2"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// Before returns the model's prediction for a variant before any load, from only its
// calibration. It returns nil if the calibration has no hash time, and for a variant with
// sessions, because few of its requests are hashed. For a variant that no rate can meet the
// objective with, it has only p95 without load.
func Before(spec v1beta1.SizingTrialSpec, cal handover.Calibration) *v1beta1.Prediction {
	if spec.Variant.Hash.Sessions || cal.HashMicroseconds <= 0 {
		return nil
	}
	model, seed, uniform := NewService(spec, cal, 0), uint64(spec.Seed), spec.Load.Arrivals() == v1beta1.ArrivalsUniform
	predicted := &v1beta1.Prediction{NoLoadP95Microseconds: model.NoLoadP95().Microseconds()}
	if Infeasible(spec, predicted) {
		return predicted // it is not loaded, so nothing is planned from p95 under load
	}
	predicted.CapacityMilliPerSecond = CapacityBefore(spec, cal)
	if spec.Load.Mode() == v1beta1.LoadCapacity {
		reported := model.MaxPerSecond() * loadplan.ReportedLoadPercent / 100
		if p95, ok := model.SteadyP95(reported, uniform, seed); ok {
			micros := p95.Microseconds()
			predicted.P95Microseconds = &micros
		}
	}
	return predicted
}

// CapacityBefore returns the capacity in the prediction of Before, times 1000, or nil if no rate meets the objective.
func CapacityBefore(spec v1beta1.SizingTrialSpec, cal handover.Calibration) *int64 {
	outlook := NewService(spec, cal, 0).NewOutlook(spec.Load.Arrivals() == v1beta1.ArrivalsUniform, uint64(spec.Seed))
	// Rounded down, because a higher rate was not found to meet the objective.
	if capacity := int64(milli * outlook.Capacity(LimitOf(spec.Objective))); capacity > 0 {
		return &capacity
	}
	return nil
}

// LimitOf returns the objective as a limit of the simulation.
func LimitOf(objective v1beta1.Objective) Limit {
	return Limit{
		P50:        time.Duration(ptr.Deref(objective.P50Milliseconds, 0)) * time.Millisecond,
		P95:        time.Duration(objective.P95Milliseconds) * time.Millisecond,
		P99:        time.Duration(ptr.Deref(objective.P99Milliseconds, 0)) * time.Millisecond,
		ErrorShare: float64(ptr.Deref(objective.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille)) / 1000,
	}
}

// Infeasible reports whether no rate can meet the objective, because logins on an idle service
// already take longer. It returns false without a prediction.
func Infeasible(spec v1beta1.SizingTrialSpec, p *v1beta1.Prediction) bool {
	if p == nil {
		return false
	}
	return p.NoLoadP95Microseconds > LimitOf(spec.Objective).P95.Microseconds()
}

// ArrivalsOf returns the arrivals of an open step, as k6 sends them.
func ArrivalsOf(step loadplan.Step) Arrivals {
	return Arrivals{Due: step.Due(), Counted: step.SettleRequests}
}

// Redrawn returns the arrivals of the same step in another run, with another seed. Run 0 also
// differs from ArrivalsOf. Evenly spaced arrivals are the same in every run.
func Redrawn(step loadplan.Step, run int) Arrivals {
	source := rand.New(rand.NewPCG(uint64(step.Seed), uint64(run))) //nolint:gosec // arrivals must be repeatable, not unpredictable
	step.Seed = source.Uint32() &^ 1
	return ArrivalsOf(step)
}

const milli = 1000

// NewService returns the variant's service for the simulation. A login takes cpuPerLogin, or the
// calibration's hash time if that is 0. A quota or cpuset that the calibration does not have
// is no limit.
//
// The simulation has only hashes with one thread. A hash with several threads is simulated as
// one that is so many times shorter, with a quota that is so many times smaller.
func NewService(spec v1beta1.SizingTrialSpec, cal handover.Calibration, cpuPerLogin time.Duration) Service {
	workers := loadplan.Workers(spec.Variant)
	timeout := time.Duration(spec.Load.RequestTimeoutSeconds) * time.Second
	if cpuPerLogin <= 0 {
		cpuPerLogin = time.Duration(cal.HashMicroseconds) * time.Microsecond
	}
	withoutQuota := cal
	withoutQuota.QuotaMilliCPU = nil
	available := max(1, int32(calibration.MilliCPU(withoutQuota, 0)/milli))
	threads := min(available, matrix.Recipe(spec.Variant).Lanes())
	service := Service{
		Replicas: spec.Service.Replicas,
		Lanes:    available / threads,
		Pooled:   workers > 0,
		Workers:  workers,
		Hash:     cpuPerLogin / time.Duration(threads),
		Timeout:  timeout,
	}
	if cal.QuotaMilliCPU != nil {
		service.QuotaMilliCPU = *cal.QuotaMilliCPU / int64(threads)
	}
	if service.Pooled {
		service.Lanes = min(service.Lanes, workers)
		service.QueueLength = queueLength(spec.Variant, cal, timeout)
	}
	return service
}

// queueLength returns the variant's queue length, or the default that the service computes
// from the same calibration.
func queueLength(variant v1beta1.Variant, cal handover.Calibration, timeout time.Duration) int32 {
	if given := variant.Concurrency.QueueLength; given != nil {
		return *given
	}
	perSecond := float64(loadplan.BoundMilliPerSecond(1, variant, cal)) / milli
	return calibration.DefaultQueueLength(perSecond, timeout)
}
