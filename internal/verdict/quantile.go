package verdict

import (
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// The percentiles of an objective, as indexes into a step's latency.
const (
	q50 = iota
	q95
	q99
	quantiles
)

// perMilles are the percentiles in thousandths.
var perMilles = []int{q50: 500, q95: 950, q99: 990}

// quantile is a percentile of a step's latency.
type quantile struct {
	// observed latency in microseconds, and its interval by order statistics; nil if
	// unknown.
	observed *int64
	ranks    *handover.Interval
	// conversion is the latency at the reference speed ÷ as observed.
	conversion float64
	// spread is the factor by which runs differ; 0 if unknown.
	spread float64
}

// observe takes a step's percentiles from the handover. Without the model, they are converted like the hash time.
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

// atReference returns the percentile at the reference speed, in microseconds; nil if it was not observed.
func (q quantile) atReference() *int64 {
	if q.observed == nil {
		return nil
	}
	return ptr.To(int64(math.Round(q.conversion * float64(*q.observed))))
}

// interval returns the interval of a step's percentile at the reference speed. At each end it takes the wider
// of two: by order statistics, which assume that logins are independent of each other, and by simulated runs
// of the same step. The error of the conversion adds to it independently.
func (s *step) interval(percentile int) *handover.Interval {
	q := s.latency[percentile]
	if q.ranks == nil || q.observed == nil || *q.observed <= 0 {
		return nil
	}
	observed := float64(*q.observed)
	low, high := float64(q.ranks.LowMicroseconds)/observed, float64(q.ranks.HighMicroseconds)/observed
	if q.spread > 0 {
		low, high = min(low, 1/q.spread), max(high, q.spread)
	}
	at, doubt := float64(*q.atReference()), s.conversionError(percentile)
	return &handover.Interval{
		LowMicroseconds:  int64(math.Round(at * math.Exp(-math.Hypot(math.Log(min(1, max(low, 1e-3))), doubt)))),
		HighMicroseconds: int64(math.Round(at * math.Exp(math.Hypot(math.Log(max(1, high)), doubt)))),
	}
}

// conversionError returns the error of a converted latency, half of the 95 % interval as a share of it: that of
// the hash's ratio, and a part of the model's correction for another share of the bound.
func (s *step) conversionError(percentile int) float64 {
	byModel := conversionDoubt * math.Abs(math.Log(s.latency[percentile].conversion*s.factor()))
	return math.Hypot(s.timeError, byModel)
}

// percentileLimit is a percentile and its limit in microseconds.
type percentileLimit struct {
	percentile int
	micros     int64
}

func percentileLimits(o v1beta1.Objective) []percentileLimit {
	limits := []percentileLimit{{q95, 1000 * int64(o.P95Milliseconds)}}
	if o.P50Milliseconds != nil {
		limits = append(limits, percentileLimit{q50, 1000 * int64(*o.P50Milliseconds)})
	}
	if o.P99Milliseconds != nil {
		limits = append(limits, percentileLimit{q99, 1000 * int64(*o.P99Milliseconds)})
	}
	return limits
}
