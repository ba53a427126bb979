package sizing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// mostReason and mostChange are the API's limits in characters.
	mostReason, mostChange = 2048, 512

	noResult = "No variant that can be recommended has a Valid or Suspect result; look at the reasons in status.results, and measure again"
)

// reason explains in three sentences why this size was chosen, how much it can serve, and how
// certain that is. It repeats nothing else that the status has as a field.
func (a answer) reason(best sized, sure certainty) string {
	return strings.Join([]string{
		a.strongest(best),
		fmt.Sprintf("%s %s the objective %sup to %s%s; %s is %d %% of that",
			units.Capital(inAll(best)), verb(best.replicas, "meets", "meet"), best.orMore(),
			perSecond(best.replicas*best.Capacity), best.reliedOn(), perSecond(a.MilliPerSecond), a.loadPercent(best)),
		fmt.Sprintf("Confidence is %s: %s", sure.level, sure.why),
	}, ". ")
}

// strongest returns a sentence that says that the size has the strongest hash that serves
// the demand.
func (a answer) strongest(best sized) string {
	if !a.others() {
		return fmt.Sprintf("Cost %d is the highest in the matrix that %s %s%s", best.Variant.Cost, a.isKnownTo("can serve"), a.demanded(), a.within())
	}
	text := fmt.Sprintf("Of the allowed hashes, %s is the strongest that %s %s%s", best.named(), a.isKnownTo("can serve"), a.demanded(), a.within())
	if best.Variant.Control != "" {
		text += ": it costs an attacker as much as bcrypt at cost " + asCost(a.strength(best.Candidate))
	}
	return text
}

// hash returns the name of a candidate's hash for the beginning of a sentence: Cost 10,
// or Argon2id m=19456 t=2 p=1.
func (c Candidate) hash() string {
	if c.Variant.Control != "" {
		return units.Capital(matrix.Hashing(c.Variant))
	}
	return fmt.Sprintf("Cost %d", c.Variant.Cost)
}

// key identifies a hash. Controls with the same hash have different keys, because their
// attacker rates can differ.
func (c Candidate) key() string { return c.Variant.Control + " " + c.hash() }

// named returns the name of a candidate's hash for a sentence with several algorithms.
func (c Candidate) named() string {
	if c.Variant.Control != "" {
		return matrix.Hashing(c.Variant)
	}
	return fmt.Sprintf("bcrypt at cost %d", c.Variant.Cost)
}

// reliedOn explains why the capacity that sizes are computed from is less than the one
// that was found. It returns "" if it is not less.
func (s sized) reliedOn() string {
	if s.Found <= s.Capacity {
		return ""
	}
	text := fmt.Sprintf("its capacity of %s", perSecond(s.replicas*s.Found))
	if s.Refuted {
		return " (" + text + " did not hold in a verification)"
	}
	if s.lowerEnd() {
		interval := "the lower end of the interval"
		if s.Interval != nil {
			interval += fmt.Sprintf(" from %s to %s", perSecond(s.replicas*s.Interval.LowMilliPerSecond), perSecond(s.replicas*s.Interval.HighMilliPerSecond))
		}
		text = interval + " around " + text
	}
	if s.SlowPerMille > 1000 {
		text += fmt.Sprintf(", reduced because for a tenth of the time its CPU takes at least %s %% longer per hash than usual", units.Number(float64(s.SlowPerMille-1000)/10))
	}
	return " (" + text + ")"
}

// lowerEnd reports whether the capacity is less than the one that was found for another
// reason than the slow speed. Rounding takes off at most two thousandths.
func (s sized) lowerEnd() bool {
	return s.Found-s.Capacity*max(1000, s.SlowPerMille)/1000 > 2
}

