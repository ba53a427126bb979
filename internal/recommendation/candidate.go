package recommendation

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// Standing is what a candidate may be used for.
type Standing int

const (
	// Unusable candidates are never told of: their numbers are wrong, or not there.
	Unusable Standing = iota
	// Hint candidates were predicted for orientation; they are told of, to be measured.
	Hint
	// Doubtful candidates have a Suspect result: they answer where no Sound one is.
	Doubtful
	// Sound candidates have a Valid result, or a prediction that was checked.
	Sound
)

// Unknown says why a capacity is not known, or as a lower bound only.
type Unknown int

const (
	// ByRates means that every rate that was asked for met the objective.
	ByRates Unknown = iota
	// ByGenerator means that the generator can't drive the service to its limit.
	ByGenerator
	// BySaturation means that too few logins ended in the saturation to tell the limit.
	BySaturation
	// Undecided means that too few logins were counted to show whether any rate meets the
	// objective: not even a lower bound is known, and Capacity is 0.
	Undecided
)

// Candidate is one way to run a replica.
type Candidate struct {
	// Variant that the replica runs.
	Variant v1alpha1.Variant
	// MilliCPU is its CPU limit, in thousandths.
	MilliCPU int64
	// MemoryLimit is what a replica needs, in bytes, by what it was measured to use; 0
	// where that is not known.
	MemoryLimit int64
	// GivenMemory is the memory limit that it was measured with, in bytes.
	GivenMemory int64
	// Standing says what it may be used for.
	Standing Standing
	// Reasons why its result is not simply Valid.
	Reasons []v1alpha1.Reason
	// Predicted tells that the variant was not measured.
	Predicted bool
	// Calibrated tells that nothing but the time of a hash is known of it.
	Calibrated bool
	// Capacity is the highest rate that one replica can be relied on to serve, times
	// 1000: the lower end of where its capacity lies, at the slow speed of the CPU. 0
	// where no rate meets the objective. Sizes are made from it.
	Capacity int64
	// Found is the capacity itself at the reference speed.
	Found int64
	// Carried is the rate, times 1000, that the replicas that were measured carried
	// together at the reference speed, where their capacity is only known to be that or
	// more; 0 where it is known. Nothing beyond it, at the slow speed, is sized.
	Carried int64
	// Unknown says why no more than Carried is known.
	Unknown Unknown
	// SlowPerMille is the slow speed: the time of a hash that the CPU exceeds for a
	// tenth of the time, in thousandths of that at the reference speed; 0 counts as
	// 1000.
	SlowPerMille int64
	// Refuted tells that Capacity lies just below a rate that failed a verification.
	Refuted bool
	// Confirmed tells that steps near the capacity, and not the model alone, speak
	// for it.
	Confirmed bool
	// Respaced tells that it was measured with evenly spaced logins, and that the
	// capacity is what the model makes of logins by chance instead.
	Respaced bool
	// P95 is what the model expects of one replica at a rate, times 1000, in
	// microseconds; nil, or not ok, where it can't tell.
	P95 func(milliPerSecond int64) (micros int64, ok bool)
}

// atMost is the highest rate, times 1000, that may be sized from a lower bound, whatever
// the number of replicas.
func (c Candidate) atMost() int64 { return 1000 * c.Carried / c.slow() }

// undecided reports whether not even a lower bound of the capacity is known.
func (c Candidate) undecided() bool { return c.Unknown == Undecided }

// slow is the slow speed, or the reference where it is not known.
func (c Candidate) slow() int64 { return max(1000, c.SlowPerMille) }

// Sizing is what a variant takes to serve the question's demand; nil where no
// rate meets the objective, and where the demand is beyond a capacity that is a lower
// bound.
func (q Question) Sizing(c Candidate) *v1alpha1.Sizing {
	s := q.size(c)
	if s.replicas == 0 {
		return nil
	}
	return &v1alpha1.Sizing{
		Replicas: int32(s.replicas), TotalCPU: quantity(s.milliCPU), LoadPercent: q.loadPercent(s), Breaks: s.breaks,
	}
}

// PerMonth is what the replicas of a candidate cost that serve the demand; empty
// where that is not known.
func (q Question) PerMonth(c Candidate) string {
	if s := q.size(c); s.replicas > 0 {
		return pricing.Text(q.Tariff.PerMonth(poolOf(c.Variant), s.resources()))
	}
	return ""
}

