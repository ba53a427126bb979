package verdict_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// The service of these tests hashes in 20 ms on half a CPU, so that its bound
// is 25 logins/s; Capacity offers it 12.5, 17.5 and 21.25/s. Its objective is a
// p95 of one second. The CPU runs at its reference speed throughout.

// fixture is a planned run that went well, until a test disturbs it.
type fixture struct {
	t *testing.T
	verdict.Input
	model *modelStub
}

func (w *fixture) judge() verdict.Judgement { return verdict.JudgeBy(w.Input, w.model.of) }

// ranWell returns an undisturbed run with load.capacity.
func ranWell(t *testing.T, changes ...func(*v1beta1.SizingTrialSpec)) *fixture {
	t.Helper()
	spec := v1beta1.SizingTrialSpec{
		Variant: v1beta1.Variant{
			Name: "c8-500m", Hash: v1beta1.BcryptHash(8), CPULimit: "500m",
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
		},
		Repetition: 1, Seed: 7, Service: v1beta1.Service{Replicas: 1},
		Objective: v1beta1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: ptr.To[int32](1)},
		Load: v1beta1.Load{
			StepSeconds: 10, WarmupSeconds: ptr.To[int32](5), RequestTimeoutSeconds: 10,
		},
	}
	for _, change := range changes {
		change(&spec)
	}
	w := &fixture{t: t, model: asMeasured(), Input: verdict.Input{
		Spec: spec,
		Calibration: handover.Calibration{
			CalibrationResult:     handover.CalibrationResult{HashMicroseconds: 20_000, Samples: 150},
			ReferenceMicroseconds: 20_000, RatioPerMillion: 1_000_000,
			Surroundings: handover.Surroundings{GoMaxProcs: 2, Cpuset: "0", QuotaMilliCPU: ptr.To[int64](500)},
		},
		Run: measurement.Run{
			K6Version: "v1.8.1",
			Generator: &measurement.Container{BootID: "boot-1", Cpuset: "1", QuotaMilliCPU: 500, GoMaxProcs: 1},
		},
		Reference: 20_000, PlannedMicros: 20_000,
		Placement: verdict.Placement{ServiceNodes: []string{"node-0"}, GeneratorNode: "node-1"},
	}}
	for range spec.Service.Replicas {
		w.Run.Services = append(w.Run.Services, measurement.ServicePod{
			Container: measurement.Container{BootID: "boot-1", Cpuset: "0", QuotaMilliCPU: 500, GoMaxProcs: 1}, Workers: 1, QueueLength: 125,
		})
	}
	w.drive()
	return w
}

// drive plans the load again and makes every step go well. It has all the shares that an own service is driven at, so
// that there are steps on both sides of a capacity.
func (w *fixture) drive() {
	w.t.Helper()
	spec := w.Spec
	spec.Service.Own = &v1beta1.OwnService{}
	var err error
	if w.Plan, err = loadplan.Build(spec, w.Calibration, nil); err != nil {
		w.t.Fatal(err)
	}
	w.Run.Steps = nil
	for _, step := range w.Plan.Steps {
		if step.Kind != loadplan.Warmup {
			result := wellDriven(step)
			// Readings of several pods are summed, the time between them too.
			result.Service.ElapsedMicroseconds *= int64(w.Spec.Service.Replicas)
			w.Run.Steps = append(w.Run.Steps, result)
		}
	}
}

// wellDriven returns the result of a step with 200 ms at p95, and with 24.5 logins/s if it
// is the saturation.
func wellDriven(step loadplan.Step) measurement.StepResult {
	counted := step.CountedMilliseconds * 1000
	if step.LoadPercent > loadplan.ReportedLoadPercent {
		counted = max(counted, 36_000_000) // 20·D/(1−ρ)² at 85 %
	}
	logins := int64(step.Requests)
	if step.Kind != loadplan.Open {
		logins = counted * 245 / 10_000_000
	}
	result := measurement.StepResult{
		CountedMicroseconds: counted, StepResult: handover.StepResult{Scheduled: logins, OK: logins,
			ThroughputMilliPerSecond: ptr.To(logins * 1_000_000_000 / counted),
			P50Microseconds:          ptr.To[int64](60_000), P95Microseconds: ptr.To[int64](200_000),
			P99Microseconds: ptr.To[int64](250_000), MaxMicroseconds: ptr.To[int64](300_000),
			P95Interval: &handover.Interval{LowMicroseconds: 150_000, HighMicroseconds: 290_000}}, SentInWindow: logins, CompletedInWindow: logins,
		ServiceInFlightAfterDrain: ptr.To[int64](0),
		Service: &evidence.Delta{
			ElapsedMicroseconds: counted, CPUMicroseconds: logins * 20_100, Hashes: logins,
			TimedHashes: logins, HashMicroseconds: logins * 20_000,
			Periods: counted / 100_000, ThrottledPeriods: counted / 400_000, ThrottledMicroseconds: counted / 10,
			BusyMicroseconds: logins * 20_200, IdleMicroseconds: counted - logins*20_200,
		},
		Generator: &evidence.Delta{ElapsedMicroseconds: counted, CPUMicroseconds: counted / 50, Periods: counted / 100_000},
	}
	if step.Kind == loadplan.Open {
		result.StartLagP95Microseconds, result.StartLagP99Microseconds = ptr.To[int64](900), ptr.To[int64](1_800)
		result.FirstHalfP50Microseconds, result.SecondHalfP50Microseconds = ptr.To[int64](60_000), ptr.To[int64](60_000)
	}
	return result
}

