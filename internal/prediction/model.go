package prediction

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/login"
	"github.com/hashmark-dev/hashmark/internal/simulation"
)

const milli = 1000

// Model is the variant's service as the simulation sees it. A login takes the
// CPU time given, or the calibration's hash time where that is 0. What the
// calibration does not tell (a quota, a cpuset) does not limit.
func Model(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration, cpuPerLogin time.Duration) simulation.Service {
	workers := loadplan.Workers(spec.Variant)
	timeout := time.Duration(spec.Load.RequestTimeoutSeconds) * time.Second
	service := simulation.Service{
		Replicas: spec.Service.Replicas,
		Lanes:    lanes(workers, cal),
		Pooled:   workers > 0,
		Workers:  workers,
		Hash:     cpuPerLogin,
		Timeout:  timeout,
	}
	if cpuPerLogin <= 0 {
		service.Hash = time.Duration(cal.HashMicroseconds) * time.Microsecond
	}
	if cal.QuotaMilliCPU != nil {
		service.QuotaMilliCPU = *cal.QuotaMilliCPU
	}
	if service.Pooled {
		service.QueueLength = queueLength(spec.Variant, cal, timeout)
	}
	return service
}

// lanes is how many hashes a pod computes at a time.
func lanes(workers int32, cal v1alpha1.TrialCalibration) int32 {
	n := max(1, cal.GoMaxProcs)
	if workers > 0 {
		n = min(n, workers)
	}
	if cpus := int32(evidence.CPUs(cal.Cpuset)); cpus > 0 {
		n = min(n, cpus)
	}
	return n
}

// queueLength is the variant's, or the default that the service takes from the
// same calibration.
func queueLength(variant v1alpha1.Variant, cal v1alpha1.TrialCalibration, timeout time.Duration) int32 {
	if given := variant.Concurrency.QueueLength; given != nil {
		return *given
	}
	perSecond := float64(loadplan.BoundMilliPerSecond(1, loadplan.Workers(variant), cal)) / milli
	return login.DefaultQueueLength(perSecond, timeout)
}
