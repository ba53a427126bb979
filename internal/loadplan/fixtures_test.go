package loadplan

import (
	"k8s.io/apimachinery/pkg/util/intstr"

	api "github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func ptr[T any](v T) *T { return &v }

// aTrial is a trial of a pool with one worker at cost 8, under the API's defaults.
func aTrial(changes ...func(*api.SizingTrialSpec)) api.SizingTrialSpec {
	spec := api.SizingTrialSpec{
		Variant: api.Variant{Name: "c8-500m", Algorithm: api.AlgorithmBcrypt, Cost: 8, CPULimit: "500m",
			Concurrency: api.Concurrency{Mode: api.ConcurrencyWorkerPool, Workers: ptr[int32](1)}},
		Repetition: 1,
		Service:    api.Service{Replicas: 1},
		Load: api.Load{Mode: api.LoadCapacity, StepSeconds: 10, MinSamples: 100, MaxStepSeconds: 120,
			WarmupSeconds: 5, RequestTimeoutSeconds: 10},
		Seed: 7,
	}
	for _, change := range changes {
		change(&spec)
	}
	return spec
}

// calibrated is what a container of half a CPU told: 20 ms a hash, so that its
// bound is 25 logins/s and D is 40 ms.
func calibrated(changes ...func(*api.TrialCalibration)) api.TrialCalibration {
	cal := api.TrialCalibration{
		CalibrationResult: api.CalibrationResult{HashMicroseconds: 20_000},
		GoMaxProcs:        2,
		Cpuset:            "0-1",
		QuotaMilliCPU:     ptr[int64](500),
	}
	for _, change := range changes {
		change(&cal)
	}
	return cal
}

func hashTakes(micros int64) func(*api.TrialCalibration) {
	return func(c *api.TrialCalibration) { c.HashMicroseconds = micros }
}

func atRates(rates ...intstr.IntOrString) func(*api.SizingTrialSpec) {
	return func(s *api.SizingTrialSpec) { s.Load.Mode, s.Load.RatesPerSecond = api.LoadRates, rates }
}

func withUsers(users ...int32) func(*api.SizingTrialSpec) {
	return func(s *api.SizingTrialSpec) { s.Load.Mode, s.Load.Users = api.LoadUsers, users }
}

func withReplicas(n int32) func(*api.SizingTrialSpec) {
	return func(s *api.SizingTrialSpec) { s.Service.Replicas = n }
}

func withWorkers(n int32) func(*api.SizingTrialSpec) {
	return func(s *api.SizingTrialSpec) { s.Variant.Concurrency.Workers = &n }
}

func unbounded(s *api.SizingTrialSpec) {
	s.Variant.Concurrency = api.Concurrency{Mode: api.ConcurrencyUnbounded}
}
