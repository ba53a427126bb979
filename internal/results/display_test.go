package results_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// calibratedAt sets a hash time of four times the reference hash, which took so many
// microseconds in the calibration, and the reference speed in microseconds.
func calibratedAt(then, reference int64) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		t.Status.Calibration = &handover.Calibration{
			CalibrationResult:     handover.CalibrationResult{HashMicroseconds: 4 * then, ErrorMicroseconds: then / 25},
			ReferenceMicroseconds: then, RatioPerMillion: 4_000_000,
		}
		t.Status.Speed = &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: reference}
	}
}

func TestTrialDisplay(t *testing.T) {
	tests := map[string]struct {
		change func(*v1beta1.SizingTrial)
		want   v1beta1.TrialDisplay
	}{
		"a trial that waits says why": {func(t *v1beta1.SizingTrial) { t.Status.Reason = "Unschedulable" },
			v1beta1.TrialDisplay{Concurrency: "pool 1", Reason: "Unschedulable"}},
		"a measured one shows its numbers": {func(t *v1beta1.SizingTrial) {
			result := found(556, 6)
			result.OfferedMilliPerSecond, result.MaxThroughputMilliPerSecond = ptr.To[int64](5_770), ptr.To[int64](8_240)
			measured(result)(t)
			t.Status.Evidence = &v1beta1.Evidence{ServiceNodes: []string{"node-0", "node-1"}}
			t.Status.Calibration = &handover.Calibration{CalibrationResult: handover.CalibrationResult{HashMicroseconds: 60_123, ErrorMicroseconds: 412}}
		}, v1beta1.TrialDisplay{Hash: "60.1ms ± 412µs", Concurrency: "pool 1", Rate: "5.77/s", P95: "556ms", Capacity: "6/s", Throughput: "8.24/s", Verdict: "Valid", Node: "node-0,node-1"}},
		"the hash time is at the reference speed, like the others": {func(t *v1beta1.SizingTrial) {
			measured(found(0, 6))(t)
			calibratedAt(10_000, 12_500)(t)
		}, v1beta1.TrialDisplay{Hash: "50ms ± 500µs", Concurrency: "pool 1", Capacity: "6/s", Verdict: "Valid"}},
		"before a result, the hash time is as calibrated": {calibratedAt(10_000, 12_500),
			v1beta1.TrialDisplay{Hash: "40ms ± 400µs", Concurrency: "pool 1"}},
		"a suspect one says why": {func(t *v1beta1.SizingTrial) {
			measured(judged(v1beta1.VariantResult{}, v1beta1.VerdictSuspect, v1beta1.Reason{Type: "SharedNode"}, v1beta1.Reason{Type: "EvidenceMissing"}))(t)
		}, v1beta1.TrialDisplay{Concurrency: "pool 1", Verdict: "Suspect", Reason: "SharedNode,EvidenceMissing"}},
		"users replace the rate, and the queue is shown": {func(t *v1beta1.SizingTrial) {
			t.Spec.Variant.Concurrency.QueueLength = ptr.To[int32](64)
			measured(judged(v1beta1.VariantResult{Users: ptr.To[int32](30)}, v1beta1.VerdictValid))(t)
		}, v1beta1.TrialDisplay{Concurrency: "pool 1 queue 64", Rate: "30 users", Verdict: "Valid"}},
		"an unbounded service has no numbers to its concurrency": {func(t *v1beta1.SizingTrial) {
			t.Spec.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}
		}, v1beta1.TrialDisplay{Concurrency: "unbounded"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			trial := aTrial("c8-1", test.change)
			if diff := cmp.Diff(test.want, results.TrialDisplay(&trial)); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCapacity(t *testing.T) {
	tests := map[string]struct {
		capacity int64
		method   v1beta1.CapacityMethod
		least    bool
		want     string
	}{
		"a lower bound, if all rates met the objective": {6, v1beta1.CapacityMeasured, true, ">6/s"},
		"a lower bound, whatever the method":            {6, v1beta1.CapacityPredicted, true, ">6/s"},
		"only predicted":                                {6, v1beta1.CapacityPredicted, false, "~6/s"},
		"confirmed":                                     {6, v1beta1.CapacityBoth, false, "6/s"},
		"none":                                          {0, v1beta1.CapacityPredicted, false, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			result := found(0, test.capacity)
			result.CapacityMethod, result.CapacityIsLowerBound = test.method, &test.least
			if got := results.Capacity(&result); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestExperimentDisplayShowsHighestCost(t *testing.T) {
	row := func(name string, cost int32, result v1beta1.VariantResult) v1beta1.VariantResult {
		result.Variant, result.Hash = name, v1beta1.BcryptHash(cost)
		return result
	}
	tests := map[string]struct {
		rows []v1beta1.VariantResult
		want string
	}{
		"the highest cost":                    {[]v1beta1.VariantResult{row("c8", 8, found(1, 90)), row("c10", 10, found(1, 20))}, "c10"},
		"not one that missed the objective":   {[]v1beta1.VariantResult{row("c8", 8, found(1, 90)), row("c10", 10, found(1, 0))}, "c8"},
		"not one that is undecided":           {[]v1beta1.VariantResult{row("c8", 8, found(1, 90)), row("c10", 10, v1beta1.VariantResult{Verdict: v1beta1.VerdictValid})}, "c8"},
		"never an invalid one":                {[]v1beta1.VariantResult{row("c8", 8, judged(found(1, 90), v1beta1.VerdictInvalid))}, ""},
		"a suspect one of a higher cost":      {[]v1beta1.VariantResult{row("c8", 8, found(1, 90)), row("c10", 10, judged(found(1, 20), v1beta1.VerdictSuspect))}, "c10"},
		"of one cost a valid one first":       {[]v1beta1.VariantResult{row("more", 8, judged(found(1, 90), v1beta1.VerdictSuspect)), row("less", 8, found(1, 50))}, "less"},
		"of one cost and verdict the largest": {[]v1beta1.VariantResult{row("less", 8, found(1, 50)), row("more", 8, found(1, 90))}, "more"},
		"nothing while nothing is measured":   {[]v1beta1.VariantResult{row("c8", 8, v1beta1.VariantResult{Verdict: v1beta1.VerdictPending})}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := results.ExperimentDisplay(nil, &v1beta1.SizingExperimentStatus{
				Progress: &v1beta1.Progress{Trials: 9, Finished: 4}, Results: test.rows,
			})
			if got.Variant != test.want || got.Trials != "4/9" {
				t.Errorf("shown is %q with %s trials, want %q with 4/9", got.Variant, got.Trials, test.want)
			}
			if blank := got.P95 == "" && got.Capacity == ""; blank != (test.want == "") {
				t.Errorf("numbers of %q: p95 %q, capacity %q", got.Variant, got.P95, got.Capacity)
			}
		})
	}
}

func TestExperimentDisplayShowsRecommendation(t *testing.T) {
	row := func(name string, cost int32, result v1beta1.VariantResult) v1beta1.VariantResult {
		result.Variant, result.Hash = name, v1beta1.BcryptHash(cost)
		return result
	}
	size := func(replicas int32, variant string, verified v1beta1.VerificationOutcome) *v1beta1.Recommendation {
		return &v1beta1.Recommendation{Size: v1beta1.Size{Variant: variant, Replicas: replicas}, P95Microseconds: ptr.To[int64](61_000), Verified: verified}
	}
	tests := map[string]struct {
		recommendation *v1beta1.Recommendation
		want           v1beta1.ExperimentDisplay
	}{
		"its numbers are those of what is recommended, and P95 that of its verification": {size(3, "c8", v1beta1.VerificationMet),
			v1beta1.ExperimentDisplay{Recommended: "3×c8", Verified: "yes", Variant: "c8", P95: "57ms", StepP95: "81ms", Capacity: "90/s"}},
		"P95 of a size that was not verified is predicted": {size(3, "c8", ""),
			v1beta1.ExperimentDisplay{Recommended: "3×c8", Variant: "c8", P95: "~61ms", StepP95: "81ms", Capacity: "90/s"}},
		"so is P95 of another number of replicas": {size(2, "c8", v1beta1.VerificationNotRun),
			v1beta1.ExperimentDisplay{Recommended: "2×c8", Variant: "c8", P95: "~61ms", StepP95: "81ms", Capacity: "90/s"}},
		"a predicted size has only predictions": {size(1, "c9", ""),
			v1beta1.ExperimentDisplay{Recommended: "1×c9", Variant: "c9", P95: "~61ms", Capacity: "~45/s"}},
		"if nothing fits, the highest cost is still shown": {&v1beta1.Recommendation{Reason: "nothing fits"},
			v1beta1.ExperimentDisplay{Recommended: "none", Variant: "c10", StepP95: "101ms", Capacity: "20/s"}},
		"without a recommendation the column is blank": {nil,
			v1beta1.ExperimentDisplay{Variant: "c10", StepP95: "101ms", Capacity: "20/s"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := results.ExperimentDisplay(&v1beta1.Demand{}, &v1beta1.SizingExperimentStatus{
				Results:        []v1beta1.VariantResult{row("c8", 8, found(81, 90)), row("c10", 10, found(101, 20))},
				Predictions:    []v1beta1.PredictedVariant{{Variant: "c9", Cost: 9, CapacityMilliPerSecond: ptr.To[int64](45_000)}},
				Recommendation: test.recommendation,
				Verifications:  []v1beta1.Verification{{Variant: "c8", Replicas: 3, Outcome: v1beta1.VerificationMet, P95Microseconds: ptr.To[int64](57_000)}},
			})
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExperimentDisplayShowsSpeed(t *testing.T) {
	pool := func(low, high int64) v1beta1.PoolSpeed {
		return v1beta1.PoolSpeed{LowPerMille: low, HighPerMille: high}
	}
	for name, test := range map[string]struct {
		pools []v1beta1.PoolSpeed
		want  string
	}{
		"the fast and the slow tenth of the time":        {[]v1beta1.PoolSpeed{pool(930, 1090)}, "-7/+9 %"},
		"parts of a percent are shown":                   {[]v1beta1.PoolSpeed{pool(988, 1005)}, "-1.2/+0.5 %"},
		"of several pools the widest":                    {[]v1beta1.PoolSpeed{pool(930, 1090), pool(950, 1120), pool(990, 1010)}, "-7/+12 %"},
		"a CPU that does not vary":                       {[]v1beta1.PoolSpeed{pool(1000, 1000)}, "-0/+0 %"},
		"an end on the wrong side of the reference is 0": {[]v1beta1.PoolSpeed{pool(1010, 990)}, "-0/+0 %"},
		"blank if nothing is known":                      {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			shown := results.ExperimentDisplay(nil, &v1beta1.SizingExperimentStatus{Speed: test.pools})
			if diff := cmp.Diff(v1beta1.ExperimentDisplay{Speed: test.want}, shown); diff != "" {
				t.Errorf("columns (-want +got):\n%s", diff)
			}
		})
	}
}
