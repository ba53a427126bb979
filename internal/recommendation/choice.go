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
	if len(a.fit) == 0 {
		return a.none()
	}
	return a.size()
}

// answer is what was found, before it is told.
type answer struct {
	Question
	candidates []Candidate
	// standing is that of the candidates that were chosen from.
	standing Standing
	// fit are those that fit, the best first.
	fit []sized
}

func (q Question) answer(candidates []Candidate) answer {
	a := answer{Question: q, candidates: candidates, standing: q.standing(candidates)}
	a.fit = q.fitting(candidates, a.standing)
	return a
}

// standing is that of the candidates to choose from: Sound ones wherever the
// demand has one of an acceptable cost, whether it fits or not. Were doubtful
// ones to step in where none fits, more demand could raise the cost.
func (q Question) standing(candidates []Candidate) Standing {
	if slices.ContainsFunc(candidates, func(c Candidate) bool {
		return c.Standing == Sound && c.Variant.Cost >= q.MinimumCost
	}) {
		return Sound
	}
	return Doubtful
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
	r.Reason = clip(a.reason(best, r, sure), mostReason)
	return r
}

// none tells that nothing fits, and what comes nearest.
func (a answer) none() *v1alpha1.Recommendation {
	nearest, found := a.nearest()
	if !found {
		return &v1alpha1.Recommendation{BrokenBound: v1alpha1.BoundNoResult, Reason: noResult}
	}
	return &v1alpha1.Recommendation{
		BrokenBound: nearest.breaks[0],
		Nearest:     ptr.To(a.api(nearest)),
		Reason:      clip(a.noneReason(nearest), mostReason),
		Changes:     a.changes(nil),
	}
}

// nearest is the size that breaks its bounds by least, of those to choose from
// and of Sound ones: where a doubtful one would do, its cost is all they lack.
func (a answer) nearest() (sized, bool) {
	var all []sized
	for _, c := range a.candidates {
		if c.Standing == Sound || c.Standing == a.standing {
			all = append(all, a.Question.size(c))
		}
	}
	if len(all) == 0 {
		return sized{}, false
	}
	return slices.MinFunc(all, a.nearer), true
}

// excess is by which factor a size passes its bounds, all together: twice the CPU
// counts like half the work of a hash. Endless where no rate meets the objective.
func (q Question) excess(s sized) float64 {
	if s.replicas == 0 {
		return math.Inf(1)
	}
	factor := math.Exp2(float64(max(0, q.MinimumCost-s.Variant.Cost)))
	if q.MaxMilliCPU > 0 {
		factor *= max(1, float64(s.milliCPU)/float64(q.MaxMilliCPU))
	}
	return factor * max(1, float64(s.replicas)/float64(q.MaxReplicas))
}
