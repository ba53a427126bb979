package results_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

func TestEveryVariantHasRow(t *testing.T) {
	session := aVariant("session-1", 10)
	session.Hash.Name = "session"
	variants := []v1beta1.Variant{aVariant("c10-1", 10), aVariant("c8-1", 8), session}
	want := []v1beta1.VariantResult{
		{Variant: "c10-1", Hash: v1beta1.BcryptHash(10), CPULimit: "1", Verdict: v1beta1.VerdictPending},
		{Variant: "c8-1", Hash: v1beta1.BcryptHash(8), CPULimit: "1", Verdict: v1beta1.VerdictPending},
		{Variant: "session-1", Hash: v1beta1.Hash{Name: "session", Bcrypt: &v1beta1.Bcrypt{Cost: 10}}, CPULimit: "1", Verdict: v1beta1.VerdictPending},
	}
	if diff := cmp.Diff(want, results.Results(variants, nil, "")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// The reason is shown before the load is driven, and never replaces other reasons.
func TestRowSaysThatWorkersCannotUseCPU(t *testing.T) {
	const sentence = "c8-1500m has a limit of 1500m and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"
	unused, shared := v1beta1.Reason{Type: v1beta1.ReasonCPUUnused, Message: sentence}, v1beta1.Reason{Type: "SharedNode", Verdict: v1beta1.VerdictSuspect}
	wide := aVariant("c8-1500m", 8)
	wide.CPULimit = "1500m"
	tests := map[string]struct {
		trial   v1beta1.SizingTrial
		verdict v1beta1.Verdict
		want    []v1beta1.Reason
	}{
		"before it is measured":       {aTrial("c8-1500m"), v1beta1.VerdictPending, []v1beta1.Reason{unused}},
		"after it was measured":       {aTrial("c8-1500m", measured(found(100, 9))), v1beta1.VerdictValid, []v1beta1.Reason{unused}},
		"after other reasons":         {aTrial("c8-1500m", measured(judged(found(100, 9), v1beta1.VerdictSuspect, shared))), v1beta1.VerdictSuspect, []v1beta1.Reason{shared, unused}},
		"not if nothing was measured": {aTrial("c8-1500m", failed("ImagePull", "no image")), v1beta1.VerdictInvalid, []v1beta1.Reason{{Type: "ImagePull", Message: "no image"}}},
		"not if the row is Invalid":   {aTrial("c8-1500m", measured(judged(found(100, 9), v1beta1.VerdictInvalid))), v1beta1.VerdictInvalid, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			row := results.Results([]v1beta1.Variant{wide}, []v1beta1.SizingTrial{test.trial}, "")[0]
			if diff := cmp.Diff(test.want, row.Reasons); diff != "" || row.Verdict != test.verdict {
				t.Errorf("it is %s; reasons (-want +got):\n%s", row.Verdict, diff)
			}
		})
	}
}

// theRow returns the row of one variant with these trials.
func theRow(trials ...v1beta1.SizingTrial) v1beta1.VariantResult {
	return results.Results([]v1beta1.Variant{aVariant("c8-1", 8)}, trials, "")[0]
}

func trialsOf(results ...v1beta1.VariantResult) []v1beta1.SizingTrial {
	var trials []v1beta1.SizingTrial
	for _, result := range results {
		trials = append(trials, aTrial("c8-1", measured(result)))
	}
	return trials
}

func TestRowHasMedians(t *testing.T) {
	low, middle, high := found(100, 9), found(200, 30), found(300, 20)
	shared := v1beta1.Reason{Type: "SharedNode", Verdict: v1beta1.VerdictSuspect}
	altered := v1beta1.Reason{Type: "PodAltered", Verdict: v1beta1.VerdictInvalid}
	tests := map[string]struct {
		results []v1beta1.VariantResult
		want    numbers
	}{
		"one is itself": {
			[]v1beta1.VariantResult{high}, shows(300, 20, v1beta1.VerdictValid, 1, 0)},
		"of two the less favourable: the longer latency and the lower rate": {
			[]v1beta1.VariantResult{found(300, 20), found(100, 30)}, shows(300, 20, v1beta1.VerdictValid, 2, 0)},
		"of two, also from different repetitions": {
			[]v1beta1.VariantResult{high, low}, shows(300, 9, v1beta1.VerdictValid, 2, 0)},
		"of four the less favourable of the two in the middle": {
			[]v1beta1.VariantResult{low, high, middle, found(400, 40)}, shows(300, 20, v1beta1.VerdictValid, 4, 0)},
		"of three the median of each number": {
			[]v1beta1.VariantResult{high, middle, low}, shows(200, 20, v1beta1.VerdictValid, 3, 0)},
		"one that met the objective at no rate is below every capacity": {
			[]v1beta1.VariantResult{high, found(900, 0), found(950, 0)}, shows(900, 0, v1beta1.VerdictValid, 3, 0)},
		"one without p95 does not count for p95": {
			[]v1beta1.VariantResult{found(0, 0), high, low}, shows(300, 9, v1beta1.VerdictValid, 3, 0)},
		"the worst verdict is the row's": {
			[]v1beta1.VariantResult{middle, judged(middle, v1beta1.VerdictSuspect, shared)}, shows(200, 30, v1beta1.VerdictSuspect, 2, 1)},
		"an invalid repetition counts for the verdict, but not for numbers": {
			[]v1beta1.VariantResult{judged(low, v1beta1.VerdictInvalid, altered), high}, shows(300, 20, v1beta1.VerdictInvalid, 2, 1)},
		"if all are invalid, their numbers are shown": {
			[]v1beta1.VariantResult{judged(low, v1beta1.VerdictInvalid, altered)}, shows(100, 9, v1beta1.VerdictInvalid, 1, 1)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := theRow(trialsOf(test.results...)...)
			shown := numbers{
				p95: got.P95Microseconds, capacity: got.CapacityMilliPerSecond, met: got.ObjectiveMet,
				verdict: got.Verdict, trials: got.Trials, reasons: len(got.Reasons),
			}
			if diff := cmp.Diff(test.want, shown, cmp.AllowUnexported(numbers{})); diff != "" {
				t.Errorf("row (-want +got):\n%s", diff)
			}
		})
	}
}

