package results_test

import (
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

func TestRecommendation(t *testing.T) {
	size := v1beta1.Size{Variant: "c10-500m", Cost: 10, Replicas: 2, TotalCPU: "1", PricePerMonth: "29.20"}
	answer := func(change func(*v1beta1.Recommendation)) *v1beta1.Recommendation {
		found := &v1beta1.Recommendation{Size: size, Confidence: v1beta1.ConfidenceHigh}
		change(found)
		return found
	}
	none := func(bound v1beta1.Bound, nearest *v1beta1.Size) *v1beta1.Recommendation {
		return &v1beta1.Recommendation{BrokenBound: bound, Nearest: nearest}
	}
	tests := map[string]struct {
		answer *v1beta1.Recommendation
		want   string
	}{
		"no demand": {nil, ""},
		"a size": {answer(func(*v1beta1.Recommendation) {}),
			"Recommended: 2×c10-500m, cost 10 on 1 CPU in all, 29.20 USD a month; confidence High"},
		"a size without a price": {answer(func(r *v1beta1.Recommendation) { r.PricePerMonth = "" }),
			"Recommended: 2×c10-500m, cost 10 on 1 CPU in all; confidence High"},
		"too little CPU": {none(v1beta1.BoundMaxTotalCPU, &size),
			"No size is recommended: demand.maxTotalCPU is too low; the nearest is 2×c10-500m with 1 CPU in all"},
		"too few replicas": {none(v1beta1.BoundMaxReplicas, &size),
			"No size is recommended: demand.maxReplicas is too low; the nearest is 2×c10-500m with 1 CPU in all"},
		"too low a cost": {none(v1beta1.BoundMinimumCost, &size),
			"No size is recommended: no size serves the demand with a hash as strong as demand.minimumCost; the nearest is 2×c10-500m with 1 CPU in all"},
		"too strict an objective": {none(v1beta1.BoundObjective, &v1beta1.Size{Variant: "c10-1"}),
			"No size is recommended: no rate meets the objective; the nearest is c10-1"},
		"no usable result": {none(v1beta1.BoundNoResult, nil),
			"No size is recommended: no variant that can be recommended has a usable result"},
		"a bound that this version does not know": {none("", nil),
			"No size is recommended: no size serves the demand"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := results.Recommendation(test.answer, &v1beta1.Prices{Currency: "USD"}); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestConclusion(t *testing.T) {
	size := &v1beta1.Recommendation{Size: v1beta1.Size{Variant: "c10-1", Cost: 10, Replicas: 2, TotalCPU: "2"}, Confidence: v1beta1.ConfidenceHigh}
	predicted := []v1beta1.PredictedVariant{{Variant: "c9-1", InMatrix: true}, {Variant: "c13-1"}, {Variant: "c11-1", InMatrix: true}}
	tests := map[string]struct {
		status v1beta1.SizingExperimentStatus
		want   string
	}{
		"neither":                        {v1beta1.SizingExperimentStatus{}, "Suspect: c8-1"},
		"predictions in the matrix":      {v1beta1.SizingExperimentStatus{Predictions: predicted}, "Suspect: c8-1. 2 more were predicted"},
		"only predictions outside of it": {v1beta1.SizingExperimentStatus{Predictions: predicted[1:2]}, "Suspect: c8-1"},
		"the recommendation comes first": {v1beta1.SizingExperimentStatus{Recommendation: size},
			"Recommended: 2×c10-1, cost 10 on 2 CPU in all; confidence High. Suspect: c8-1"},
		"both": {v1beta1.SizingExperimentStatus{Predictions: predicted, Recommendation: size},
			"Recommended: 2×c10-1, cost 10 on 2 CPU in all; confidence High. Suspect: c8-1. 2 more were predicted"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := results.Conclusion(&test.status, nil, "Suspect: c8-1"); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
