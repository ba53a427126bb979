package recommendation

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
	// mostReason and mostChange are the API's bounds in characters.
	mostReason, mostChange = 2048, 512

	noResult = "No variant that may be recommended has a result that may be believed, so that nothing can be recommended; look at the reasons in status.results, and measure again"
)

// reason says why this size, how its replicas share the load, and how sure that is.
func (a answer) reason(best sized, told *v1alpha1.Recommendation, sure certainty) string {
	sentences := []string{
		a.strongest(best),
		fmt.Sprintf("%s %s the objective %sup to %s%s, so that %s is %d %% of that",
			capital(inAll(best)), verb(best.replicas, "meets", "meet"), best.orMore(),
			perSecond(best.replicas*best.Capacity), best.reliedOn(), perSecond(a.MilliPerSecond), a.loadPercent(best)),
	}
	if a.Survive > 0 {
		left := best.replicas - a.Survive
		sentences = append(sentences, fmt.Sprintf("With %s down, the other %s %s within the objective, at %d %% of what %s",
			fewReplicas(a.Survive), leftServe(left), perSecond(a.MilliPerSecond), 100*a.MilliPerSecond/(left*best.Capacity), verb(left, "it can serve", "they can serve")))
	}
	if told.P95Microseconds != nil {
		sentences = append(sentences, fmt.Sprintf("At %s the model expects a p95 of %s", perSecond(a.MilliPerSecond), units.Latency(told.P95Microseconds)))
	}
	sentences = append(sentences, a.cheapest(best)...)
	if best.replicas > 1 {
		sentences = append(sentences, fmt.Sprintf(
			"A Service sends each connection to one of the %d by chance: each replica then sees independent logins at %s, p95 is that of one replica at this rate, and nothing is gained by pooling; connections that are kept alive share the load less evenly",
			best.replicas, perSecond(a.MilliPerSecond/best.replicas)))
	}
	if failures := a.failures(); failures != "" {
		sentences = append(sentences, "This is the second answer: "+failures)
	}
	sentences = append(sentences, fmt.Sprintf("Confidence is %s: %s", sure.level, sure.why))
	return strings.Join(sentences, ". ")
}

// strongest says that the size has the strongest hash that serves the demand.
func (a answer) strongest(best sized) string {
	if !a.others() {
		return fmt.Sprintf("Of the matrix's costs, %d is the highest that %s %s%s", best.Variant.Cost, a.isKnownTo("can serve"), a.demanded(), a.within())
	}
	text := fmt.Sprintf("Of the hashes that may be chosen, %s costs an attacker most of those that %s %s%s", best.named(), a.isKnownTo("can serve"), a.demanded(), a.within())
	if best.Variant.Control != "" {
		text += ": as much as bcrypt at cost " + asCost(a.strength(best.Candidate))
	}
	return text
}

// hash names what a candidate hashes with, at the beginning of a sentence: Cost 10, or
// Argon2id m=19456 t=2 p=1.
func (c Candidate) hash() string {
	if c.Variant.Control != "" {
		return capital(matrix.Hashing(c.Variant))
	}
	return fmt.Sprintf("Cost %d", c.Variant.Cost)
}

// key tells hashes apart, and controls of the same hash, which may have other rates.
func (c Candidate) key() string { return c.Variant.Control + " " + c.hash() }

// named is the same inside a sentence that names several algorithms.
func (c Candidate) named() string {
	if c.Variant.Control != "" {
		return matrix.Hashing(c.Variant)
	}
	return fmt.Sprintf("bcrypt at cost %d", c.Variant.Cost)
}

// reliedOn says in which way the capacity that sizes are made from is less than the
// one that was found; nothing where it is not.
func (s sized) reliedOn() string {
	if s.Found <= s.Capacity {
		return ""
	}
	text := fmt.Sprintf("its capacity of %s", perSecond(s.replicas*s.Found))
	if s.Refuted {
		return " (" + text + ", that was measured, was not seen to hold)"
	}
	if s.lowerEnd() {
		text = "the lower end of " + text
	}
	if s.SlowPerMille > 1000 {
		text += fmt.Sprintf(", at the slow speed of its CPU, which needs %s %% more time per hash than usual for a tenth of the time", units.Number(float64(s.SlowPerMille-1000)/10))
	}
	return " (" + text + ")"
}