// noneReason says which limit was exceeded first, and which size is nearest.
func (a answer) noneReason(nearest sized) string {
	switch {
	case nearest.breaks[0] == v1alpha1.BoundCapacityUnknown:
		return fmt.Sprintf("It is unknown whether any size serves %s %s. The nearest is %s, which %s. %s",
			a.demanded(), a.acceptable(), nearest.Variant.Name, nearest.atLeast(), a.suggest(nearest))
	case nearest.Capacity == 0 && nearest.Found > 0:
		return fmt.Sprintf("No variant is certain to meet the objective at any rate, so none can be recommended for %s. The nearest is %s with a capacity of %s per replica, but the interval of that begins at 0. Relax the objective, or measure with a larger load.minSamples or more repetitions",
			a.demanded(), nearest.Variant.Name, perSecond(nearest.Found))
	case nearest.Capacity == 0 && !nearest.undecided():
		return fmt.Sprintf("No variant meets the objective at any rate, so none can serve %s. The nearest is %s. Relax the objective, or measure lower costs or larger CPU limits",
			a.demanded(), nearest.Variant.Name)
	}
	return fmt.Sprintf("No size %s %s %s%s. The nearest is %s, which %s%s",
		a.isKnownTo("serves"), a.demanded(), a.acceptable(), a.within(), inAll(nearest), a.breaks(nearest), a.measureAgain())
}

// atLeast says what is known about a capacity that is a lower bound or unknown, as the
// end of a sentence about the variant.
func (s sized) atLeast() string {
	carried := perSecond(s.Served)
	if s.SlowPerMille > 1000 {
		carried += fmt.Sprintf(" (%s at the slow speed of its CPU)", perSecond(s.atMost()))
	}
	switch s.Unknown {
	case ByGenerator:
		return fmt.Sprintf("met the objective up to %s, but its generator can't drive more", carried)
	case BySaturation:
		return fmt.Sprintf("met the objective up to %s, but too few logins ended during its saturation to show how much more it can serve", carried)
	case Undecided:
		return "answered too few logins to show whether it meets the objective"
	default:
		return fmt.Sprintf("met the objective at every measured rate, up to %s", carried)
	}
}

// orMore returns "at least " if the capacity is a lower bound.
func (s sized) orMore() string {
	if s.Served > 0 {
		return "at least "
	}
	return ""
}

// suggest returns a sentence that names an experiment to run when only a lower bound of
// the capacity is known.
func (a answer) suggest(s sized) string {
	switch s.Unknown {
	case ByGenerator:
		return "To find out, run an experiment with a larger generator.cpuLimit"
	case BySaturation:
		return "To find out, run an experiment with a larger load.maxStepSeconds"
	case Undecided:
		return "To find out, run an experiment with a larger load.minSamples and load.maxStepSeconds"
	default:
		return fmt.Sprintf("To find out, run an experiment with load.mode: Capacity, or with load.ratesPerSecond up to %s", perSecond(ceil(a.required()*s.slow(), 1000)))
	}
}

// anyUnknown reports whether some acceptable candidate might serve the demand, but that is
// unknown.
func (a answer) anyUnknown() bool {
	return len(a.unusable()) > 0 || slices.ContainsFunc(a.candidates, func(c Candidate) bool {
		return c.Trust >= Suspect && a.strength(c) >= float64(a.MinimumCost) && a.Question.size(c).unknown()
	})
}

// unusable returns the names of the acceptable candidates that have no usable result.
func (a answer) unusable() []string {
	var names []string
	for _, c := range a.candidates {
		if c.Trust == Invalid && a.strength(c) >= float64(a.MinimumCost) {
			names = append(names, c.Variant.Name)
		}
	}
	slices.Sort(names)
	return names
}

// measureAgain is a sentence about the acceptable candidates without a usable result, or "".
func (a answer) measureAgain() string {
	names := a.unusable()
	switch len(names) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf(". %s has no usable result and might serve it: see its reasons, and measure it again", names[0])
	default:
		return fmt.Sprintf(". %s have no usable result and might serve it: see their reasons, and measure them again", strings.Join(names, ", "))
	}
}

// isKnownTo returns "is known to serve" if candidates that are unknown might serve the
// demand too, and otherwise the given phrase.
func (a answer) isKnownTo(otherwise string) string {
	if a.anyUnknown() {
		return "is known to serve"
	}
	return otherwise
}

// demanded returns text such as "5/s with 30 % headroom (6.5/s) and 5/s with one replica
// down".
func (a answer) demanded() string {
	text := perSecond(a.MilliPerSecond)
	if a.HeadroomPercent > 0 {
		text = fmt.Sprintf("%s with %d %% headroom (%s)", text, a.HeadroomPercent, perSecond(a.required()))
	}
	if a.Survive > 0 {
		text += fmt.Sprintf(" and %s with %s down", perSecond(a.MilliPerSecond), fewReplicas(a.Survive))
	}
	return text
}

