package recommendation

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// certainty is how far an answer can be relied on, and why no further.
type certainty struct {
	level v1alpha1.Confidence
	why   string
}

// confidence is the lowest that something about the size gives reason to.
func (a answer) confidence(best sized) certainty {
	switch {
	case best.Standing == Doubtful:
		return certainty{v1alpha1.ConfidenceLow, fmt.Sprintf("no Valid result of an acceptable %s answers, and this one is Suspect (%s); measure it again", a.unit(), Kinds(best.Reasons))}
	case best.Respaced:
		return certainty{v1alpha1.ConfidenceLow, "it was measured with evenly spaced logins, which hide queueing; the capacity is what the model makes of logins by chance. Measure with arrivals: Poisson"}
	case best.Calibrated:
		return certainty{v1alpha1.ConfidenceLow, "nothing but the time of a hash was measured, and that on one machine; the rest is what the model makes of it. Measure this size with a SizingExperiment before you rely on it"}
	case best.Predicted:
		return certainty{v1alpha1.ConfidenceMedium, "this variant was not measured but predicted, by a model that foresaw the variants held out" +
			a.heldOr(best, "; measure it before you rely on it")}
	}
	if !best.Confirmed {
		return certainty{v1alpha1.ConfidenceMedium, "its capacity was predicted, and no step near it confirms that" + a.heldOr(best, "")}
	}
	if len(a.failed()) > 0 {
		return certainty{v1alpha1.ConfidenceMedium, "a size that the measurements answered with was not seen to hold" + a.heldOr(best, "")}
	}
	if outcome, why := a.verified(best); outcome != v1alpha1.VerificationMet {
		return certainty{v1alpha1.ConfidenceMedium, "its result is Valid, and measured steps confirm the capacity, " + why}
	}
	return certainty{v1alpha1.ConfidenceHigh, "its result is Valid, measured steps confirm the capacity, and the size was seen to hold the objective: " + a.held(best)}
}

// heldOr returns what the verification of a size saw if it is Met, or otherwise.
func (a answer) heldOr(best sized, otherwise string) string {
	if outcome, _ := a.verified(best); outcome == v1alpha1.VerificationMet {
		return "; at the demanded rate, but not beyond, this size was seen to hold: " + a.held(best)
	}
	return otherwise
}

// held returns what the verification of a size saw, as the end of a sentence.
func (a answer) held(best sized) string {
	return lower(a.verification(best.Variant.Name, best.replicas).Message)
}

// Kinds lists the types of reasons, separated by commas.
func Kinds(reasons []v1alpha1.Reason) string {
	names := make([]string, len(reasons))
	for i, r := range reasons {
		names[i] = r.Type
	}
	return strings.Join(names, ", ")
}
