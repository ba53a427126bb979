package speed_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// judged returns a trial with a mode, judged at 10 ms per reference hash, with every number
// that depends on the speed.
func judged(mode v1alpha1.LoadMode) v1alpha1.SizingTrial {
	cal := calibrated()
	rate, micros := ptr.To[int64], ptr.To[int64]
	return v1alpha1.SizingTrial{
		Spec: v1alpha1.SizingTrialSpec{Load: v1alpha1.Load{Mode: mode}},
		Status: v1alpha1.SizingTrialStatus{
			Calibration: &cal,
			Speed: &v1alpha1.TrialSpeed{
				ReferenceHashMicrosecondsAtCost8: 10_000, ReferenceErrorPerMille: 40, PlannedHashMicrosecondsAtCost8: 10_200, HashMicrosecondsAtCost8: 10_100,
				LowPerMille: 950, HighPerMille: 1100, WindowMilliseconds: 1000, WindowsPerMille: []int32{950, 0, 1100},
			},
			Capacity: &v1alpha1.Capacity{
				MilliPerSecond: rate(20_000), PredictedMilliPerSecond: rate(21_000), HighestMetMilliPerSecond: rate(17_500), LowestFailedMilliPerSecond: rate(22_000),
				Interval: &v1alpha1.RateInterval{LowMilliPerSecond: 19_000, HighMilliPerSecond: 22_000},
			},
			Steps: []v1alpha1.Step{
				{
					Kind: v1alpha1.StepOpen, OfferedMilliPerSecond: rate(17_100), P95Microseconds: micros(210_000),
					Speed: &v1alpha1.StepSpeed{HashMicroseconds: 42_000, PerMille: 1050, VariationPerMille: ptr.To[int64](1100)},
					AtReference: &v1alpha1.StepAtReference{
						OfferedMilliPerSecond: 17_500, P95Microseconds: micros(200_000),
						P95Interval: &v1alpha1.Interval{LowMicroseconds: 160_000, HighMicroseconds: 280_000},
					},
				},
				{Kind: v1alpha1.StepSaturation, Speed: &v1alpha1.StepSpeed{HashMicroseconds: 40_000, PerMille: 1000}},
			},
			Result: &v1alpha1.VariantResult{
				Calibration: &cal.CalibrationResult, Speed: &v1alpha1.RowSpeed{LowPerMille: 950, MedianPerMille: 1010, HighPerMille: 1100},
				BoundMilliPerSecond: rate(25_000), MaxThroughputMilliPerSecond: rate(24_000), CapacityMilliPerSecond: rate(20_000),
				OfferedMilliPerSecond: rate(17_500), ThroughputMilliPerSecond: rate(17_400), P95Microseconds: micros(200_000),
				CapacityInterval: &v1alpha1.RateInterval{LowMilliPerSecond: 19_000, HighMilliPerSecond: 22_000},
				P95Interval:      &v1alpha1.Interval{LowMicroseconds: 160_000, HighMicroseconds: 280_000},
			},
		},
	}
}

// slowerByAQuarter is a pool with a reference of 12.5 ms.
var slowerByAQuarter = []v1alpha1.PoolSpeed{{HashMicrosecondsAtCost8: 12_500, ErrorPerMille: 7}}

// converted changes what changes in every trial at a reference that is slower by a quarter.
func converted(trial *v1alpha1.SizingTrial) {
	status := &trial.Status
	*status.Calibration = speed.At(*status.Calibration, 12_500)
	known := status.Speed
	known.ReferenceHashMicrosecondsAtCost8, known.ReferenceErrorPerMille = 12_500, 7
	known.LowPerMille, known.HighPerMille, known.WindowsPerMille = 760, 880, []int32{760, 0, 880}
	status.Steps[0].Speed.PerMille, status.Steps[1].Speed.PerMille = 840, 800
	row := status.Result
	row.Calibration = &status.Calibration.CalibrationResult
	row.Speed = &v1alpha1.RowSpeed{LowPerMille: 760, MedianPerMille: 808, HighPerMille: 880}
	*row.BoundMilliPerSecond, *row.MaxThroughputMilliPerSecond = 20_000, 19_200
}

