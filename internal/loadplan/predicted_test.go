package loadplan

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// shares returns the shares of a plan's open steps, the predicted one with a p, and the kinds
// of its other steps.
func shares(p Plan) string {
	var words []string
	for _, step := range p.WithoutWarmup() {
		switch {
		case step.Predicted:
			words = append(words, fmt.Sprintf("%dp", step.LoadPercent))
		case step.Kind == Open:
			words = append(words, fmt.Sprint(step.LoadPercent))
		default:
			words = append(words, string(step.Kind))
		}
	}
	return strings.Join(words, " ")
}

func TestTheStepAtThePredictedCapacityRunsWhereItProvesSomething(t *testing.T) {
	tests := map[string]struct {
		hash    int64
		percent int64
		longest int32
		want    string
		left    map[int32]string
	}{
		"it runs in order with the others":     {20_000, 60, 120, "50 60p 70 85 Saturation", nil},
		"the reported step runs instead of it": {20_000, 72, 120, "50 70 85 Saturation", nil},
		"it replaces a step close to it":       {20_000, 83, 120, "50 70 83p Saturation", nil},
		"also below that step":                 {20_000, 47, 120, "47p 70 85 Saturation", nil},
		"but not a step further away":          {20_000, 81, 120, "50 70 81p 85 Saturation", nil},
		"near the bound it can't be steady, and is left out": {20_000, 90, 120, "50 70 85 Saturation",
			map[int32]string{90: "where a step needs 80 s to reach a steady state but can take only 1m0s"}},
		"if it is left out, a fixed step close to it stays": {40_000, 86, 120, "50 70 85 Saturation",
			map[int32]string{86: "steady state"}},
		"an overload has no steady state at all": {20_000, 98, 120, "50 70 85 Saturation",
			map[int32]string{98: "more than an hour"}},
		"a rate too low for its samples is left out": {20_000, 4, 120, "50 70 85 Saturation",
			map[int32]string{4: "offers 60 logins in 1m0s, but p95 needs 72"}},
		"no step lasts longer than the experiment allows": {20_000, 80, 15, "50 70 85 Saturation",
			map[int32]string{80: "needs 20 s to reach a steady state but can take only 15s"}},
		"a slow service runs the steps closest to it": {200_000, 55, 120, "55p 70 Saturation",
			map[int32]string{50: "takes 88 s; with the steps closer to the predicted capacity, which take 70 s", 85: "more than the 2m0s"}},
		"also if the step at the predicted capacity is left out": {200_000, 30, 120, "50 70 Saturation",
			map[int32]string{30: "45 logins", 85: "takes 77 s; with the steps closer to the predicted capacity, which take 88 s"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := aTrial(withOwn, func(s *v1beta1.SizingTrialSpec) {
				s.Load.Capacity = &v1beta1.CapacityLoad{MaxStepSeconds: &test.longest}
			})
			cal := calibrated(hashTakes(test.hash))
			prediction := predicting(test.percent)
			*prediction.CapacityMilliPerSecond = 500_000_000 / test.hash * test.percent / 100
			plan := mustBuild(t, spec, cal, prediction)
			if got := shares(plan); got != test.want {
				t.Errorf("the plan is %s, want %s", got, test.want)
			}
			checkLeft(t, plan.NotRun, test.left)
		})
	}
}

func checkLeft(t *testing.T, left []NotRun, want map[int32]string) {
	t.Helper()
	got := map[int32]string{}
	for _, step := range left {
		got[step.LoadPercent] = step.Message
		if w := want[step.LoadPercent]; w != "" && strings.Contains(step.Message, w) {
			got[step.LoadPercent] = w
		}
	}
	if want == nil {
		want = map[int32]string{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

func TestThePredictedStepIsLongEnoughForASteadyState(t *testing.T) {
	for _, percent := range []int64{55, 65, 75, 80, 88} {
		step := stepAt(t, mustBuild(t, aTrial(withOwn), calibrated(), predicting(percent)), int32(percent))
		rho := float64(percent) / 100
		steady := time.Duration(20 * 0.04 / (1 - rho) / (1 - rho) * float64(time.Second))
		if counted := time.Duration(step.CountedMilliseconds) * time.Millisecond; counted < steady || counted > time.Minute {
			t.Errorf("at %d %% it counts for %s, want %s to a minute", percent, counted, steady)
		}
	}
}

func TestArrivalsOfAShareDoNotDependOnThePrediction(t *testing.T) {
	without := mustBuild(t, aTrial(withOwn), calibrated(), nil)
	seeds := map[uint32]bool{}
	for _, percent := range []int64{20, 47, 60, 70, 83, 95} {
		for _, step := range mustBuild(t, aTrial(withOwn), calibrated(), predicting(percent)).WithoutWarmup() {
			switch {
			case step.Predicted:
				seeds[step.Seed] = true
			case step.Kind == Open:
				if want := stepAt(t, without, step.LoadPercent).Seed; step.Seed != want {
					t.Errorf("predicted %d %%: the step at %d %% draws from %d, want %d", percent, step.LoadPercent, step.Seed, want)
				}
			}
		}
	}
	if !seeds[StepSeed(7, 1, 3)] || len(seeds) != 1 {
		t.Errorf("predicted steps draw from %v, want all from %d", seeds, StepSeed(7, 1, 3))
	}
}