// fewReplicas returns text such as "one replica" or "two replicas".
func fewReplicas(n int64) string {
	word := fmt.Sprint(n)
	if words := []string{"no", "one", "two", "three"}; n < int64(len(words)) {
		word = words[n]
	}
	return word + verb(n, " replica", " replicas")
}

// within names the limits of the demand. It returns "" if there are none.
func (a answer) within() string {
	var bounds []string
	if a.MaxMilliCPU > 0 {
		bounds = append(bounds, cpus(a.MaxMilliCPU))
	}
	if a.MaxReplicas < mostReplicas {
		bounds = append(bounds, fmt.Sprintf("%d %s", a.MaxReplicas, verb(a.MaxReplicas, "replica", "replicas")))
	}
	if len(bounds) == 0 {
		return ""
	}
	return " within " + strings.Join(bounds, " and ")
}

// breaks says which limits a size exceeds and by how much, as the end of a sentence about
// the size.
func (q Question) breaks(s sized) string {
	var broken []string
	for _, bound := range s.breaks {
		switch bound {
		case v1alpha1.BoundObjective:
			broken = append(broken, "meets the objective at no rate")
		case v1alpha1.BoundMinimumCost:
			broken = append(broken, q.tooWeak(s))
		case v1alpha1.BoundCapacityUnknown:
			broken = append(broken, s.atLeast())
		case v1alpha1.BoundMaxTotalCPU:
			broken = append(broken, fmt.Sprintf("needs %s more than maxTotalCPU %s", cpus(s.milliCPU-q.MaxMilliCPU), quantity(q.MaxMilliCPU)))
		case v1alpha1.BoundMaxReplicas:
			broken = append(broken, fmt.Sprintf("needs %d %s more than maxReplicas %d", s.replicas-q.MaxReplicas, verb(s.replicas-q.MaxReplicas, "replica", "replicas"), q.MaxReplicas))
		}
	}
	return strings.Join(broken, " and ")
}

// tooWeak says that a hash is below the minimum, as the end of a sentence about the size.
func (q Question) tooWeak(s sized) string {
	if s.Variant.Control == "" {
		return fmt.Sprintf("has a cost below minimumCost %d", q.MinimumCost)
	}
	return fmt.Sprintf("costs an attacker as much as bcrypt at cost %s, below minimumCost %d", asCost(q.strength(s.Candidate)), q.MinimumCost)
}

// asCost formats a strength as a bcrypt cost, such as 10 or 9.4.
func asCost(strength float64) string {
	return strconv.FormatFloat(math.Round(10*strength)/10, 'f', -1, 64)
}

// acceptable returns text such as "at cost 10 or more", or "with a hash at least as strong
// as bcrypt at cost 10".
func (a answer) acceptable() string {
	if a.others() {
		return fmt.Sprintf("with a hash at least as strong as bcrypt at cost %d", a.MinimumCost)
	}
	return fmt.Sprintf("at cost %d or more", a.MinimumCost)
}

// inAll returns text such as "3 replicas of c10-500m (1.5 CPUs in all)". It returns only
// the variant's name if the number of replicas is unknown.
func inAll(s sized) string {
	if s.replicas == 0 {
		return s.Variant.Name
	}
	return fmt.Sprintf("%s (%s in all)", replicas(s), cpus(s.milliCPU))
}

// cpus returns text such as "500m CPU", "1 CPU" or "4.9 CPUs": less than a CPU is written
// like a limit, and more than one as a number.
func cpus(milli int64) string {
	switch {
	case milli < 1000:
		return quantity(milli) + " CPU"
	case milli == 1000:
		return "1 CPU"
	default:
		return units.Number(float64(milli)/1000) + " CPUs"
	}
}

// replicas returns text such as "3 replicas of c10-500m".
func replicas(s sized) string {
	return fmt.Sprintf("%d %s of %s", s.replicas, verb(s.replicas, "replica", "replicas"), s.Variant.Name)
}

func verb(n int64, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

func perSecond(milli int64) string { return units.Rate(&milli) }
