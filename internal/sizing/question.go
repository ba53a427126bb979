package sizing

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Defaults of the demand, equal to those of the API's schema.
const (
	defaultHeadroom    = 30
	defaultMinimumCost = 10
	mostReplicas       = 10_000
	// mostCPUs is the CPU of mostReplicas replicas with the largest CPU limit.
	mostCPUs = 64 * mostReplicas
)

// Question is a demand with its defaults filled in.
type Question struct {
	// MilliPerSecond is the demanded rate, without headroom, times 1000.
	MilliPerSecond int64
	// HeadroomPercent is the spare capacity, in percent of the demanded rate.
	HeadroomPercent int64
	// MinimumCost is the lowest acceptable cost.
	MinimumCost int32
	// Hashes are the allowed kinds; empty means only bcrypt.
	Hashes []v1beta1.HashKind
	// OneHash means that the matrix has a single hash, so that none is compared: it is sized although its strength is
	// perhaps unknown.
	OneHash bool
	// MaxMilliCPU is the limit of the CPU of all replicas, in thousandths; 0 means no
	// limit.
	MaxMilliCPU int64
	// MaxReplicas is the highest number of replicas.
	MaxReplicas int64
	// Survive is how many replicas can be down while the others serve the demand without
	// headroom.
	Survive int64
	// Tariff has the prices.
	Tariff pricing.Tariff
	// Verify says how the size is verified; None, or empty, if it is not.
	Verify v1beta1.Verify
	// FastestMilliPerSecond is the highest rate, times 1000, that a generator can drive
	// in a verification.
	FastestMilliPerSecond int64
	// Verifications are those that ended or are running.
	Verifications []v1beta1.Verification
	// MeasuredOnly means that a variant that was not measured is not recommended, even if its prediction is trusted.
	MeasuredOnly bool
}

// QuestionOf returns the question of an experiment's demand, with the verifications of its
// status. It returns false if there is no demand.
func QuestionOf(spec v1beta1.SizingExperimentSpec, tariff pricing.Tariff, verifications []v1beta1.Verification) (Question, bool) {
	demand := spec.Demand
	if demand == nil {
		return Question{}, false
	}
	q := Question{
		MilliPerSecond:  demand.MilliPerSecond(),
		HeadroomPercent: int64(ptr.Deref(demand.HeadroomPercent, defaultHeadroom)),
		MinimumCost:     ptr.Deref(demand.MinimumCost, defaultMinimumCost),
		Hashes:          demand.Hashes,
		OneHash:         len(spec.Matrix.Costs)+len(spec.Matrix.Hashes) == 1,
		MaxReplicas:     int64(ptr.Deref(demand.MaxReplicas, mostReplicas)),
		Survive:         int64(ptr.Deref(demand.SurviveReplicas, 0)),
		Tariff:          tariff,
		Verify:          demand.Verify,
		Verifications:   verifications,

		FastestMilliPerSecond: loadplan.FastestVerification(spec.Generator, spec.Load),
	}
	// The schema accepts only quantities. An invalid quantity is no limit.
	if most, err := resource.ParseQuantity(units.Written(demand.MaxTotalCPU)); err == nil {
		q.MaxMilliCPU = wholeMilli(most)
	}
	return q, true
}

// wholeMilli returns a quantity in thousandths, rounded down so that no size exceeds the limit. It is at
// least 1, because 0 means no limit, and at most mostCPUs.
func wholeMilli(most resource.Quantity) int64 {
	if most.CmpInt64(mostCPUs) > 0 {
		return mostCPUs * 1000
	}
	milli := most.MilliValue()
	if resource.NewMilliQuantity(milli, resource.DecimalSI).Cmp(most) > 0 {
		milli--
	}
	return max(1, milli)
}

// required returns the demanded rate with headroom, times 1000, rounded up.
func (q Question) required() int64 {
	return ceil(q.MilliPerSecond*(100+q.HeadroomPercent), 100)
}

// served returns the highest demand, times 1000, that so many replicas of a candidate
// serve with headroom, and also without headroom when Survive replicas are down.
func (q Question) served(c Candidate, replicas int64) int64 {
	capacity := replicas * c.Capacity
	if c.Served > 0 {
		capacity = min(capacity, c.atMost())
	}
	left := max(0, replicas-q.Survive)
	return min(capacity*100/(100+q.HeadroomPercent), left*c.Capacity)
}

// replicas returns how many replicas of a capacity above 0 serve the demand with headroom,
// and also without headroom when Survive replicas are down.
func (q Question) replicas(capacity int64) int64 {
	all, left := ceil(q.required(), capacity), max(1, ceil(q.MilliPerSecond, capacity))
	return min(max(all, left+q.Survive), math.MaxInt32)
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }
