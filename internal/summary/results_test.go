package summary_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
)

func TestEveryVariantHasARowFromAcceptanceOn(t *testing.T) {
	variants := []v1alpha1.Variant{aVariant("c10-1", 10), aVariant("c8-1", 8)}
	want := []v1alpha1.VariantResult{
		{Variant: "c10-1", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10, CPULimit: "1", Verdict: v1alpha1.VerdictPending},
		{Variant: "c8-1", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 8, CPULimit: "1", Verdict: v1alpha1.VerdictPending},
	}
	if diff := cmp.Diff(want, summary.Results(variants, nil)); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// theRow of one variant with these trials.
func theRow(trials ...v1alpha1.SizingTrial) v1alpha1.VariantResult {
	return summary.Results([]v1alpha1.Variant{aVariant("c8-1", 8)}, trials)[0]
}

func trialsOf(results ...v1alpha1.VariantResult) []v1alpha1.SizingTrial {
	var trials []v1alpha1.SizingTrial
	for _, result := range results {
		trials = append(trials, aTrial("c8-1", measured(result)))
	}
	return trials
}

func TestARowTakesEachNumberFromTheRepetitionInTheMiddle(t *testing.T) {
	low, middle, high := found(100, 9), found(200, 30), found(300, 20)
	tests := map[string]struct {
		results           []v1alpha1.VariantResult
		p95, hash         int64
		capacity          *int64
		met               bool
		verdict           v1alpha1.Verdict
		trials, wantReson int
	}{
		"one is itself":                         {[]v1alpha1.VariantResult{high}, 300, 300, ptr.To[int64](20_000), true, v1alpha1.VerdictValid, 1, 0},
		"of two the lower":                      {[]v1alpha1.VariantResult{high, low}, 100, 100, ptr.To[int64](9_000), true, v1alpha1.VerdictValid, 2, 0},
		"of three the middle, number by number": {[]v1alpha1.VariantResult{high, middle, low}, 200, 200, ptr.To[int64](20_000), true, v1alpha1.VerdictValid, 3, 0},
		"one that met the objective nowhere is below every capacity": {
			[]v1alpha1.VariantResult{high, found(900, 0), found(950, 0)}, 900, 900, nil, false, v1alpha1.VerdictValid, 3, 0},
		"one without p95 does not count for p95": {
			[]v1alpha1.VariantResult{found(0, 0), high, low}, 100, 100, ptr.To[int64](9_000), true, v1alpha1.VerdictValid, 3, 0},
		"the worst verdict is the row's": {
			[]v1alpha1.VariantResult{middle, judged(middle, v1alpha1.VerdictSuspect, v1alpha1.Reason{Type: "SharedNode", Verdict: v1alpha1.VerdictSuspect})},
			200, 200, ptr.To[int64](30_000), true, v1alpha1.VerdictSuspect, 2, 1},
		"an invalid repetition gives its verdict and no number": {
			[]v1alpha1.VariantResult{judged(low, v1alpha1.VerdictInvalid, v1alpha1.Reason{Type: "PodAltered", Verdict: v1alpha1.VerdictInvalid}), high},
			300, 300, ptr.To[int64](20_000), true, v1alpha1.VerdictInvalid, 2, 1},
		"where all are invalid their numbers are shown": {
			[]v1alpha1.VariantResult{judged(low, v1alpha1.VerdictInvalid, v1alpha1.Reason{Type: "PodAltered", Verdict: v1alpha1.VerdictInvalid})},
			100, 100, ptr.To[int64](9_000), true, v1alpha1.VerdictInvalid, 1, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := theRow(trialsOf(test.results...)...)
			if got.P95Microseconds == nil || *got.P95Microseconds != test.p95*1000 || got.P95Interval.LowMicroseconds != test.p95*900 {
				t.Errorf("p95 is %v in %v, want %d ms with its own interval", ptr.Deref(got.P95Microseconds, 0), got.P95Interval, test.p95)
			}
			if name != "one without p95 does not count for p95" && (got.Calibration.HashMicroseconds != 20_000+test.hash || got.Calibration.ErrorMicroseconds != test.hash) {
				t.Errorf("calibration is %+v", got.Calibration)
			}
			if diff := cmp.Diff(test.capacity, got.CapacityMilliPerSecond); diff != "" {
				t.Errorf("capacity (-want +got):\n%s", diff)
			}
			if got.ObjectiveMet == nil || *got.ObjectiveMet != test.met {
				t.Errorf("objectiveMet is %v, want %v", got.ObjectiveMet, test.met)
			}
			if got.Verdict != test.verdict || int(got.Trials) != test.trials || len(got.Reasons) != test.wantReson {
				t.Errorf("verdict %s, %d trials, reasons %v", got.Verdict, got.Trials, got.Reasons)
			}
		})
	}
}

func TestARowKeepsTheWorstReasonOfEachKind(t *testing.T) {
	mild := v1alpha1.Reason{Type: "SharedNode", Verdict: v1alpha1.VerdictSuspect, Message: "mild"}
	grave := v1alpha1.Reason{Type: "SharedNode", Verdict: v1alpha1.VerdictInvalid, Message: "grave"}
	other := v1alpha1.Reason{Type: "EvidenceMissing", Verdict: v1alpha1.VerdictSuspect}
	got := theRow(trialsOf(
		judged(found(100, 9), v1alpha1.VerdictSuspect, mild, other),
		judged(found(100, 9), v1alpha1.VerdictInvalid, grave),
		judged(found(100, 9), v1alpha1.VerdictSuspect, mild),
	)...)
	if diff := cmp.Diff([]v1alpha1.Reason{grave, other}, got.Reasons); diff != "" {
		t.Errorf("reasons (-want +got):\n%s", diff)
	}
}

func TestAVariantThatFailedSaysWhyAndHasNoVerdict(t *testing.T) {
	got := theRow(aTrial("c8-1", failed("ImagePull", strings.Repeat("é", 2000))), aTrial("another", measured(found(100, 9))))
	if got.Verdict != v1alpha1.VerdictPending || got.Trials != 0 || len(got.Reasons) != 1 || got.Reasons[0].Type != "ImagePull" {
		t.Errorf("row is %+v", got)
	}
	if letters := len([]rune(got.Reasons[0].Message)); letters > 512 {
		t.Errorf("the message has %d letters, the API allows 512", letters)
	}
}