// lowerEnd tells whether more than the slow speed makes the capacity less than the
// one that was found: rounding takes off two thousandths at the most.
func (s sized) lowerEnd() bool {
	return s.Found-s.Capacity*max(1000, s.SlowPerMille)/1000 > 2
}

// cheapest says by what the size was chosen among those of its hash, and what it
// costs, to those who serve logins and to those who guess.
func (a answer) cheapest(best sized) []string {
	same, hash := 0, "cost"
	for _, s := range a.fit {
		if s.key() == best.key() {
			same++
		}
	}
	if best.Variant.Control != "" {
		hash = "hash"
	}
	size := a.api(best)
	by := "takes the least CPU"
	if size.PricePerMonth != "" {
		by = "is the cheapest"
	}
	var told []string
	if same > 1 {
		told = append(told, fmt.Sprintf("Of %d sizes with this %s that fit, it %s", same, hash, by))
	}
	currency := a.Tariff.Currency()
	if size.PricePerMonth != "" {
		told = append(told, fmt.Sprintf("It costs %s %s a month, which at %s is %s %s for a million logins",
			size.PricePerMonth, currency, perSecond(a.MilliPerSecond), size.PricePerMillionLogins, currency))
	}
	if size.AttackerPricePerBillionGuesses != "" {
		told = append(told, fmt.Sprintf("A billion guesses at this %s take an attacker %s %s", hash, size.AttackerPricePerBillionGuesses, currency))
	}
	return told
}

// noneReason says which bound broke first, and what comes nearest.
func (a answer) noneReason(nearest sized) string {
	switch {
	case nearest.breaks[0] == v1alpha1.BoundCapacityUnknown:
		return fmt.Sprintf("Whether anything serves %s %s is not known: %s comes nearest, and %s. %s",
			a.demanded(), a.acceptable(), nearest.Variant.Name, nearest.atLeast(), a.suggest(nearest))
	case nearest.Capacity == 0 && nearest.Found > 0:
		return fmt.Sprintf("No variant is sure to meet the objective at any rate, so that none can be relied on to serve %s; %s comes nearest, with a capacity of %s a replica whose interval begins at 0. Relax the objective, or measure with more load.minSamples or repetitions",
			a.demanded(), nearest.Variant.Name, perSecond(nearest.Found))
	case nearest.Capacity == 0 && !nearest.undecided():
		return fmt.Sprintf("No variant meets the objective at any rate, so that none can serve %s; %s comes nearest. Relax the objective, or measure lower costs or larger CPU limits",
			a.demanded(), nearest.Variant.Name)
	}
	return fmt.Sprintf("Nothing %s %s %s%s. Nearest comes %s, which %s",
		a.isKnownTo("serves"), a.demanded(), a.acceptable(), a.within(), inAll(nearest), a.breaks(nearest))
}

// atLeast says what is known of a capacity that is a lower bound, or that is not known.
func (s sized) atLeast() string {
	carried := perSecond(s.Carried)
	if s.SlowPerMille > 1000 {
		carried += fmt.Sprintf(" (%s at the slow speed of its CPU)", perSecond(s.atMost()))
	}
	switch s.Unknown {
	case ByGenerator:
		return fmt.Sprintf("met the objective up to %s, and its generator can't drive more", carried)
	case BySaturation:
		return fmt.Sprintf("met the objective up to %s, and too few logins ended in its saturation to tell how much more it can serve", carried)
	case Undecided:
		return "answered too few logins to show whether it meets the objective"
	default:
		return fmt.Sprintf("met the objective at every rate that was measured, up to %s", carried)
	}
}

// orMore marks a capacity that is a lower bound.
func (s sized) orMore() string {
	if s.Carried > 0 {
		return "at least "
	}
	return ""
}

