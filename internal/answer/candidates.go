package answer

import (
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/forecast"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/recommendation"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

const milli = 1000

// standing is what a verdict lets a result be used for.
func standing(verdict v1alpha1.Verdict) recommendation.Standing {
	switch verdict {
	case v1alpha1.VerdictValid:
		return recommendation.Sound
	case v1alpha1.VerdictSuspect:
		return recommendation.Doubtful
	default:
		return recommendation.Unusable
	}
}

// rowCandidate is a row as one replica of it, with the capacity that it tells.
func (t *table) rowCandidate(row *v1alpha1.VariantResult) recommendation.Candidate {
	c := t.candidate(t.variant(row.Variant))
	c.Standing, c.Reasons = standing(row.Verdict), row.Reasons
	if row.MemoryPeakBytes != nil {
		c.MemoryLimit = memoryLimit(c.Variant, *row.MemoryPeakBytes)
	}
	c.Confirmed = row.CapacityMethod == v1alpha1.CapacityBoth || row.CapacityMethod == v1alpha1.CapacityMeasured
	t.setCapacity(&c, row.CapacityMilliPerSecond, row.CapacityInterval)
	switch {
	case row.CapacityMilliPerSecond == nil && row.ObjectiveMet == nil:
		c.Unknown = recommendation.Undecided
	case ptr.Deref(row.CapacityIsLowerBound, false) && row.MaxThroughputMilliPerSecond == nil:
		// With a maximum the capacity lies between the two, and its lower end sizes safely.
		c.Carried, c.Unknown = *row.CapacityMilliPerSecond, t.whyUnknown(row.Variant)
	}
	return c
}

// whyUnknown says why the capacity of a variant is known as a lower bound only.
func (t *table) whyUnknown(variant string) recommendation.Unknown {
	if t.spec.Load.Mode == v1alpha1.LoadRates {
		return recommendation.ByRates
	}
	for i := range t.trials {
		saturated := func(s v1alpha1.Step) bool { return s.Kind == v1alpha1.StepSaturation }
		if t.trials[i].Spec.Variant.Name == variant && slices.ContainsFunc(t.trials[i].Status.Steps, saturated) {
			return recommendation.BySaturation
		}
	}
	return recommendation.ByGenerator
}

// predictedCandidate is a predicted variant. It may answer only where the matrix
// names it and the model was right of those that it was not given.
func (t *table) predictedCandidate(p *v1alpha1.PredictedVariant, check *v1alpha1.ModelCheck) recommendation.Candidate {
	c := t.candidate(v1alpha1.Variant{
		Name: p.Variant, Algorithm: v1alpha1.AlgorithmBcrypt, Cost: p.Cost, CPULimit: p.CPULimit,
		Concurrency: p.Concurrency, NodePool: t.pool(p.NodePool),
	})
	c.Predicted, c.Standing = true, recommendation.Hint
	if p.InMatrix && check != nil && check.Passed {
		c.Standing = recommendation.Sound
	}
	t.setCapacity(&c, p.CapacityMilliPerSecond, p.CapacityInterval)
	return c
}

// candidate is a variant of which no capacity is known yet.
func (t *table) candidate(variant v1alpha1.Variant) recommendation.Candidate {
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		limit = 0
	}
	return recommendation.Candidate{
		Variant: variant, MilliCPU: limit, GivenMemory: t.givenMemory(), SlowPerMille: t.slow(variant),
		P95: func(milliPerSecond int64) (int64, bool) { return t.p95(variant, milliPerSecond) },
	}
}

const (
	kibibyte, mebibyte = 1 << 10, 1 << 20
	// leastMemory is the smallest memory limit that the API accepts. With Argon2id and
	// Scrypt it requires besideHashes and the memory of one hash for each worker.
	leastMemory, besideHashes = 32 * mebibyte, 64 * mebibyte
)

// memoryLimit returns the memory limit for a replica of a variant, from the most that it
// used: a quarter more, in whole MiB, and no less than the API requires.
func memoryLimit(v v1alpha1.Variant, peak int64) int64 {
	least := int64(leastMemory)
	if v.MemoryKiB != nil {
		least = besideHashes + int64(*v.MemoryKiB)*int64(ptr.Deref(v.Concurrency.Workers, 1))*kibibyte
	}
	return (max(least, peak+peak/4) + mebibyte - 1) / mebibyte * mebibyte
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

// setCapacity splits what all replicas of a trial carried. Sizes are made from the
// lower end of where the capacity lies, at the slow speed of the CPU.
func (t *table) setCapacity(c *recommendation.Candidate, capacity *int64, interval *v1alpha1.RateInterval) {
	if capacity == nil {
		return
	}
	low := *capacity
	if interval != nil {
		low = min(low, interval.LowMilliPerSecond)
	}
	c.Found = *capacity / t.replicas()
	c.Capacity = 1000 * low / t.replicas() / c.SlowPerMille
	t.question.Refute(c)
}

// slow is the time of a hash that the CPU of a variant's node pool exceeds for a
// tenth of the time, in thousandths of the reference.
func (t *table) slow(variant v1alpha1.Variant) int64 {
	if _, pool := speed.InPool(t.speeds, speed.NodePool(variant)); pool != nil {
		return max(1000, pool.HighPerMille)
	}
	return 1000
}

// respace gives a candidate the capacity that the model finds for logins that
// come by chance, as those from the world do, where even ones were measured.
func (t *table) respace(c *recommendation.Candidate) {
	c.Respaced, c.Confirmed, c.Capacity, c.Found, c.Carried = true, false, 0, 0, 0
	service, known := forecast.ServiceOf(t.spec, t.trials, c.Variant)
	if !known {
		return
	}
	c.Unknown = 0 // the model knows what the steps don't
	perSecond := service.Outlook(false, t.seed()).Capacity(prediction.LimitOf(t.spec.Objective))
	c.Found = int64(math.Floor(milli * perSecond))
	c.Capacity = 1000 * c.Found / c.SlowPerMille
	t.question.Refute(c)
}

// p95 of one replica that gets logins by chance, in microseconds.
func (t *table) p95(variant v1alpha1.Variant, milliPerSecond int64) (int64, bool) {
	service, known := forecast.ServiceOf(t.spec, t.trials, variant)
	if !known {
		return 0, false
	}
	p95, ok := service.SteadyP95(float64(milliPerSecond)/milli, false, t.seed())
	return p95.Microseconds(), ok
}

// seed of the experiment, which all of its trials have.
func (t *table) seed() uint64 {
	if len(t.trials) == 0 {
		return 0
	}
	return uint64(t.trials[0].Spec.Seed)
}

// pool of a name; nil where the experiment names no pools.
func (t *table) pool(name string) *v1alpha1.NodePool {
	for i := range t.spec.Matrix.NodePools {
		if t.spec.Matrix.NodePools[i].Name == name {
			return &t.spec.Matrix.NodePools[i]
		}
	}
	return nil
}
