package loadplan

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestSharesAreOfWhatTheGeneratorCanDriveWhereThatIsLess(t *testing.T) {
	tests := map[string]struct {
		spec v1beta1.SizingTrialSpec
		hash int64
		// want is the rate of the reported step, times 1000.
		want      int64
		saturated bool
	}{
		"a service that the generator can saturate is measured by its bound": {aTrial(), 1_000, 350_000, true},
		"one that is a little faster is not saturated":                       {aTrial(), 990, 350_000, false},
		"a larger generator drives more":                                     {aTrial(withGenerator("1")), 990, 353_535, true},
		"a smaller one drives less":                                          {aTrial(withGenerator("100m")), 990, 70_000, false},
		"no generator drives more than the API allows":                       {aTrial(withGenerator("8")), 1, 1_400_000, false},
		"sessions hash next to nothing, whatever a hash costs":               {aTrial(withSessions), 60_000, 350_000, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			plan := mustBuild(t, test.spec, calibrated(hashTakes(test.hash)), predicting(60))
			step := stepAt(t, plan, ReportedLoadPercent)
			if step.OfferedMilliPerSecond != test.want {
				t.Errorf("the reported step offers %d, want %d", step.OfferedMilliPerSecond, test.want)
			}
			if got := plan.Steps[len(plan.Steps)-1].Kind == Saturation; got != test.saturated {
				t.Errorf("the plan ends in a saturation: %v, want %v", got, test.saturated)
			}
			if !test.saturated && len(plan.WithoutWarmup()) != 3 {
				t.Errorf("the plan is %s, want only the three shares", shares(plan))
			}
		})
	}
	if _, err := Build(aTrial(withGenerator("much")), calibrated(), nil); err == nil {
		t.Error("a generator without a limit was planned for")
	}
}

func TestSessionsSettleUntilEveryCallerHasLoggedIn(t *testing.T) {
	for name, spec := range map[string]v1beta1.SizingTrialSpec{
		"Capacity":                aTrial(withSessions),
		"Capacity on two pods":    aTrial(withSessions, withReplicas(2)),
		"Rates far beyond hashes": aTrial(withSessions, atRates(intstr.FromInt32(400))),
	} {
		for _, step := range mustBuild(t, spec, calibrated(hashTakes(60_000)), nil).WithoutWarmup() {
			// A hash takes 120 ms at half a CPU.
			logins := int64(step.Callers) * 120 / int64(spec.Service.Replicas)
			if step.SettleMilliseconds < 2*logins-1 {
				t.Errorf("%s: %d callers settle for %d ms, and log in for %d", name, step.Callers, step.SettleMilliseconds, logins)
			}
			if logins > 5_000 {
				t.Errorf("%s: the last of %d callers logs in after %d ms, half a timeout is 5,000", name, step.Callers, logins)
			}
		}
	}
}
