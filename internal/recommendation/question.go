package recommendation

import (
	"math"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// The demand's defaults, as the API's schema has them.
const (
	usualHeadroom    = 30
	usualMinimumCost = 10
	// lowestCost is the lowest minimum that the API takes.
	lowestCost   = 4
	mostReplicas = 10_000
	// mostCPUs is what that many replicas of the largest CPU limit have.
	mostCPUs = 64 * mostReplicas
)

// Question is a demand with its defaults filled in.
type Question struct {
	// MilliPerSecond is the demanded rate, without headroom, times 1000.
	MilliPerSecond int64
	// HeadroomPercent is what to spare beyond that.
	HeadroomPercent int64
	// MinimumCost is the lowest cost that is acceptable.
	MinimumCost int32
	// Hashes are the algorithms that may answer; none means bcrypt alone.
	Hashes []v1alpha1.Algorithm
	// MaxMilliCPU is the most CPU for all replicas, in thousandths; 0 is any amount.
	MaxMilliCPU int64
	// MaxReplicas is the most of them.
	MaxReplicas int64
	// Survive is how many replicas may be down while the others serve the demand
	// without headroom.
	Survive int64
	// Tariff has the prices.
	Tariff pricing.Tariff
	// Verify says how the size is to be verified; None, or empty, where it is not.
	Verify v1alpha1.Verify
	// FastestMilliPerSecond is the highest rate, times 1000, that a generator can drive
	// in a verification.
	FastestMilliPerSecond int64
	// Verifications are those that were made, or are under way.
	Verifications []v1alpha1.Verification
}

// Ask is an experiment's question; false where it has no demand.
func Ask(demand *v1alpha1.Demand, tariff pricing.Tariff) (Question, bool) {
	if demand == nil {
		return Question{}, false
	}
	q := Question{
		MilliPerSecond:  int64(demand.LoginsPerSecond) * 1000,
		HeadroomPercent: int64(ptr.Deref(demand.HeadroomPercent, usualHeadroom)),
		MinimumCost:     ptr.Deref(demand.MinimumCost, usualMinimumCost),
		Hashes:          demand.Hashes,
		MaxReplicas:     int64(ptr.Deref(demand.MaxReplicas, mostReplicas)),
		Survive:         int64(ptr.Deref(demand.SurviveReplicas, 0)),
		Tariff:          tariff,
		Verify:          demand.Verify,
	}
	// The schema takes quantities only; what is none bounds nothing.
	if most, err := resource.ParseQuantity(demand.MaxTotalCPU); err == nil {
		q.MaxMilliCPU = wholeMilli(most)
	}
	return q, true
}

// wholeMilli rounds down, where a quantity's own method rounds up: what is within
// must not pass the bound. It is at least 1, since 0 bounds nothing, and no more
// than any number of replicas can have.
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

// required is the demanded rate with headroom, times 1000, rounded up.
func (q Question) required() int64 {
	return ceil(q.MilliPerSecond*(100+q.HeadroomPercent), 100)
}

// served is the highest demand, times 1000, that so many replicas of a candidate
// serve with headroom, and without it when as many as may be are down.
func (q Question) served(c Candidate, replicas int64) int64 {
	capacity := replicas * c.Capacity
	if c.Carried > 0 {
		capacity = min(capacity, c.atMost())
	}
	left := max(0, replicas-q.Survive)
	return min(capacity*100/(100+q.HeadroomPercent), left*c.Capacity)
}

// replicas that serve the demand with headroom, and without it when as many as may be
// are down. One has a capacity above 0.
func (q Question) replicas(capacity int64) int64 {
	all, left := ceil(q.required(), capacity), max(1, ceil(q.MilliPerSecond, capacity))
	return min(max(all, left+q.Survive), math.MaxInt32)
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }
