package sizing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestTheQuickstartHasAnAnswer(t *testing.T) {
	experiment, trials := fixture.Quickstart()
	spec := experiment.Spec
	spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MinimumCost: ptr.To[int32](10), MaxTotalCPU: ptr.To(intstr.Parse("1"))}
	spec.Prices = &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))}
	status := concluded(t, spec, trials...)
	got := status.Recommendation
	if got == nil || got.Variant != "c10-500m" || got.Replicas != 1 || got.Confidence != v1beta1.ConfidenceMedium || got.PricePerMonth != "14.60" {
		t.Fatalf("recommended: %+v", got)
	}
	if got.P95Microseconds == nil || *got.P95Microseconds >= 1_000_000 {
		t.Errorf("the predicted p95 is %v, above the objective", got.P95Microseconds)
	}
	for _, p := range status.Predictions {
		if p.CapacityMilliPerSecond != nil && (p.Sizing == nil || p.Price == nil || p.Price.PerMillionLogins == "") {
			t.Errorf("%s is predicted without its sizing or price: %+v", p.Variant, p)
		}
	}

	asked, err := sizing.WhatIf(experiment, trials, spec)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(status.Recommendation, asked.Recommendation); diff != "" {
		t.Errorf("what-if and the experiment differ (-end +what-if)\n%s", diff)
	}
	if diff := cmp.Diff(status.Predictions, asked.Predictions); diff != "" {
		t.Errorf("the predictions of what-if and the experiment differ (-end +what-if)\n%s", diff)
	}
	if asked.Display.Recommended != "1×c10-500m" {
		t.Errorf("the column reads %q", asked.Display.Recommended)
	}
}

// Undecided steps don't show that no rate meets the objective.
func TestAnUndecidedResultIsNotCalledInfeasible(t *testing.T) {
	spec := small()
	trial := held(t, spec, "c10-500m", 4000, v1beta1.VerdictValid)
	result := trial.Status.Result
	result.CapacityMilliPerSecond, result.CapacityIsLowerBound, result.ObjectiveMet = nil, nil, nil
	got := concluded(t, spec, trial).Recommendation
	if got.BrokenBound != v1beta1.BoundCapacityUnknown || strings.Contains(got.Reason, "at any rate") {
		t.Errorf("undecided: %s, %q", got.BrokenBound, got.Reason)
	}
	result.ObjectiveMet = ptr.To(false)
	if got := concluded(t, spec, trial).Recommendation; got.BrokenBound != v1beta1.BoundObjective {
		t.Errorf("not met: %s, %q", got.BrokenBound, got.Reason)
	}

	// The model knows what logins by chance come to, whatever the even ones showed.
	even := small(evenlySpaced)
	trial = held(t, even, "c10-500m", 8500, v1beta1.VerdictValid)
	trial.Status.Result.CapacityMilliPerSecond, trial.Status.Result.ObjectiveMet = nil, nil
	if told := concluded(t, even, trial).Recommendation; told.Variant != "c10-500m" {
		t.Errorf("undecided with even logins: %s, %q", told.BrokenBound, told.Reason)
	}
}

func TestWithoutADemandNothingIsRecommended(t *testing.T) {
	spec := small(noDemand)
	if got := concluded(t, spec, held(t, spec, "c10-500m", 4000, v1beta1.VerdictValid)).Recommendation; got != nil {
		t.Errorf("recommended: %+v", got)
	}
}

func TestACostIsRecommendedInWhicheverFormItIsWritten(t *testing.T) {
	short := small()
	named := small(again, func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{8} })
	want := concluded(t, short, held(t, short, "c10-500m", 4000, v1beta1.VerdictValid)).Recommendation
	got := concluded(t, named, held(t, named, "again-500m", 4000, v1beta1.VerdictValid)).Recommendation
	for _, text := range []*string{&got.Variant, &got.Reason} {
		*text = strings.ReplaceAll(*text, "again-500m", "c10-500m")
	}
	for i := range got.Changes {
		got.Changes[i] = strings.ReplaceAll(got.Changes[i], "again-500m", "c10-500m")
	}
	if diff := cmp.Diff(want, got); diff != "" || want.Variant != "c10-500m" {
		t.Errorf("with a name the recommendation differs (-without +with)\n%s", diff)
	}
}

func TestOfACostThatIsWrittenTwiceOneIsRecommended(t *testing.T) {
	spec := small(again)
	first, second := held(t, spec, "c10-500m", 4000, v1beta1.VerdictValid), held(t, spec, "again-500m", 3900, v1beta1.VerdictValid)
	got := concluded(t, spec, first, second).Recommendation
	if got.Variant != "c10-500m" || got.Cost != 10 || got.Hash != "" || got.RunnerUp == nil || got.RunnerUp.Variant != "again-500m" {
		t.Errorf("recommended: %+v, then %+v", got.Size, got.RunnerUp)
	}
}

// Without demand.hashes, another hash changes nothing, whatever its capacity. With it, its
// guesses per second decide.
func TestAnotherHashAnswersOnlyWhereItMay(t *testing.T) {
	withArgon := func(spec *v1beta1.SizingExperimentSpec) {
		spec.Matrix.Hashes = append(spec.Matrix.Hashes, v1beta1.Hash{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}})
	}
	plain, extended := small(), small(withArgon)
	bcrypt := held(t, plain, "c10-500m", 4000, v1beta1.VerdictValid)
	want := concluded(t, plain, bcrypt)
	for _, capacity := range []int64{100, 8_000, 400_000} {
		argon := held(t, extended, "argon-500m", capacity, v1beta1.VerdictValid)
		got := concluded(t, extended, bcrypt, argon)
		if diff := cmp.Diff(want.Recommendation, got.Recommendation); diff != "" {
			t.Errorf("a hash with a capacity of %d changes the recommendation (-without +with)\n%s", capacity, diff)
		}
		if sized := row(t, got, "argon-500m"); sized.Sizing != nil {
			t.Errorf("the hash is sized: %+v", sized.Sizing)
		}
	}

	// With mode Capacity there are also predictions, so other costs can be recommended.
	experiment, trials := fixture.Quickstart()
	experiment.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MinimumCost: ptr.To[int32](10), MaxTotalCPU: ptr.To(intstr.Parse("1"))}
	withHash := *experiment.Spec.DeepCopy()
	withArgon(&withHash)
	want = concluded(t, experiment.Spec, trials...)
	if diff := cmp.Diff(want.Recommendation, concluded(t, withHash, trials...).Recommendation); diff != "" || want.Recommendation.Variant == "" {
		t.Errorf("a hash changes the recommendation (-without +with)\n%s", diff)
	}
	withHash.Demand.Hashes = []v1beta1.HashKind{v1beta1.HashArgon2id}
	others := concluded(t, withHash, trials...)
	if got := others.Recommendation; got.Variant != "" || got.BrokenBound != v1beta1.BoundNoResult {
		t.Errorf("bcrypt is not allowed and nothing else was measured, but the recommendation is %+v", got)
	}
	for _, p := range others.Predictions {
		if p.Sizing != nil {
			t.Errorf("%s is sized, but its hash is not allowed", p.Variant)
		}
	}

	asked := small(withArgon, func(s *v1beta1.SizingExperimentSpec) {
		s.Demand.Hashes = []v1beta1.HashKind{v1beta1.HashBcrypt, v1beta1.HashArgon2id}
		s.Matrix.Hashes[len(s.Matrix.Hashes)-1].GuessesPerSecond = ptr.To[int64](1_000)
	})
	argon := held(t, asked, "argon-500m", 8_000, v1beta1.VerdictValid)
	status := concluded(t, asked, bcrypt, argon)
	got := status.Recommendation
	if got.Variant != "argon-500m" || got.RunnerUp == nil || got.RunnerUp.Variant != "c10-500m" {
		t.Errorf("recommended: %+v", got)
	}
	sized := row(t, status, "argon-500m")
	if sized.Sizing == nil || sized.Price == nil || sized.Price.AttackerPerBillionGuesses != "222.22" {
		t.Errorf("the hash's row is %+v, %+v", sized.Sizing, sized.Price)
	}
}

