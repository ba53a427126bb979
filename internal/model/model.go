package model

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const milli = 1000

// NewService returns the variant's service for the simulation. A login takes cpuPerLogin, or the
// calibration's hash time if that is 0. A quota or cpuset that the calibration does not have
// is no limit.
//
// The simulation has only hashes with one thread. A hash with several threads is simulated as
// one that is so many times shorter, with a quota that is so many times smaller.
func NewService(spec v1alpha1.SizingTrialSpec, cal v1alpha1.TrialCalibration, cpuPerLogin time.Duration) Service {
	workers := loadplan.Workers(spec.Variant)
	timeout := time.Duration(spec.Load.RequestTimeoutSeconds) * time.Second
	if cpuPerLogin <= 0 {
		cpuPerLogin = time.Duration(cal.HashMicroseconds) * time.Microsecond
	}
	available := cpus(cal)
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

// cpus returns how many CPUs a pod can use at a time.
func cpus(cal v1alpha1.TrialCalibration) int32 {
	n := max(1, cal.GoMaxProcs)
	if set := int32(evidence.CPUs(cal.Cpuset)); set > 0 {
		n = min(n, set)
	}
	return n
}

// queueLength returns the variant's queue length, or the default that the service computes
// from the same calibration.
func queueLength(variant v1alpha1.Variant, cal v1alpha1.TrialCalibration, timeout time.Duration) int32 {
	if given := variant.Concurrency.QueueLength; given != nil {
		return *given
	}
	perSecond := float64(loadplan.BoundMilliPerSecond(1, variant, cal)) / milli
	return calibration.DefaultQueueLength(perSecond, timeout)
}
