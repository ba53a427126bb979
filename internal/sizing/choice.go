package sizing

import (
	"fmt"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Of returns the recommendation for a question. The candidates may be in any order.
func Of(q Question, candidates []Candidate) *v1beta1.Recommendation {
	a := q.answer(candidates)
	if q.exhausted() {
		return a.refuted()
	}
	if len(a.fit) == 0 {
		return a.none()
	}
	return a.size()
}

type answer struct {
	Question
	candidates []Candidate
	// sizes are those of all candidates, and fit those that fit, the best first.
	sizes, fit []sized
}

// answer chooses Suspect sizes only if no Valid one fits, and only with a weaker hash than every
// acceptable Valid one. With others, more demand could give a smaller size or a stronger hash.
func (q Question) answer(candidates []Candidate) answer {
	a := answer{Question: q, candidates: candidates}
	below := math.Inf(1)
	for _, c := range candidates {
		s := q.size(c)
		a.sizes = append(a.sizes, s)
		if c.Trust == Valid && q.acceptable(s) && q.takes(s) {
			below = min(below, s.strength)
		}
	}
	a.fit = a.fitting(func(s sized) bool { return s.Trust == Valid && q.takes(s) })
	if len(a.fit) == 0 {
		a.fit = a.fitting(func(s sized) bool { return s.Trust == Suspect && s.strength < below })
	}
	return a
}

// takes reports whether a size can be recommended although it was perhaps not measured.
func (q Question) takes(s sized) bool { return !q.MeasuredOnly || !s.Predicted }

func (a answer) size() *v1beta1.Recommendation {
	best := a.fit[0]
	r := &v1beta1.Recommendation{Size: a.api(best), Changes: a.changes(&best)}
	if best.P95 != nil {
		if micros, ok := best.P95(a.MilliPerSecond / best.replicas); ok {
			r.P95Microseconds = &micros
		}
	}
	if len(a.fit) > 1 {
		r.RunnerUp = ptr.To(a.api(a.fit[1]))
	}
	confidence, why := a.confidence(best)
	r.Confidence = confidence
	r.Verified, _ = a.verified(best)
	r.Reason = units.Clip(fmt.Sprintf("%s. %s. Confidence is %s: %s", a.strongest(best), a.serves(best), confidence, why), mostReason)
	return r
}

func (a answer) none() *v1beta1.Recommendation {
	nearest, found := a.nearest()
	if !found {
		return &v1beta1.Recommendation{BrokenBound: v1beta1.BoundNoResult, Reason: noResult}
	}
	r := &v1beta1.Recommendation{BrokenBound: nearest.breaks[0], Nearest: ptr.To(a.api(nearest)), Changes: a.changes(nil)}
	reason := a.noneReason(nearest)
	if failed := a.failed(); len(failed) > 0 {
		r.Verified = v1beta1.VerificationFailed
		reason += "; " + units.Size(failed[0].Replicas, failed[0].Variant) + " failed its verification"
	}
	r.Reason = units.Clip(reason, mostReason)
	return r
}

// nearest returns the size that exceeds the last limit, and of these the one that exceeds it by least.
// Sizes that fit but can't be recommended are in the changes instead.
func (a answer) nearest() (sized, bool) {
	all := slices.DeleteFunc(slices.Clone(a.sizes), func(s sized) bool {
		return s.Trust < Suspect || s.fits() && (s.Trust == Suspect || !a.takes(s))
	})
	if len(all) == 0 {
		return sized{}, false
	}
	return slices.MinFunc(all, nearer), true
}

// confidence returns the lowest confidence for which there is a reason, and the reason.
func (a answer) confidence(best sized) (v1beta1.Confidence, string) {
	switch {
	case best.Trust == Suspect:
		return v1beta1.ConfidenceLow, fmt.Sprintf("no Valid result with an acceptable hash fits, and this one is %s; measure it again", best.suspect())
	case best.EvenlySpaced:
		return v1beta1.ConfidenceLow, "it was measured with evenly spaced logins, which hide queueing; its capacity is the model's for random arrivals; measure with arrivals: Poisson"
	case best.Calibrated:
		return v1beta1.ConfidenceLow, "only the hash time was measured, on one machine; the model predicts the rest; measure this size with a SizingExperiment before you rely on it"
	case best.Predicted:
		return v1beta1.ConfidenceMedium, "this variant was not measured but predicted, by a model that agreed with what was measured" +
			a.heldOr(best, "; measure it before you rely on it")
	case !best.Confirmed && !a.carried(best):
		return v1beta1.ConfidenceMedium, "its capacity was predicted, and no measured step near it confirms that" + a.heldOr(best, "")
	}
	if failed := a.failed(); len(failed) > 0 {
		return v1beta1.ConfidenceMedium, units.Size(failed[0].Replicas, failed[0].Variant) + " failed its verification, although it follows from the same measurements" + a.heldOr(best, "")
	}
	if outcome, why := a.verified(best); outcome != v1beta1.VerificationMet {
		return v1beta1.ConfidenceMedium, "its result is Valid, and measured steps confirm the capacity, " + why
	}
	if needed := a.withVerified(best); needed > best.replicas {
		return v1beta1.ConfidenceMedium, fmt.Sprintf("its result is Valid, and the size met the objective in its verification at %s, but the speed of that pod differs from the measured ones: with pods that differ as much, the headroom takes %s",
			a.verifiedRate(), units.Size(int32(needed), best.Variant.Name))
	}
	return v1beta1.ConfidenceHigh, "its result is Valid, measured steps confirm the capacity, and the size met the objective in its verification at " + a.verifiedRate()
}

// withVerified returns the number of replicas of a size if the pod of its verification counts.
func (a answer) withVerified(best sized) int64 {
	if best.VerifiedPerMille <= best.SizingPerMille {
		return best.replicas
	}
	return a.replicas(max(1, best.Capacity*best.SizingPerMille/best.VerifiedPerMille))
}

// carried reports whether a decision showed that a replica of the size carries its share of the demand.
func (a answer) carried(best sized) bool {
	return best.Held == v1beta1.VerificationMet && best.Driven >= ceil(a.MilliPerSecond, max(1, best.replicas-a.Survive))
}

// heldOr says that a size's verification is Met, or returns otherwise.
func (a answer) heldOr(best sized, otherwise string) string {
	if outcome, _ := a.verified(best); outcome == v1beta1.VerificationMet {
		return "; at " + a.verifiedRate() + ", but not above it, the verification confirms this size"
	}
	return otherwise
}

// verifiedRate says at which rate sizes are verified, which is what confidence High covers.
func (q Question) verifiedRate() string {
	if q.Verify == v1beta1.VerifyHeadroom {
		return "the demanded rate with its headroom"
	}
	return "the demanded rate"
}
