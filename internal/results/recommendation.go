package results

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Conclusion returns the second part of the message of an experiment's end, for a condition
// and an event: how many variants of the matrix were predicted instead of measured, and the
// recommendation. It returns "" if there are no predictions and no recommendation.
func Conclusion(status *v1alpha1.SizingExperimentStatus, prices *v1alpha1.Prices) string {
	var sentences []string
	predicted := 0
	for _, p := range status.Predictions {
		if p.InMatrix {
			predicted++
		}
	}
	if predicted > 0 {
		sentences = append(sentences, fmt.Sprintf("%d more were predicted", predicted))
	}
	if recommended := Recommendation(status.Recommendation, prices); recommended != "" {
		sentences = append(sentences, recommended)
	}
	return strings.Join(sentences, ". ")
}

// Recommendation returns the recommendation in a sentence, without its reason. It returns ""
// if there is no demand.
func Recommendation(r *v1alpha1.Recommendation, prices *v1alpha1.Prices) string {
	switch {
	case r == nil:
		return ""
	case r.Variant == "":
		return "No size is recommended: " + broken(r)
	}
	hash := fmt.Sprintf("cost %d", r.Cost)
	if r.Hash != "" {
		hash = r.Hash
	}
	text := fmt.Sprintf("Recommended: %s, %s on %s CPU in all", recommended(r), hash, r.TotalCPU)
	if r.PricePerMonth != "" && prices != nil {
		text += fmt.Sprintf(", %s %s a month", r.PricePerMonth, prices.Currency)
	}
	switch r.Verified {
	case v1alpha1.VerificationMet:
		text += ", verified"
	case v1alpha1.VerificationUndecided, v1alpha1.VerificationNotRun:
		text += ", not verified"
	}
	return fmt.Sprintf("%s; confidence %s", text, r.Confidence)
}

// broken says which limit was exceeded first, and which size is nearest.
func broken(r *v1alpha1.Recommendation) string {
	why, known := map[v1alpha1.Bound]string{
		v1alpha1.BoundNoResult:        "no variant that can be recommended has a usable result",
		v1alpha1.BoundVerification:    "two sizes were verified, and both missed the objective",
		v1alpha1.BoundObjective:       "no rate meets the objective",
		v1alpha1.BoundMinimumCost:     "no size serves the demand with a hash as strong as demand.minimumCost",
		v1alpha1.BoundMaxTotalCPU:     "demand.maxTotalCPU is too low",
		v1alpha1.BoundCapacityUnknown: "it is unknown whether any size serves the demand",
		v1alpha1.BoundMaxReplicas:     "demand.maxReplicas is too low",
	}[r.BrokenBound]
	if !known {
		why = "no size serves the demand"
	}
	nearest := r.Nearest
	if nearest == nil {
		return why
	}
	if nearest.Replicas == 0 {
		return fmt.Sprintf("%s; the nearest is %s", why, nearest.Variant)
	}
	return fmt.Sprintf("%s; the nearest is %d×%s with %s CPU in all", why, nearest.Replicas, nearest.Variant, nearest.TotalCPU)
}
