package verdict_test

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// These tests are named after errors that benchmarks make without a word.

// A generator without free callers sends late or never: that says nothing of a
// service that answered all it got.
func TestCallersThatRanOutAreTheGeneratorsFault(t *testing.T) {
	w := ranWell(t)
	fail(w.step(85), 60, &w.step(85).NeverSent)
	w.step(85).LagP99Microseconds = ptr.To[int64](900_000)
	judged := w.judge()
	if judged.Result.Verdict != invalid || !hasReason(judged, verdict.GeneratorSaturated) || !verdict.ForGeneratorsSake(judged.Result) {
		t.Errorf("judged %s: %v", judged.Result.Verdict, judged.Result.Reasons)
	}
	if outcome := judged.Steps[2].Outcome; outcome == v1alpha1.StepOverloaded {
		t.Errorf("the step is %s, as if the service had been at its limit", outcome)
	}
}

// A service that can't keep up holds the callers, until none is free: that says
// nothing of the generator.
func TestCallersThatTheServiceHoldsAreNotTheGeneratorsFault(t *testing.T) {
	w := ranWell(t)
	w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_500)
	s := w.step(85)
	fail(s, 60, &s.NeverSent)
	s.LagP99Microseconds = ptr.To[int64](5_000_000)
	sent(s, 500)
	judged := w.judge()
	for _, blamed := range []string{verdict.GeneratorSaturated, verdict.RateNotAchieved, verdict.GeneratorThrottled} {
		if hasReason(judged, blamed) {
			t.Errorf("the generator is blamed: %v", judged.Result.Reasons)
		}
	}
	if outcome := judged.Steps[2].Outcome; outcome != v1alpha1.StepOverloaded {
		t.Errorf("the step is %s", outcome)
	}
}

func TestNothingIsValidForLackOfEvidence(t *testing.T) {
	for name, lose := range map[string]func(w *world){
		"of all containers": func(w *world) { w.Run.Generator, w.Run.Services = nil, nil },
		"of any counter": func(w *world) {
			for i := range w.Run.Steps {
				w.Run.Steps[i].Service, w.Run.Steps[i].Generator = nil, nil
			}
		},
		"of the service's CPUs": func(w *world) { w.Run.Services[0].Cpuset = "" },
		"of its hashes":         func(w *world) { w.reported().Service.Hashes = 0 },
		"of a last step":        func(w *world) { w.Run.Steps = w.Run.Steps[:3] },
		"of everything": func(w *world) {
			w.Run.Generator, w.Run.Services, w.Run.Steps = nil, nil, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := ranWell(t)
			lose(w)
			if got := w.judge().Result; got.Verdict == fine {
				t.Errorf("it is %s: %v", got.Verdict, got.Reasons)
			}
		})
	}
}
