package sizing

import (
	"math"
	"math/big"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Trust is how far a candidate's numbers can be trusted, in the words of verdicts.
type Trust int

const (
	// Invalid candidates are never shown: their numbers are wrong or missing.
	Invalid Trust = iota
	// Hint candidates are predictions that were not checked. They are only suggested for
	// measurement.
	Hint
	// Suspect candidates have a Suspect result. They are recommended only if no Valid
	// candidate fits.
	Suspect
	// Valid candidates have a Valid result, or a prediction that was checked.
	Valid
)

// Unknown says why a capacity is unknown, or known only as a lower bound.
type Unknown int

const (
	// ByRates means that every rate of the experiment met the objective.
	ByRates Unknown = iota
	// ByGenerator means that the generator can't drive the service to its limit.
	ByGenerator
	// BySaturation means that too few logins ended during the saturation to show the
	// limit.
	BySaturation
	// Undecided means that too few logins were counted to show whether any rate meets the
	// objective: not even a lower bound is known, and Capacity is 0.
	Undecided
)

// Candidate is one way to run a replica.
type Candidate struct {
	// Variant that the replica runs.
	Variant v1beta1.Variant
	// MilliCPU is its CPU limit, in thousandths.
	MilliCPU int64
	// MemoryLimit is the memory limit that a replica of the user's own service needs, in bytes,
	// from its measured use; 0 if that is unknown. It is always 0 for Hashmark's service, whose
	// memory says nothing about that of another program.
	MemoryLimit int64
	// GivenMemory is the memory limit that it was measured with, in bytes.
	GivenMemory int64
	// Trust says how far the candidate's numbers can be trusted.
	Trust Trust
	// Reasons why its result is not Valid without reservation.
	Reasons []v1beta1.Reason
	// Predicted reports that the variant was not measured.
	Predicted bool
	// Calibrated reports that only the hash time of the variant is known.
	Calibrated bool
	// Capacity is the highest rate that one replica reliably serves, times 1000: the lower
	// end of the capacity's interval, at the sizing speed of the CPU. It is 0 if no rate
	// meets the objective. Sizes are computed from it.
	Capacity int64
	// High is the upper end of the interval, times 1000, at the sizing speed of the CPU: what a variant that was not
	// measured can at most turn out to serve.
	High int64
	// Untimed means that its hash time is unknown, because its node pool was not calibrated.
	Untimed bool
	// Driven is the rate of one replica, times 1000, at which a decision drove it after its saturation, and Held
	// the outcome; 0 and "" without a decision.
	Driven int64
	Held   v1beta1.VerificationOutcome
	// Found is the capacity itself, times 1000, at the reference speed.
	Found int64
	// Interval around Found; nil if it is unknown.
	Interval *v1beta1.RateInterval
	// Served is the rate, times 1000, that the measured replicas served together at the
	// reference speed, if only this lower bound of their capacity is known; otherwise 0.
	// No size is computed for a demand above it, at the sizing speed.
	Served int64
	// Unknown says why no more than Served is known.
	Unknown Unknown
	// SizingPerMille is the sizing speed of the variant's node pool, in thousandths of the hash time at the
	// reference speed. It is below 1000 if the reference is slower; 0 counts as 1000.
	SizingPerMille int64
	// VerifiedPerMille is the sizing speed that counts the pod of the variant's own verification as well, in thousandths of
	// the hash time at the reference speed. It is 0 without a verification that met the objective.
	VerifiedPerMille int64
	// Refuted reports that Capacity is just below a rate that failed a verification.
	Refuted bool
	// Confirmed reports that measured steps near the capacity confirm it, not only the
	// model.
	Confirmed bool
	// EvenlySpaced reports that the variant was measured with evenly spaced logins, and that
	// the capacity is the model's for random arrivals.
	EvenlySpaced bool
	// P95 returns the model's p95 of one replica, in microseconds, at a rate times 1000.
	// It is nil, or returns false, if the model has no p95.
	P95 func(milliPerSecond int64) (micros int64, ok bool)
}

// atMost returns the highest rate, times 1000, that a lower bound shows for any number of replicas.
func (c Candidate) atMost() int64 { return 1000 * c.Served / c.slow() }

func (c Candidate) undecided() bool { return c.Unknown == Undecided }

// slow returns the sizing speed, or the reference speed if that is slower.
func (c Candidate) slow() int64 { return max(1000, c.SizingPerMille) }

// Sizing returns how many replicas of a variant serve the demand. It returns nil if no rate
// meets the objective, or if the demand is above a capacity that is a lower bound.
func (q Question) Sizing(c Candidate) *v1beta1.Sizing {
	s := q.size(c)
	if s.replicas == 0 {
		return nil
	}
	return &v1beta1.Sizing{
		Replicas: int32(s.replicas), TotalCPU: matrix.Quantity(s.milliCPU), LoadPerMille: q.loadPerMille(s), Breaks: s.breaks,
	}
}

// sized is a candidate with as many replicas as the demand requires.
type sized struct {
	Candidate
	// replicas, and their CPU in total; 0 if no number of replicas is known to serve the
	// demand.
	replicas, milliCPU int64
	// month is its exact price for a month; nil if that is unknown.
	month *big.Rat
	// strength is the bcrypt cost at which an attacker makes as many guesses per second, and rated whether these are
	// known; otherwise it is 0.
	strength float64
	rated    bool
	// breaks are the limits that this size exceeds, in the order in which they are
	// reported.
	breaks []v1beta1.Bound
}

func (q Question) size(c Candidate) sized {
	s := sized{Candidate: c}
	s.strength, s.rated = q.Tariff.BcryptCost(c.Variant)
	unknown := c.undecided() || c.Served > 0 && q.required() > c.atMost()
	if c.Capacity > 0 && !unknown {
		s.replicas = q.replicas(c.Capacity)
		s.milliCPU = s.replicas * c.MilliCPU
		s.month = q.Tariff.PerMonth(speed.NodePool(c.Variant), c.Resources(s.replicas))
	}
	breaks := func(broken bool, bound v1beta1.Bound) {
		if broken {
			s.breaks = append(s.breaks, bound)
		}
	}
	breaks(c.Capacity == 0 && !c.undecided(), v1beta1.BoundObjective)
	breaks(!q.acceptable(s), v1beta1.BoundMinimumCost)
	breaks(unknown, v1beta1.BoundCapacityUnknown)
	breaks(q.MaxMilliCPU > 0 && s.milliCPU > q.MaxMilliCPU, v1beta1.BoundMaxTotalCPU)
	breaks(s.replicas > q.MaxReplicas, v1beta1.BoundMaxReplicas)
	return s
}

// Resources returns the CPU and memory for which replicas of a candidate are paid. If no
// memory limit is recommended, it takes that of the measurement.
func (c Candidate) Resources(replicas int64) pricing.Resources {
	memory := c.MemoryLimit
	if memory == 0 {
		memory = c.GivenMemory
	}
	resources := pricing.Resources{MilliCPU: replicas * c.MilliCPU, MemoryBytes: replicas * memory}
	// A size that exceeds every limit can have billions of replicas.
	if memory > 0 && replicas > math.MaxInt64/memory {
		resources.MemoryBytes = math.MaxInt64
	}
	return resources
}

// acceptable reports whether a hash is at least as strong as the minimum, which is not known of the only hash if that is
// not rated.
func (q Question) acceptable(s sized) bool {
	return s.strength >= float64(q.MinimumCost) || !s.rated && q.OneHash
}

func (s sized) fits() bool { return len(s.breaks) == 0 }

// unknown reports whether the measurement does not show if the size serves the demand: the
// demand is above a capacity that is a lower bound, or nothing was decided.
func (s sized) unknown() bool { return slices.Contains(s.breaks, v1beta1.BoundCapacityUnknown) }

func (q Question) loadPerMille(s sized) int64 {
	return min(1000*q.MilliPerSecond/(s.replicas*s.Capacity), 1000)
}

func (q Question) api(s sized) v1beta1.Size {
	v := s.Variant
	size := v1beta1.Size{
		Variant: v.Name, Cost: v.Hash.Cost(), CPULimit: v.CPULimit, Concurrency: &v.Concurrency, NodePool: speed.NodePool(v), Predicted: s.Predicted,
		AttackerPricePerBillionGuesses: pricing.Text(q.Tariff.PerBillionGuesses(v)),
	}
	if v.Hash.Bcrypt == nil {
		size.Hash = matrix.Hashing(v)
	}
	if s.MemoryLimit > 0 {
		size.MemoryLimit = resource.NewQuantity(s.MemoryLimit, resource.BinarySI).String()
	}
	if s.replicas == 0 {
		return size
	}
	size.Replicas, size.TotalCPU = int32(s.replicas), matrix.Quantity(s.milliCPU)
	size.CapacityMilliPerSecond = ptr.To(s.replicas * s.Capacity)
	size.LoadPerMille = ptr.To(q.loadPerMille(s))
	size.PricePerMonth = pricing.Text(s.month)
	size.PricePerMillionLogins = pricing.Text(q.Tariff.PerMillionLogins(size.NodePool, s.Resources(s.replicas), q.MilliPerSecond))
	return size
}
