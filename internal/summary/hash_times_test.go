package summary_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
)

// timedOn gives a trial a cost, the time of its hash, and the CPU it was timed on.
func timedOn(cost int32, microseconds int64, cpu string, changes ...func(*v1alpha1.SizingTrial)) v1alpha1.SizingTrial {
	return aTrial("any", append([]func(*v1alpha1.SizingTrial){measured(found(1, 1)), func(t *v1alpha1.SizingTrial) {
		t.Spec.Variant.Cost = cost
		t.Status.Calibration = &v1alpha1.TrialCalibration{CPUModel: cpu, CalibrationResult: v1alpha1.CalibrationResult{
			HashMicroseconds: microseconds, ErrorMicroseconds: microseconds / 100, Samples: 50,
		}}
	}}, changes...)...)
}

func onPool(name string) func(*v1alpha1.SizingTrial) {
	return func(t *v1alpha1.SizingTrial) { t.Spec.Variant.NodePool = &v1alpha1.NodePool{Name: name} }
}

func ofControl(name string) func(*v1alpha1.SizingTrial) {
	return func(t *v1alpha1.SizingTrial) { t.Spec.Variant.Control = name }
}

func hashTime(pool, cpu string, cost int32, microseconds int64, trials int32) v1alpha1.HashTime {
	return v1alpha1.HashTime{
		NodePool: pool, CPUModel: cpu, Cost: cost, HashMicroseconds: microseconds, ErrorMicroseconds: microseconds / 100, Samples: 50, Trials: trials,
	}
}

func TestTheTableOfHashTimes(t *testing.T) {
	again := hashTime("", "Zen", 8, 10_300, 1)
	again.Control = "again"
	invalid := func(t *v1alpha1.SizingTrial) { t.Status.Result.Verdict = v1alpha1.VerdictInvalid }
	tests := map[string]struct {
		trials []v1alpha1.SizingTrial
		want   []v1alpha1.HashTime
	}{
		"a cell for each cost on each pool, sorted": {
			[]v1alpha1.SizingTrial{
				timedOn(10, 41_000, "Zen", onPool("small")), timedOn(8, 10_200, "Zen", onPool("small")), timedOn(8, 7_000, "Xeon", onPool("large"))},
			[]v1alpha1.HashTime{hashTime("large", "Xeon", 8, 7_000, 1), hashTime("small", "Zen", 8, 10_200, 1), hashTime("small", "Zen", 10, 41_000, 1)}},
		"of several trials the lower median, with its own error and CPU": {
			[]v1alpha1.SizingTrial{timedOn(8, 10_400, "slow"), timedOn(8, 10_200, "Zen"), timedOn(8, 10_300, "third"), timedOn(8, 10_100, "fast")},
			[]v1alpha1.HashTime{hashTime("", "Zen", 8, 10_200, 4)}},
		"a control of a cost stands beside the cost": {
			[]v1alpha1.SizingTrial{timedOn(8, 10_300, "Zen", ofControl("again")), timedOn(8, 10_200, "Zen")},
			[]v1alpha1.HashTime{hashTime("", "Zen", 8, 10_200, 1), again}},
		"what must not be believed does not count": {
			[]v1alpha1.SizingTrial{
				timedOn(8, 10_200, "Zen"), timedOn(8, 1, "Zen", invalid),
				timedOn(8, 1, "Zen", func(t *v1alpha1.SizingTrial) { t.Status.Result = nil }),
				timedOn(16, 9, "Zen", func(t *v1alpha1.SizingTrial) { t.Status.Calibration.ScaledFromCost = ptr.To[int32](12) }),
				timedOn(9, 0, "Zen"), aTrial("any", measured(found(1, 1)))},
			[]v1alpha1.HashTime{hashTime("", "Zen", 8, 10_200, 1)}},
		"nor what only all trials together disprove": {
			[]v1alpha1.SizingTrial{
				timedOn(8, 30_000, "Zen"), timedOn(8, 10_240, "Zen"), timedOn(8, 10_240, "Zen"), timedOn(10, 40_960, "Zen"), timedOn(12, 163_840, "Zen")},
			[]v1alpha1.HashTime{hashTime("", "Zen", 8, 10_240, 2), hashTime("", "Zen", 10, 40_960, 1), hashTime("", "Zen", 12, 163_840, 1)}},
		"of equal times the one that was planned first, whatever the order": {
			[]v1alpha1.SizingTrial{
				timedOn(8, 10_240, "second", func(t *v1alpha1.SizingTrial) { t.Spec.Sequence = 2 }), timedOn(8, 10_240, "first", func(t *v1alpha1.SizingTrial) { t.Spec.Sequence = 1 })},
			[]v1alpha1.HashTime{hashTime("", "first", 8, 10_240, 2)}},
		"nothing of nothing": {nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, summary.HashTimes(test.trials)); diff != "" {
				t.Errorf("the table (-want +got):\n%s", diff)
			}
		})
	}
}
