package verdict_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/simulation"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Whole runs against a service that is simulated, too: its logins take 3 % more
// than was calibrated, nobody knows the phase of its quota, and what is measured
// of p95 is off by up to 5 %. The capacity that is found is the true one within
// 5 %, whatever the seed, and nobody is said to disagree.
func TestTheCapacityOfASimulatedServiceIsFound(t *testing.T) {
	for _, concurrency := range []v1alpha1.ConcurrencyMode{v1alpha1.ConcurrencyWorkerPool, v1alpha1.ConcurrencyUnbounded} {
		for _, quota := range []int64{250, 500, 0} {
			t.Run(fmt.Sprintf("%s of %dm", concurrency, quota), func(t *testing.T) {
				t.Parallel()
				for seed := range int64(2) {
					in, truth := simulatedRun(t, concurrency, quota, seed)
					judged := verdict.Judge(in)
					found := float64(ptr.Deref(judged.Capacity.MilliPerSecond, 0)) / 1000
					if off := found/truth - 1; off < -0.05 || off > 0.05 {
						t.Errorf("seed %d: capacity %.4g/s, true is %.4g/s: %s", seed, found, truth, judged.Capacity.Message)
					}
					if hasReason(judged, verdict.ModelDisagrees) {
						t.Errorf("seed %d: %v", seed, judged.Result.Reasons)
					}
				}
			})
		}
	}
}

// simulatedRun is a run at cost 8 with an objective of ten times the time that
// a hash takes by the clock, and the true capacity per second.
func simulatedRun(t *testing.T, concurrency v1alpha1.ConcurrencyMode, quota, seed int64) (verdict.Input, float64) {
	t.Helper()
	const hash = 14_200 * time.Microsecond
	w := ranWell(t, func(s *v1alpha1.SizingTrialSpec) {
		s.Seed = seed
		s.Variant.Concurrency.Mode = concurrency
		s.Variant.CPULimit = "1"
		s.Objective.P95Milliseconds = 142
		if quota > 0 {
			s.Variant.CPULimit = fmt.Sprintf("%dm", quota)
			s.Objective.P95Milliseconds = int32(142_000 / quota)
		}
	})
	w.Calibration.HashMicroseconds, w.Calibration.QuotaMilliCPU, w.Calibration.GoMaxProcs = hash.Microseconds(), nil, 1
	if quota > 0 {
		w.Calibration.QuotaMilliCPU = &quota
	}
	w.Run.Services[0].QuotaMilliCPU = quota
	expected := prediction.Before(w.Spec, w.Calibration)
	var err error
	if w.Plan, err = loadplan.Build(w.Spec, w.Calibration, expected); err != nil {
		t.Fatal(err)
	}
	service := prediction.Model(w.Spec, w.Calibration, hash*103/100)
	chance := rand.New(rand.NewPCG(uint64(seed), 9))
	w.Run.Steps = nil
	for _, step := range w.Plan.Told() {
		w.Run.Steps = append(w.Run.Steps, simulatedStep(step, service, chance))
	}
	return w.Input, service.Capacity(prediction.LimitOf(w.Spec.Objective), false, 99)
}

func simulatedStep(step loadplan.Step, service simulation.Service, chance *rand.Rand) measurement.StepResult {
	counted := step.CountedMilliseconds * 1000
	logins := int64(step.Requests)
	if step.Kind == loadplan.Saturation {
		logins = int64(0.985 * service.MaxPerSecond() * float64(counted) / 1e6)
	}
	used := logins * service.Hash.Microseconds()
	result := measurement.StepResult{
		CountedMicroseconds: counted, Scheduled: logins, OK: logins, SentInWindow: logins, CompletedInWindow: logins,
		ThroughputMilliPerSecond: ptr.To(logins * 1_000_000_000 / counted),
		Service:                  &evidence.Delta{ElapsedMicroseconds: counted, CPUMicroseconds: used, BusyMicroseconds: used, Hashes: logins},
		Generator:                &evidence.Delta{ElapsedMicroseconds: counted, CPUMicroseconds: counted / 50},
	}
	if step.Kind == loadplan.Saturation {
		return result
	}
	latencies := service.Latencies(prediction.ArrivalsOf(step), chance.Float64(), 1)
	half := len(latencies) / 2
	result.FirstHalfP50Microseconds, result.SecondHalfP50Microseconds = at(latencies[:half], 0.5, 1), at(latencies[half:], 0.5, 1)
	off := 0.95 + 0.1*chance.Float64()
	result.P50Microseconds, result.P95Microseconds = at(latencies, 0.5, off), at(latencies, 0.95, off)
	result.MaxMicroseconds = at(latencies, 1, off)
	result.P95Interval = &measurement.Interval{LowMicroseconds: *at(latencies, 0.91, off), HighMicroseconds: *at(latencies, 0.985, off)}
	result.LagP95Microseconds, result.LagP99Microseconds = ptr.To[int64](500), ptr.To[int64](1500)
	return result
}

// at is a quantile of latencies in microseconds, times a factor.
func at(latencies []time.Duration, quantile, times float64) *int64 {
	sorted := slices.Sorted(slices.Values(latencies))
	rank := max(1, int(quantile*float64(len(sorted))+0.999))
	return ptr.To(int64(times * float64(sorted[min(rank, len(sorted))-1].Microseconds())))
}
