package loadplan

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func verification(rate string) v1beta1.SizingTrialSpec {
	return aTrial(func(s *v1beta1.SizingTrialSpec) {
		s.Role = v1beta1.RoleVerification
		s.Objective = v1beta1.Objective{P95Milliseconds: 500, MaxErrorPerMille: ptr.To[int32](10)}
		s.Load = v1beta1.Load{
			Rates:         &v1beta1.RatesLoad{PerSecond: fixture.Limits(rate)},
			WarmupSeconds: ptr.To[int32](5), RequestTimeoutSeconds: 10,
		}
	})
}

func TestAVerificationHoldsItsRateInAtMostThreeSteps(t *testing.T) {
	for rate, want := range map[string][]int{
		"100":  {321, 1470, 8209},  // an overload; 10,000 in all
		"22":   {1223, 2274, 6503}, // near the bound it takes longer to see a steady state
		"5":    {321, 660, 2019},   // 3,000 in ten minutes
		"1.5":  {321, 216, 363},    // 900
		"1":    {321, 279},
		"0.25": {150},
	} {
		plan := mustBuild(t, verification(rate), calibrated(), nil)
		var got []int
		var counted int64
		for _, step := range plan.WithoutWarmup() {
			got, counted = append(got, step.Requests), counted+step.CountedMilliseconds
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s/s (-want +got):\n%s", rate, diff)
		}
		if counted > 600_000 {
			t.Errorf("%s/s is counted for %d ms", rate, counted)
		}
		if plan.Objective == nil || plan.Objective.P95Milliseconds != 500 || !plan.WithoutWarmup()[0].Reported {
			t.Errorf("%s/s: the plan has no objective or no reported step: %+v", rate, plan)
		}
		if longest := MaxDuration(verification(rate)); Duration(plan) > longest {
			t.Errorf("%s/s takes %s, and at most %s", rate, Duration(plan), longest)
		}
	}
}

// What a user's own service does once a minute is in each check.
func TestAnOwnServiceIsVerifiedForThreeMinutes(t *testing.T) {
	for _, rate := range []string{"0.5", "1.5", "5", "22"} {
		spec := verification(rate)
		spec.Service.Own = &v1beta1.OwnService{}
		steps := mustBuild(t, spec, calibrated(), nil).WithoutWarmup()
		if counted := steps[0].CountedMilliseconds; counted < 180_000 || counted > 600_000 {
			t.Errorf("%s/s: the outcome is first checked after %d ms", rate, counted)
		}
	}
}

func TestAVerificationSeesOtherLoginsThanTheMeasurements(t *testing.T) {
	measured := verification("5")
	measured.Role = v1beta1.RoleMeasurement
	measured.Load.StepSeconds = 64
	first := func(spec v1beta1.SizingTrialSpec) Step {
		return mustBuild(t, spec, calibrated(), nil).WithoutWarmup()[0]
	}
	if a, b := first(measured), first(verification("5")); a.Seed == b.Seed || a.OfferedMilliPerSecond != b.OfferedMilliPerSecond {
		t.Errorf("a step of the measurement: %+v, of the verification: %+v", a, b)
	}
}

func TestAVerificationIsExpectedToEndWithItsFirstStep(t *testing.T) {
	guess, err := Estimate(verification("5"), 1)
	if err != nil || guess < 65*time.Second || guess > 110*time.Second {
		t.Errorf("321 logins at 5/s: %s, %v", guess, err)
	}
}

func TestTheLoginsBeforeEachCheckRise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first, room := rapid.IntRange(1, 100_000).Draw(t, "first"), rapid.IntRange(0, 2_000_000).Draw(t, "room")
		all := checkedAfter(first, room)
		last := 0
		for _, total := range all {
			if total <= last {
				t.Fatalf("%v does not rise", all)
			}
			last = total
		}
		if len(all) == 0 || len(all) > mostChecks || last > max(1, room) {
			t.Fatalf("%v with room for %d", all, room)
		}
	})
}

func TestThePlanAsFarAsItWasDriven(t *testing.T) {
	own := verification("5")
	withOwn(&own)
	plan := mustBuild(t, own, calibrated(), nil)
	if len(plan.Steps) != 4 || plan.Steps[0].Kind != Warmup {
		t.Fatalf("the plan has %d steps", len(plan.Steps))
	}
	for n := range 5 {
		if got := len(plan.First(n).WithoutWarmup()); got != min(n, 3) {
			t.Errorf("the first %d steps are %d", n, got)
		}
	}
	for step := range 6 {
		if got := len(plan.Before(step).Steps); got != min(step, 4) {
			t.Errorf("before step %d there are %d", step, got)
		}
	}
	if len(plan.Steps) != 4 {
		t.Error("the plan itself was changed")
	}
}