// unknownUser sets how long the refusal of an unknown user takes.
func (w *fixture) unknownUser(perMille int64) { w.Calibration.UnknownUserPerMille = &perMille }

// step returns the result at a share of the bound, in percent; 0 is the saturation.
func (w *fixture) step(percent int32) *measurement.StepResult {
	w.t.Helper()
	result := -1
	for _, planned := range w.Plan.Steps {
		if planned.Kind == loadplan.Warmup {
			continue
		}
		result++
		if planned.Kind == loadplan.Open && planned.LoadPercent == percent || planned.Kind == loadplan.Saturation && percent == 0 {
			return &w.Run.Steps[result]
		}
	}
	w.t.Fatalf("the plan has no step at %d %%", percent)
	return nil
}

// at returns the planned step at a share of the bound, in percent.
func (w *fixture) at(percent int32) *loadplan.Step {
	w.t.Helper()
	for i := range w.Plan.Steps {
		if w.Plan.Steps[i].Kind == loadplan.Open && w.Plan.Steps[i].LoadPercent == percent {
			return &w.Plan.Steps[i]
		}
	}
	w.t.Fatalf("the plan has no step at %d %%", percent)
	return nil
}

func (w *fixture) reported() *measurement.StepResult { return w.step(loadplan.ReportedLoadPercent) }

// latency sets p95 and its interval, in milliseconds; no interval if high is 0.
func latency(s *measurement.StepResult, low, p95, high int64) {
	s.P95Microseconds, s.P95Interval = ptr.To(p95*1000), nil
	if high > 0 {
		s.P95Interval = &handover.Interval{LowMicroseconds: low * 1000, HighMicroseconds: high * 1000}
	}
	s.MaxMicroseconds = ptr.To(max(high, p95) * 1000)
}

// expected sets p95 and its interval, in milliseconds, and makes the model predict that
// p95.
func (w *fixture) expected(s *measurement.StepResult, low, p95, high int64) {
	latency(s, low, p95, high)
	w.model.p95Of[int(s.Scheduled)] = time.Duration(p95) * time.Millisecond
}

// lag sets the start lag that one login in twenty exceeds, and one in a hundred, in microseconds.
func (w *fixture) lag(s *measurement.StepResult, p95, p99 int64) {
	s.StartLagP95Microseconds, s.StartLagP99Microseconds = &p95, &p99
}

// fail turns some successes into another outcome.
func fail(s *measurement.StepResult, logins int64, into *int64) {
	s.OK -= logins
	*into += logins
}

func atRates(rates ...int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) {
		s.Load.Rates = &v1beta1.RatesLoad{}
		for _, rate := range rates {
			s.Load.Rates.PerSecond = append(s.Load.Rates.PerSecond, intstr.FromInt32(rate))
		}
	}
}

func withUsers(users ...int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Load.Users = &v1beta1.UsersLoad{Counts: users} }
}

func withReplicas(n int32) func(*v1beta1.SizingTrialSpec) {
	return func(s *v1beta1.SizingTrialSpec) { s.Service.Replicas = n }
}

// decides makes a trial one of a decision that a verification follows. Its reported step counts for 14·D ÷ (1−ρ)², 6.2 s.
func decides(s *v1beta1.SizingTrialSpec) {
	s.Role, s.Load.StepSeconds = v1beta1.RoleDecision, 6
}

func unbounded(s *v1beta1.SizingTrialSpec) {
	s.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}
}
