package sizing

import (
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Of returns the recommendation for a question. The candidates may be in any order.
func Of(q Question, candidates []Candidate) *v1alpha1.Recommendation {
	a := q.answer(candidates)
	if q.exhausted() {
		return a.refuted()
	}
	if len(a.fit) == 0 {
		return a.none()
	}
	return a.size()
}

// answer is a question with its candidates and the sizes that fit.
type answer struct {
	Question
	candidates []Candidate
	// fit are the sizes that fit, the best first.
	fit []sized
}

func (q Question) answer(candidates []Candidate) answer {
	a := answer{Question: q, candidates: candidates}
	a.fit = q.fitting(candidates, Sound)
	if len(a.fit) == 0 {
		a.fit = q.fitting(q.standIns(candidates), Doubtful)
	}
	return a
}

// standIns returns the doubtful candidates that can be recommended if no sound one fits:
// those with a weaker hash than every acceptable sound one. If a doubtful candidate of the
// same strength replaced a sound one that no longer fits, more demand could need fewer CPUs.
// If it were stronger, more demand would raise the strength.
func (q Question) standIns(candidates []Candidate) []Candidate {
	below := math.Inf(1)
	for _, c := range candidates {
		if strength := q.strength(c); c.Standing == Sound && strength >= float64(q.MinimumCost) {
			below = min(below, strength)
		}
	}
	return slices.DeleteFunc(slices.Clone(candidates), func(c Candidate) bool {
		return c.Standing != Doubtful || q.strength(c) >= below
	})
}

// size returns the recommendation of the best size that fits.
func (a answer) size() *v1alpha1.Recommendation {
	best := a.fit[0]
	r := &v1alpha1.Recommendation{Size: a.api(best), Changes: a.changes(&best)}
	if best.P95 != nil {
		if micros, ok := best.P95(a.MilliPerSecond / best.replicas); ok {
			r.P95Microseconds = &micros
		}
	}
	if len(a.fit) > 1 {
		r.RunnerUp = ptr.To(a.api(a.fit[1]))
	}
	sure := a.confidence(best)
	r.Confidence = sure.level
	r.Verified, _ = a.verified(best)
	r.Reason = units.Clip(a.reason(best, r, sure), mostReason)
	return r
}

// none returns the recommendation if nothing fits, with the nearest size.
func (a answer) none() *v1alpha1.Recommendation {
	nearest, found := a.nearest()
	if !found {
		return &v1alpha1.Recommendation{BrokenBound: v1alpha1.BoundNoResult, Reason: noResult}
	}
	r := &v1alpha1.Recommendation{BrokenBound: nearest.breaks[0], Nearest: ptr.To(a.api(nearest)), Changes: a.changes(nil)}
	reason := a.noneReason(nearest)
	if failures := a.failures(); failures != "" {
		r.Verified = v1alpha1.VerificationFailed
		reason += ". The first recommendation did not hold: " + failures
	}
	r.Reason = units.Clip(reason, mostReason)
	return r
}

// nearest returns the size that gets farthest: limits are checked one after another, and
// among the sizes that exceed the same limit first, the nearest exceeds it by least. It
// leaves out doubtful sizes that fit but can't be recommended, because the changes report
// them.
func (a answer) nearest() (sized, bool) {
	var all []sized
	for _, c := range a.candidates {
		if c.Standing == Sound || c.Standing == Doubtful && !a.Question.size(c).fits() {
			all = append(all, a.Question.size(c))
		}
	}
	if len(all) == 0 {
		return sized{}, false
	}
	return slices.MinFunc(all, a.nearer), true
}
