package measurement

import (
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/hashmark-dev/hashmark/api/handover"
)

const (
	// MinimumSuccesses is the smallest number of successes that has percentiles of latency.
	MinimumSuccesses = 20
	// tail is the probability, at each end, that the true percentile is outside its interval.
	tail = 0.025
)

// latencies are the logins of a counted part for the statistics.
type latencies struct {
	// successes in microseconds, sorted.
	successes []int64
	// scheduled includes the failures, which count as slower than every success.
	scheduled int
}

// percentile returns the latency of nearest rank; nil if that login failed or there are too few successes.
func (l latencies) percentile(perMille int) *int64 {
	if len(l.successes) < MinimumSuccesses {
		return nil
	}
	return l.atRank(nearestRank(perMille, l.scheduled))
}

// interval returns the interval of the true percentile. It is nil if there are too few logins, or too many
// failures, for an upper bound.
func (l latencies) interval(perMille int) *handover.Interval {
	lower, upper := intervalRanks(perMille, l.scheduled)
	low, high := l.atRank(lower), l.atRank(upper)
	if low == nil || high == nil || len(l.successes) < MinimumSuccesses {
		return nil
	}
	return &handover.Interval{LowMicroseconds: *low, HighMicroseconds: *high}
}

// atRank returns the latency of a rank, which counts from 1. A rank above the number of
// successes is a failure and gives nil.
func (l latencies) atRank(rank int) *int64 {
	if rank < 1 || rank > len(l.successes) {
		return nil
	}
	value := l.successes[rank-1]
	return &value
}

// nearestRank returns ⌈q·n⌉, at least 1. It uses integers because 0.95 × 20 in floating
// point is a little above 19 on some machines, and 20 would be the wrong rank.
func nearestRank(perMille, n int) int {
	return max(1, (perMille*n+999)/1000)
}

// intervalRanks returns the ranks of the order statistics that enclose a percentile with at
// least 95 % confidence; 0 if there is no such rank. The interval is exact with equal
// tails: for the 95th percentile it spans ranks 90 to 100 of 100, and has no upper end
// below 72 logins.
func intervalRanks(perMille, n int) (lower, upper int) {
	if n < 1 {
		return 0, 0
	}
	faster := distuv.Binomial{N: float64(n), P: float64(perMille) / 1000}
	// The lower rank is the first count whose cumulative probability exceeds the tail. The
	// next rank would have too much probability below it.
	lower = sort.Search(n, func(count int) bool { return faster.CDF(float64(count)) > tail })
	upper = 1 + sort.Search(n, func(count int) bool { return faster.Survival(float64(count)) <= tail })
	if upper > n {
		upper = 0
	}
	return lower, upper
}

func perSecondMilli(count float64, microseconds int64) int64 {
	return int64(math.Round(count * 1e9 / float64(microseconds)))
}

// setHalves sets the median latencies of the logins due in each half of an open step's counted part. A queue
// that still grows makes the second larger.
func (w window) setHalves(s *StepResult, records []Record) {
	var halves [2]latencies
	middle := w.from + (w.to-w.from)/2
	firstHalf := 0
	for _, r := range records {
		if !w.counts(r) {
			continue
		}
		half := 1
		if r.Due < middle {
			half = 0
			// Logins are numbered in the order of their due times. So a login that was never
			// sent, and has no record, belongs to the half of the logins around it.
			firstHalf = max(firstHalf, r.Index-w.SettleRequests+1)
		}
		if w.outcome(r) == OK {
			halves[half].successes = append(halves[half].successes, w.latency(r))
		}
	}
	halves[0].scheduled, halves[1].scheduled = firstHalf, w.Requests-firstHalf
	for i := range halves {
		slices.Sort(halves[i].successes)
	}
	s.FirstHalfP50Microseconds = halves[0].percentile(500)
	s.SecondHalfP50Microseconds = halves[1].percentile(500)
}

// LowerMedian returns the element in the middle, and the lower one of the two in the middle of
// an even number. It is one of at least one elements, and never a mean of two. Equal elements
// keep their order.
func LowerMedian[T any](all []T, compare func(a, b T) int) T {
	return slices.SortedStableFunc(slices.Values(all), compare)[(len(all)-1)/2]
}

// UpperMedian is LowerMedian with the upper one of the two in the middle.
func UpperMedian[T any](all []T, compare func(a, b T) int) T {
	return slices.SortedStableFunc(slices.Values(all), compare)[len(all)/2]
}
