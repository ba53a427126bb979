package measurement

import (
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// MinimumSuccesses is the fewest successes that percentiles of latency are told of.
	MinimumSuccesses = 20
	// tail is the chance, at either end, that the true percentile lies outside its interval.
	tail = 0.025
)

// latencies are the logins of a counted part, as the statistics see them.
type latencies struct {
	// successes in microseconds, sorted.
	successes []int64
	// scheduled counts the failures too, which are slower than every success.
	scheduled int
}

// percentile is the latency of nearest rank, or nil where that login failed or
// too few succeeded.
func (l latencies) percentile(perMille int) *int64 {
	if len(l.successes) < MinimumSuccesses {
		return nil
	}
	return l.atRank(nearestRank(perMille, l.scheduled))
}

// interval is where the true percentile lies, or nil where too few logins were
// scheduled, or too many of them failed, to bound it from above.
func (l latencies) interval(perMille int) *Interval {
	lower, upper := intervalRanks(perMille, l.scheduled)
	low, high := l.atRank(lower), l.atRank(upper)
	if low == nil || high == nil || len(l.successes) < MinimumSuccesses {
		return nil
	}
	return &Interval{LowMicroseconds: *low, HighMicroseconds: *high}
}

// atRank counts from 1; a rank beyond the successes is that of a failure.
func (l latencies) atRank(rank int) *int64 {
	if rank < 1 || rank > len(l.successes) {
		return nil
	}
	value := l.successes[rank-1]
	return &value
}

// nearestRank is ⌈q·n⌉, at least 1, in whole numbers: 0.95 × 20 in floating
// point is a little above 19 on some machines, and 20 would be the wrong rank.
func nearestRank(perMille, n int) int {
	return max(1, (perMille*n+999)/1000)
}

// intervalRanks are the order statistics that enclose a percentile with at
// least 95 % confidence, each rank 0 where no order statistic does. The
// interval is the exact one, with equal tails: for the 95th percentile it spans
// ranks 90 to 100 of 100, and has no upper end below 72.
func intervalRanks(perMille, n int) (lower, upper int) {
	if n < 1 {
		return 0, 0
	}
	faster := distuv.Binomial{N: float64(n), P: float64(perMille) / 1000}
	// The first count whose cumulative probability exceeds the tail is the lower
	// rank: one rank more would leave too much below it.
	lower = sort.Search(n, func(count int) bool { return faster.CDF(float64(count)) > tail })
	upper = 1 + sort.Search(n, func(count int) bool { return faster.Survival(float64(count)) <= tail })
	if upper > n {
		upper = 0
	}
	return lower, upper
}

// perSecondMilli is a rate times 1000, rounded.
func perSecondMilli(count float64, microseconds int64) int64 {
	return int64(math.Round(count * 1e9 / float64(microseconds)))
}
