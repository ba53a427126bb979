package report_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// quickstart is the report of a real experiment: two costs on three CPU limits.
func quickstart() report.Document { return report.New(fixture.Quickstart()) }

// changed returns the document of the quickstart after a change of its resources.
func changed(t testing.TB, change func(*v1beta1.SizingExperiment, []v1beta1.SizingTrial)) report.Document {
	t.Helper()
	document := quickstart()
	change(document.Experiment, document.Trials)
	return report.New(document.Experiment, document.Trials)
}

// full is the quickstart with everything that a report can show, including reasons and
// attempts that do not occur on an undisturbed machine.
func full(t testing.TB) report.Document {
	return changed(t, func(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		experiment.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To[int32](10), MaxTotalCPU: ptr.To(intstr.Parse("1"))}
		experiment.Spec.Prices = &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))}
		experiment.Spec.Baseline = "c8-1"
		status := &experiment.Status
		status.Recommendation = recommendation()
		status.Predictions, status.ModelCheck = predictions(), modelCheck()
		status.Verifications = verifications()
		status.HashTimes = []v1beta1.HashTime{
			{Hash: v1beta1.BcryptHash(8), HashMicroseconds: 14284, ErrorMicroseconds: 59, LowMicroseconds: 13284, HighMicroseconds: 15570, Samples: 209, Trials: 3},
			{Hash: v1beta1.BcryptHash(10), HashMicroseconds: 56864, ErrorMicroseconds: 51, LowMicroseconds: 52884, HighMicroseconds: 61982, Samples: 53, Trials: 3},
		}
		for i := range status.Results {
			priced(&status.Results[i])
		}
		drifting(status, trials)
		status.Results[0].Verdict = v1beta1.VerdictInvalid
		status.Results[0].Reasons = []v1beta1.Reason{{Type: "GeneratorSaturated", Verdict: v1beta1.VerdictInvalid, Message: "Logins were sent up to 48ms late; give the generator more CPU"}}
		trials[0].Status.Attempts = append([]v1beta1.Attempt{{
			Number: 1, StartTime: metav1.Unix(1_795_000_000, 0), Outcome: v1beta1.OutcomeBroken, Reason: "ServiceEvicted", Message: "The pod was evicted",
		}}, trials[0].Status.Attempts...)
	})
}

// drifting gives the experiment a CPU whose speed varies.
func drifting(status *v1beta1.SizingExperimentStatus, trials []v1beta1.SizingTrial) {
	status.Speed = []v1beta1.PoolSpeed{{HashMicrosecondsAtCost8: 14_284, MedianPerMille: 1004, ErrorPerMille: 6, LowPerMille: 930, HighPerMille: 1090, Windows: 731}}
	for i := range status.Results {
		status.Results[i].Speed = &v1beta1.RowSpeed{LowPerMille: 930, MedianPerMille: 1004, HighPerMille: 1082}
	}
	for i := range trials {
		trials[i].Status.Speed = &v1beta1.TrialSpeed{
			ReferenceHashMicrosecondsAtCost8: 14_284, PlannedHashMicrosecondsAtCost8: 14_100, HashMicrosecondsAtCost8: 14_341,
			LowPerMille: 930, HighPerMille: 1082, WindowMilliseconds: 1000, WindowsPerMille: []int32{1000, 0, 1090, 930},
		}
	}
}

func priced(row *v1beta1.VariantResult) {
	row.Sizing = &v1beta1.Sizing{Replicas: 1, TotalCPU: row.CPULimit, LoadPerMille: 670}
	row.Price = &v1beta1.Price{PerMillionLogins: "0.75", PerMonth: "14.60", AttackerPerBillionGuesses: "22.22"}
	if row.Hash.Cost() < 10 {
		row.Sizing.Breaks = []v1beta1.Bound{v1beta1.BoundMinimumCost}
		row.Price.AttackerPerBillionGuesses = "5.56"
	}
	if row.Variant != "c8-1" {
		row.Comparison = &v1beta1.Comparison{
			Against: "c8-1", P95: &v1beta1.Difference{PerMille: 911, ChancePerMille: ptr.To[int64](29)}, Capacity: &v1beta1.Difference{PerMille: -765},
			MaxThroughput: &v1beta1.Difference{PerMille: -752}, PricePerMillionLogins: &v1beta1.Difference{PerMille: 83},
		}
	}
}

func recommendation() *v1beta1.Recommendation {
	size := v1beta1.Size{
		Variant: "c10-500m", Cost: 10, CPULimit: "500m", Concurrency: &v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
		Replicas: 1, TotalCPU: "500m", CapacityMilliPerSecond: ptr.To[int64](7415), LoadPerMille: ptr.To[int64](670),
		PricePerMillionLogins: "1.11", PricePerMonth: "14.60", AttackerPricePerBillionGuesses: "22.22",
	}
	next := size
	next.Variant, next.CPULimit, next.Replicas, next.TotalCPU, next.PricePerMonth = "c10-250m", "250m", 3, "750m", "21.90"
	return &v1beta1.Recommendation{
		Size: size, P95Microseconds: ptr.To[int64](351_000), Confidence: v1beta1.ConfidenceHigh,
		Reason: "Cost 10 is the highest measured", RunnerUp: &next, Changes: []string{"cost 12 needs 1.3 more CPUs"},
	}
}

func predictions() []v1beta1.PredictedVariant {
	return []v1beta1.PredictedVariant{{
		Variant: "c11-1", Cost: 11, CPULimit: "1", Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
		HashMicroseconds: 113_640, BoundMilliPerSecond: 8800, ObjectiveMet: true,
		CapacityMilliPerSecond: ptr.To[int64](7200), CapacityInterval: &v1beta1.RateInterval{LowMilliPerSecond: 6900, HighMilliPerSecond: 7500},
		OfferedMilliPerSecond: 6160, P95Microseconds: ptr.To[int64](470_000),
		Sizing: &v1beta1.Sizing{Replicas: 1, TotalCPU: "1", LoadPerMille: 690}, Price: &v1beta1.Price{PerMillionLogins: "1.54", PerMonth: "29.20"},
	}}
}

func verifications() []v1beta1.Verification {
	return []v1beta1.Verification{{
		TrialName: "quickstart-c10-500m-verify-1-0a1b2", Variant: "c10-500m", Replicas: 1, DrivenReplicas: 1, OfferedMilliPerSecond: 5000,
		Outcome: v1beta1.VerificationMet, Message: "1 replica was driven with 500 logins at 5/s, and held",
		Counts: &v1beta1.VerificationCounts{Outcome: v1beta1.VerificationMet, Logins: 500, Slower: 2, Failed: 1},
	}}
}

func modelCheck() *v1beta1.ModelCheck {
	return &v1beta1.ModelCheck{
		Passed: true, Message: "Of 2 variants that were held out, capacity is predicted within 1.2 % and p95 within 9 %",
		HeldOut: []v1beta1.HeldOut{{Variant: "c8-500m", CapacityPerMille: ptr.To[int64](-4), P95PerMille: ptr.To[int64](90)}, {Variant: "c10-500m", CapacityPerMille: ptr.To[int64](12)}},
	}
}

// decoded is a manifest as the API server would read it.
func decoded(t *testing.T, manifest string) v1beta1.SizingExperiment {
	t.Helper()
	var experiment v1beta1.SizingExperiment
	if err := yaml.UnmarshalStrict([]byte(manifest), &experiment); err != nil {
		t.Fatal(err)
	}
	return experiment
}
