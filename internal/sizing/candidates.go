package sizing

import (
	"cmp"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

var trusts = map[v1beta1.Verdict]Trust{v1beta1.VerdictValid: Valid, v1beta1.VerdictSuspect: Suspect}

// rowCandidate returns one replica of a row's variant, which is in the matrix, with the row's capacity.
func (t *table) rowCandidate(row *v1beta1.VariantResult) Candidate {
	variant := v1beta1.Variant{Name: row.Variant}
	if i := slices.IndexFunc(t.all, func(v v1beta1.Variant) bool { return v.Name == row.Variant }); i >= 0 {
		variant = t.all[i]
	}
	c := t.candidate(variant)
	c.Trust, c.Reasons = trusts[row.Verdict], row.Reasons
	if row.MemoryPeakBytes != nil && t.spec.Service.Own != nil {
		c.MemoryLimit = memoryLimit(*row.MemoryPeakBytes)
	}
	t.setDriven(&c, row)
	c.Confirmed = row.CapacityMethod == v1beta1.CapacityBoth || row.CapacityMethod == v1beta1.CapacityMeasured
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

func (t *table) whyUnknown(variant string) Unknown {
	if t.spec.Load.Mode() == v1beta1.LoadRates {
		return ByRates
	}
	for i := range t.trials {
		saturated := func(s v1beta1.Step) bool { return s.Kind == v1beta1.StepSaturation }
		if t.trials[i].Spec.Variant.Name == variant && slices.ContainsFunc(t.trials[i].Status.Steps, saturated) {
			return BySaturation
		}
	}
	return ByGenerator
}

// predictedCandidate returns a predicted variant as a candidate. It can be recommended if it is in the
// matrix and the model passed its check against held-out variants, or if nothing was deployed.
func (t *table) predictedCandidate(p *v1beta1.PredictedVariant, check *v1beta1.ModelCheck) Candidate {
	variant := v1beta1.Variant{
		Name: p.Variant, Hash: v1beta1.BcryptHash(p.Cost), CPULimit: p.CPULimit, Concurrency: p.Concurrency,
	}
	for i, pool := range t.spec.Matrix.NodePools {
		if pool.Name == p.NodePool {
			variant.NodePool = &t.spec.Matrix.NodePools[i]
		}
	}
	c := t.candidate(variant)
	c.Predicted, c.Calibrated, c.Trust = true, t.calibrated, Hint
	if t.calibrated || p.InMatrix && (t.decides || check != nil && check.Passed) {
		c.Trust = Valid
	}
	t.setCapacity(&c, p.CapacityMilliPerSecond, p.CapacityInterval)
	return c
}

func (t *table) candidate(variant v1beta1.Variant) Candidate {
	c := Candidate{
		Variant: variant,
		P95:     func(milliPerSecond int64) (int64, bool) { return t.p95(variant, milliPerSecond) },
	}
	c.MilliCPU, _ = matrix.MilliCPU(variant.CPULimit) // 0 if it is unknown
	if given, err := resource.ParseQuantity(units.Written(t.spec.Service.MemoryLimit)); err == nil {
		c.GivenMemory = given.Value()
	}
	c.SizingPerMille = sizingSpeed(t.speeds, variant)
	if met := t.question.met(variant); len(met) > 0 {
		// A size that met the objective in its verification is not taken back because of the pod that did.
		c.SizingPerMille, c.VerifiedPerMille = sizingSpeed(t.without(met), variant), c.SizingPerMille
	}
	return c
}

// sizingSpeed returns the sizing speed of a variant's node pool, 1000 if it is unknown.
func sizingSpeed(speeds []v1beta1.PoolSpeed, variant v1beta1.Variant) int64 {
	if pool := speed.InPool(speeds, speed.NodePool(variant)); pool != nil {
		return cmp.Or(pool.SizingPerMille, pool.HighPerMille) // a status of an earlier version has only the latter
	}
	return 1000
}

const (
	mebibyte = 1 << 20
	// leastMemory is the smallest memory limit that the API accepts.
	leastMemory = 32 * mebibyte
)

// memoryLimit returns the memory limit for a replica: a quarter more than its peak, in whole MiB.
func memoryLimit(peak int64) int64 {
	return ceil(max(leastMemory, peak+peak/4), mebibyte) * mebibyte
}

// setCapacity sets the capacity of one replica from that of all replicas of a trial. Sizes
// are computed from the lower end of the interval, at the sizing speed of the CPU.
func (t *table) setCapacity(c *Candidate, capacity *int64, interval *v1beta1.RateInterval) {
	if capacity == nil {
		return
	}
	low := *capacity
	if interval != nil {
		low = min(low, interval.LowMilliPerSecond)
		c.Interval = &v1beta1.RateInterval{
			LowMilliPerSecond: interval.LowMilliPerSecond / t.replicas(), HighMilliPerSecond: interval.HighMilliPerSecond / t.replicas(),
		}
	}
	c.Found = *capacity / t.replicas()
	c.Capacity = 1000 * low / t.replicas() / c.SizingPerMille
	c.High = 1000 * max(*capacity, ptr.Deref(interval, v1beta1.RateInterval{}).HighMilliPerSecond) / t.replicas() / c.SizingPerMille
	t.question.Refute(c)
}

// setDriven sets what a decision showed about the rate that the variant would have to carry.
func (t *table) setDriven(c *Candidate, row *v1beta1.VariantResult) {
	for i := range t.trials {
		trial := &t.trials[i]
		if trial.Spec.Role == v1beta1.RoleDecision && trial.Name == row.TrialName && trial.Status.Verification != nil {
			c.Driven = ptr.Deref(trial.Spec.OfferedMilliPerSecond, 0) / t.replicas()
			c.Held = trial.Status.Verification.Outcome
		}
	}
}

// forRandomArrivals gives a candidate that was measured with evenly spaced logins the model's capacity
// for random arrivals, as real users have.
func (t *table) forRandomArrivals(c Candidate) Candidate {
	if !t.asked || !t.evenlySpaced() || c.Trust == Invalid || !t.question.Admits(c.Variant) {
		return c
	}
	c.EvenlySpaced, c.Confirmed, c.Capacity, c.Found, c.Interval, c.Served = true, false, 0, 0, nil, 0
	service, known := t.service(c.Variant)
	if !known {
		return c
	}
	c.Unknown = 0 // the model knows the capacity that the steps don't show
	perSecond := service.NewOutlook(false, t.seed()).Capacity(model.LimitOf(t.spec.Objective))
	c.Found = int64(math.Floor(1000 * perSecond))
	c.Capacity = 1000 * c.Found / c.SizingPerMille
	t.question.Refute(&c)
	return c
}

// p95 returns the model's p95 of one replica with random arrivals, in microseconds.
func (t *table) p95(variant v1beta1.Variant, milliPerSecond int64) (int64, bool) {
	service, known := t.service(variant)
	if !known {
		return 0, false
	}
	p95, ok := service.SteadyP95(float64(milliPerSecond)/1000, false, t.seed())
	return p95.Microseconds(), ok
}

// seed returns the experiment's seed, which all of its trials have.
func (t *table) seed() uint64 {
	if len(t.trials) == 0 {
		return 0
	}
	return uint64(t.trials[0].Spec.Seed)
}
