package sizing

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// mostReason and mostChange are the API's limits in characters.
	mostReason, mostChange = 2048, 512

	noResult = "No variant that can be recommended has a Valid or Suspect result; look at the reasons in status.results, and measure again"
)

// strongest says that the size has the strongest hash that serves the demand, or the only one.
func (a answer) strongest(best sized) string {
	can := a.isKnownTo("can serve")
	if a.OneHash && best.Variant.Hash.Bcrypt == nil {
		text := fmt.Sprintf("The best size that %s %s%s is %s", can, a.demanded(), a.within(), inAll(best))
		if best.rated {
			return text + ". Its hash costs an attacker as much as bcrypt at cost " + asCost(best.strength)
		}
		return text + ". The strength of its hash is unknown, so minimumCost was not checked"
	}
	if !a.others() {
		return fmt.Sprintf("Cost %d is the highest in the matrix that %s %s%s", best.Variant.Hash.Cost(), can, a.demanded(), a.within())
	}
	text := fmt.Sprintf("Of the allowed hashes, %s is the strongest that %s %s%s", matrix.Hashing(best.Variant), can, a.demanded(), a.within())
	if best.Variant.Hash.Bcrypt == nil {
		text += ": it costs an attacker as much as bcrypt at cost " + asCost(best.strength)
	}
	return text
}

// serves says how much the size can serve.
func (a answer) serves(best sized) string {
	meets, atLeast := "meet", ""
	if best.replicas == 1 {
		meets = "meets"
	}
	if best.Served > 0 {
		atLeast = "at least "
	}
	return fmt.Sprintf("%s %s the objective %sup to %s%s; %s is %s of that", units.Capital(inAll(best)), meets, atLeast,
		perSecond(best.replicas*best.Capacity), best.reliedOn(), perSecond(a.MilliPerSecond), units.Share(ptr.To(a.loadPerMille(best))))
}

func (c Candidate) suspect() string {
	return fmt.Sprintf("Suspect (%s)", strings.Join(results.Causes(c.Reasons), ", "))
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
	// Rounding takes off at most two thousandths.
	if s.Found-s.Capacity*s.slow()/1000 > 2 {
		interval := "the lower end of the interval"
		if s.Interval != nil {
			interval += fmt.Sprintf(" from %s to %s", perSecond(s.replicas*s.Interval.LowMilliPerSecond), perSecond(s.replicas*s.Interval.HighMilliPerSecond))
		}
		text = interval + " around " + text
	}
	if s.SizingPerMille > 1000 {
		text += fmt.Sprintf(", reduced because a pod can take %s %% longer per hash, when its CPU is slow or another pod is slower", units.Number(float64(s.SizingPerMille-1000)/10))
	}
	return " (" + text + ")"
}

func (a answer) noneReason(nearest sized) string {
	switch {
	case nearest.breaks[0] == v1beta1.BoundCapacityUnknown:
		known, advice := a.lowerBound(nearest)
		return fmt.Sprintf("It is unknown whether any size serves %s%s. The nearest is %s, which %s. %s",
			a.demanded(), a.minimum(), nearest.Variant.Name, known, advice)
	case nearest.Capacity == 0 && nearest.Found > 0:
		return fmt.Sprintf("No variant is certain to meet the objective at any rate, so none can be recommended for %s. The nearest is %s with a capacity of %s per replica, but the interval of that begins at 0. Relax the objective, or measure with a larger load.capacity.minSamples or more repetitions",
			a.demanded(), nearest.Variant.Name, perSecond(nearest.Found))
	case nearest.Capacity == 0 && !nearest.undecided():
		return fmt.Sprintf("No variant meets the objective at any rate, so none can serve %s. The nearest is %s. Relax the objective, or measure lower costs or larger CPU limits",
			a.demanded(), nearest.Variant.Name)
	}
	return fmt.Sprintf("No size %s %s%s%s. The nearest is %s, which %s%s",
		a.isKnownTo("serves"), a.demanded(), a.minimum(), a.within(), inAll(nearest), a.breaks(nearest), a.measureAgain())
}

// lowerBound says what is known about a capacity that is a lower bound or unknown, and gives advice.
func (q Question) lowerBound(s sized) (known, advice string) {
	served := perSecond(s.Served)
	if s.SizingPerMille > 1000 {
		served += fmt.Sprintf(" (%s at the sizing speed of its CPU)", perSecond(s.atMost()))
	}
	const find = "To find out, run an experiment with "
	switch s.Unknown {
	case ByGenerator:
		return "met the objective up to " + served + ", but its generator can't drive more", find + "a larger generator.cpuLimit"
	case BySaturation:
		return "met the objective up to " + served + ", but too few logins ended during its saturation to show how much more it can serve",
			find + "a larger load.capacity.maxStepSeconds"
	case Undecided:
		return "answered too few logins to show whether it meets the objective", find + "a larger load.capacity.minSamples and load.capacity.maxStepSeconds"
	default:
		return "met the objective at every measured rate, up to " + served,
			find + "load.capacity, or with load.rates up to " + perSecond(ceil(q.required()*s.slow(), 1000))
	}
}