// convertedRates changes what was planned as shares of the bound.
func convertedRates(trial *v1alpha1.SizingTrial) {
	status := &trial.Status
	found, row := status.Capacity, status.Result
	*found.MilliPerSecond, *found.PredictedMilliPerSecond, *found.HighestMetMilliPerSecond, *found.LowestFailedMilliPerSecond = 16_000, 16_800, 14_000, 17_600
	found.Interval = &v1alpha1.RateInterval{LowMilliPerSecond: 15_200, HighMilliPerSecond: 17_600}
	status.Steps[0].AtReference = &v1alpha1.StepAtReference{
		OfferedMilliPerSecond: 14_000, P95Microseconds: ptr.To[int64](250_000),
		P95Interval: &v1alpha1.Interval{LowMicroseconds: 200_000, HighMicroseconds: 350_000},
	}
	*row.CapacityMilliPerSecond, *row.OfferedMilliPerSecond, *row.ThroughputMilliPerSecond, *row.P95Microseconds = 16_000, 14_000, 13_920, 250_000
	row.CapacityInterval = found.Interval.DeepCopy()
	row.P95Interval = &v1alpha1.Interval{LowMicroseconds: 200_000, HighMicroseconds: 350_000}
}

func TestATrialIsConvertedToTheReferenceThatTurnedOut(t *testing.T) {
	type change = func(*v1alpha1.SizingTrial)
	elsewhere := func(trial *v1alpha1.SizingTrial) { trial.Spec.Variant.NodePool = &v1alpha1.NodePool{Name: "small"} }
	unsaturated := func(trial *v1alpha1.SizingTrial) { trial.Status.Steps[1].Kind = v1alpha1.StepOpen }
	untimed := func(trial *v1alpha1.SizingTrial) {
		trial.Status.Steps[0].Speed, trial.Status.Steps[1].Speed = nil, nil
	}
	withoutLoad := func(trial *v1alpha1.SizingTrial) {
		trial.Status.Steps = nil
		trial.Status.Result.MaxThroughputMilliPerSecond = nil
	}
	withoutSpeed := func(trial *v1alpha1.SizingTrial) { trial.Status.Speed = nil }
	unfinished := func(trial *v1alpha1.SizingTrial) {
		status := &trial.Status
		status.Result, status.Capacity, status.Steps = nil, nil, nil
	}
	for name, test := range map[string]struct {
		mode v1alpha1.LoadMode
		made change
		want []change
	}{
		"rates that were planned as shares are lower, and latencies longer": {v1alpha1.LoadCapacity, nil, []change{converted, convertedRates}},
		"an empty mode is Capacity":                                         {"", nil, []change{converted, convertedRates}},
		"rates from the spec and their latencies do not change":             {v1alpha1.LoadRates, nil, []change{converted}},
		"users do not change":                                               {v1alpha1.LoadUsers, nil, []change{converted}},
		"rates that depend on the generator do not change":                  {v1alpha1.LoadCapacity, unsaturated, []change{converted}},
		"a trial without a speed does not change":                           {v1alpha1.LoadCapacity, withoutSpeed, nil},
		"a trial on an unknown pool does not change":                        {v1alpha1.LoadCapacity, elsewhere, nil},
		"a maximum does not change if no hash was timed": {v1alpha1.LoadCapacity, untimed, []change{func(trial *v1alpha1.SizingTrial) {
			maximum := *trial.Status.Result.MaxThroughputMilliPerSecond
			trial.Status.Steps[0].Speed, trial.Status.Steps[1].Speed = &v1alpha1.StepSpeed{}, &v1alpha1.StepSpeed{}
			converted(trial)
			convertedRates(trial)
			*trial.Status.Result.MaxThroughputMilliPerSecond = maximum
			untimed(trial)
		}}},
		"predictions without a load are converted": {v1alpha1.LoadCapacity, withoutLoad, []change{func(trial *v1alpha1.SizingTrial) {
			whole := judged(v1alpha1.LoadCapacity)
			converted(&whole)
			convertedRates(&whole)
			withoutLoad(&whole)
			*trial = whole
		}}},
		"the calibration of a trial under load is converted": {v1alpha1.LoadCapacity, unfinished, []change{func(trial *v1alpha1.SizingTrial) {
			whole := judged(v1alpha1.LoadCapacity)
			converted(&whole)
			unfinished(&whole)
			*trial = whole
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			trial := judged(test.mode)
			if test.made != nil {
				test.made(&trial)
			}
			before, want := trial.DeepCopy(), trial.DeepCopy()
			for _, change := range test.want {
				change(want)
			}
			got := speed.AtReference([]v1alpha1.SizingTrial{trial}, slowerByAQuarter)
			if diff := cmp.Diff([]v1alpha1.SizingTrial{*want}, got); diff != "" {
				t.Errorf("converted (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(*before, trial); diff != "" {
				t.Errorf("the trial itself was changed (-before +after):\n%s", diff)
			}
		})
	}
}

// someTrial draws the numbers of a trial.
func someTrial(t *rapid.T) v1alpha1.SizingTrial {
	trial := judged(rapid.SampledFrom([]v1alpha1.LoadMode{v1alpha1.LoadCapacity, v1alpha1.LoadRates, v1alpha1.LoadUsers}).Draw(t, "mode"))
	number := func(what string) *int64 { return ptr.To(rapid.Int64Range(100, 10_000_000).Draw(t, what)) }
	status := &trial.Status
	status.Calibration.RatioPerMillion = rapid.Int64Range(1_000_000, 64_000_000).Draw(t, "ratio")
	known, row, found := status.Speed, status.Result, status.Capacity
	known.WindowsPerMille = rapid.SliceOfN(rapid.Int32Range(700, 1500), 0, 30).Draw(t, "windows")
	known.LowPerMille, known.HighPerMille = *number("low"), *number("high")
	row.BoundMilliPerSecond, row.MaxThroughputMilliPerSecond, row.ThroughputMilliPerSecond = number("bound"), number("maximum"), number("throughput")
	row.CapacityMilliPerSecond, row.OfferedMilliPerSecond, row.P95Microseconds = number("capacity"), number("offered"), number("p95")
	row.P95Interval = &v1alpha1.Interval{LowMicroseconds: *number("p95 low"), HighMicroseconds: *number("p95 high")}
	row.CapacityInterval = &v1alpha1.RateInterval{LowMilliPerSecond: *number("capacity low"), HighMilliPerSecond: *number("capacity high")}
	found.MilliPerSecond, found.HighestMetMilliPerSecond = number("answer"), number("met")
	found.PredictedMilliPerSecond, found.LowestFailedMilliPerSecond, found.Interval = nil, nil, nil
	at := status.Steps[0].AtReference
	at.OfferedMilliPerSecond, at.P95Microseconds = *number("step"), number("p95 of the step")
	return trial
}

// Converting to another reference and back changes numbers only by rounding.
func TestThereAndBackChangesNothing(t *testing.T) {
	pool := func(micros int64) []v1alpha1.PoolSpeed {
		return []v1alpha1.PoolSpeed{{HashMicrosecondsAtCost8: micros}}
	}
	rapid.Check(t, func(t *rapid.T) {
		micros := rapid.Int64Range(7_000, 15_000)
		here, there := pool(micros.Draw(t, "here")), pool(micros.Draw(t, "there"))
		first := speed.AtReference([]v1alpha1.SizingTrial{someTrial(t)}, here)
		back := speed.AtReference(speed.AtReference(first, there), here)
		// Each conversion rounds by half, which the second one can increase.
		const most = 2
		near := cmp.Options{
			cmp.Comparer(func(a, b int64) bool { return a-b <= most && b-a <= most }),
			cmp.Comparer(func(a, b int32) bool { return a-b <= most && b-a <= most }),
		}
		if diff := cmp.Diff(first, back, near); diff != "" {
			t.Errorf("there and back (-first +back):\n%s", diff)
		}
	})
}

// The windows of a trial do not change when it is converted.
func TestConvertingATrialLeavesItsWindows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trial := someTrial(t)
		micros := rapid.Int64Range(7_000, 15_000).Draw(t, "reference")
		got := speed.AtReference([]v1alpha1.SizingTrial{trial}, []v1alpha1.PoolSpeed{{HashMicrosecondsAtCost8: micros}})
		within := cmpopts.EquateApprox(0, math.Ceil(0.0005*float64(micros))+1)
		if diff := cmp.Diff(speed.OfTrial(&trial), speed.OfTrial(&got[0]), within); diff != "" {
			t.Errorf("windows (-before +after):\n%s", diff)
		}
	})
}
