package speed_test

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// seconds returns windows of a second each.
func seconds(micros ...float64) []speed.Window {
	var windows []speed.Window
	for _, m := range micros {
		windows = append(windows, speed.Window{Micros: m, Seconds: 1})
	}
	return windows
}

// steady returns so many seconds at one speed.
func steady(n int, micros float64) []speed.Window {
	var windows []speed.Window
	for range n {
		windows = append(windows, speed.Window{Micros: micros, Seconds: 1})
	}
	return windows
}

func TestTheQuantileIsAShareOfTheTime(t *testing.T) {
	long := []speed.Window{{Micros: 30, Seconds: 8}, {Micros: 10, Seconds: 1}, {Micros: 20, Seconds: 1}}
	for name, test := range map[string]struct {
		windows []speed.Window
		share   float64
		want    float64
	}{
		"the median of windows of equal length": {seconds(30, 10, 20), 0.5, 20},
		"the lower median of an even number":    {seconds(40, 10, 30, 20), 0.5, 20},
		"a long window counts for its length":   {long, 0.5, 30},
		"a tenth of the time":                   {long, 0.1, 10},
		"a fifth of the time":                   {long, 0.2, 20},
		"all of the time":                       {long, 1, 30},
		"0 without windows":                     {nil, 0.5, 0},
	} {
		t.Run(name, func(t *testing.T) {
			before := append([]speed.Window(nil), test.windows...)
			if got := speed.Quantile(test.windows, test.share); got != test.want {
				t.Errorf("the quantile is %v, want %v", got, test.want)
			}
			if diff := cmp.Diff(before, test.windows); diff != "" {
				t.Errorf("the windows were changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheMeanHasTheIntervalOfItsBatches(t *testing.T) {
	// Student's 97.5 % quantile for two batches, and for three.
	const ofTwo, ofThree = 12.7062, 4.3027
	join := func(parts ...[]speed.Window) []speed.Window {
		var all []speed.Window
		for _, part := range parts {
			all = append(all, part...)
		}
		return all
	}
	calibration := func(micros int64) []speed.Window {
		cal := handover.Calibration{}
		for range 9 { // nine ninths of five seconds are a little less than five
			cal.BlockMicroseconds = append(cal.BlockMicroseconds, micros)
		}
		return speed.OfCalibration(cal)
	}
	for name, test := range map[string]struct {
		trials     [][]speed.Window
		mean, half float64
	}{
		"no mean without windows":                         {nil, 0, 0},
		"a mean is weighted by the length of the windows": {[][]speed.Window{{{Micros: 10, Seconds: 3}, {Micros: 20, Seconds: 1}}}, 12.5, 0},
		"no interval for a single batch":                  {[][]speed.Window{steady(9, 10)}, 10, 0},
		"two batches of ten seconds have an interval":     {[][]speed.Window{join(steady(10, 9), steady(10, 11))}, 10, ofTwo},
		"variation inside a batch does not count":         {[][]speed.Window{seconds(9, 11, 9, 11, 9, 11, 9, 11, 9, 11, 11, 9, 11, 9, 11, 9, 11, 9, 11, 9)}, 10, 0},
		"a rest of five seconds is another batch":         {[][]speed.Window{join(steady(10, 9), steady(5, 12))}, 10, 1.5 * ofTwo},
		"a rest of four seconds is not a batch":           {[][]speed.Window{join(steady(10, 9), steady(4, 12))}, 138.0 / 14, 0},
		"a batch belongs to one trial":                    {[][]speed.Window{steady(6, 9), steady(6, 11)}, 10, ofTwo},
		"a rest does not count for the next trial":        {[][]speed.Window{steady(4, 90), steady(10, 9), steady(10, 11)}, (360.0 + 90 + 110) / 24, ofTwo},
		"three batches have a narrower interval":          {[][]speed.Window{steady(10, 9), steady(10, 10), steady(10, 11)}, 10, ofThree / math.Sqrt(3)},
		"a calibration is a batch, whatever its blocks":   {[][]speed.Window{calibration(9), calibration(11)}, 10, ofTwo},
	} {
		t.Run(name, func(t *testing.T) {
			mean, half := speed.Mean(test.trials, 0.95)
			if diff := cmp.Diff([]float64{test.mean, test.half}, []float64{mean, half}, cmpopts.EquateApprox(1e-4, 1e-9)); diff != "" {
				t.Errorf("mean and half width (-want +got):\n%s", diff)
			}
		})
	}
	// Student's 99.95 % quantile is 636.6 for two batches, and 12.924 for four.
	two := [][]speed.Window{steady(10, 9), steady(10, 11)}
	if _, half := speed.Mean(two, 0.999); math.Abs(half-13) > 1e-9 {
		t.Errorf("two batches have an interval of ± %v with 99.9 %% confidence, want 13 standard errors of 1", half)
	}
	if _, half := speed.Mean(append(two, two...), 0.999); math.Abs(half-12.924/math.Sqrt(3)) > 1e-3 {
		t.Errorf("four batches have an interval of ± %v with 99.9 %% confidence", half)
	}
}

func TestTheRatioIsTheTimedOneOrTheOneOfTheMeans(t *testing.T) {
	cal := func(hash, reference, ratio, err int64) handover.Calibration {
		return handover.Calibration{
			CalibrationResult:     handover.CalibrationResult{HashMicroseconds: hash},
			ReferenceMicroseconds: reference, RatioPerMillion: ratio, RatioErrorPerMillion: err,
		}
	}
	for name, test := range map[string]struct {
		cal        handover.Calibration
		ratio, err float64
	}{
		"a ratio that was timed in turns is preferred to the means": {cal(41_000, 10_000, 4_000_000, 0), 4, 0},
		"without it, the ratio of the means":                        {cal(41_000, 10_000, 0, 0), 4.1, 0},
		"no ratio without a reference hash":                         {cal(41_000, 0, 0, 0), 0, 0},
		"the error is narrowed from 99.9 to 95 %":                   {cal(41_000, 10_000, 4_000_000, 40_000), 4, 0.01 * 1.96 / 3.29},
		"no error without a ratio":                                  {cal(41_000, 10_000, 0, 40_000), 4.1, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := []float64{speed.Ratio(test.cal), speed.RatioError(test.cal)}
			if diff := cmp.Diff([]float64{test.ratio, test.err}, got, cmpopts.EquateApprox(1e-9, 0)); diff != "" {
				t.Errorf("ratio and error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWindowsOfACalibrationAndOfALoad(t *testing.T) {
	load := &measurement.Timeline{Window: 2 * time.Second, HashNanoseconds: []int64{40_000_000, 0, 44_000_000}}
	for name, test := range map[string]struct{ got, want []speed.Window }{
		"blocks share five seconds": {
			speed.OfCalibration(handover.Calibration{ReferenceMicroseconds: 10_500, BlockMicroseconds: []int64{10_000, 11_000}}),
			[]speed.Window{{Micros: 10_000, Seconds: 2.5}, {Micros: 11_000, Seconds: 2.5}}},
		"without blocks the mean is one window": {
			speed.OfCalibration(handover.Calibration{ReferenceMicroseconds: 10_500}), []speed.Window{{Micros: 10_500, Seconds: 5}}},
		"no windows without a reference hash": {speed.OfCalibration(handover.Calibration{}), nil},
		"windows of a load in time per reference hash, without those that have no hash": {
			speed.OfTimeline(load, 4), []speed.Window{{Micros: 10_000, Seconds: 2}, {Micros: 11_000, Seconds: 2}}},
		"no windows without a ratio":    {speed.OfTimeline(load, 0), nil},
		"no windows without a timeline": {speed.OfTimeline(nil, 4), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("windows (-want +got):\n%s", diff)
			}
		})
	}
}

// The status of a trial has the same windows as its run.
func TestWindowsOfATrialAreThoseOfItsRun(t *testing.T) {
	cal := handover.Calibration{
		CalibrationResult:     handover.CalibrationResult{HashMicroseconds: 41_000, Samples: 50},
		ReferenceMicroseconds: 10_250, RatioPerMillion: 4_000_000, BlockMicroseconds: []int64{10_000, 10_500},
		Surroundings: handover.Surroundings{GoMaxProcs: 1},
	}
	timeline := &measurement.Timeline{Window: time.Second, HashNanoseconds: []int64{40_123_000, 0, 44_321_000, 47_000_000}}
	trial := &v1beta1.SizingTrial{Status: v1beta1.SizingTrialStatus{Calibration: &cal}}
	if windows := speed.OfTrial(trial); windows != nil {
		t.Errorf("a trial without a speed has windows: %v", windows)
	}
	judged := verdict.Judge(verdict.Input{Calibration: cal, Run: measurement.Run{Timeline: timeline}, Reference: 10_700})
	trial.Status.Speed = judged.Speed
	want := append(speed.OfCalibration(cal), speed.OfTimeline(timeline, 4)...)
	// The status has whole thousandths of the reference.
	if diff := cmp.Diff(want, speed.OfTrial(trial), cmpopts.EquateApprox(0, 0.0005*10_700)); diff != "" {
		t.Errorf("windows (-run +trial):\n%s", diff)
	}
	trial.Status.Calibration = nil
	if windows := speed.OfTrial(trial); windows != nil {
		t.Errorf("a trial without a calibration has windows: %v", windows)
	}
}

func TestTheBlocksOfACalibrationCountForItsLength(t *testing.T) {
	for length, want := range map[int64]float64{0: 5, 2500: 2.5, 5000: 5, 60_000: 5} {
		windows := speed.OfCalibration(handover.Calibration{LengthMilliseconds: length, BlockMicroseconds: []int64{14_000, 14_500}})
		if len(windows) != 2 || windows[0].Seconds+windows[1].Seconds != want {
			t.Errorf("a calibration of %d ms has the windows %v, want %v s in all", length, windows, want)
		}
	}
}