// anyUnknown reports whether it is unknown if some acceptable candidate serves the demand.
func (a answer) anyUnknown() bool {
	return len(a.unusable()) > 0 || slices.ContainsFunc(a.sizes, func(s sized) bool {
		return s.Trust >= Suspect && a.acceptable(s) && s.unknown()
	})
}

// unusable returns the names of the acceptable candidates without a usable result.
func (a answer) unusable() []string {
	var names []string
	for _, s := range a.sizes {
		if s.Trust == Invalid && a.acceptable(s) {
			names = append(names, s.Variant.Name)
		}
	}
	slices.Sort(names)
	return names
}

func (a answer) measureAgain() string {
	names := a.unusable()
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(". Variants without a usable result might serve it: %s; see the reasons in status.results, and measure again", strings.Join(names, ", "))
}

// isKnownTo returns another phrase than the given one if candidates that are unknown might serve the demand.
func (a answer) isKnownTo(otherwise string) string {
	if a.anyUnknown() {
		return "is known to serve"
	}
	return otherwise
}

// demanded returns text such as "5/s with 30 % headroom (6.5/s) and 5/s with 1 replica down".
func (a answer) demanded() string {
	text := perSecond(a.MilliPerSecond)
	if a.HeadroomPercent > 0 {
		text = fmt.Sprintf("%s with %d %% headroom (%s)", text, a.HeadroomPercent, perSecond(a.required()))
	}
	if a.Survive > 0 {
		text += fmt.Sprintf(" and %s with %s down", perSecond(a.MilliPerSecond), units.Count(a.Survive, "replica"))
	}
	return text
}

func (a answer) within() string {
	var bounds []string
	if a.MaxMilliCPU > 0 {
		bounds = append(bounds, cpus(a.MaxMilliCPU))
	}
	if a.MaxReplicas < mostReplicas {
		bounds = append(bounds, units.Count(a.MaxReplicas, "replica"))
	}
	if len(bounds) == 0 {
		return ""
	}
	return " within " + strings.Join(bounds, " and ")
}

// breaks says which limits a size exceeds and by how much.
func (q Question) breaks(s sized) string {
	var broken []string
	for _, bound := range s.breaks {
		switch bound {
		case v1beta1.BoundObjective:
			broken = append(broken, "meets the objective at no rate")
		case v1beta1.BoundMinimumCost:
			broken = append(broken, q.tooWeak(s))
		case v1beta1.BoundCapacityUnknown:
			known, _ := q.lowerBound(s)
			broken = append(broken, known)
		case v1beta1.BoundMaxTotalCPU:
			broken = append(broken, fmt.Sprintf("needs %s more than maxTotalCPU %s", cpus(s.milliCPU-q.MaxMilliCPU), matrix.Quantity(q.MaxMilliCPU)))
		case v1beta1.BoundMaxReplicas:
			broken = append(broken, fmt.Sprintf("needs %s more than maxReplicas %d", units.Count(s.replicas-q.MaxReplicas, "replica"), q.MaxReplicas))
		}
	}
	return strings.Join(broken, " and ")
}

func (q Question) tooWeak(s sized) string {
	if s.Variant.Hash.Bcrypt != nil {
		return fmt.Sprintf("has a cost below minimumCost %d", q.MinimumCost)
	}
	return fmt.Sprintf("costs an attacker as much as bcrypt at cost %s, below minimumCost %d", asCost(s.strength), q.MinimumCost)
}

func asCost(strength float64) string {
	return strconv.FormatFloat(math.Round(10*strength)/10, 'f', -1, 64)
}

// minimum says which hashes are strong enough, after a space.
func (a answer) minimum() string {
	if a.OneHash && !slices.ContainsFunc(a.sizes, func(s sized) bool { return s.rated }) {
		return ""
	}
	if a.others() || a.OneHash && !slices.ContainsFunc(a.sizes, func(s sized) bool { return s.Variant.Hash.Bcrypt != nil }) {
		return fmt.Sprintf(" with a hash at least as strong as bcrypt at cost %d", a.MinimumCost)
	}
	return fmt.Sprintf(" at cost %d or more", a.MinimumCost)
}

// inAll returns text such as "3 replicas of c10-500m (1.5 CPUs in all)".
func inAll(s sized) string {
	if s.replicas == 0 {
		return s.Variant.Name
	}
	return fmt.Sprintf("%s of %s (%s in all)", units.Count(s.replicas, "replica"), s.Variant.Name, cpus(s.milliCPU))
}

// cpus returns text such as "500m CPU", "1 CPU" or "4.9 CPUs".
func cpus(milli int64) string {
	switch {
	case milli < 1000:
		return matrix.Quantity(milli) + " CPU"
	case milli == 1000:
		return "1 CPU"
	default:
		return units.Number(float64(milli)/1000) + " CPUs"
	}
}

func perSecond(milli int64) string { return units.Rate(&milli) }
