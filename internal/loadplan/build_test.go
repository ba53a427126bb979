package loadplan

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

var update = flag.Bool("update", false, "rewrite the golden plans")

func TestBuildGivesTheGoldenPlan(t *testing.T) {
	tests := map[string]struct {
		spec       v1beta1.SizingTrialSpec
		cal        handover.Calibration
		prediction *v1beta1.Prediction
	}{
		"capacity-predicted":        {aTrial(), calibrated(), predicting(77)},
		"capacity-with-sessions":    {aTrial(withSessions), calibrated(), nil},
		"rates-from-slow-to-beyond": {aTrial(atRates(intstr.FromString("0.5"), intstr.FromInt32(20), intstr.FromInt32(40))), calibrated(), nil},
		"users-on-two-replicas":     {aTrial(withUsers(4, 500), withReplicas(2)), calibrated(), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := json.MarshalIndent(mustBuild(t, test.spec, test.cal, test.prediction), "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", name+".json")
			if *update {
				if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(string(want)), string(got)); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func stepAt(t *testing.T, p Plan, percent int32) Step {
	t.Helper()
	for _, step := range p.Steps {
		if step.LoadPercent == percent {
			return step
		}
	}
	t.Fatalf("no step at %d %%", percent)
	return Step{}
}

// mustBuild returns a plan, which must be read as it was sent.
func mustBuild(t *testing.T, spec v1beta1.SizingTrialSpec, cal handover.Calibration, prediction *v1beta1.Prediction) Plan {
	t.Helper()
	plan, err := Build(spec, cal, prediction)
	if err != nil {
		t.Fatal(err)
	}
	read, err := Decode(encode(t, plan))
	if diff := cmp.Diff(plan, read); err != nil || diff != "" {
		t.Errorf("error %v; plan (-sent +read):\n%s", err, diff)
	}
	return plan
}

func TestCapacityStepsGoOnUntilTheyHaveEnoughSamples(t *testing.T) {
	asIs, decided := func(*v1beta1.SizingTrialSpec) {}, func(s *v1beta1.SizingTrialSpec) { s.Role = v1beta1.RoleDecision }
	tests := map[string]struct {
		hash         int64
		of           func(*v1beta1.SizingTrialSpec)
		wantRequests int
		wantCounted  int64
	}{
		"a fast service fills a step of the least length":    {1_250, asIs, 2_800, 10_000},
		"a slow one goes on until it shows a steady state":   {100_000, asIs, 156, 44_571},
		"a slower one stops at the longest step before that": {500_000, asIs, 84, 120_000},
		"more samples take a longer step": {20_000, func(s *v1beta1.SizingTrialSpec) {
			s.Load.Capacity = &v1beta1.CapacityLoad{MinSamples: ptr.To[int32](700)}
		}, 700, 40_000},
		"a step is never longer than the longest step": {400_000, func(s *v1beta1.SizingTrialSpec) { s.Load = withLimits(s.Load, 20, 30) }, 26, 29_714},
		"a variant that a decision loads needs less":   {100_000, decided, 109, 31_143},
		"a slower one as well":                         {250_000, decided, 109, 77_857},
		"but not more than the longest step":           {450_000, decided, 93, 119_691},
		"two replicas, less than a steady state":       {100_000, func(s *v1beta1.SizingTrialSpec) { decided(s); withReplicas(2)(s) }, 218, 31_143},
		"unless it shall count more": {100_000, func(s *v1beta1.SizingTrialSpec) {
			decided(s)
			s.Load.Capacity = &v1beta1.CapacityLoad{MinSamples: ptr.To[int32](200)}
		}, 200, 57_143},
		"a step with just more than 72 samples runs": {570_000, asIs, 73, 119_086},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := aTrial(test.of)
			step := stepAt(t, mustBuild(t, spec, calibrated(hashTakes(test.hash)), nil), ReportedLoadPercent)
			if step.Requests != test.wantRequests || step.CountedMilliseconds != test.wantCounted {
				t.Errorf("%d requests in %d ms, want %d in %d", step.Requests, step.CountedMilliseconds, test.wantRequests, test.wantCounted)
			}
			if !step.Reported {
				t.Error("the step is not the reported one")
			}
		})
	}
}

func TestAPlanNamesStepsThatAreNotWorthTheirTime(t *testing.T) {
	tests := map[string]struct {
		hash int64
		of   func(*v1beta1.SizingTrialSpec)
		want map[int32]string
	}{
		"a service that is fast enough runs all":          {20_000, withOwn, map[int32]string{}},
		"a slow service runs none":                        {800_000, withOwn, map[int32]string{50: "offers 37 logins in 120 s, but p95 needs 72", 70: "offers 52", 85: "offers 63"}},
		"the model needs one step alone":                  {800_000, func(*v1beta1.SizingTrialSpec) {}, map[int32]string{70: "offers 52"}},
		"and a second that shows if replicas are unequal": {1_600_000, withReplicas(2), map[int32]string{70: "offers 52", 85: "offers 63"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := map[int32]string{}
			for _, step := range mustBuild(t, aTrial(test.of), calibrated(hashTakes(test.hash)), nil).NotRun {
				got[step.LoadPercent] = test.want[step.LoadPercent]
				if want := test.want[step.LoadPercent]; want == "" || !strings.Contains(step.Message, want) {
					t.Errorf("%d %%: message %q does not contain %q", step.LoadPercent, step.Message, want)
				}
				if step.Reported != (step.LoadPercent == ReportedLoadPercent) {
					t.Errorf("%d %%: reported is %v", step.LoadPercent, step.Reported)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
		})
	}
}

func TestVariantsOfOneExperimentSeeOnePatternOfArrivals(t *testing.T) {
	slow, fast := mustBuild(t, aTrial(withOwn), calibrated(), nil), mustBuild(t, aTrial(withOwn, withWorkers(2)), calibrated(hashTakes(5_000)), nil)
	again := mustBuild(t, aTrial(withOwn, func(s *v1beta1.SizingTrialSpec) { s.Repetition = 2 }), calibrated(), nil)
	for i := range slow.Steps[:4] {
		if slow.Steps[i].Seed != fast.Steps[i].Seed {
			t.Errorf("step %d: variants see different patterns", i)
		}
		if slow.Steps[i].Seed == again.Steps[i].Seed {
			t.Errorf("step %d: repetitions see one pattern", i)
		}
	}
}

func TestUsersWithoutAWarmUpCountFromTheFirstLogin(t *testing.T) {
	cold := func(s *v1beta1.SizingTrialSpec) { withUsers(4)(s); s.Load.WarmupSeconds = ptr.To[int32](0) }
	if got := mustBuild(t, aTrial(cold), calibrated(), nil).Steps[0].SettleMilliseconds; got != 0 {
		t.Errorf("%d ms are not counted", got)
	}
	steps := mustBuild(t, aTrial(withUsers(4)), calibrated(), nil).Steps
	if steps[1].SettleMilliseconds == 0 {
		t.Error("after a warm-up everything is counted")
	}
}

func TestBuildRefusesWhatItCantPlan(t *testing.T) {
	if _, err := Build(aTrial(), handover.Calibration{}, nil); !errors.Is(err, ErrNotCalibrated) {
		t.Errorf("without calibration: %v", err)
	}
	if _, err := Build(aTrial(atRates()), calibrated(), nil); !errors.Is(err, ErrNoSteps) {
		t.Errorf("without rates: %v", err)
	}
	if _, err := Build(aTrial(withUsers()), calibrated(), nil); !errors.Is(err, ErrNoSteps) {
		t.Errorf("without users: %v", err)
	}
	for _, rate := range []string{"0", "-1", "2001", "many", ""} {
		if _, err := Build(aTrial(atRates(intstr.FromString(rate))), calibrated(), nil); err == nil {
			t.Errorf("rate %q was planned", rate)
		}
	}
	if _, err := Build(aTrial(func(s *v1beta1.SizingTrialSpec) { s.Role = v1beta1.RoleVerification }), calibrated(), nil); !errors.Is(err, ErrNoSteps) {
		t.Errorf("a verification without a rate: %v", err)
	}
}
