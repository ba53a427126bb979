package answer_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/answer"
)

func TestTheQuickstartHasAnAnswer(t *testing.T) {
	experiment, trials := quickstart(t)
	spec := experiment.Spec
	spec.Demand = &v1alpha1.Demand{LoginsPerSecond: 5, MinimumCost: ptr.To[int32](10), MaxTotalCPU: "1"}
	spec.Prices = &v1alpha1.Prices{Currency: "USD", PerCPUHour: "0.04"}
	status := concluded(t, spec, trials...)
	told := status.Recommendation
	if told == nil || told.Variant != "c10-500m" || told.Replicas != 1 || told.Confidence != v1alpha1.ConfidenceMedium || told.PricePerMonth != "14.60" {
		t.Fatalf("recommended: %+v", told)
	}
	if told.P95Microseconds == nil || *told.P95Microseconds >= 1_000_000 {
		t.Errorf("p95 of it is expected to be %v, above the objective", told.P95Microseconds)
	}
	for _, p := range status.Predictions {
		if p.CapacityMilliPerSecond != nil && (p.Sizing == nil || p.Price == nil || p.Price.PerMillionLogins == "") {
			t.Errorf("%s is predicted without what it takes and costs: %+v", p.Variant, p)
		}
	}

	asked, err := answer.WhatIf(experiment, trials, spec)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(status.Recommendation, asked.Recommendation); diff != "" {
		t.Errorf("what-if tells another story than the experiment (-end +what-if)\n%s", diff)
	}
	if asked.Display.Recommended != "1×c10-500m" {
		t.Errorf("the column reads %q", asked.Display.Recommended)
	}
}

// Steps that decide nothing don't show that no rate meets the objective.
func TestAnUndecidedResultIsNotCalledInfeasible(t *testing.T) {
	spec := small()
	trial := held(t, spec, "c10-500m", 4000, v1alpha1.VerdictValid)
	result := trial.Status.Result
	result.CapacityMilliPerSecond, result.CapacityIsLowerBound, result.ObjectiveMet = nil, nil, nil
	told := concluded(t, spec, trial).Recommendation
	if told.BrokenBound != v1alpha1.BoundCapacityUnknown || strings.Contains(told.Reason, "at any rate") {
		t.Errorf("undecided: %s, %q", told.BrokenBound, told.Reason)
	}
	result.ObjectiveMet = ptr.To(false)
	if told := concluded(t, spec, trial).Recommendation; told.BrokenBound != v1alpha1.BoundObjective {
		t.Errorf("not met: %s, %q", told.BrokenBound, told.Reason)
	}

	// The model knows what logins by chance come to, whatever the even ones showed.
	even := small(evenlySpaced)
	trial = held(t, even, "c10-500m", 8500, v1alpha1.VerdictValid)
	trial.Status.Result.CapacityMilliPerSecond, trial.Status.Result.ObjectiveMet = nil, nil
	if told := concluded(t, even, trial).Recommendation; told.Variant != "c10-500m" {
		t.Errorf("undecided with even logins: %s, %q", told.BrokenBound, told.Reason)
	}
}

func TestWithoutADemandNothingIsRecommended(t *testing.T) {
	spec := small(noDemand)
	if told := concluded(t, spec, held(t, spec, "c10-500m", 4000, v1alpha1.VerdictValid)).Recommendation; told != nil {
		t.Errorf("recommended: %+v", told)
	}
}

func TestAControlIsNeverRecommended(t *testing.T) {
	spec := small()
	told := concluded(t, spec, held(t, spec, "again-500m", 40_000, v1alpha1.VerdictValid), held(t, spec, "c10-500m", 4000, v1alpha1.VerdictValid)).Recommendation
	if told.Variant != "c10-500m" || told.RunnerUp != nil {
		t.Errorf("recommended: %+v", told)
	}
}

