package recommendation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// mostChanges is how many sentences are told, mostCosts of how many other costs.
const mostChanges, mostCosts = 8, 3

// changes says what would change the answer: what the next higher costs need,
// how far the demand may grow, and what is worth measuring. Best is nil where
// nothing fits; then it says what the acceptable costs need, and what a lower one does.
func (a answer) changes(best *sized) []string {
	var told []string
	from := a.MinimumCost
	if best != nil {
		from = best.Variant.Cost + 1
	}
	for _, s := range a.costsFrom(from) {
		told = append(told, a.needs(s))
	}
	if best != nil {
		told = append(told, a.growth(*best))
	} else if lower := a.lowerCost(); lower != "" {
		told = append(told, lower)
	}
	told = append(told, a.hints(from)...)
	for i := range told {
		told[i] = Clip(told[i], mostChange)
	}
	return told[:min(len(told), mostChanges)]
}

// costsFrom are the nearest sizes of the lowest costs from one on that have a
// usable result.
func (a answer) costsFrom(from int32) []sized {
	nearest := map[int32]sized{}
	for _, c := range a.candidates {
		if c.Standing < Doubtful || c.Variant.Cost < from {
			continue
		}
		s := a.Question.size(c)
		if known, has := nearest[c.Variant.Cost]; !has || a.worthTelling(s, known) {
			nearest[c.Variant.Cost] = s
		}
	}
	costs := slices.Sorted(maps.Keys(nearest))
	var sizes []sized
	for _, cost := range costs[:min(len(costs), mostCosts)] {
		sizes = append(sizes, nearest[cost])
	}
	return sizes
}

// worthTelling tells whether one size of a cost says more than another: one that may
// serve the demand goes before one that is known not to, and then the nearer.
func (a answer) worthTelling(s, known sized) bool {
	if s.unknown() == known.unknown() {
		return a.nearer(s, known) < 0
	}
	if s.unknown() {
		return !known.fits()
	}
	return s.fits()
}

// needs says what a cost that is not the answer lacks, and how much of the demand
// it serves as it is.
func (a answer) needs(s sized) string {
	cost := s.Variant.Cost
	switch {
	case s.unknown():
		return fmt.Sprintf("Cost %d may serve it: %s %s. %s", cost, s.Variant.Name, s.atLeast(), a.suggest(s))
	case s.fits():
		return fmt.Sprintf("Cost %d would fit with %s, but that result is Suspect (%s): measure it again", cost, inAll(s), Kinds(s.Reasons))
	case s.Capacity == 0 && s.Found > 0:
		return fmt.Sprintf("Cost %d meets the objective up to %s a replica with %s, but the interval of that begins at 0: measure it with more load.minSamples or repetitions", cost, perSecond(s.Found), s.Variant.Name)
	case s.Capacity == 0:
		return fmt.Sprintf("Cost %d meets the objective at no rate on any CPU limit of the matrix: it needs a longer p95Milliseconds, or a larger CPU limit", cost)
	}
	text := fmt.Sprintf("Cost %d needs %s: %s", cost, a.missing(s), inAll(s))
	if most := a.served(s.Candidate, a.most(s.Candidate).replicas); most > 0 {
		text += fmt.Sprintf("; within the bounds it serves up to %s with the same headroom", perSecond(most))
	}
	if s.Standing == Doubtful {
		text += fmt.Sprintf("; that result is Suspect (%s)", Kinds(s.Reasons))
	}
	return text
}

// missing says how much more than the bounds allow a size needs.
func (a answer) missing(s sized) string {
	var more []string
	if slices.Contains(s.breaks, v1alpha1.BoundMaxTotalCPU) {
		over := s.milliCPU - a.MaxMilliCPU
		amount := strings.Replace(cpus(over), " CPU", " more CPU", 1)
		more = append(more, fmt.Sprintf("%s (%s instead of maxTotalCPU %s)", amount, cpus(s.milliCPU), quantity(a.MaxMilliCPU)))
	}
	if slices.Contains(s.breaks, v1alpha1.BoundMaxReplicas) {
		over := s.replicas - a.MaxReplicas
		more = append(more, fmt.Sprintf("%d more %s (%d instead of maxReplicas %d)", over, verb(over, "replica", "replicas"), s.replicas, a.MaxReplicas))
	}
	return strings.Join(more, " and ")
}

// most is a candidate on as many replicas as the bounds allow.
func (a answer) most(c Candidate) sized {
	s := sized{Candidate: c, replicas: a.MaxReplicas}
	if a.MaxMilliCPU > 0 && c.MilliCPU > 0 {
		s.replicas = min(s.replicas, a.MaxMilliCPU/c.MilliCPU)
	}
	s.milliCPU = s.replicas * c.MilliCPU
	return s
}

// growth says up to which demand the size serves, and what follows it.
func (a answer) growth(best sized) string {
	most := a.served(best.Candidate, best.replicas)
	beyond := a.Question
	beyond.MilliPerSecond = most + 1
	text := fmt.Sprintf("Up to %s, with the same headroom, this size serves; beyond, ", perSecond(most))
	next := beyond.answer(a.candidates)
	if len(next.fit) == 0 {
		if next.anyUnknown() {
			return text + "it is not known whether anything does within these bounds"
		}
		return text + "nothing does within these bounds"
	}
	return text + inAll(next.fit[0]) + " would"
}

// lowerCost says what would serve the demand at a cost below the minimum; empty
// where nothing would.
func (a answer) lowerCost() string {
	lower := a.Question
	lower.MinimumCost = 0
	found := lower.answer(a.candidates)
	if len(found.fit) == 0 {
		return ""
	}
	best := found.fit[0]
	return fmt.Sprintf("With minimumCost %d, %s would do", best.Variant.Cost, inAll(best))
}

// hints names costs that were only predicted, and would fit: the lowest first.
func (a answer) hints(from int32) []string {
	var told []string
	fit := a.fitting(a.candidates, Hint)
	slices.Reverse(fit)
	for i, s := range fit {
		// The last of a cost is its best, since the order was turned round.
		if s.Variant.Cost >= from && (i == len(fit)-1 || fit[i+1].Variant.Cost != s.Variant.Cost) {
			told = append(told, fmt.Sprintf("Cost %d was not measured; it is predicted to fit with %s: measure it", s.Variant.Cost, inAll(s)))
		}
	}
	return told
}
