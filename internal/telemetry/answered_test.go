package telemetry_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// demanding adds a demand and prices to an experiment, which has finished.
func demanding(e *v1beta1.SizingExperiment) {
	e.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(50), HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To[int32](10)}
	e.Spec.Prices = &v1beta1.Prices{Currency: "EUR", PerCPUHour: ptr.To(intstr.Parse("0.04")), GPUHour: ptr.To(intstr.Parse("2"))}
	finished(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
}

// sized returns an experiment that recommends the smallest measured variant for 50 logins
// per second, with rows, predictions and hash times.
func sized(name string) (v1beta1.SizingExperiment, []v1beta1.SizingTrial) {
	e := asked(name, demanding)
	e.Spec.Matrix.Measure = v1beta1.MeasureAll
	e.Spec.Objective.P50Milliseconds, e.Spec.Objective.P99Milliseconds = ptr.To[int32](400), ptr.To[int32](2000)
	trials := planned(&e)
	for i := range trials {
		measured(&trials[i], 25_000)
	}
	gather(&e, trials)
	for i := range e.Status.Results {
		row := &e.Status.Results[i]
		row.Sizing = &v1beta1.Sizing{Replicas: 3, TotalCPU: "1500m", LoadPerMille: 740}
		row.Price = &v1beta1.Price{PerMillionLogins: "0.50", PerMonth: "43.80", AttackerPerBillionGuesses: "55.56"}
		row.Comparison = &v1beta1.Comparison{
			Against: "c8-500m", P95: &v1beta1.Difference{PerMille: -120}, Capacity: &v1beta1.Difference{PerMille: 250},
			PricePerMillionLogins: &v1beta1.Difference{PerMille: 80},
		}
	}
	e.Status.Speed = []v1beta1.PoolSpeed{{NodePool: "small", HashMicrosecondsAtCost8: 14_250, MedianPerMille: 1012, ErrorPerMille: 6, LowPerMille: 930, HighPerMille: 1090, Windows: 900}}
	for i := range e.Status.Results {
		e.Status.Results[i].Speed = &v1beta1.RowSpeed{LowPerMille: 940, MedianPerMille: 1010, HighPerMille: 1080}
	}
	e.Status.HashTimes = []v1beta1.HashTime{
		{NodePool: "small", CPUModel: "EPYC", Hash: v1beta1.BcryptHash(10), HashMicroseconds: 60_000, ErrorMicroseconds: 600, Samples: 50, Trials: 2},
		{NodePool: "small", CPUModel: "EPYC", Hash: v1beta1.Hash{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}, HashMicroseconds: 45_000, ErrorMicroseconds: 900, Samples: 50, Trials: 1},
	}
	pool := v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}
	e.Status.Predictions = []v1beta1.PredictedVariant{{
		Variant: "c11-500m", Cost: 11, CPULimit: "500m", Concurrency: pool, ObjectiveMet: true,
		CapacityMilliPerSecond: ptr.To[int64](3_900), P95Microseconds: ptr.To[int64](700_000), Price: &v1beta1.Price{PerMillionLogins: "1.42"},
	}}
	e.Status.ModelCheck = &v1beta1.ModelCheck{Passed: true}
	e.Status.Recommendation = &v1beta1.Recommendation{
		Size: v1beta1.Size{
			Variant: "c10-500m", Cost: 10, CPULimit: "500m", Concurrency: &pool, Replicas: 3, TotalCPU: "1500m",
			CapacityMilliPerSecond: ptr.To[int64](67_500), PricePerMonth: "43.80", PricePerMillionLogins: "0.33",
			AttackerPricePerBillionGuesses: "55.56",
		},
		P95Microseconds: ptr.To[int64](410_000), Confidence: v1beta1.ConfidenceHigh,
	}
	return e, trials
}

// answers returns the samples of such an experiment after a change.
func answers(change func(*v1beta1.SizingExperiment)) []telemetry.Sample {
	e, trials := sized("sized")
	change(&e)
	return telemetry.Of(state([]v1beta1.SizingExperiment{e}, trials))
}

// recommendedOf returns the value of variant_recommended for each variant.
func recommendedOf(samples []telemetry.Sample) map[string]float64 {
	values := map[string]float64{}
	for _, sample := range samples {
		if sample.Series.Name == "hashmark_variant_recommended" {
			values[sample.Values[2]] = sample.Value
		}
	}
	return values
}

func TestOnlyTheRecommendedVariantIsOne(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*v1beta1.SizingExperiment)
		chosen string
		others int
	}{
		"one that was measured": {func(*v1beta1.SizingExperiment) {}, "c10-500m", 3},
		"one that was predicted": {func(e *v1beta1.SizingExperiment) {
			e.Status.Recommendation.Size, e.Status.Recommendation.Predicted = v1beta1.Size{Variant: "c11-500m", Cost: 11}, true
		}, "c11-500m", 4},
		"none where nothing fits":  {func(e *v1beta1.SizingExperiment) { e.Status.Recommendation.Size = v1beta1.Size{} }, "", 4},
		"none before there is one": {func(e *v1beta1.SizingExperiment) { e.Status.Recommendation = nil }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			samples, others := answers(tt.change), 0
			of := recommendedOf(samples)
			if predicted := has(samples, "hashmark_experiment_recommendation", "Predicted"); predicted != (tt.chosen == "c11-500m") {
				t.Errorf("the recommendation is predicted: %t", predicted)
			}
			for variant, value := range of {
				switch {
				case value == 1 && variant != tt.chosen:
					t.Errorf("%s is recommended", variant)
				case value == 0:
					others++
				}
			}
			if others != tt.others || tt.chosen != "" && of[tt.chosen] != 1 {
				t.Errorf("%d others, want %d, and %q recommended: %v", others, tt.others, tt.chosen, of)
			}
		})
	}
}

func TestNoRecommendationNamesTheLimit(t *testing.T) {
	samples := answers(func(e *v1beta1.SizingExperiment) {
		e.Status.Recommendation = &v1beta1.Recommendation{BrokenBound: v1beta1.BoundMaxTotalCPU}
	})
	if !has(samples, "hashmark_experiment_no_recommendation", "MaxTotalCPU") {
		t.Error("the limit that no size meets is missing")
	}
	for _, series := range []string{"hashmark_experiment_recommendation", "hashmark_experiment_recommended_replicas", "hashmark_experiment_recommended_price_per_month"} {
		if has(samples, series, "sized") {
			t.Errorf("%s has a sample", series)
		}
	}
}

func TestAbsentPricesHaveNoSample(t *testing.T) {
	samples := answers(func(e *v1beta1.SizingExperiment) {
		e.Status.Recommendation.PricePerMonth = ""
		for i := range e.Status.Results {
			e.Status.Results[i].Price.PerMonth = ""
		}
	})
	for _, series := range []string{"hashmark_variant_price_per_month", "hashmark_experiment_recommended_price_per_month"} {
		if has(samples, series, "sized") {
			t.Errorf("%s has a sample", series)
		}
	}
	if got := value(t, samples, "hashmark_variant_price_per_million_logins"); got != 0.5 || !has(samples, "hashmark_variant_price_per_million_logins", "EUR") {
		t.Errorf("a million logins cost %v, want 0.5 EUR", got)
	}
}

func TestSamplesAreUniqueAndPredictionsLimited(t *testing.T) {
	for series, tt := range map[string]struct {
		change func(*v1beta1.SizingExperiment)
		want   int
	}{
		"hashmark_variant_reason": {func(e *v1beta1.SizingExperiment) {
			e.Status.Results[0].Reasons = []v1beta1.Reason{{Type: "NotSteady"}, {Type: "NotSteady"}, {}, {Type: "None"}}
		}, 2},
		"hashmark_pool_hash_seconds": {func(e *v1beta1.SizingExperiment) {
			e.Status.HashTimes = append(e.Status.HashTimes, e.Status.HashTimes...)
		}, 2},
		"hashmark_pool_speed_median_ratio": {func(e *v1beta1.SizingExperiment) {
			large := e.Status.Speed[0]
			large.NodePool = "large"
			e.Status.Speed = append(e.Status.Speed, large, e.Status.Speed[0])
		}, 2},
		"hashmark_prediction_capacity_logins_per_second": {func(e *v1beta1.SizingExperiment) {
			for i := range 70 {
				p := e.Status.Predictions[0]
				p.Variant = fmt.Sprint(i)
				e.Status.Predictions = append(e.Status.Predictions, p)
			}
		}, 64},
	} {
		count := 0
		for _, sample := range answers(tt.change) {
			if sample.Series.Name == series {
				count++
			}
		}
		if count != tt.want {
			t.Errorf("%s has %d samples, want %d", series, count, tt.want)
		}
	}
}
