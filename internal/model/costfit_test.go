package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// reference is the time of the reference hash of these trials, in microseconds.
const reference = 10_240

// timed returns a trial of a cost with a hash time in microseconds, at the reference time.
func timed(cost int32, microseconds int64, changes ...func(*v1beta1.SizingTrial)) v1beta1.SizingTrial {
	trial := v1beta1.SizingTrial{
		Spec: v1beta1.SizingTrialSpec{Variant: v1beta1.Variant{Hash: v1beta1.BcryptHash(cost), CPULimit: "1"}},
		Status: v1beta1.SizingTrialStatus{
			Result: &v1beta1.VariantResult{Verdict: v1beta1.VerdictValid},
			Calibration: &handover.Calibration{
				CalibrationResult:     handover.CalibrationResult{HashMicroseconds: microseconds},
				ReferenceMicroseconds: reference, RatioPerMillion: 1_000_000 * microseconds / reference,
			},
		},
	}
	for _, change := range changes {
		change(&trial)
	}
	return trial
}

// slower makes the CPU slower by a factor during the calibration.
func slower(times int64) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Status.Calibration.HashMicroseconds *= times
		t.Status.Calibration.ReferenceMicroseconds *= times
	}
}

// at sets the speed of a trial: that of its calibration, and windows of the load in
// thousandths of the reference.
func speedAt(reference int64) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Status.Speed = &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: reference}
	}
}

func untimed(t *v1beta1.SizingTrial) { t.Status.Calibration.ReferenceMicroseconds = 0 }

func on(pool string) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) { t.Spec.Variant.NodePool = &v1beta1.NodePool{Name: pool} }
}

// fits returns the fits of all pools, as the status shows them.
func fits(trials ...v1beta1.SizingTrial) []v1beta1.CostFit {
	var all []v1beta1.CostFit
	for _, pool := range model.Of(trials) {
		all = append(all, pool.API())
	}
	return all
}

// line returns a fit of 40 µs per round without a constant.
func line(pool string) v1beta1.CostFit {
	return v1beta1.CostFit{NodePool: pool, RoundNanoseconds: 40_000}
}

func TestEachPoolHasALineThroughItsCosts(t *testing.T) {
	tests := map[string]struct {
		trials []v1beta1.SizingTrial
		want   []v1beta1.CostFit
	}{
		"costs from low to high, whatever the order of the trials": {
			[]v1beta1.SizingTrial{timed(12, 163_840), timed(8, 10_240), timed(10, 40_960)},
			[]v1beta1.CostFit{line("")}},
		"the median of several trials of a cost": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(8, 90_000), timed(8, 10_240), timed(10, 40_960)},
			[]v1beta1.CostFit{line("")}},
		"a line for each pool, sorted by name": {
			[]v1beta1.SizingTrial{
				timed(8, 10_240, on("small")), timed(10, 40_960, on("small")), timed(8, 10_240, on("large")), timed(10, 40_960, on("large"))},
			[]v1beta1.CostFit{line("large"), line("small")}},
		"the speed of the CPU does not matter": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960, slower(3)), timed(12, 163_840)},
			[]v1beta1.CostFit{line("")}},
		"a ratio that was not timed is computed from the means": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960, func(t *v1beta1.SizingTrial) { t.Status.Calibration.RatioPerMillion = 0 })},
			[]v1beta1.CostFit{line("")}},
		"times are at the reference speed if it is known": {
			[]v1beta1.SizingTrial{timed(8, 10_240, speedAt(20_480)), timed(10, 40_960)},
			[]v1beta1.CostFit{{RoundNanoseconds: 80_000}}},
		"without a reference hash on the pool there are no times": {
			[]v1beta1.SizingTrial{timed(8, 10_240, untimed), timed(10, 40_960, untimed)}, nil},
		"no line through a single cost": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(8, 10_240), timed(10, 40_960, on("small"))}, nil},
		"a cost that was scaled up does not count": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960), timed(16, 1, func(t *v1beta1.SizingTrial) { t.Status.Calibration.ScaledFromCost = ptr.To[int32](12) })},
			[]v1beta1.CostFit{line("")}},
		"an Invalid trial does not count": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960), timed(12, 1, func(t *v1beta1.SizingTrial) { t.Status.Result.Verdict = v1beta1.VerdictInvalid })},
			[]v1beta1.CostFit{line("")}},
		"a trial without a result does not count": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960), timed(12, 1, func(t *v1beta1.SizingTrial) { t.Status.Result = nil })},
			[]v1beta1.CostFit{line("")}},
		"another algorithm does not count": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960), timed(0, 1, func(t *v1beta1.SizingTrial) { t.Spec.Variant.Hash = v1beta1.Hash{SHA256: &v1beta1.SHA256{}} })},
			[]v1beta1.CostFit{line("")}},
		"a trial without a calibration does not count": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960), timed(12, 1, func(t *v1beta1.SizingTrial) { t.Status.Calibration = nil })},
			[]v1beta1.CostFit{line("")}},
		"a calibration without a ratio does not count": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(10, 40_960), timed(12, 0)},
			[]v1beta1.CostFit{line("")}},
		"nothing of nothing": {nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, fits(test.trials...)); diff != "" {
				t.Errorf("fits (-want +got):\n%s", diff)
			}
		})
	}
}

func TestResidualsAreMeasuredAgainstTheLine(t *testing.T) {
	got := fits(timed(8, 10_240), timed(10, 45_056), timed(12, 163_840))[0]
	// A tenth more at cost 10 is shared by the three, most of it by cost 10.
	want := []v1beta1.CostResidual{{Cost: 8, PerMille: -28}, {Cost: 10, PerMille: 69}, {Cost: 12, PerMille: -28}}
	if diff := cmp.Diff(want, got.Residuals); diff != "" {
		t.Errorf("residuals (-want +got):\n%s", diff)
	}
}

func TestAPoolTellsTheReferenceThatItsTimesFollowFrom(t *testing.T) {
	for name, test := range map[string]struct {
		trials []v1beta1.SizingTrial
		want   float64
	}{
		"the reference speed if it is known": {
			[]v1beta1.SizingTrial{timed(8, 10_240, speedAt(20_480)), timed(10, 40_960)}, 0.020_48},
		"or else the median of the calibrations": {
			[]v1beta1.SizingTrial{timed(8, 10_240), timed(8, 10_240, slower(2)), timed(10, 40_960, slower(3))}, 0.020_48},
	} {
		t.Run(name, func(t *testing.T) {
			pools := model.Of(test.trials)
			if len(pools) != 1 || pools[0].Reference != test.want {
				t.Errorf("pools are %+v, want a reference of %v", pools, test.want)
			}
		})
	}
}
