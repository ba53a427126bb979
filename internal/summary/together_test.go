package summary_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// referenced gives a trial's calibration a reference of so many microseconds.
func referenced(microseconds int64) func(*v1alpha1.SizingTrial) {
	return func(t *v1alpha1.SizingTrial) {
		t.Status.Calibration = &v1alpha1.TrialCalibration{ReferenceMicroseconds: microseconds}
	}
}

// hashedIn gives a trial a cost and the time of its hash.
func hashedIn(cost int32, microseconds int64) func(*v1alpha1.SizingTrial) {
	return func(t *v1alpha1.SizingTrial) {
		t.Spec.Variant.Cost = cost
		t.Status.Calibration = &v1alpha1.TrialCalibration{CalibrationResult: v1alpha1.CalibrationResult{HashMicroseconds: microseconds}}
	}
}

func TestARowTakesInWhatOnlyAllTrialsTell(t *testing.T) {
	tests := map[string]struct {
		last    v1alpha1.SizingTrial
		verdict v1alpha1.Verdict
		reasons []string
		p95     int64
	}{
		"a reference that holds changes nothing": {
			aTrial("c8-1", measured(found(100, 20)), referenced(10_000)), v1alpha1.VerdictValid, nil, 100_000},
		"one that drifted makes the row Suspect": {
			aTrial("c8-1", measured(found(100, 20)), referenced(11_000)), v1alpha1.VerdictSuspect, []string{verdict.ReferenceDrift}, 100_000},
		"one that drifted far gives its verdict and no number": {
			aTrial("c8-1", measured(found(100, 20)), referenced(12_000)), v1alpha1.VerdictInvalid, []string{verdict.ReferenceDrift}, 200_000},
		"a trial's own verdict is never made better": {
			aTrial("c8-1", measured(judged(found(100, 20), v1alpha1.VerdictSuspect, v1alpha1.Reason{Type: verdict.SharedNode, Verdict: v1alpha1.VerdictSuspect})), referenced(10_000)),
			v1alpha1.VerdictSuspect, []string{verdict.SharedNode}, 100_000},
		"what it found itself stays beside it": {
			aTrial("c8-1", measured(judged(found(100, 20), v1alpha1.VerdictSuspect, v1alpha1.Reason{Type: verdict.SharedNode, Verdict: v1alpha1.VerdictSuspect})), referenced(12_000)),
			v1alpha1.VerdictInvalid, []string{verdict.SharedNode, verdict.ReferenceDrift}, 200_000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trials := []v1alpha1.SizingTrial{
				aTrial("c8-1", measured(found(200, 20)), referenced(10_000)),
				aTrial("other", measured(found(1, 1)), referenced(10_000)),
				test.last,
			}
			before := test.last.DeepCopy()
			row := theRow(trials...)
			var reasons []string
			for _, reason := range row.Reasons {
				reasons = append(reasons, reason.Type)
			}
			if row.Verdict != test.verdict || *row.P95Microseconds != test.p95 {
				t.Errorf("row is %s with a p95 of %d, want %s with %d", row.Verdict, *row.P95Microseconds, test.verdict, test.p95)
			}
			if diff := cmp.Diff(test.reasons, reasons); diff != "" {
				t.Errorf("reasons (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, &trials[2]); diff != "" {
				t.Errorf("the trial itself was changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOfTwoFindingsTheWorseCounts(t *testing.T) {
	calibrated := func(name string, hash, reference int64) v1alpha1.SizingTrial {
		return aTrial(name, measured(found(100, 20)), hashedIn(8, hash), func(t *v1alpha1.SizingTrial) { t.Status.Calibration.ReferenceMicroseconds = reference })
	}
	row := theRow(
		calibrated("c8-1", 20_000, 11_000), // twice too slow, and its reference a tenth
		calibrated("again", 10_240, 10_000), calibrated("again", 10_240, 10_000),
		aTrial("c10-1", measured(found(100, 20)), hashedIn(10, 40_960)), aTrial("c12-1", measured(found(100, 20)), hashedIn(12, 163_840)),
	)
	var reasons []string
	for _, reason := range row.Reasons {
		reasons = append(reasons, reason.Type+":"+string(reason.Verdict))
	}
	want := []string{"CostDoublingBroken:Invalid", "ReferenceDrift:Suspect"}
	if diff := cmp.Diff(want, reasons); diff != "" || row.Verdict != v1alpha1.VerdictInvalid {
		t.Errorf("the row is %s; reasons (-want +got):\n%s", row.Verdict, diff)
	}
}

func TestAnExperimentsEndCountsWhatOnlyAllTrialsTell(t *testing.T) {
	trials := []v1alpha1.SizingTrial{
		aTrial("c8-1", measured(found(100, 20)), referenced(10_000)),
		aTrial("c10-1", measured(found(100, 20)), referenced(10_000)),
		aTrial("c12-1", measured(found(100, 20)), referenced(11_000)),
	}
	rows := summary.Results([]v1alpha1.Variant{aVariant("c8-1", 8), aVariant("c10-1", 10), aVariant("c12-1", 12)}, trials, "")
	if end := summary.End(rows); end.Reason != v1alpha1.ReasonSomeSuspect || end.Message != "Suspect: c12-1" {
		t.Errorf("the end is %s: %s", end.Reason, end.Message)
	}
}

func TestTheFitOfTheCosts(t *testing.T) {
	trials := []v1alpha1.SizingTrial{
		aTrial("c8-1", measured(found(1, 1)), hashedIn(8, 10_240)),
		aTrial("c10-1", measured(found(1, 1)), hashedIn(10, 40_960)),
	}
	want := []v1alpha1.CostFit{{RoundNanoseconds: 40_000, Residuals: []v1alpha1.CostResidual{{Cost: 8}, {Cost: 10}}}}
	if diff := cmp.Diff(want, summary.CostFits(trials)); diff != "" {
		t.Errorf("fits (-want +got):\n%s", diff)
	}
	if fits := summary.CostFits(trials[:1]); fits != nil {
		t.Errorf("a single cost has a fit: %+v", fits)
	}
}
