package verdict_test

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// These tests are named after errors that benchmarks make silently.

// A generator without free callers sends late or not at all. That says nothing about a
// service that answered all the logins it got.
func TestCallersThatRanOutAreTheGeneratorsFault(t *testing.T) {
	w := ranWell(t)
	fail(w.step(85), 60, &w.step(85).NeverSent)
	w.step(85).StartLagP99Microseconds = ptr.To[int64](900_000)
	judged := w.judge()
	if judged.Result.Verdict != invalid || !hasReason(judged, v1alpha1.ReasonGeneratorSaturated) || !verdict.InvalidByGenerator(judged.Result) {
		t.Errorf("judged %s: %v", judged.Result.Verdict, judged.Result.Reasons)
	}
	if outcome := judged.Steps[2].Outcome; outcome == v1alpha1.StepOverloaded {
		t.Errorf("the step is %s, although the service kept up", outcome)
	}
}

// A service that cannot keep up occupies the callers until none is free. That says nothing
// about the generator.
func TestCallersThatTheServiceHoldsAreNotTheGeneratorsFault(t *testing.T) {
	w := ranWell(t)
	w.step(0).ThroughputMilliPerSecond = ptr.To[int64](21_500)
	s := w.step(85)
	fail(s, 60, &s.NeverSent)
	s.StartLagP99Microseconds = ptr.To[int64](5_000_000)
	sent(s, 500)
	judged := w.judge()
	for _, blamed := range []string{v1alpha1.ReasonGeneratorSaturated, v1alpha1.ReasonRateNotAchieved, v1alpha1.ReasonGeneratorThrottled} {
		if hasReason(judged, blamed) {
			t.Errorf("the generator is blamed: %v", judged.Result.Reasons)
		}
	}
	if outcome := judged.Steps[2].Outcome; outcome != v1alpha1.StepOverloaded {
		t.Errorf("the step is %s", outcome)
	}
}

func TestNothingIsValidForLackOfEvidence(t *testing.T) {
	for name, lose := range map[string]func(w *fixture){
		"of all containers": func(w *fixture) { w.Run.Generator, w.Run.Services = nil, nil },
		"of any counter": func(w *fixture) {
			for i := range w.Run.Steps {
				w.Run.Steps[i].Service, w.Run.Steps[i].Generator = nil, nil
			}
		},
		"of the service's CPUs": func(w *fixture) { w.Run.Services[0].Cpuset = "" },
		"of its hashes":         func(w *fixture) { w.reported().Service.Hashes = 0 },
		"of a last step":        func(w *fixture) { w.Run.Steps = w.Run.Steps[:3] },
		"of everything": func(w *fixture) {
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
