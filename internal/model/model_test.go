package model_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// aTrial returns a trial of a pool with one worker at cost 10 on a quarter of a CPU.
func aTrial(changes ...func(*v1beta1.SizingTrialSpec)) v1beta1.SizingTrialSpec {
	spec := v1beta1.SizingTrialSpec{
		Variant: v1beta1.Variant{Name: "c10-250m", Hash: v1beta1.BcryptHash(10), CPULimit: "250m",
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}},
		Service:   v1beta1.Service{Replicas: 1},
		Load:      v1beta1.Load{RequestTimeoutSeconds: 10},
		Objective: v1beta1.Objective{P95Milliseconds: 500, MaxErrorPerMille: ptr.To[int32](1)},
		Seed:      7,
	}
	for _, change := range changes {
		change(&spec)
	}
	return spec
}

func calibrated(changes ...func(*handover.Calibration)) handover.Calibration {
	cal := handover.Calibration{
		CalibrationResult: handover.CalibrationResult{HashMicroseconds: 57_000},
		Surroundings: handover.Surroundings{GoMaxProcs: 2,
			Cpuset:        "0-1",
			QuotaMilliCPU: ptr.To[int64](250)},
	}
	for _, change := range changes {
		change(&cal)
	}
	return cal
}

func workers(n int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Variant.Concurrency.Workers = &n }
}

func unbounded(s *v1beta1.SizingTrialSpec) {
	s.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}
}

func TestModelIsTheServiceThatTheCalibrationFound(t *testing.T) {
	// The bound is 1 ÷ 0.228 s, and half of the timeout serves 21 logins.
	pool := model.Service{Replicas: 1, Lanes: 1, Pooled: true, Workers: 1, QueueLength: 21,
		QuotaMilliCPU: 250, Hash: 57 * ms, Timeout: 10 * time.Second}
	with := func(changes ...func(*model.Service)) model.Service {
		s := pool
		for _, change := range changes {
			change(&s)
		}
		return s
	}
	tests := map[string]struct {
		spec v1beta1.SizingTrialSpec
		cal  handover.Calibration
		cpu  time.Duration
		want model.Service
	}{
		"a pool has the service's default queue length": {aTrial(), calibrated(), 0, pool},
		"the run's own CPU time replaces the calibration's": {
			aTrial(), calibrated(), 60 * ms, with(func(s *model.Service) { s.Hash = 60 * ms }),
		},
		"a given queue length is used": {
			aTrial(func(s *v1beta1.SizingTrialSpec) { s.Variant.Concurrency.QueueLength = ptr.To[int32](3) }), calibrated(), 0,
			with(func(s *model.Service) { s.QueueLength = 3 }),
		},
		"unbounded goroutines use all CPUs of GOMAXPROCS and no queue": {
			aTrial(unbounded), calibrated(), 0,
			with(func(s *model.Service) { s.Pooled, s.Workers, s.QueueLength, s.Lanes = false, 0, 0, 2 }),
		},
		"a cpuset of one CPU has one lane": {
			aTrial(workers(2)), calibrated(func(c *handover.Calibration) { c.Cpuset = "3" }), 0,
			with(func(s *model.Service) { s.Workers = 2 }),
		},
		"more workers than GOMAXPROCS take turns": {
			aTrial(workers(4)), calibrated(), 0, with(func(s *model.Service) { s.Workers, s.Lanes = 4, 2 }),
		},
		"missing fields of the calibration are no limit": {
			aTrial(workers(8)),
			calibrated(func(c *handover.Calibration) { c.Cpuset, c.QuotaMilliCPU, c.GoMaxProcs = "", nil, 4 }), 0,
			with(func(s *model.Service) { s.Workers, s.Lanes, s.QuotaMilliCPU, s.QueueLength = 8, 4, 0, 350 }),
		},
		"the replicas of the spec": {
			aTrial(func(s *v1beta1.SizingTrialSpec) { s.Service.Replicas = 3 }), calibrated(), 0,
			with(func(s *model.Service) { s.Replicas = 3 }),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, model.NewService(test.spec, test.cal, test.cpu)); diff != "" {
				t.Errorf("model (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAHashOfSeveralThreadsIsOneShorterHash(t *testing.T) {
	spec := aTrial(func(s *v1beta1.SizingTrialSpec) {
		s.Variant.Hash = v1beta1.Hash{Argon2id: &v1beta1.Argon2id{Parallelism: 2}}
	})
	quarter := calibrated(func(c *handover.Calibration) {
		c.GoMaxProcs, c.Cpuset, c.QuotaMilliCPU, c.HashMicroseconds = 4, "0-3", ptr.To[int64](1000), 40_000
	})
	got := model.NewService(spec, quarter, 0)
	if got.Hash != 20*time.Millisecond || got.QuotaMilliCPU != 500 || got.Lanes != 1 {
		t.Errorf("two threads are modelled as %+v", got)
	}
	if bound := float64(loadplan.BoundMilliPerSecond(1, spec.Variant, quarter)) / 1000; got.MaxPerSecond() != bound {
		t.Errorf("the model serves %g/s, the bound is %g/s", got.MaxPerSecond(), bound)
	}
}
