package results_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// timedOn returns a trial with a cost, the ratio of its hash to a reference hash of 10 ms in
// millionths, and the CPU on which it was timed.
func timedOn(cost int32, ratio int64, cpu string, changes ...func(*v1beta1.SizingTrial)) v1beta1.SizingTrial {
	return aTrial("any", append([]func(*v1beta1.SizingTrial){measured(found(1, 1)), func(t *v1beta1.SizingTrial) {
		t.Spec.Variant.Hash = v1beta1.BcryptHash(cost)
		t.Status.Calibration = &handover.Calibration{
			CalibrationResult: handover.CalibrationResult{HashMicroseconds: ratio / 100, ErrorMicroseconds: ratio / 10_000, Samples: 50}, ReferenceMicroseconds: 10_000, RatioPerMillion: ratio,
			Surroundings: handover.Surroundings{CPUModel: cpu},
		}
	}}, changes...)...)
}

// runAt sets the speeds of the calibration and of five seconds of load, in microseconds per
// reference hash.
func runAt(calibrated, loaded int64) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Status.Calibration.ReferenceMicroseconds = calibrated
		t.Status.Speed = &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: loaded, WindowMilliseconds: 5_000, WindowsPerMille: []int32{1000}}
	}
}

func onPool(name string) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) { t.Spec.Variant.NodePool = &v1beta1.NodePool{Name: name} }
}

func ofControl(name string) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) { t.Spec.Variant.Hash.Name = name }
}

// hashTime returns a cell whose windows are all equal, so that its error is that of its
// calibration, 1 %.
func hashTime(pool, cpu string, cost int32, microseconds int64, windows, trials int32) v1beta1.HashTime {
	return v1beta1.HashTime{
		NodePool: pool, CPUModel: cpu, Hash: v1beta1.BcryptHash(cost), HashMicroseconds: microseconds, ErrorMicroseconds: microseconds / 100,
		LowMicroseconds: microseconds, HighMicroseconds: microseconds, Samples: windows, Trials: trials,
	}
}

func TestHashTimes(t *testing.T) {
	again := hashTime("", "Zen", 8, 10_300, 2, 1)
	again.Hash.Name = "again"
	invalid := func(t *v1beta1.SizingTrial) { t.Status.Result.Verdict = v1beta1.VerdictInvalid }
	tests := map[string]struct {
		trials []v1beta1.SizingTrial
		want   []v1beta1.HashTime
	}{
		"a cell for each cost on each pool, sorted": {
			[]v1beta1.SizingTrial{
				timedOn(10, 4_100_000, "Zen", onPool("small")), timedOn(8, 1_020_000, "Zen", onPool("small")), timedOn(8, 700_000, "Xeon", onPool("large"))},
			[]v1beta1.HashTime{hashTime("large", "Xeon", 8, 7_000, 1, 1), hashTime("small", "Zen", 8, 10_200, 2, 1), hashTime("small", "Zen", 10, 41_000, 2, 1)}},
		"for an even number of trials the upper median, with its own error and CPU": {
			[]v1beta1.SizingTrial{timedOn(8, 1_040_000, "slow"), timedOn(8, 1_020_000, "second"), timedOn(8, 1_030_000, "Zen"), timedOn(8, 1_010_000, "fast")},
			[]v1beta1.HashTime{hashTime("", "Zen", 8, 10_300, 4, 4)}},
		"bcrypt with a name has its own cell": {
			[]v1beta1.SizingTrial{timedOn(8, 1_030_000, "Zen", ofControl("again")), timedOn(8, 1_020_000, "Zen")},
			[]v1beta1.HashTime{hashTime("", "Zen", 8, 10_200, 2, 1), again}},
		"of Invalid and scaled times only the windows count": {
			[]v1beta1.SizingTrial{
				timedOn(8, 1_020_000, "Zen"), timedOn(8, 100, "Zen", invalid),
				timedOn(16, 900, "Zen", func(t *v1beta1.SizingTrial) { t.Status.Calibration.ScaledFromCost = ptr.To[int32](12) })},
			[]v1beta1.HashTime{hashTime("", "Zen", 8, 10_200, 3, 1)}},
		"a trial without result, calibration or ratio does not count": {
			[]v1beta1.SizingTrial{
				timedOn(8, 1_020_000, "Zen"),
				timedOn(8, 100, "Zen", func(t *v1beta1.SizingTrial) { t.Status.Result = nil }),
				timedOn(9, 0, "Zen", func(t *v1beta1.SizingTrial) { t.Status.Calibration.ReferenceMicroseconds = 0 }), aTrial("any", measured(found(1, 1)))},
			[]v1beta1.HashTime{hashTime("", "Zen", 8, 10_200, 1, 1)}},
		"a trial that only the others disprove does not count": {
			[]v1beta1.SizingTrial{
				timedOn(8, 3_000_000, "Zen"), timedOn(8, 1_000_000, "Zen"), timedOn(8, 1_000_000, "Zen"), timedOn(10, 4_000_000, "Zen"), timedOn(12, 16_000_000, "Zen")},
			[]v1beta1.HashTime{hashTime("", "Zen", 8, 10_000, 5, 2), hashTime("", "Zen", 10, 40_000, 5, 1), hashTime("", "Zen", 12, 160_000, 5, 1)}},
		"equal ratios are sorted by the plan, not by the list": {
			[]v1beta1.SizingTrial{
				timedOn(8, 1_000_000, "third", func(t *v1beta1.SizingTrial) { t.Spec.Sequence = 3 }), timedOn(8, 1_000_000, "first", func(t *v1beta1.SizingTrial) { t.Spec.Sequence = 1 }),
				timedOn(8, 1_000_000, "second", func(t *v1beta1.SizingTrial) { t.Spec.Sequence = 2 })},
			[]v1beta1.HashTime{hashTime("", "second", 8, 10_000, 3, 3)}},
		"nothing of nothing": {nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, results.HashTimes(test.trials)); diff != "" {
				t.Errorf("the table (-want +got):\n%s", diff)
			}
		})
	}
}

