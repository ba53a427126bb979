package sizing

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// certainty is how far a recommendation can be trusted, and why not more.
type certainty struct {
	level v1alpha1.Confidence
	why   string
}

// confidence returns the lowest confidence for which there is a reason.
func (a answer) confidence(best sized) certainty {
	switch {
	case best.Standing == Doubtful:
		return certainty{v1alpha1.ConfidenceLow, fmt.Sprintf("no Valid result with an acceptable %s fits, and this one is Suspect (%s); measure it again", a.unit(), strings.Join(results.ReasonTypes(best.Reasons), ", "))}
	case best.EvenlySpaced:
		return certainty{v1alpha1.ConfidenceLow, "it was measured with evenly spaced logins, which hide queueing; its capacity is the model's for random arrivals. Measure with arrivals: Poisson"}
	case best.Calibrated:
		return certainty{v1alpha1.ConfidenceLow, "only the hash time was measured, on one machine; the model predicts the rest. Measure this size with a SizingExperiment before you rely on it"}
	case best.Predicted:
		return certainty{v1alpha1.ConfidenceMedium, "this variant was not measured but predicted, by a model that predicted the held-out variants correctly" +
			a.heldOr(best, "; measure it before you rely on it")}
	}
	if !best.Confirmed {
		return certainty{v1alpha1.ConfidenceMedium, "its capacity was predicted, and no measured step near it confirms that" + a.heldOr(best, "")}
	}
	if len(a.failed()) > 0 {
		return certainty{v1alpha1.ConfidenceMedium, "another size that follows from these measurements failed its verification" + a.heldOr(best, "")}
	}
	if outcome, why := a.verified(best); outcome != v1alpha1.VerificationMet {
		return certainty{v1alpha1.ConfidenceMedium, "its result is Valid, and measured steps confirm the capacity, " + why}
	}
	return certainty{v1alpha1.ConfidenceHigh, "its result is Valid, measured steps confirm the capacity, and the size met the objective in its verification: " + a.held(best)}
}

// heldOr returns the result of a size's verification if it is Met, or else otherwise.
func (a answer) heldOr(best sized, otherwise string) string {
	if outcome, _ := a.verified(best); outcome == v1alpha1.VerificationMet {
		return "; at the demanded rate, but not above it, the verification confirms this size: " + a.held(best)
	}
	return otherwise
}

// held returns the message of a size's verification, as the end of a sentence.
func (a answer) held(best sized) string {
	return lower(a.verification(best.Variant.Name, best.replicas).Message)
}
