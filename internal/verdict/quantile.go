package verdict

import (
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// The percentiles that an objective may hold, as places in a step's latency.
const (
	q50 = iota
	q95
	q99
	quantiles
)

// perMilles of the percentiles.
var perMilles = []int{q50: 500, q95: 950, q99: 990}

// quantile is a percentile of a step's latency.
type quantile struct {
	// observed latency in microseconds, and where the true one lies by ranks; nil where
	// they are not known.
	observed *int64
	ranks    *measurement.Interval
	// conversion is the latency at the reference speed ÷ as observed.
	conversion float64
	// spread from run to run; nil where it is not known.
	spread *spread
	// kept is the interval at the reference speed that a stored step has.
	kept *v1alpha1.Interval
}

// observe takes a step's percentiles from what was handed over. Until the model has said
// more, a latency is as much longer as a hash.
func (s *step) observe() {
	r := s.result
	s.latency = [quantiles]quantile{
		q50: {observed: r.P50Microseconds, ranks: r.P50Interval},
		q95: {observed: r.P95Microseconds, ranks: r.P95Interval},
		q99: {observed: r.P99Microseconds, ranks: r.P99Interval},
	}
	for q := range s.latency {
		s.latency[q].conversion = 1 / s.factor()
	}
}

// atReference returns the percentile at the reference speed, in microseconds, or nil if it
// was not observed.
func (q quantile) atReference() *int64 {
	if q.observed == nil {
		return nil
	}
	return ptr.To(int64(math.Round(q.conversion * float64(*q.observed))))
}

// interval is where the true percentile of a step lies at the reference speed: by order
// statistics, which take logins for independent of each other, or by simulated runs of the
// same step, which know that those in one queue are not; at each end the wider. What the
// conversion is unsure of adds to it independently.
func (s *step) interval(of int) *v1alpha1.Interval {
	q := s.latency[of]
	if q.kept != nil {
		return q.kept
	}
	if q.ranks == nil || q.observed == nil || *q.observed <= 0 {
		return nil
	}
	observed := float64(*q.observed)
	low, high := float64(q.ranks.LowMicroseconds)/observed, float64(q.ranks.HighMicroseconds)/observed
	if q.spread != nil {
		low, high = min(low, q.spread.low), max(high, q.spread.high)
	}
	at, doubt := float64(*q.atReference()), s.conversionError(of)
	return &v1alpha1.Interval{
		LowMicroseconds:  int64(math.Round(at * math.Exp(-math.Hypot(math.Log(min(1, max(low, 1e-3))), doubt)))),
		HighMicroseconds: int64(math.Round(at * math.Exp(math.Hypot(math.Log(max(1, high)), doubt)))),
	}
}

// p95 is that at the reference speed, in microseconds; nil where the step has none.
func (s *step) p95() *int64 { return s.latency[q95].atReference() }

// conversionError is how sure a converted latency is, half of the 95 % interval as a
// share of it: the reference speed, the ratio of the hash, and a part of what the
// model made of another share of the bound.
func (s *step) conversionError(of int) float64 {
	byModel := conversionDoubt * math.Abs(math.Log(s.latency[of].conversion*s.factor()))
	return math.Hypot(s.timeError, byModel)
}

// promise is a percentile and the longest that it may be, in microseconds.
type promise struct {
	of      int
	longest int64
}

// promises are the percentiles that an objective holds.
func promises(o v1alpha1.Objective) []promise {
	all := []promise{{q95, 1000 * int64(o.P95Milliseconds)}}
	if o.P50Milliseconds > 0 {
		all = append(all, promise{q50, 1000 * int64(o.P50Milliseconds)})
	}
	if o.P99Milliseconds > 0 {
		all = append(all, promise{q99, 1000 * int64(o.P99Milliseconds)})
	}
	return all
}

// restore takes a percentile as a stored step has it.
func (q *quantile) restore(observed, atReference *int64, kept *v1alpha1.Interval) {
	q.kept = kept
	if atReference != nil && observed != nil && *observed > 0 {
		q.conversion = float64(*atReference) / float64(*observed)
	}
}