func TestARowKeepsTheReasonsThatDecide(t *testing.T) {
	var suspects, want []v1beta1.Reason
	for i := range v1beta1.MaxReasons {
		suspects = append(suspects, v1beta1.Reason{Type: fmt.Sprintf("Suspect%d", i), Verdict: v1beta1.VerdictSuspect})
	}
	explains, invalid := v1beta1.Reason{Type: "LivenessFails"}, v1beta1.Reason{Type: "PodAltered", Verdict: v1beta1.VerdictInvalid}
	want = append(slices.Clone(suspects[:v1beta1.MaxReasons-1]), invalid)
	got := theRow(trialsOf(
		judged(found(100, 9), v1beta1.VerdictSuspect, append([]v1beta1.Reason{explains}, suspects...)...),
		judged(found(100, 9), v1beta1.VerdictInvalid, invalid),
	)...)
	if diff := cmp.Diff(want, got.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestRowTakesPartsByTheirRules(t *testing.T) {
	probed := func(failed int64, p95 *int64) v1beta1.VariantResult {
		result := found(100, 9)
		result.Alive = &handover.Alive{Probes: 20, Failed: failed, P95Microseconds: p95}
		return result
	}
	peaked := func(bytes int64) v1beta1.VariantResult { return v1beta1.VariantResult{MemoryPeakBytes: &bytes} }
	decided := func(capacity int64, method v1beta1.CapacityMethod) v1beta1.VariantResult {
		result := found(100, capacity)
		result.CapacityMethod = method
		return result
	}
	bounded := func(bound, maximum int64) v1beta1.VariantResult {
		return v1beta1.VariantResult{BoundMilliPerSecond: &bound, MaxThroughputMilliPerSecond: &maximum}
	}
	failing := func(logins, failed, atMost int64) v1beta1.VariantResult {
		return v1beta1.VariantResult{Failures: &v1beta1.Failures{Logins: logins, Failed: failed, AtMostPerMillion: atMost}}
	}
	failures := func(r v1beta1.VariantResult) any { return r.Failures }
	alive := func(r v1beta1.VariantResult) any { return r.Alive }
	memory := func(r v1beta1.VariantResult) any { return r.MemoryPeakBytes }
	method := func(r v1beta1.VariantResult) any { return r.CapacityMethod }
	calibration := func(r v1beta1.VariantResult) any { return r.Calibration }
	rates := func(r v1beta1.VariantResult) any {
		return []int64{*r.BoundMilliPerSecond, *r.MaxThroughputMilliPerSecond}
	}
	of := func(results ...v1beta1.VariantResult) []v1beta1.VariantResult { return results }
	tests := map[string]struct {
		results []v1beta1.VariantResult
		part    func(v1beta1.VariantResult) any
		want    any
	}{
		"liveness: the longest p95 of those with most failures": {
			of(probed(0, ptr.To[int64](9000)), probed(1, ptr.To[int64](5000)), found(100, 9), probed(1, ptr.To[int64](7000))), alive, probed(1, ptr.To[int64](7000)).Alive},
		"liveness: any, rather than none":          {of(probed(0, ptr.To[int64](9000)), found(100, 9)), alive, probed(0, ptr.To[int64](9000)).Alive},
		"liveness: a p95 that is absent, as worst": {of(probed(1, ptr.To[int64](9000)), probed(1, nil)), alive, probed(1, nil).Alive},
		"failures: those of all repetitions together": {
			of(failing(1000, 0, 3700), failing(500, 1, 11_100), found(100, 9)), failures, failing(1500, 1, 3159).Failures},
		"memory: the largest peak":           {of(found(100, 9), peaked(11<<20), peaked(12<<20), peaked(10<<20)), memory, ptr.To[int64](12 << 20)},
		"memory: none, if none was measured": {of(found(100, 9)), memory, (*int64)(nil)},
		"capacity: with the method of its repetition": {
			of(decided(30, v1beta1.CapacityBoth), decided(20, v1beta1.CapacityPredicted), decided(10, v1beta1.CapacityMeasured)), method, v1beta1.CapacityPredicted},
		"bound and maximum: the lower of two": {of(bounded(26, 50), bounded(25, 60)), rates, []int64{25, 50}},
		"calibration: of three the one in the middle": {
			of(found(300, 20), found(200, 30), found(100, 9)), calibration, &handover.CalibrationResult{HashMicroseconds: 20_200, ErrorMicroseconds: 200}},
		"calibration: of two the one with a longer hash": {
			of(found(100, 9), found(200, 30)), calibration, &handover.CalibrationResult{HashMicroseconds: 20_200, ErrorMicroseconds: 200}},
		"calibration: none, if nothing was calibrated": {of(v1beta1.VariantResult{}), calibration, (*handover.CalibrationResult)(nil)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.part(theRow(trialsOf(test.results...)...))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// numbers are what a row shows of several repetitions.
type numbers struct {
	p95      *int64
	capacity *int64
	met      *bool
	verdict  v1beta1.Verdict
	trials   int32
	reasons  int
}

// shows returns a row with a p95 in milliseconds and a capacity in logins per second.
func shows(p95, capacity int64, verdict v1beta1.Verdict, trials int32, reasons int) numbers {
	result := found(p95, capacity)
	return numbers{result.P95Microseconds, result.CapacityMilliPerSecond, result.ObjectiveMet, verdict, trials, reasons}
}

func TestRowKeepsWorstReasonOfEachType(t *testing.T) {
	mild := v1beta1.Reason{Type: "SharedNode", Verdict: v1beta1.VerdictSuspect, Message: "mild"}
	grave := v1beta1.Reason{Type: "SharedNode", Verdict: v1beta1.VerdictInvalid, Message: "grave"}
	other := v1beta1.Reason{Type: "EvidenceMissing", Verdict: v1beta1.VerdictSuspect}
	got := theRow(trialsOf(
		judged(found(100, 9), v1beta1.VerdictSuspect, mild, other),
		judged(found(100, 9), v1beta1.VerdictInvalid, grave),
		judged(found(100, 9), v1beta1.VerdictSuspect, mild),
	)...)
	if diff := cmp.Diff([]v1beta1.Reason{grave, other}, got.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestFailedVariantIsInvalidAfterLastTrial(t *testing.T) {
	broke := aTrial("c8-1", failed("ImagePull", strings.Repeat("é", 2000)))
	if verdict := theRow(broke, aTrial("c8-1", func(*v1beta1.SizingTrial) {})).Verdict; verdict != v1beta1.VerdictPending {
		t.Errorf("with another repetition to follow, the verdict is %s", verdict)
	}
	got := theRow(broke, aTrial("another", measured(found(100, 9))))
	if got.Verdict != v1beta1.VerdictInvalid || got.Trials != 0 || len(got.Reasons) != 1 || got.Reasons[0].Type != "ImagePull" {
		t.Errorf("row is %+v", got)
	}
	if letters := len([]rune(got.Reasons[0].Message)); letters > 512 {
		t.Errorf("the message has %d characters, the API allows 512", letters)
	}
}
