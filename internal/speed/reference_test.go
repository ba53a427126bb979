package speed_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

func TestTheMedianOverAllWindows(t *testing.T) {
	near := append(steady(10, 10_000), steady(10, 10_001)...)
	for name, test := range map[string]struct {
		trials         [][]speed.Window
		micros, unsure float64
	}{
		"of several trials, with the error of their batches": {
			[][]speed.Window{steady(10, 9_000), steady(10, 11_000), steady(10, 10_000)}, 10_000, 0.31134},
		"a few seconds have the measured error of such a median": {
			[][]speed.Window{steady(7, 10_000)}, 10_000, 0.04},
		"the error is at least the difference between two processes": {
			[][]speed.Window{near, near, near}, 10_000, 0.001},
		"of no windows, both are 0": {nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			micros, unsure := speed.Median(test.trials)
			if diff := cmp.Diff([]float64{test.micros, test.unsure}, []float64{micros, unsure}, cmpopts.EquateApprox(1e-4, 0)); diff != "" {
				t.Errorf("median and error (-want +got):\n%s", diff)
			}
		})
	}
}

// ran returns a trial on a node pool with a calibration at 10 ms, and windows of one second at
// these thousandths of that.
func ran(pool string, result *v1beta1.VariantResult, perMille ...int32) v1beta1.SizingTrial {
	trial := v1beta1.SizingTrial{Status: v1beta1.SizingTrialStatus{
		Result:      result,
		Calibration: &handover.Calibration{ReferenceMicroseconds: 10_000, RatioPerMillion: 1_000_000},
		Speed:       &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: 10_000, WindowMilliseconds: 1000, WindowsPerMille: perMille},
	}}
	if pool != "" {
		trial.Spec.Variant.NodePool = &v1beta1.NodePool{Name: pool}
	}
	return trial
}

// referred returns a trial that was judged by a reference and released so long after the first could
// have been; if that is 0, it is not released yet.
func referred(trial v1beta1.SizingTrial, micros int64, after time.Duration) v1beta1.SizingTrial {
	trial.Status.Speed.ReferenceHashMicrosecondsAtCost8 = micros
	if after > 0 {
		trial.Status.CompletionTime = &metav1.Time{Time: time.Unix(0, 0).Add(after)}
	}
	return trial
}

func TestEachNodePoolHasAReferenceSpeed(t *testing.T) {
	valid, invalid := &v1beta1.VariantResult{Verdict: v1beta1.VerdictValid}, &v1beta1.VariantResult{Verdict: v1beta1.VerdictInvalid}
	unknown := ran("", valid, 1100)
	unknown.Status.Speed = nil
	// Of 25 seconds two are fast and three are slow; a tenth is two and a half.
	varying := []int32{800, 800, 1300, 1300, 1300, 0, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000}
	slow := []int32{1200, 1200, 1200, 1200, 1200, 1200, 1200, 1200, 1200, 1200}
	for name, test := range map[string]struct {
		trials []v1beta1.SizingTrial
		want   []v1beta1.PoolSpeed
	}{
		"the tenths are of the time": {
			[]v1beta1.SizingTrial{ran("", valid, varying...)},
			[]v1beta1.PoolSpeed{{HashMicrosecondsAtCost8: 10_000, MedianPerMille: 1000, ErrorPerMille: 90, LowPerMille: 1000, HighPerMille: 1300, Windows: 21}}},
		"pools are sorted by name": {
			[]v1beta1.SizingTrial{ran("small", valid, 2000, 2000, 2000, 2000, 2000, 2000), ran("large", valid, 1000)},
			[]v1beta1.PoolSpeed{
				{NodePool: "large", HashMicrosecondsAtCost8: 10_000, MedianPerMille: 1000, ErrorPerMille: 40, LowPerMille: 1000, HighPerMille: 1000, Windows: 2},
				{NodePool: "small", HashMicrosecondsAtCost8: 10_000, MedianPerMille: 2000, ErrorPerMille: 40, LowPerMille: 1000, HighPerMille: 2000, Windows: 7}}},
		"an Invalid trial counts": {
			[]v1beta1.SizingTrial{ran("", invalid, slow...)},
			[]v1beta1.PoolSpeed{{HashMicrosecondsAtCost8: 10_000, MedianPerMille: 1200, ErrorPerMille: 664, LowPerMille: 1000, HighPerMille: 1200, Windows: 11}}},
		"a trial without a result does not count": {
			[]v1beta1.SizingTrial{ran("", valid, 1000), ran("", nil, slow...)},
			[]v1beta1.PoolSpeed{{HashMicrosecondsAtCost8: 10_000, MedianPerMille: 1000, ErrorPerMille: 40, LowPerMille: 1000, HighPerMille: 1000, Windows: 2}}},
		"the reference is that of the trial that ended first": {
			[]v1beta1.SizingTrial{referred(ran("", valid, 1000), 11_000, 2*time.Minute), referred(ran("", valid, 1000), 12_000, time.Minute), referred(ran("", valid, 1000), 13_000, 0)},
			[]v1beta1.PoolSpeed{{HashMicrosecondsAtCost8: 12_000, MedianPerMille: 833, ErrorPerMille: 52, LowPerMille: 833, HighPerMille: 1000, Windows: 6}}},
		"a trial without a speed does not count": {[]v1beta1.SizingTrial{unknown}, nil},
		"nothing of nothing":                     {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, speed.Pools(test.trials), cmpopts.IgnoreFields(v1beta1.PoolSpeed{}, "SizingPerMille", "PodScatterPerMille")); diff != "" {
				t.Errorf("pools (-want +got):\n%s", diff)
			}
		})
	}
}