func TestLoginsToShowIsTheRuleOfThree(t *testing.T) {
	for perMille, want := range map[int32]int{0: 0, 1: 2995, 5: 598, 10: 299, 20: 149, 50: 59} {
		if got := LoginsToShow(perMille); got != want {
			t.Errorf("%d per mille take %d logins, want %d", perMille, got, want)
		}
	}
}

func TestStepsCountWhatTheObjectiveNeedsIfThereIsTime(t *testing.T) {
	for name, test := range map[string]struct {
		p99, perMille int32
		step, longest int32
		fewest        int
		reported      int // at 70 % of 25/s
	}{
		"without a p99 the samples are those of the experiment": {0, 0, 1, 120, 100, 156},
		"a p99 needs 368":                                     {2000, 0, 1, 120, 368, 368},
		"unless the longest step is too short":                {2000, 0, 1, 20, 250, 350},
		"299 logins show that at most ten in a thousand fail": {0, 10, 10, 120, 125, 299},
		"unless the longest step is shorter":                  {0, 10, 10, 17, 125, 175},
		"2,995 logins do not fit in 120 s":                    {0, 1, 10, 120, 125, 175},
		"2,995 logins fit in 180 s":                           {0, 1, 10, 180, 125, 2995},
		"no number shows that none fails":                     {0, 0, 10, 120, 125, 175},
	} {
		t.Run(name, func(t *testing.T) {
			plan := mustBuild(t, aTrial(withOwn, func(s *v1beta1.SizingTrialSpec) {
				s.Objective.MaxErrorPerMille = &test.perMille
				if test.p99 > 0 {
					s.Objective.P99Milliseconds = &test.p99
				}
				s.Load.StepSeconds, s.Load.Capacity = test.step, &v1beta1.CapacityLoad{MaxStepSeconds: &test.longest}
			}), calibrated(), nil)
			fewest, reported := math.MaxInt, 0
			for _, step := range plan.WithoutWarmup() {
				if step.Kind == Open {
					fewest = min(fewest, step.Requests)
				}
				if step.Reported {
					reported = step.Requests
				}
			}
			if fewest != test.fewest || reported != test.reported {
				t.Errorf("the shortest step counts %d logins, want %d; the reported one %d, want %d", fewest, test.fewest, reported, test.reported)
			}
		})
	}
}

// The saturation is first, because the checked steps end once they decide.
func TestADecisionSaturatesAndThenHoldsItsRate(t *testing.T) {
	spec := verification("5")
	spec.Role, spec.Load.Rates, spec.OfferedMilliPerSecond = v1beta1.RoleDecision, nil, ptr.To[int64](6500)
	plan := mustBuild(t, spec, calibrated(), nil)
	steps := plan.WithoutWarmup()
	if len(steps) != 4 || steps[0].Kind != Saturation || steps[1].Requests != 321 || !steps[1].Reported || plan.Objective == nil {
		t.Fatalf("the plan is %+v", steps)
	}
	for _, step := range steps[1:] {
		if step.Purpose != v1beta1.PurposeVerification || step.OfferedMilliPerSecond != 6500 {
			t.Errorf("a step is %+v", step)
		}
	}
	if guess, err := Estimate(spec, 1); err != nil || guess < 60*time.Second || guess > 110*time.Second {
		t.Errorf("it takes about %s, %v", guess, err)
	}
	if longest := MaxDuration(spec); Duration(plan) > longest {
		t.Errorf("it takes %s, and at most %s", Duration(plan), longest)
	}
	spec.Variant.Hash.Sessions = true
	if steps := mustBuild(t, spec, calibrated(), nil).WithoutWarmup(); steps[0].Kind != Open {
		t.Errorf("a service that its generator can't saturate is saturated: %+v", steps)
	}
}

func TestACalibrationHasNoLoad(t *testing.T) {
	spec := aTrial(func(s *v1beta1.SizingTrialSpec) { s.Role = v1beta1.RoleCalibration })
	if guess, err := Estimate(spec, 1); err != nil || guess < 10*time.Second || guess > 40*time.Second {
		t.Errorf("it takes about %s, %v", guess, err)
	}
	if longest := MaxDuration(spec); longest != 0 {
		t.Errorf("its load takes at most %s", longest)
	}
}
