package sizing

import (
	"fmt"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Decide writes into the status of an experiment with measure: Decision which variants can still be recommended, given
// the intervals of all capacities, and why the others can't. It returns the variant to measure next: one that the decision
// needs, or else one of alsoMeasure, and whether there is one. It does not change an experiment with another measure.
//
// Conclude must have written the rows and predictions of the status. The errors are those of Conclude.
func Decide(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, status *v1beta1.SizingExperimentStatus) (v1beta1.DecisionLoad, bool, error) {
	t, err := newTable(spec, trials, status.Verifications)
	if err != nil || !t.decides {
		return v1beta1.DecisionLoad{}, false, err
	}
	decided, load, more := t.decide(status)
	status.Decision = decided
	if more {
		return load, true, nil
	}
	also := matrix.Also(&v1beta1.SizingExperiment{Spec: spec, Status: *status})
	if len(also) == 0 {
		return v1beta1.DecisionLoad{}, false, nil
	}
	return v1beta1.DecisionLoad{Variant: also[0].Name, Also: true}, true, nil
}

// decide returns the decision that follows from rows and predictions, and the variant to measure next if it needs one.
func (t *table) decide(status *v1beta1.SizingExperimentStatus) (*v1beta1.Decision, v1beta1.DecisionLoad, bool) {
	decided := &v1beta1.Decision{Stage: v1beta1.StageDecided, Loads: ptr.Deref(status.Decision, v1beta1.Decision{}).Loads}
	candidates := t.withUnpredicted(t.candidates(status))
	for i := range candidates {
		if candidates[i].Trust == Suspect {
			candidates[i].Trust = Valid // another measurement on the same nodes may be Suspect for the same reason
		}
	}
	now := t.question.answer(candidates)
	optimists := t.optimists(candidates)
	t.explain(now, optimists, decided)
	next, needed := t.next(now, optimists, decided)
	if !needed || deciding(decided.Loads) >= v1beta1.MaxDecisionLoads {
		return decided, v1beta1.DecisionLoad{}, false
	}
	decided.Stage = v1beta1.StageLoading
	load := v1beta1.DecisionLoad{Variant: next.Variant.Name}
	if !results.Verifies(t.spec) {
		load.OfferedMilliPerSecond = t.replicas() * t.question.share(next)
	}
	return decided, load, true
}

// explain writes which variants are open, the best first, and why the others are not.
func (t *table) explain(now answer, optimists map[string]optimist, decided *v1beta1.Decision) {
	for _, v := range t.all {
		switch s, unmeasured := optimists[v.Name]; {
		case !unmeasured:
		case s.first:
			decided.Open = append(decided.Open, v.Name)
		default:
			message := units.Clip(now.excludes(s.sized), mostExclusion)
			decided.Excluded = append(decided.Excluded, v1beta1.ExcludedVariant{Variant: v.Name, Message: message})
		}
	}
	compare := order(sizesOf(optimists))
	slices.SortFunc(decided.Open, func(a, b string) int { return compare(optimists[a].sized, optimists[b].sized) })
}

// deciding returns the number of loads that are not of alsoMeasure.
func deciding(loads []v1beta1.DecisionLoad) (n int) {
	for _, load := range loads {
		if !load.Also {
			n++
		}
	}
	return n
}

// mostExclusion is the API's limit for the message of an excluded variant, in characters.
const mostExclusion = 256

// optimist is the size of a variant that was not measured if its capacity is at the upper end of its interval.
type optimist struct {
	sized
	// first means that it would be recommended then, while the capacities of all others are at the lower ends.
	first bool
}

func sizesOf(optimists map[string]optimist) []sized {
	var all []sized
	for _, o := range optimists {
		all = append(all, o.sized)
	}
	return all
}

func (t *table) optimists(candidates []Candidate) map[string]optimist {
	found := map[string]optimist{}
	for i, c := range candidates {
		if !t.unmeasured(c) {
			continue
		}
		others := slices.Clone(candidates)
		others[i].Capacity = max(c.Capacity, c.High)
		fit := t.question.answer(others).fit
		found[c.Variant.Name] = optimist{t.question.size(others[i]), len(fit) > 0 && fit[0].Variant.Name == c.Variant.Name}
	}
	return found
}

// unmeasured reports whether a candidate is a variant of the matrix that was not measured.
func (t *table) unmeasured(c Candidate) bool { return c.Predicted && c.Trust == Valid }

// withUnpredicted adds the variants that can't be predicted, because their hash is too short for the model or their
// node pool was not calibrated. Nothing but the hash time limits their capacity.
func (t *table) withUnpredicted(candidates []Candidate) []Candidate {
	all := slices.Clone(candidates)
	for _, v := range t.all {
		known := func(c Candidate) bool { return c.Variant.Name == v.Name }
		if slices.ContainsFunc(candidates, known) || !t.question.Admits(v) {
			continue
		}
		c := t.candidate(v)
		c.Predicted, c.Trust = true, Valid
		if c.Untimed = speed.InPool(t.speeds, speed.NodePool(v)) == nil; !c.Untimed {
			c.High = 1000 * t.question.FastestMilliPerSecond / c.SizingPerMille
		}
		all = append(all, c)
	}
	return all
}

// next returns the variant that is measured next: the one that would be recommended, or one that still could be. If
// none can serve the demand, the nearest is measured once, so that the answer does not rest on predictions alone.
func (t *table) next(now answer, optimists map[string]optimist, decided *v1beta1.Decision) (sized, bool) {
	if len(now.fit) > 0 && t.unmeasured(now.fit[0].Candidate) {
		return now.fit[0], true
	}
	if len(decided.Open) > 0 {
		return optimists[decided.Open[0]].sized, true
	}
	if len(now.fit) > 0 || len(decided.Loads) > 0 {
		return sized{}, false
	}
	nearest, found := now.nearest()
	return nearest, found && t.unmeasured(nearest.Candidate) && !nearest.Untimed
}

// nearBound is the share of a predicted capacity up to which a variant is driven: above it a queue needs minutes to
// show its p95.
const nearBound = 80

// share returns the rate of one replica, times 1000, that decides about a size: its share of the demand with headroom,
// or if that is too near to its capacity less, but at least its share without headroom, also while replicas are down.
func (q Question) share(s sized) int64 {
	if s.replicas == 0 {
		return max(1, min(s.Found, q.FastestMilliPerSecond)*nearBound/100)
	}
	least := ceil(q.MilliPerSecond, max(1, s.replicas-q.Survive))
	rate := max(least, min(ceil(q.required(), s.replicas), s.Capacity*nearBound/100))
	return max(1, min(rate, q.FastestMilliPerSecond))
}

// excludes says why a variant that was not measured can't be recommended, even with a capacity at the upper end of its
// interval.
func (a answer) excludes(s sized) string {
	if s.Untimed {
		return "It is not known how fast it hashes, because its node pool was not calibrated"
	}
	even := fmt.Sprintf("Even with a capacity of %s a replica, at the upper end of its interval, it ", perSecond(s.Capacity))
	if s.acceptable() && !s.fits() && s.High > 0 {
		return even + a.breaks(s)
	}
	if !s.fits() {
		return "It " + a.breaks(s)
	}
	if len(a.fit) == 0 {
		return even + "is not certain to serve the demand"
	}
	return s.loses(a.fit[0], even)
}

// loses says why a size is not recommended although it fits, too.
func (s sized) loses(best sized, even string) string {
	switch {
	case s.strength < best.strength:
		return fmt.Sprintf("Its hash is weaker than that of %s, which fits", inAll(best))
	case s.month != nil && best.month != nil && s.month.Cmp(best.month) > 0:
		return fmt.Sprintf("%swould cost %s a month, and %s fits for %s", even, pricing.Text(s.month), inAll(best), pricing.Text(best.month))
	default:
		return fmt.Sprintf("%swould take %s, and %s fits", even, inAll(s), inAll(best))
	}
}

// acceptable reports whether the hash is strong enough.
func (s sized) acceptable() bool { return !slices.Contains(s.breaks, v1beta1.BoundMinimumCost) }
