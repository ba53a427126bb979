package summary

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Conclusion is what an experiment's end adds to its outcome, for a condition and
// an event: how many variants of the matrix were predicted and not measured, and
// what is recommended. Empty where neither is.
func Conclusion(status *v1alpha1.SizingExperimentStatus, prices *v1alpha1.Prices) string {
	var told []string
	predicted := 0
	for _, p := range status.Predictions {
		if p.InMatrix {
			predicted++
		}
	}
	if predicted > 0 {
		told = append(told, fmt.Sprintf("%d more were predicted", predicted))
	}
	if recommended := Recommendation(status.Recommendation, prices); recommended != "" {
		told = append(told, recommended)
	}
	return strings.Join(told, ". ")
}

// Recommendation is the answer in a sentence; its reason has the rest. Empty
// where there is no demand to answer.
func Recommendation(answer *v1alpha1.Recommendation, prices *v1alpha1.Prices) string {
	switch {
	case answer == nil:
		return ""
	case answer.Variant == "":
		return "No size is recommended: " + broken(answer)
	}
	hash := fmt.Sprintf("cost %d", answer.Cost)
	if answer.Hash != "" {
		hash = answer.Hash
	}
	text := fmt.Sprintf("Recommended: %s, %s on %s CPU in all", recommended(answer), hash, answer.TotalCPU)
	if answer.PricePerMonth != "" && prices != nil {
		text += fmt.Sprintf(", %s %s a month", answer.PricePerMonth, prices.Currency)
	}
	switch answer.Verified {
	case v1alpha1.VerificationMet:
		text += ", verified"
	case v1alpha1.VerificationUndecided, v1alpha1.VerificationNotRun:
		text += ", not verified"
	}
	return fmt.Sprintf("%s; confidence %s", text, answer.Confidence)
}

// broken says which bound broke first, and what comes nearest.
func broken(answer *v1alpha1.Recommendation) string {
	why, known := map[v1alpha1.Bound]string{
		v1alpha1.BoundNoResult:        "no variant has a result that may be believed",
		v1alpha1.BoundVerification:    "two sizes were verified, and both failed the objective",
		v1alpha1.BoundObjective:       "no rate meets the objective",
		v1alpha1.BoundMinimumCost:     "what serves the demand has a weaker hash than demand.minimumCost asks for",
		v1alpha1.BoundMaxTotalCPU:     "demand.maxTotalCPU is too little",
		v1alpha1.BoundCapacityUnknown: "whether any size serves the demand is not known",
		v1alpha1.BoundMaxReplicas:     "demand.maxReplicas is too few",
	}[answer.BrokenBound]
	if !known {
		why = "none serves the demand"
	}
	nearest := answer.Nearest
	if nearest == nil {
		return why
	}
	if nearest.Replicas == 0 {
		return fmt.Sprintf("%s; %s comes nearest", why, nearest.Variant)
	}
	return fmt.Sprintf("%s; %d×%s comes nearest, %s CPU in all", why, nearest.Replicas, nearest.Variant, nearest.TotalCPU)
}
