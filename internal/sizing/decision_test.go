package sizing_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// decided returns the status of a decision about six variants after its calibration, and the variant that is measured
// next.
func decided(t *testing.T, changes ...func(*v1beta1.SizingExperimentSpec)) (*v1beta1.SizingExperimentStatus, v1beta1.DecisionLoad, bool) {
	t.Helper()
	spec := small(append([]func(*v1beta1.SizingExperimentSpec){func(s *v1beta1.SizingExperimentSpec) {
		s.Matrix = v1beta1.Matrix{Costs: []int32{9, 10, 11}, CPULimits: fixture.Limits("500m", "1"), Measure: v1beta1.MeasureDecision}
		s.Load = v1beta1.Load{RequestTimeoutSeconds: 10, StepSeconds: 10}
		s.Demand.MinimumCost, s.Demand.HeadroomPercent = ptr.To[int32](10), ptr.To[int32](30)
	}}, changes...)...)
	times := map[int32]*handover.Calibration{}
	for _, cost := range matrix.Costs(spec.Matrix) {
		timed, err := loadplan.Guess(v1beta1.Variant{Hash: v1beta1.BcryptHash(cost), CPULimit: "1"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		times[cost] = &timed
	}
	status, err := sizing.Calibrated(spec, times)
	if err != nil {
		t.Fatal(err)
	}
	load, needed, err := sizing.Decide(spec, nil, status)
	if err != nil {
		t.Fatal(err)
	}
	return status, load, needed
}

func TestWhatADecisionMeasuresAndWhatItExcludes(t *testing.T) {
	limited := func(cpus int32) func(*v1beta1.SizingExperimentSpec) {
		return func(s *v1beta1.SizingExperimentSpec) { s.Demand.MaxTotalCPU = ptr.To(intstr.FromInt32(cpus)) }
	}
	rate := func(perSecond int32) func(*v1beta1.SizingExperimentSpec) {
		return func(s *v1beta1.SizingExperimentSpec) { s.Demand.LoginsPerSecond = intstr.FromInt32(perSecond) }
	}
	for name, test := range map[string]struct {
		changes []func(*v1beta1.SizingExperimentSpec)
		// next is the variant that is measured, with its rate, or "".
		next string
		// says has a part of the sentence about each variant that is excluded.
		says map[string]string
	}{
		"the strongest hash fits": {
			next: "c11-1 at 5", says: map[string]string{
				"c9-500m": "below minimumCost 10", "c9-1": "below minimumCost 10",
				"c10-500m": "weaker than that of", "c10-1": "weaker than that of", "c11-500m": "would cost 43.80 a month",
			},
		},
		"only the weaker fits into the CPUs": {
			changes: []func(*v1beta1.SizingExperimentSpec){limited(1), rate(8)},
			next:    "c10-1 at 10400",
			says:    map[string]string{"c9-500m": "below minimumCost 10", "c11-500m": "more than maxTotalCPU 1"},
		},
		"nothing fits": {
			changes: []func(*v1beta1.SizingExperimentSpec){limited(1), rate(500)},
			next:    "c10-1", says: map[string]string{"c10-500m": "more than maxTotalCPU 1", "c11-1": "more than maxTotalCPU 1"},
		},
		"the objective is shorter than a hash": {
			changes: []func(*v1beta1.SizingExperimentSpec){func(s *v1beta1.SizingExperimentSpec) { s.Objective.P95Milliseconds = 100 }},
			next:    "c10-1", says: map[string]string{"c11-1": "It meets the objective at no rate"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			status, load, needed := decided(t, test.changes...)
			d := status.Decision
			if got := fmt.Sprintf("%s at %d", load.Variant, load.OfferedMilliPerSecond); !needed || !strings.HasPrefix(got, test.next) || d.Stage != v1beta1.StageLoading {
				t.Errorf("next is %s (needed: %t, stage %s), want %s", got, needed, d.Stage, test.next)
			}
			if len(d.Open)+len(d.Excluded) != 6 {
				t.Errorf("%d variants are open and %d excluded, of 6", len(d.Open), len(d.Excluded))
			}
			for variant, says := range test.says {
				i := slices.IndexFunc(d.Excluded, func(x v1beta1.ExcludedVariant) bool { return x.Variant == variant })
				if i < 0 || !strings.Contains(d.Excluded[i].Message, says) {
					t.Errorf("%s: want a sentence with %q in %+v", variant, says, d.Excluded)
				}
			}
		})
	}
}

func TestAVariantOfAPoolThatWasNotCalibratedIsExcluded(t *testing.T) {
	spec := small(func(s *v1beta1.SizingExperimentSpec) {
		s.Matrix = v1beta1.Matrix{Costs: []int32{9, 10}, CPULimits: fixture.Limits("1"), Measure: v1beta1.MeasureDecision}
		s.Demand.MinimumCost = ptr.To[int32](10)
	})
	status := &v1beta1.SizingExperimentStatus{}
	_, needed, err := sizing.Decide(spec, nil, status)
	if err != nil || needed {
		t.Fatalf("a variant is measured although nothing is known: %t, error %v", needed, err)
	}
	for _, x := range status.Decision.Excluded {
		if x.Message != "It is not known how fast it hashes, because its node pool was not calibrated" {
			t.Errorf("%s: %s", x.Variant, x.Message)
		}
	}
	if len(status.Decision.Excluded) != 2 {
		t.Errorf("%d variants are excluded, want 2", len(status.Decision.Excluded))
	}
}

// Without a hash time nothing excludes a variant but its cost, and one after another is measured, at most eight.
func TestADecisionEndsAfterItsLastLoad(t *testing.T) {
	status, load, needed := decided(t)
	for range v1beta1.MaxDecisionLoads {
		status.Decision.Loads = append(status.Decision.Loads, load)
	}
	spec := small(func(s *v1beta1.SizingExperimentSpec) {
		s.Matrix = v1beta1.Matrix{Costs: []int32{9, 10, 11}, CPULimits: fixture.Limits("500m", "1"), Measure: v1beta1.MeasureDecision}
	})
	_, more, err := sizing.Decide(spec, nil, status)
	if err != nil || !needed || more || status.Decision.Stage != v1beta1.StageDecided {
		t.Errorf("before: %t, after %d loads: %t, stage %s, error %v", needed, len(status.Decision.Loads), more, status.Decision.Stage, err)
	}
}