// A hash time is the mean over all windows of the CPU, whatever was hashed in them. Four
// batches of ten seconds at 9.9, 10, 10 and 10.1 ms have a 99.9 % interval of 12.92 × 0.0816 ms ÷ 2.
func TestHashTimeIsMeanOfAllWindows(t *testing.T) {
	inexact := func(t *v1beta1.SizingTrial) { t.Status.Calibration.RatioErrorPerMillion = 500_000 }
	tests := map[string]struct {
		trials []v1beta1.SizingTrial
		want   []v1beta1.HashTime
	}{
		"with the error of the batches and of the ratio": {
			[]v1beta1.SizingTrial{
				timedOn(8, 1_000_000, "Zen", runAt(9_900, 9_900)), timedOn(10, 4_000_000, "Zen", runAt(10_000, 10_000), inexact), timedOn(8, 1_000_000, "Zen", runAt(10_000, 10_000)), timedOn(8, 1_000_000, "Zen", runAt(10_100, 10_100))},
			[]v1beta1.HashTime{
				{CPUModel: "Zen", Hash: v1beta1.BcryptHash(8), HashMicroseconds: 10_000, ErrorMicroseconds: 528, LowMicroseconds: 9_900, HighMicroseconds: 10_100, Samples: 8, Trials: 3},
				{CPUModel: "Zen", Hash: v1beta1.BcryptHash(10), HashMicroseconds: 40_000, ErrorMicroseconds: 5_428, LowMicroseconds: 39_600, HighMicroseconds: 40_400, Samples: 8, Trials: 1}}},
		"two batches have an interval of 13 standard errors": {
			[]v1beta1.SizingTrial{timedOn(8, 1_000_000, "Zen", runAt(9_900, 9_900)), timedOn(8, 1_000_000, "Zen", runAt(10_100, 10_100))},
			[]v1beta1.HashTime{{CPUModel: "Zen", Hash: v1beta1.BcryptHash(8), HashMicroseconds: 10_000, ErrorMicroseconds: 1_300, LowMicroseconds: 9_900, HighMicroseconds: 10_100, Samples: 4, Trials: 2}}},
		"a variation inside ten seconds does not add to the error": {
			[]v1beta1.SizingTrial{timedOn(8, 1_000_000, "Zen", runAt(9_000, 11_000)), timedOn(8, 1_000_000, "Zen", runAt(11_000, 9_000))},
			[]v1beta1.HashTime{{CPUModel: "Zen", Hash: v1beta1.BcryptHash(8), HashMicroseconds: 10_000, ErrorMicroseconds: 100, LowMicroseconds: 9_000, HighMicroseconds: 11_000, Samples: 4, Trials: 2}}},
		"a single batch has the errors of its calibration and of the ratio": {
			[]v1beta1.SizingTrial{timedOn(10, 4_000_000, "Zen", func(t *v1beta1.SizingTrial) { t.Status.Calibration.RatioErrorPerMillion = 30_000 })},
			[]v1beta1.HashTime{{CPUModel: "Zen", Hash: v1beta1.BcryptHash(10), HashMicroseconds: 40_000, ErrorMicroseconds: 500, LowMicroseconds: 40_000, HighMicroseconds: 40_000, Samples: 1, Trials: 1}}},
		"the shortest hash time is a microsecond": {
			[]v1beta1.SizingTrial{timedOn(4, 10, "Zen")},
			[]v1beta1.HashTime{{CPUModel: "Zen", Hash: v1beta1.BcryptHash(4), HashMicroseconds: 1, LowMicroseconds: 1, HighMicroseconds: 1, Samples: 1, Trials: 1}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, results.HashTimes(test.trials)); diff != "" {
				t.Errorf("the table (-want +got):\n%s", diff)
			}
		})
	}
}
