package loadplan

import (
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// aTrial returns a trial of a pool with one worker at cost 8, with the API's defaults.
func aTrial(changes ...func(*v1beta1.SizingTrialSpec)) v1beta1.SizingTrialSpec {
	spec := v1beta1.SizingTrialSpec{
		Variant: v1beta1.Variant{Name: "c8-500m", Hash: v1beta1.BcryptHash(8), CPULimit: "500m",
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}},
		Repetition: 1,
		Service:    v1beta1.Service{Replicas: 1},
		Load: v1beta1.Load{StepSeconds: 10,
			WarmupSeconds: ptr.To[int32](5), RequestTimeoutSeconds: 10},
		Objective: v1beta1.Objective{MaxErrorPerMille: ptr.To[int32](0)},
		Seed:      7,
	}
	for _, change := range changes {
		change(&spec)
	}
	return spec
}

// calibrated returns the calibration of a container with half a CPU: 20 ms a hash, so that
// its bound is 25 logins/s and D is 40 ms.
func calibrated(changes ...func(*handover.Calibration)) handover.Calibration {
	cal := handover.Calibration{
		CalibrationResult: handover.CalibrationResult{HashMicroseconds: 20_000},
		Surroundings:      handover.Surroundings{GoMaxProcs: 2, Cpuset: "0-1", QuotaMilliCPU: ptr.To[int64](500)},
	}
	for _, change := range changes {
		change(&cal)
	}
	return cal
}

// predicting returns a predicted capacity at a share of calibrated's bound.
func predicting(percent int64) *v1beta1.Prediction {
	return &v1beta1.Prediction{NoLoadP95Microseconds: 40_000, CapacityMilliPerSecond: ptr.To(25_000 * percent / 100)}
}

func withGenerator(limit string) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Generator.CPULimit = ptr.To(intstr.Parse(limit)) }
}

func withSessions(s *v1beta1.SizingTrialSpec) { s.Variant.Hash.Sessions = true }

func hashTakes(micros int64) func(*handover.Calibration) {
	return func(c *handover.Calibration) { c.HashMicroseconds = micros }
}

func atRates(rates ...intstr.IntOrString) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Load.Rates = &v1beta1.RatesLoad{PerSecond: rates} }
}

func withUsers(users ...int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Load.Users = &v1beta1.UsersLoad{Counts: users} }
}

func withReplicas(n int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Service.Replicas = n }
}

func withWorkers(n int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Variant.Concurrency.Workers = &n }
}

func unbounded(s *v1beta1.SizingTrialSpec) {
	s.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}
}

// withOwn lets the capacity follow from the steps, as with a service that the model does not know.
func withOwn(s *v1beta1.SizingTrialSpec) { s.Service.Own = &v1beta1.OwnService{} }