// The memory of Hashmark's own service is not that of the service that will run.
func TestOnlyTheMemoryOfTheUsersServiceIsRecommended(t *testing.T) {
	for name, test := range map[string]struct {
		own           *v1beta1.OwnService
		memory, month string
	}{
		"Hashmark's service is charged for its given limit": {nil, "", "21.90"},
		"the user's service for what it needs":              {&v1beta1.OwnService{}, "49Mi", "14.95"},
	} {
		t.Run(name, func(t *testing.T) {
			spec := small(func(s *v1beta1.SizingExperimentSpec) {
				s.Matrix.Hashes, s.Prices.PerGiBHour = nil, ptr.To(intstr.FromString("0.01"))
				s.Service.Own, s.Service.MemoryLimit = test.own, ptr.To(intstr.FromString("1Gi"))
			})
			trial := held(t, spec, "c10-500m", 8_000, v1beta1.VerdictValid)
			trial.Status.Result.MemoryPeakBytes = ptr.To[int64](41_000_000)
			got := concluded(t, spec, trial).Recommendation
			if got.MemoryLimit != test.memory || got.PricePerMonth != test.month {
				t.Errorf("%d replicas with %q of memory cost %s a month, want %q and %s", got.Replicas, got.MemoryLimit, got.PricePerMonth, test.memory, test.month)
			}
		})
	}
}

func TestEvenlySpacedLoginsAreSizedByTheModel(t *testing.T) {
	spec := small(evenlySpaced)
	// With evenly spaced logins c10-500m holds its maximum; with random arrivals it does not.
	status := concluded(t, spec, held(t, spec, "c10-500m", 8700, v1beta1.VerdictValid))
	got := status.Recommendation
	if got.Variant != "c10-500m" || got.Confidence != v1beta1.ConfidenceLow || *got.CapacityMilliPerSecond >= 8500 || !strings.Contains(got.Reason, "evenly spaced") {
		t.Errorf("recommended: %+v", got)
	}
	if sized := row(t, status, "c10-500m").Sizing; sized == nil || sized.Replicas != got.Replicas {
		t.Errorf("the row is sized %+v, but %d replicas are recommended", sized, got.Replicas)
	}
}

// A model that failed its check stays unused when another question is asked.
func TestAPredictionAnswersOnlyWhereTheModelWasChecked(t *testing.T) {
	experiment, trials := fixture.Quickstart()
	experiment.Spec.Matrix.Costs = []int32{8, 9, 10}
	experiment.Spec.Matrix.Measure = v1beta1.MeasureCorners
	spec := *experiment.Spec.DeepCopy()
	spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MinimumCost: ptr.To[int32](9), MaxTotalCPU: ptr.To(intstr.Parse("300m"))}
	for _, passed := range []bool{false, true} {
		experiment.Status.ModelCheck = &v1beta1.ModelCheck{Passed: passed}
		asked, err := sizing.WhatIf(experiment, trials, spec)
		if err != nil {
			t.Fatal(err)
		}
		if predicted := asked.Recommendation.Variant == "c9-250m"; predicted != passed {
			t.Errorf("with a check passed %v, %q is recommended: %s", passed, asked.Recommendation.Variant, asked.Recommendation.Reason)
		}
	}
}

func TestWhatCanNotBeAsked(t *testing.T) {
	spec := small()
	trials := []v1beta1.SizingTrial{held(t, spec, "c10-500m", 4000, v1beta1.VerdictValid)}
	users := small(func(s *v1beta1.SizingExperimentSpec) { s.Load.Rates, s.Load.Users = nil, &v1beta1.UsersLoad{} })
	for name, c := range map[string]struct {
		measured, asked v1beta1.SizingExperimentSpec
		trials          []v1beta1.SizingTrial
		want            error
	}{
		"a question without a demand":   {spec, small(noDemand), trials, sizing.ErrNoDemand},
		"an experiment of users":        {users, users, trials, sizing.ErrUsers},
		"an experiment without a trial": {spec, spec, nil, sizing.ErrNoTrials},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := sizing.WhatIf(&v1beta1.SizingExperiment{Spec: c.measured}, c.trials, c.asked); !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
		})
	}
}