// sized is a candidate with as many replicas as the demand takes.
type sized struct {
	Candidate
	// replicas and their CPU in all; 0 where no number of them is known to serve the
	// demand.
	replicas, milliCPU int64
	// breaks are the bounds that this size breaks, in the order they are told.
	breaks []v1alpha1.Bound
}

func (q Question) size(c Candidate) sized {
	s := sized{Candidate: c}
	unknown := c.undecided() || c.Carried > 0 && q.required() > c.atMost()
	if c.Capacity > 0 && !unknown {
		s.replicas = q.replicas(c.Capacity)
		s.milliCPU = s.replicas * c.MilliCPU
	}
	breaks := func(does bool, bound v1alpha1.Bound) {
		if does {
			s.breaks = append(s.breaks, bound)
		}
	}
	breaks(c.Capacity == 0 && !c.undecided(), v1alpha1.BoundObjective)
	breaks(q.strength(c) < float64(q.MinimumCost), v1alpha1.BoundMinimumCost)
	breaks(unknown, v1alpha1.BoundCapacityUnknown)
	breaks(q.MaxMilliCPU > 0 && s.milliCPU > q.MaxMilliCPU, v1alpha1.BoundMaxTotalCPU)
	breaks(s.replicas > q.MaxReplicas, v1alpha1.BoundMaxReplicas)
	return s
}

// Resources returns what replicas of a candidate are paid for. If its memory was not
// measured, that is the memory limit that it was given.
func (c Candidate) Resources(replicas int64) pricing.Resources {
	memory := c.MemoryLimit
	if memory == 0 {
		memory = c.GivenMemory
	}
	of := pricing.Resources{MilliCPU: replicas * c.MilliCPU, MemoryBytes: replicas * memory}
	// A size that fits no bound may have billions of replicas.
	if memory > 0 && replicas > math.MaxInt64/memory {
		of.MemoryBytes = math.MaxInt64
	}
	return of
}

func (s sized) resources() pricing.Resources { return s.Resources(s.replicas) }

// strength of a candidate's hash is the bcrypt cost at which an attacker makes as many
// guesses per second; 0 where the guesses are not known.
func (q Question) strength(c Candidate) float64 {
	cost, _ := q.Tariff.BcryptCost(c.Variant)
	return cost
}

func (s sized) fits() bool { return len(s.breaks) == 0 }

// unknown reports whether the measurement leaves open if the size serves the demand: the
// demand is beyond a capacity that is a lower bound, or nothing was decided.
func (s sized) unknown() bool { return slices.Contains(s.breaks, v1alpha1.BoundCapacityUnknown) }

// loadPercent is the demand without headroom as a share of the capacity.
func (q Question) loadPercent(s sized) int32 {
	return int32(min(100*q.MilliPerSecond/(s.replicas*s.Capacity), 100))
}

// api is the size as the status tells it.
func (q Question) api(s sized) v1alpha1.Size {
	v := s.Variant
	size := v1alpha1.Size{
		Variant: v.Name, Cost: v.Cost, CPULimit: v.CPULimit, Concurrency: &v.Concurrency, NodePool: poolOf(v), Predicted: s.Predicted,
		AttackerPricePerBillionGuesses: pricing.Text(q.Tariff.PerBillionGuesses(v)),
	}
	if v.Control != "" {
		size.Hash = matrix.Hashing(v)
	}
	if s.MemoryLimit > 0 {
		size.MemoryLimit = resource.NewQuantity(s.MemoryLimit, resource.BinarySI).String()
	}
	if s.replicas == 0 {
		return size
	}
	size.Replicas, size.TotalCPU = int32(s.replicas), quantity(s.milliCPU)
	size.CapacityMilliPerSecond = ptr.To(s.replicas * s.Capacity)
	size.LoadPercent = ptr.To(q.loadPercent(s))
	size.PricePerMonth = pricing.Text(q.Tariff.PerMonth(size.NodePool, s.resources()))
	size.PricePerMillionLogins = pricing.Text(q.Tariff.PerMillionLogins(size.NodePool, s.resources(), q.MilliPerSecond))
	return size
}

func poolOf(v v1alpha1.Variant) string {
	if v.NodePool == nil {
		return ""
	}
	return v.NodePool.Name
}

func quantity(milli int64) string {
	return resource.NewMilliQuantity(milli, resource.DecimalSI).String()
}
