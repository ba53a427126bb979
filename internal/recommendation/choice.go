package recommendation

import (
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Of is the answer to a question from what there is to choose from, in any order.
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

// answer is what was found, before it is told.
type answer struct {
	Question
	candidates []Candidate
	// fit are those that fit, the best first.
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

// standIns are the doubtful candidates that may answer where no sound one fits:
// those with a weaker hash than every acceptable one of the sound. Were one of the same
// strength to step in for a sound one that does not fit any more, more demand could
// take fewer CPUs; were it of a higher one, it would raise the strength.
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

// size tells the best size that fits.
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
	r.Reason = Clip(a.reason(best, r, sure), mostReason)
	return r
}

// none tells that nothing fits, and what comes nearest.
func (a answer) none() *v1alpha1.Recommendation {
	nearest, found := a.nearest()
	if !found {
		return &v1alpha1.Recommendation{BrokenBound: v1alpha1.BoundNoResult, Reason: noResult}
	}
	r := &v1alpha1.Recommendation{BrokenBound: nearest.breaks[0], Nearest: ptr.To(a.api(nearest)), Changes: a.changes(nil)}
	reason := a.noneReason(nearest)
	if failures := a.failures(); failures != "" {
		r.Verified = v1alpha1.VerificationFailed
		reason += ". What was recommended first was not seen to hold: " + failures
	}
	r.Reason = Clip(reason, mostReason)
	return r
}

// nearest is the size that gets farthest: bounds are looked at one after another,
// and of those that break none before, the nearest passes this one by least. A
// doubtful one that would fit, but may not answer, is for the changes to tell.
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