// A single pod may be faster than its peers. The more pods agree, the less slower a pod is expected to be; and if pods
// differ by more than their own drift explains, more.
func TestSizesAreForAPodThatWasNotMeasured(t *testing.T) {
	valid := &v1beta1.VariantResult{Verdict: v1beta1.VerdictValid}
	pod := func(perMille int32) v1beta1.SizingTrial {
		trial := ran("", valid, slices.Repeat([]int32{perMille}, 60)...)
		trial.Status.Calibration.ReferenceMicroseconds = 10 * int64(perMille)
		return trial
	}
	var slows, scatters []int64
	for _, pods := range [][]int32{{1000}, {1000, 1000}, slices.Repeat([]int32{1000}, 20), {900, 1000, 1100, 900, 1000, 1100}} {
		var trials []v1beta1.SizingTrial
		for _, perMille := range pods {
			trials = append(trials, pod(perMille))
		}
		found := speed.Pools(trials)[0]
		slows, scatters = append(slows, found.SizingPerMille), append(scatters, found.PodScatterPerMille)
	}
	if diff := cmp.Diff([][]int64{{1056, 1039, 1012, 1152}, {30, 24, 9, 76}}, [][]int64{slows, scatters}); diff != "" {
		t.Errorf("the slow speeds, and by how much pods differ (-want +got):\n%s", diff)
	}
}

func TestAPoolIsFoundByItsName(t *testing.T) {
	pools := []v1beta1.PoolSpeed{{HashMicrosecondsAtCost8: 9_000, MedianPerMille: 1000}, {NodePool: "small", HashMicrosecondsAtCost8: 10_000, MedianPerMille: 1020}}
	for name, typical := range map[string]float64{"small": 10_200, "": 9_000, "large": 0} {
		entry := speed.InPool(pools, name)
		if (entry != nil) != (typical > 0) || entry != nil && entry.NodePool != name {
			t.Errorf("%q has the entry %+v", name, entry)
		}
		if got := speed.Typical(entry); got != typical {
			t.Errorf("%q typically takes %v µs, want %v", name, got, typical)
		}
	}
}

