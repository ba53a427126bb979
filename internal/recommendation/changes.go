package recommendation

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// mostChanges is how many sentences are told, mostCosts of how many other costs.
const mostChanges, mostCosts = 8, 3

// changes says what would change the answer: what the next stronger hashes need,
// how far the demand may grow, and what is worth measuring. Best is nil where
// nothing fits; then it says what the acceptable costs need, and what a lower one does.
func (a answer) changes(best *sized) []string {
	var told []string
	stronger := func(c Candidate) bool { return a.strength(c) >= float64(a.MinimumCost) }
	if best != nil {
		stronger = func(c Candidate) bool { return a.strength(c) > a.strength(best.Candidate) }
	}
	for _, s := range a.nearestOf(stronger) {
		told = append(told, a.needs(s))
	}
	if best != nil {
		told = append(told, a.growth(*best))
	} else if lower := a.lowerCost(); lower != "" {
		told = append(told, lower)
	}
	told = append(told, a.hints(stronger)...)
	for i := range told {
		told[i] = Clip(told[i], mostChange)
	}
	return told[:min(len(told), mostChanges)]
}

// nearestOf returns the nearest size of each hash that is asked for and has a usable
// result, the weakest hashes first.
func (a answer) nearestOf(asked func(Candidate) bool) []sized {
	nearest := map[string]sized{}
	for _, c := range a.candidates {
		if c.Standing < Doubtful || !asked(c) {
			continue
		}
		s := a.Question.size(c)
		if known, has := nearest[c.key()]; !has || a.worthTelling(s, known) {
			nearest[c.key()] = s
		}
	}
	sizes := slices.SortedFunc(maps.Values(nearest), func(x, y sized) int {
		return cmp.Or(cmp.Compare(a.strength(x.Candidate), a.strength(y.Candidate)), cmp.Compare(x.Variant.Name, y.Variant.Name))
	})
	return sizes[:min(len(sizes), mostCosts)]
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

// needs says what a hash that is not the answer lacks, and how much of the demand
// it serves as it is.
func (a answer) needs(s sized) string {
	hash := s.hash()
	switch {
	case s.unknown():
		return fmt.Sprintf("%s may serve it: %s %s. %s", hash, s.Variant.Name, s.atLeast(), a.suggest(s))
	case s.fits():
		return fmt.Sprintf("%s would fit with %s, but that result is Suspect (%s): measure it again", hash, inAll(s), Kinds(s.Reasons))
	case s.Capacity == 0 && s.Found > 0:
		return fmt.Sprintf("%s meets the objective up to %s a replica with %s, but the interval of that begins at 0: measure it with more load.minSamples or repetitions", hash, perSecond(s.Found), s.Variant.Name)
	case s.Capacity == 0:
		return fmt.Sprintf("%s meets the objective at no rate on any CPU limit of the matrix: it needs a longer p95Milliseconds, or a larger CPU limit", hash)
	}
	text := fmt.Sprintf("%s needs %s: %s", hash, a.missing(s), inAll(s))
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
	lower.MinimumCost = lowestCost
	found := lower.answer(a.candidates)
	if len(found.fit) == 0 {
		return ""
	}
	best := found.fit[0]
	return fmt.Sprintf("With minimumCost %d, %s would do", int(math.Floor(a.strength(best.Candidate))), inAll(best))
}

// hints names costs that were only predicted, and would fit: the lowest first.
func (a answer) hints(asked func(Candidate) bool) []string {
	var told []string
	fit := a.fitting(a.candidates, Hint)
	slices.Reverse(fit)
	for i, s := range fit {
		// The last of a cost is its best, since the order was turned round.
		if asked(s.Candidate) && (i == len(fit)-1 || fit[i+1].Variant.Cost != s.Variant.Cost) {
			told = append(told, fmt.Sprintf("Cost %d was not measured; it is predicted to fit with %s: measure it", s.Variant.Cost, inAll(s)))
		}
	}
	return told
}
