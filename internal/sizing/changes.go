package sizing

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// mostChanges is the highest number of changes that are reported, mostCosts of the other
// costs among them.
const mostChanges, mostCosts = 8, 3

// changes says what would change the recommendation: what the next stronger hashes need, how far the
// demand can grow, and what is worth measuring. If nothing fits, best is nil.
func (a answer) changes(best *sized) []string {
	var changes []string
	stronger := a.acceptable
	if best != nil {
		stronger = func(s sized) bool { return s.strength > best.strength }
	}
	for _, s := range a.nearestOf(stronger) {
		changes = append(changes, a.needs(s))
	}
	if best != nil {
		changes = append(changes, a.growth(*best))
	} else if lower := a.lowerCost(); lower != "" {
		changes = append(changes, lower)
	}
	changes = append(changes, a.hints(stronger)...)
	for i := range changes {
		changes[i] = units.Clip(changes[i], mostChange)
	}
	return changes[:min(len(changes), mostChanges)]
}

// nearestOf returns the nearest size of each hash that is wanted and has a usable result,
// the weakest hashes first.
func (a answer) nearestOf(wanted func(sized) bool) []sized {
	nearest := map[string]sized{}
	for _, s := range a.sizes {
		hash := matrix.Hashing(s.Variant)
		if known, has := nearest[hash]; s.Trust >= Suspect && wanted(s) && (!has || worthReporting(s, known)) {
			nearest[hash] = s
		}
	}
	sizes := slices.SortedFunc(maps.Values(nearest), func(x, y sized) int {
		return cmp.Or(cmp.Compare(x.strength, y.strength), cmp.Compare(x.Variant.Name, y.Variant.Name))
	})
	return sizes[:min(len(sizes), mostCosts)]
}

// worthReporting prefers a size that might serve the demand to one that is known not to, and then the
// nearer one.
func worthReporting(s, known sized) bool {
	if s.unknown() == known.unknown() {
		return nearer(s, known) < 0
	}
	if s.unknown() {
		return !known.fits()
	}
	return s.fits()
}

// needs says what a hash that is not recommended lacks, and how much of the demand it
// serves within the limits.
func (a answer) needs(s sized) string {
	hash := fmt.Sprintf("Cost %d", s.Variant.Hash.Cost())
	if s.Variant.Hash.Bcrypt == nil {
		hash = units.Capital(matrix.Hashing(s.Variant))
	}
	switch {
	case s.unknown():
		known, advice := a.lowerBound(s)
		return fmt.Sprintf("%s might serve the demand: %s %s. %s", hash, s.Variant.Name, known, advice)
	case s.fits():
		return fmt.Sprintf("%s would fit with %s, but that result is %s: measure it again", hash, inAll(s), s.suspect())
	case s.Capacity == 0 && s.Found > 0:
		return fmt.Sprintf("%s meets the objective up to %s per replica with %s, but the interval of that begins at 0: measure it with a larger load.capacity.minSamples or more repetitions", hash, perSecond(s.Found), s.Variant.Name)
	case s.Capacity == 0:
		return fmt.Sprintf("%s meets the objective at no rate on any CPU limit of the matrix: it needs a larger p95Milliseconds or a larger CPU limit", hash)
	}
	text := fmt.Sprintf("%s %s: %s", hash, a.breaks(s), inAll(s))
	if most := a.served(s.Candidate, a.mostReplicas(s.Candidate)); most > 0 {
		text += fmt.Sprintf("; within the demand's limits it serves up to %s with the same headroom", perSecond(most))
	}
	if s.Trust == Suspect {
		text += "; that result is " + s.suspect()
	}
	return text
}

func (a answer) mostReplicas(c Candidate) int64 {
	if a.MaxMilliCPU > 0 && c.MilliCPU > 0 {
		return min(a.MaxReplicas, a.MaxMilliCPU/c.MilliCPU)
	}
	return a.MaxReplicas
}

// growth says up to which demand the size suffices, and which size is needed above that.
func (a answer) growth(best sized) string {
	most := a.served(best.Candidate, best.replicas)
	beyond := a.Question
	beyond.MilliPerSecond = most + 1
	text := fmt.Sprintf("This size serves up to %s with the same headroom; above that, ", perSecond(most))
	next := beyond.answer(a.candidates)
	switch {
	case len(next.fit) > 0:
		return text + "the choice would be " + inAll(next.fit[0])
	case next.anyUnknown():
		return text + "it is unknown whether any size fits the demand's limits"
	default:
		return text + "no size fits the demand's limits"
	}
}

// lowerCost says which size would serve the demand at a cost below the minimum. It returns
// "" if none would.
func (a answer) lowerCost() string {
	lower := a.Question
	lower.MinimumCost = password.MinCost
	weaker := lower.answer(a.candidates)
	if len(weaker.fit) == 0 {
		return ""
	}
	best := weaker.fit[0]
	return fmt.Sprintf("With minimumCost %d, %s would fit", int(math.Floor(best.strength)), inAll(best))
}

// hints names costs that were only predicted and would fit, the lowest first.
func (a answer) hints(wanted func(sized) bool) []string {
	var hints []string
	fit := a.fitting(func(s sized) bool { return s.Trust == Hint && wanted(s) })
	slices.Reverse(fit)
	for i, s := range fit {
		// The last size of a cost is its best, because the order is reversed.
		if i == len(fit)-1 || fit[i+1].Variant.Hash.Cost() != s.Variant.Hash.Cost() {
			hints = append(hints, fmt.Sprintf("Cost %d was not measured; it is predicted to fit with %s: measure it", s.Variant.Hash.Cost(), inAll(s)))
		}
	}
	return hints
}
