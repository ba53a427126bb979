package recommendation

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// mostChanges is how many sentences are told, mostCosts of how many other costs.
const mostChanges, mostCosts = 8, 3

// changes says what would change the answer: what the next higher costs need,
// how far the demand may grow, and what is worth measuring. Best is nil where
// nothing fits; then it says what the acceptable costs need, and how much fits.
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
	} else if most := a.mostServed(); most != "" {
		told = append(told, most)
	}
	told = append(told, a.hints(from)...)
	for i := range told {
		told[i] = clip(told[i], mostChange)
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
		if known, has := nearest[c.Variant.Cost]; !has || a.nearer(s, known) < 0 {
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

// needs says what a cost that is not the answer lacks.
func (a answer) needs(s sized) string {
	cost := s.Variant.Cost
	switch {
	case s.fits():
		return fmt.Sprintf("Cost %d would fit with %s (%s CPU in all), but that result is Suspect (%s): measure it again", cost, replicas(s), quantity(s.milliCPU), kinds(s.Reasons))
	case s.replicas == 0:
		return fmt.Sprintf("Cost %d meets the objective at no rate on any measured CPU limit: it needs a longer p95Milliseconds, or a larger CPU limit", cost)
	}
	text := fmt.Sprintf("Cost %d needs %s (%s CPU in all)", cost, replicas(s), quantity(s.milliCPU))
	if over := s.milliCPU - a.MaxMilliCPU; slices.Contains(s.breaks, v1alpha1.BoundMaxTotalCPU) {
		text = fmt.Sprintf("Cost %d needs %s more CPU than maxTotalCPU: %s (%s CPU in all)", cost, quantity(over), replicas(s), quantity(s.milliCPU))
	}
	if over := s.replicas - a.MaxReplicas; slices.Contains(s.breaks, v1alpha1.BoundMaxReplicas) {
		text += fmt.Sprintf(", and %d more than maxReplicas", over)
	}
	if s.Standing == Doubtful {
		text += fmt.Sprintf(", by a Suspect result (%s)", kinds(s.Reasons))
	}
	return text
}

// growth says up to which demand the size serves, and what follows it.
func (a answer) growth(best sized) string {
	most := a.served(best.replicas * best.Capacity)
	beyond := a.Question
	beyond.MilliPerSecond = most + 1
	text := fmt.Sprintf("Up to %s, with the same headroom, this size serves; beyond, ", perSecond(most))
	next := beyond.answer(a.candidates)
	if len(next.fit) == 0 {
		return text + "nothing does within these bounds"
	}
	return fmt.Sprintf("%s%s (%s CPU in all) would", text, replicas(next.fit[0]), quantity(next.fit[0].milliCPU))
}

// mostServed says how much of the demand fits; empty where nothing does.
func (a answer) mostServed() string {
	var best sized
	var most int64
	for _, c := range a.candidates {
		if c.Standing != a.standing || c.Variant.Cost < a.MinimumCost || c.Capacity == 0 {
			continue
		}
		s := sized{Candidate: c, replicas: a.MaxReplicas}
		if a.MaxMilliCPU > 0 {
			s.replicas = min(s.replicas, a.MaxMilliCPU/c.MilliCPU)
		}
		if served := a.served(s.replicas * c.Capacity); served > most {
			best, most = s, served
		}
	}
	if most == 0 {
		return ""
	}
	return fmt.Sprintf("Within these bounds %s can be served, with the same headroom: %s", perSecond(most), replicas(best))
}

// hints names costs that were only predicted, and would fit: the lowest first.
func (a answer) hints(from int32) []string {
	var told []string
	fit := a.fitting(a.candidates, Hint)
	slices.Reverse(fit)
	for i, s := range fit {
		// The last of a cost is its best, since the order was turned round.
		if s.Variant.Cost >= from && (i == len(fit)-1 || fit[i+1].Variant.Cost != s.Variant.Cost) {
			told = append(told, fmt.Sprintf("Cost %d was not measured; it is predicted to fit with %s (%s CPU in all): measure it", s.Variant.Cost, replicas(s), quantity(s.milliCPU)))
		}
	}
	return told
}
