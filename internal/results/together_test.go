package results_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// ranAt sets the cost of a trial, the ratio of its hash to the reference hash in thousandths,
// and the time of the reference hash in microseconds.
func ranAt(cost int32, perMille, reference int64) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Spec.Variant.Hash = v1beta1.BcryptHash(cost)
		t.Status.Calibration = &handover.Calibration{
			CalibrationResult:     handover.CalibrationResult{HashMicroseconds: reference * perMille / 1000},
			ReferenceMicroseconds: reference, RatioPerMillion: 1000 * perMille,
		}
		t.Status.Speed = &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: reference}
	}
}

// others returns trials of other variants, which show how long the reference hash and a hash
// of each cost take.
func others() []v1beta1.SizingTrial {
	return []v1beta1.SizingTrial{
		aTrial("again", measured(found(1, 1)), ranAt(8, 1000, 10_000)), aTrial("again", measured(found(1, 1)), ranAt(8, 1000, 10_000)),
		aTrial("c10-1", measured(found(1, 1)), ranAt(10, 4000, 10_000)), aTrial("c12-1", measured(found(1, 1)), ranAt(12, 16_000, 10_000)),
	}
}

func TestRowHasReasonsOfAllTrialsTogether(t *testing.T) {
	suspect := judged(found(200, 20), v1beta1.VerdictSuspect, v1beta1.Reason{Type: v1beta1.ReasonSharedNode, Verdict: v1beta1.VerdictSuspect})
	tests := map[string]struct {
		last    v1beta1.SizingTrial
		verdict v1beta1.Verdict
		reasons []string
		p95     int64
	}{
		"a trial that agrees with the others is Valid": {
			aTrial("c8-1", measured(found(200, 20)), ranAt(8, 1000, 10_000)), v1beta1.VerdictValid, nil, 200_000},
		"a hash that the other costs contradict makes the row Suspect": {
			aTrial("c8-1", measured(found(200, 20)), ranAt(8, 1100, 10_000)), v1beta1.VerdictSuspect, []string{v1beta1.ReasonCostDoublingBroken}, 200_000},
		"a trial that they disprove counts for the verdict, but not for numbers": {
			aTrial("c8-1", measured(found(200, 20)), ranAt(8, 1200, 10_000)), v1beta1.VerdictInvalid, []string{v1beta1.ReasonCostDoublingBroken}, 100_000},
		"a trial's own verdict is never improved": {
			aTrial("c8-1", measured(suspect), ranAt(8, 1000, 10_000)), v1beta1.VerdictSuspect, []string{v1beta1.ReasonSharedNode}, 200_000},
		"a trial keeps its own reasons": {
			aTrial("c8-1", measured(suspect), ranAt(8, 1200, 10_000)), v1beta1.VerdictInvalid, []string{v1beta1.ReasonSharedNode, v1beta1.ReasonCostDoublingBroken}, 100_000},
		"the worse of two reasons counts": {
			aTrial("c8-1", measured(found(200, 20)), ranAt(8, 1200, 16_000)), v1beta1.VerdictInvalid, []string{v1beta1.ReasonCostDoublingBroken, v1beta1.ReasonSpeedUnknown}, 100_000},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trials := append([]v1beta1.SizingTrial{aTrial("c9-1")}, others()...)
			trials = append(trials, aTrial("c8-1", measured(found(100, 20)), ranAt(8, 1000, 10_000)), test.last)
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
			if diff := cmp.Diff(before, &trials[len(trials)-1]); diff != "" {
				t.Errorf("the trial itself was changed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndCountsReasonsOfAllTrialsTogether(t *testing.T) {
	trials := append(others(), aTrial("c8-1", measured(found(100, 20)), ranAt(8, 1000, 15_100)))
	rows := results.Results([]v1beta1.Variant{aVariant("c8-1", 8), aVariant("c10-1", 10), aVariant("c12-1", 12)}, trials, "")
	if end := results.End(rows, nil); end.Reason != v1beta1.ReasonSomeSuspect || end.Message != "Suspect: c8-1" {
		t.Errorf("the end is %s: %s", end.Reason, end.Message)
	}
}

func TestCostFits(t *testing.T) {
	trials := []v1beta1.SizingTrial{
		aTrial("c8-1", measured(found(1, 1)), ranAt(8, 1000, 10_240)),
		aTrial("c10-1", measured(found(1, 1)), ranAt(10, 4000, 10_240)),
	}
	want := []v1beta1.CostFit{{RoundNanoseconds: 40_000}}
	if diff := cmp.Diff(want, results.CostFits(trials)); diff != "" {
		t.Errorf("fits (-want +got):\n%s", diff)
	}
	if fits := results.CostFits(trials[:1]); fits != nil {
		t.Errorf("a single cost has a fit: %+v", fits)
	}
}