// Whatever a control with another hash comes to, it changes nothing without demand.hashes;
// with it, its rate decides.
func TestAnotherHashAnswersOnlyWhereItMay(t *testing.T) {
	withArgon := func(spec *v1alpha1.SizingExperimentSpec) {
		spec.Matrix.Controls = append(spec.Matrix.Controls, v1alpha1.Control{Name: "argon", Algorithm: v1alpha1.AlgorithmArgon2id})
	}
	plain, beside := small(), small(withArgon)
	bcrypt := held(t, plain, "c10-500m", 4000, v1alpha1.VerdictValid)
	want := concluded(t, plain, bcrypt)
	for _, capacity := range []int64{100, 8_000, 400_000} {
		argon := held(t, beside, "argon-500m", capacity, v1alpha1.VerdictValid)
		got := concluded(t, beside, bcrypt, argon)
		if diff := cmp.Diff(want.Recommendation, got.Recommendation); diff != "" {
			t.Errorf("a control of %d changes the answer (-without +with)\n%s", capacity, diff)
		}
		if sized := row(t, got, "argon-500m"); sized.Sizing != nil {
			t.Errorf("the control is sized: %+v", sized.Sizing)
		}
	}

	// With mode Capacity there are predictions, too, and other costs may answer.
	experiment, trials := quickstart(t)
	experiment.Spec.Demand = &v1alpha1.Demand{LoginsPerSecond: 5, MinimumCost: ptr.To[int32](10), MaxTotalCPU: "1"}
	withControl := *experiment.Spec.DeepCopy()
	withArgon(&withControl)
	want = concluded(t, experiment.Spec, trials...)
	if diff := cmp.Diff(want.Recommendation, concluded(t, withControl, trials...).Recommendation); diff != "" || want.Recommendation.Variant == "" {
		t.Errorf("a control changes the answer (-without +with)\n%s", diff)
	}
	withControl.Demand.Hashes = []v1alpha1.Algorithm{v1alpha1.AlgorithmArgon2id}
	others := concluded(t, withControl, trials...)
	if told := others.Recommendation; told.Variant != "" || told.BrokenBound != v1alpha1.BoundNoResult {
		t.Errorf("where bcrypt may not answer, and nothing else was measured, %+v is told", told)
	}
	for _, p := range others.Predictions {
		if p.Sizing != nil {
			t.Errorf("%s is sized, and may not answer", p.Variant)
		}
	}

	asked := small(withArgon, func(s *v1alpha1.SizingExperimentSpec) {
		s.Demand.Hashes = []v1alpha1.Algorithm{v1alpha1.AlgorithmBcrypt, v1alpha1.AlgorithmArgon2id}
		s.Prices.AttackerRates = []v1alpha1.AttackerRate{{Control: "argon", GuessesPerSecond: 1_000}}
	})
	argon := held(t, asked, "argon-500m", 8_000, v1alpha1.VerdictValid)
	argon.Status.Result.MemoryPeakBytes = ptr.To[int64](41_000_000)
	status := concluded(t, asked, bcrypt, argon)
	told := status.Recommendation
	if told.Variant != "argon-500m" || told.RunnerUp == nil || told.RunnerUp.Variant != "c10-500m" || told.MemoryLimit != "83Mi" {
		t.Errorf("recommended: %+v", told)
	}
	sized := row(t, status, "argon-500m")
	if sized.Sizing == nil || sized.Price == nil || sized.Price.AttackerPerBillionGuesses != "222.22" {
		t.Errorf("the control's row is %+v, %+v", sized.Sizing, sized.Price)
	}
}

func TestEvenlySpacedLoginsAreSizedByTheModel(t *testing.T) {
	spec := small(evenlySpaced)
	// Evenly spaced, c10-500m holds all that its CPU serves; by chance it does not.
	status := concluded(t, spec, held(t, spec, "c10-500m", 8700, v1alpha1.VerdictValid))
	told := status.Recommendation
	if told.Variant != "c10-500m" || told.Confidence != v1alpha1.ConfidenceLow || *told.CapacityMilliPerSecond >= 8500 || !strings.Contains(told.Reason, "evenly spaced") {
		t.Errorf("recommended: %+v", told)
	}
	if sized := row(t, status, "c10-500m").Sizing; sized == nil || sized.Replicas != told.Replicas {
		t.Errorf("the row is sized %+v, and %d replicas are recommended", sized, told.Replicas)
	}
}

// A model that failed its check is not let in by asking another question.
func TestAPredictionAnswersOnlyWhereTheModelWasChecked(t *testing.T) {
	experiment, trials := quickstart(t)
	experiment.Spec.Matrix.Costs = []int32{8, 9, 10}
	experiment.Spec.Matrix.Measure = v1alpha1.MeasureCorners
	spec := *experiment.Spec.DeepCopy()
	spec.Demand = &v1alpha1.Demand{LoginsPerSecond: 5, MinimumCost: ptr.To[int32](9), MaxTotalCPU: "300m"}
	for _, passed := range []bool{false, true} {
		experiment.Status.ModelCheck = &v1alpha1.ModelCheck{Passed: passed}
		asked, err := answer.WhatIf(experiment, trials, spec)
		if err != nil {
			t.Fatal(err)
		}
		if answers := asked.Recommendation.Variant == "c9-250m"; answers != passed {
			t.Errorf("with a check passed %v, %q is recommended: %s", passed, asked.Recommendation.Variant, asked.Recommendation.Reason)
		}
	}
}

func TestWhatCanNotBeAsked(t *testing.T) {
	spec := small()
	trials := []v1alpha1.SizingTrial{held(t, spec, "c10-500m", 4000, v1alpha1.VerdictValid)}
	users := small(func(s *v1alpha1.SizingExperimentSpec) { s.Load.Mode = v1alpha1.LoadUsers })
	for name, c := range map[string]struct {
		measured, asked v1alpha1.SizingExperimentSpec
		trials          []v1alpha1.SizingTrial
		want            error
	}{
		"a question without a demand":   {spec, small(noDemand), trials, answer.ErrNoDemand},
		"an experiment of users":        {users, users, trials, answer.ErrUsers},
		"an experiment without a trial": {spec, spec, nil, answer.ErrNoTrials},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := answer.WhatIf(&v1alpha1.SizingExperiment{Spec: c.measured}, c.trials, c.asked); !errors.Is(err, c.want) {
				t.Errorf("it is said: %v", err)
			}
		})
	}
}
