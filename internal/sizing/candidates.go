package sizing

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

const milli = 1000

// trust returns how far a result with a verdict can be trusted.
func trust(verdict v1alpha1.Verdict) Trust {
	switch verdict {
	case v1alpha1.VerdictValid:
		return Valid
	case v1alpha1.VerdictSuspect:
		return Suspect
	default:
		return Invalid
	}
}

// rowCandidate returns one replica of a row's variant as a candidate, with the row's
// capacity.
func (t *table) rowCandidate(row *v1alpha1.VariantResult) Candidate {
	c := t.candidate(t.variant(row.Variant))
	c.Trust, c.Reasons = trust(row.Verdict), row.Reasons
	if row.MemoryPeakBytes != nil {
		c.MemoryLimit = memoryLimit(c.Variant, *row.MemoryPeakBytes)
	}
	c.Confirmed = row.CapacityMethod == v1alpha1.CapacityBoth || row.CapacityMethod == v1alpha1.CapacityMeasured
	t.setCapacity(&c, row.CapacityMilliPerSecond, row.CapacityInterval)
	switch {
	case row.CapacityMilliPerSecond == nil && row.ObjectiveMet == nil:
		c.Unknown = Undecided
	case ptr.Deref(row.CapacityIsLowerBound, false) && row.MaxThroughputMilliPerSecond == nil:
		// With a maximum, the capacity is between the lower bound and the maximum, so a size
		// from the lower bound is safe.
		c.Served, c.Unknown = *row.CapacityMilliPerSecond, t.whyUnknown(row.Variant)
	}
	return c
}

// whyUnknown returns why only a lower bound of a variant's capacity is known.
func (t *table) whyUnknown(variant string) Unknown {
	if t.spec.Load.Mode == v1alpha1.LoadRates {
		return ByRates
	}
	for i := range t.trials {
		saturated := func(s v1alpha1.Step) bool { return s.Kind == v1alpha1.StepSaturation }
		if t.trials[i].Spec.Variant.Name == variant && slices.ContainsFunc(t.trials[i].Status.Steps, saturated) {
			return BySaturation
		}
	}
	return ByGenerator
}

// predictedCandidate returns a predicted variant as a candidate. It can be recommended only
// if it is in the matrix and the model passed its check against held-out variants.
func (t *table) predictedCandidate(p *v1alpha1.PredictedVariant, check *v1alpha1.ModelCheck) Candidate {
	c := t.candidate(v1alpha1.Variant{
		Name: p.Variant, Algorithm: v1alpha1.AlgorithmBcrypt, Cost: p.Cost, CPULimit: p.CPULimit,
		Concurrency: p.Concurrency, NodePool: t.pool(p.NodePool),
	})
	c.Predicted, c.Trust = true, Hint
	if p.InMatrix && check != nil && check.Passed {
		c.Trust = Valid
	}
	t.setCapacity(&c, p.CapacityMilliPerSecond, p.CapacityInterval)
	return c
}

// candidate returns a variant as a candidate without a capacity.
func (t *table) candidate(variant v1alpha1.Variant) Candidate {
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		limit = 0
	}
	return Candidate{
		Variant: variant, MilliCPU: limit, GivenMemory: t.givenMemory(), SlowPerMille: t.slow(variant),
		P95: func(milliPerSecond int64) (int64, bool) { return t.p95(variant, milliPerSecond) },
	}
}

const (
	mebibyte = 1 << 20
	// leastMemory is the smallest memory limit that the API accepts.
	leastMemory = 32 * mebibyte
)

// memoryLimit returns the memory limit for a replica of a variant: a quarter more than its
// peak, in whole MiB, and no less than an experiment with it requires.
func memoryLimit(v v1alpha1.Variant, peak int64) int64 {
	return (max(leastMemory, matrix.LeastMemory(v), peak+peak/4) + mebibyte - 1) / mebibyte * mebibyte
}

// givenMemory returns the memory limit that replicas were measured with, in bytes, or 0 if
// the experiment has no limit.
func (t *table) givenMemory() int64 {
	given, err := resource.ParseQuantity(t.spec.Service.MemoryLimit)
	if err != nil {
		return 0
	}
	return given.Value()
}

// setCapacity sets the capacity of one replica from that of all replicas of a trial. Sizes
// are computed from the lower end of the interval, at the slow speed of the CPU.
func (t *table) setCapacity(c *Candidate, capacity *int64, interval *v1alpha1.RateInterval) {
	if capacity == nil {
		return
	}
	low := *capacity
	if interval != nil {
		low = min(low, interval.LowMilliPerSecond)
		c.Interval = &v1alpha1.RateInterval{
			LowMilliPerSecond: interval.LowMilliPerSecond / t.replicas(), HighMilliPerSecond: interval.HighMilliPerSecond / t.replicas(),
		}
	}
	c.Found = *capacity / t.replicas()
	c.Capacity = 1000 * low / t.replicas() / c.SlowPerMille
	t.question.Refute(c)
}

// slow returns the hash time that the CPU of a variant's node pool exceeds for a tenth of
// the time, in thousandths of the reference. It is below 1000 if the reference is slower.
func (t *table) slow(variant v1alpha1.Variant) int64 {
	if pool := speed.InPool(t.speeds, speed.NodePool(variant)); pool != nil {
		return pool.HighPerMille
	}
	return 1000
}

// respace replaces the capacity of a candidate that was measured with evenly spaced logins
// by the model's capacity for random arrivals, as real users have.
func (t *table) respace(c *Candidate) {
	c.EvenlySpaced, c.Confirmed, c.Capacity, c.Found, c.Interval, c.Served = true, false, 0, 0, nil, 0
	service, known := prediction.ServiceOf(t.spec, t.trials, c.Variant)
	if !known {
		return
	}
	c.Unknown = 0 // the model knows the capacity that the steps don't show
	perSecond := service.NewOutlook(false, t.seed()).Capacity(model.LimitOf(t.spec.Objective))
	c.Found = int64(math.Floor(milli * perSecond))
	c.Capacity = 1000 * c.Found / c.SlowPerMille
	t.question.Refute(c)
}

// p95 returns the model's p95 of one replica with random arrivals, in microseconds.
func (t *table) p95(variant v1alpha1.Variant, milliPerSecond int64) (int64, bool) {
	service, known := prediction.ServiceOf(t.spec, t.trials, variant)
	if !known {
		return 0, false
	}
	p95, ok := service.SteadyP95(float64(milliPerSecond)/milli, false, t.seed())
	return p95.Microseconds(), ok
}

// seed returns the experiment's seed, which all of its trials have.
func (t *table) seed() uint64 {
	if len(t.trials) == 0 {
		return 0
	}
	return uint64(t.trials[0].Spec.Seed)
}

// pool returns the node pool with a name, or nil if the experiment has no such pool.
func (t *table) pool(name string) *v1alpha1.NodePool {
	for i := range t.spec.Matrix.NodePools {
		if t.spec.Matrix.NodePools[i].Name == name {
			return &t.spec.Matrix.NodePools[i]
		}
	}
	return nil
}