// suggest returns a sentence that names an experiment to run when only a lower bound of
// the capacity is known.
func (a answer) suggest(s sized) string {
	switch s.Unknown {
	case ByGenerator:
		return "An experiment with a larger generator.cpuLimit would tell"
	case BySaturation:
		return "An experiment with a longer load.maxStepSeconds would tell"
	case Undecided:
		return "An experiment with more load.minSamples and a longer load.maxStepSeconds would tell"
	default:
		return fmt.Sprintf("An experiment with load.mode: Capacity would tell, or one with load.ratesPerSecond up to %s", perSecond(ceil(a.required()*s.slow(), 1000)))
	}
}

// anyUnknown tells whether it is not known of some acceptable candidate whether it
// serves the demand.
func (a answer) anyUnknown() bool {
	return slices.ContainsFunc(a.candidates, func(c Candidate) bool {
		return c.Standing >= Doubtful && a.strength(c) >= float64(a.MinimumCost) && a.Question.size(c).unknown()
	})
}

// isKnownTo claims no more than is known of all candidates.
func (a answer) isKnownTo(otherwise string) string {
	if a.anyUnknown() {
		return "is known to serve"
	}
	return otherwise
}

// demanded reads 5/s with 30 % headroom (6.5/s), and with one replica down.
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

// fewReplicas reads one replica, two replicas.
func fewReplicas(n int64) string {
	word := fmt.Sprint(n)
	if words := []string{"no", "one", "two", "three"}; n < int64(len(words)) {
		word = words[n]
	}
	return word + verb(n, " replica", " replicas")
}

// leftServe reads 2 serve, or 1 serves.
func leftServe(n int64) string { return fmt.Sprintf("%d %s", n, verb(n, "serves", "serve")) }

// within names the bounds that were set; empty where none was.
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

// breaks says of a size which bounds it breaks, and by how much.
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
			broken = append(broken, fmt.Sprintf("takes %s more than maxTotalCPU %s", cpus(s.milliCPU-q.MaxMilliCPU), quantity(q.MaxMilliCPU)))
		case v1alpha1.BoundMaxReplicas:
			broken = append(broken, fmt.Sprintf("takes %d %s more than maxReplicas %d", s.replicas-q.MaxReplicas, verb(s.replicas-q.MaxReplicas, "replica", "replicas"), q.MaxReplicas))
		}
	}
	return strings.Join(broken, " and ")
}

// tooWeak says by how much a hash is below the minimum.
func (q Question) tooWeak(s sized) string {
	if s.Variant.Control == "" {
		return fmt.Sprintf("has a cost below minimumCost %d", q.MinimumCost)
	}
	return fmt.Sprintf("costs an attacker as much as bcrypt at cost %s, below minimumCost %d", asCost(q.strength(s.Candidate)), q.MinimumCost)
}

// asCost reads 10, or 9.4.
func asCost(strength float64) string {
	return strconv.FormatFloat(math.Round(10*strength)/10, 'f', -1, 64)
}

// acceptable reads at cost 10 or more, or with a hash as strong as bcrypt at cost 10.
func (a answer) acceptable() string {
	if a.others() {
		return fmt.Sprintf("with a hash as strong as bcrypt at cost %d", a.MinimumCost)
	}
	return fmt.Sprintf("at cost %d or more", a.MinimumCost)
}

// inAll reads 3 replicas of c10-500m (1.5 CPUs in all), or c10-500m where it is not
// known how many it takes.
func inAll(s sized) string {
	if s.replicas == 0 {
		return s.Variant.Name
	}
	return fmt.Sprintf("%s (%s in all)", replicas(s), cpus(s.milliCPU))
}

// cpus reads 500m CPU, 1 CPU, 4.9 CPUs: parts of a CPU as limits are written, and
// more of them as people count.
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

// replicas reads 3 replicas of c10-500m.
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

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// Clip shortens a text to a number of characters.
func Clip(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}