func TestALoadIsPlannedForTheReferenceUnlessItIsAnotherMachine(t *testing.T) {
	for name, test := range map[string]struct {
		now, known, want int64
	}{
		"the reference if it is known":          {11_000, 10_000, 10_000},
		"the calibration if it is not":          {11_000, 0, 11_000},
		"the reference up to 1.5 times as slow": {15_000, 10_000, 10_000},
		"above that, it is another machine":     {15_001, 10_000, 15_001},
		"the reference down to two thirds":      {6_700, 10_000, 10_000},
		"below that, it is another machine":     {6_699, 10_000, 6_699},
		"0 without a reference hash":            {0, 10_000, 0},
	} {
		t.Run(name, func(t *testing.T) {
			cal := handover.Calibration{ReferenceMicroseconds: test.now}
			if got := speed.Planned(cal, test.known); got != test.want {
				t.Errorf("planned for %v, want %v", got, test.want)
			}
		})
	}
}

// calibrated returns a calibration of a hash that takes four times the reference hash.
func calibrated() handover.Calibration {
	return handover.Calibration{
		CalibrationResult:  handover.CalibrationResult{HashMicroseconds: 40_000, ErrorMicroseconds: 400, Samples: 50, ClockHashesMilliPerSecond: 25_000},
		MedianMicroseconds: 39_000, ReferenceMicroseconds: 10_000, RatioPerMillion: 4_000_000, RatioErrorPerMillion: 8_000,
		BlockMicroseconds: []int64{9_900, 10_100},
		Surroundings:      handover.Surroundings{GoMaxProcs: 2},
	}
}

func TestACalibrationAtAnotherSpeed(t *testing.T) {
	slower := calibrated()
	slower.HashMicroseconds, slower.ErrorMicroseconds, slower.MedianMicroseconds, slower.ClockHashesMilliPerSecond = 50_000, 500, 48_750, 20_000
	byMeans := calibrated()
	byMeans.RatioPerMillion = 0
	unknown := byMeans
	unknown.ReferenceMicroseconds = 0
	quick := handover.Calibration{
		CalibrationResult:     handover.CalibrationResult{HashMicroseconds: 1, ErrorMicroseconds: 1},
		ReferenceMicroseconds: 10_000, RatioPerMillion: 100,
	}
	quicker := quick
	quick.RatioPerMillion = 10
	quicker.RatioPerMillion = 10
	for name, test := range map[string]struct {
		cal    handover.Calibration
		micros float64
		want   handover.Calibration
	}{
		"times are longer, the rate by the clock is lower, and timed values do not change": {calibrated(), 12_500, slower},
		"a ratio of the means is kept, so that it does not change with the hash":           {byMeans, 12_500, slower},
		"without a ratio nothing changes":                                                  {unknown, 12_500, unknown},
		"without a speed nothing changes":                                                  {calibrated(), 0, calibrated()},
		"neither the time nor its error becomes 0":                                         {quick, 1_000, quicker},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, speed.At(test.cal, test.micros)); diff != "" {
				t.Errorf("calibration (-want +got):\n%s", diff)
			}
		})
	}
	if diff := cmp.Diff(speed.At(byMeans, 12_500), speed.At(speed.At(byMeans, 8_000), 12_500)); diff != "" {
		t.Errorf("conversion in two steps differs (-one step +two steps):\n%s", diff)
	}
}

func TestAPlanIsMadeFromTheCalibrationAtThePlannedSpeed(t *testing.T) {
	cal := calibrated()
	for name, test := range map[string]struct {
		status v1beta1.SizingTrialStatus
		want   handover.Calibration
	}{
		"at the planned speed, whatever the reference is now": {
			v1beta1.SizingTrialStatus{Calibration: &cal, Speed: &v1beta1.TrialSpeed{PlannedHashMicrosecondsAtCost8: 12_500, ReferenceHashMicrosecondsAtCost8: 11_000}},
			speed.At(cal, 12_500)},
		"unchanged if no speed is known": {v1beta1.SizingTrialStatus{Calibration: &cal}, cal},
		"empty before the calibration":   {v1beta1.SizingTrialStatus{Speed: &v1beta1.TrialSpeed{PlannedHashMicrosecondsAtCost8: 12_500}}, handover.Calibration{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, speed.PlannedFor(test.status)); diff != "" {
				t.Errorf("calibration (-want +got):\n%s", diff)
			}
		})
	}
}
