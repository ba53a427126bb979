package results

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// Unit is how a figure is stored and shown.
type Unit struct {
	// Column ends the name of the CSV's column, and PerColumn is how many of the stored unit its unit is.
	Column    string
	PerColumn float64
	// Series and PerSeries are the same for Prometheus.
	Series    string
	PerSeries float64
}

// The units of what is stored in microseconds, in thousandths of a login per second, in thousandths, in
// percent, in bytes, and as a count.
var (
	latency   = Unit{"_milliseconds", 1e3, "_seconds", 1e6}
	loginRate = Unit{"_logins_per_second", 1e3, "_logins_per_second", 1e3}
	factor    = Unit{"_ratio", 1e3, "_ratio", 1e3}
	percent   = Unit{"_percent", 10, "_ratio", 1e3}
	memory    = Unit{"_bytes", 1, "_bytes", 1}
	number    = Unit{"", 1, "", 1}
)

// Figure is one number of a row. The CSV, the metrics, and the comparisons of repetitions and of
// experiments take it from here.
type Figure struct {
	// Name is unique. With the unit it is that of the CSV's column, and of the series unless that is another
	// one.
	Name   string
	Unit   Unit
	series string
	// Help says what the figure is. One without has no series.
	Help string
	// Of returns the number in the unit that it is stored in, or nil if a result does not have it.
	Of func(*v1beta1.VariantResult) *int64
	// low and high are the ends of the number's interval. A figure can have none.
	low, high func(*v1beta1.VariantResult) *int64
	// merge returns the number of a row from those of its repetitions.
	merge func([]int64, func(a, b int64) int) int64
}

// Column returns the name of the figure's column in the CSV.
func (f Figure) Column() string { return f.Name + f.Unit.Column }

// Series returns the name of the figure's series, without what those of all variants begin with.
func (f Figure) Series() string { return cmp.Or(f.series, f.Name) + f.Unit.Series }

// Median returns the median of some values of the figure: of an even number of them, the less favourable
// of the two in the middle. It panics if there are none.
func (f Figure) Median(values []int64) int64 { return f.merge(values, cmp.Compare[int64]) }

// Interval returns the ends of the figure's interval in a result, or nil if it has none.
func (f Figure) Interval(r *v1beta1.VariantResult) (low, high *int64) {
	if f.low == nil {
		return nil, nil
	}
	return f.low(r), f.high(r)
}

// The figures by which repetitions and experiments are compared. Of a time the longer one is less
// favourable, of a rate the lower one.
var (
	LatencyP50 = Figure{
		Name: "p50", Unit: latency, Help: "The median of login latency at the reported step.", merge: longer,
		Of:  func(r *v1beta1.VariantResult) *int64 { return r.P50Microseconds },
		low: part(p50Interval, lowEnd), high: part(p50Interval, highEnd),
	}
	LatencyP95 = Figure{
		Name: "p95", Unit: latency, Help: "The 95th percentile of login latency at the reported step.", merge: longer,
		Of:  func(r *v1beta1.VariantResult) *int64 { return r.P95Microseconds },
		low: part(p95Interval, lowEnd), high: part(p95Interval, highEnd),
	}
	LatencyP99 = Figure{
		Name: "p99", Unit: latency, Help: "The 99th percentile of login latency at the reported step.", merge: longer,
		Of:  func(r *v1beta1.VariantResult) *int64 { return r.P99Microseconds },
		low: part(p99Interval, lowEnd), high: part(p99Interval, highEnd),
	}
	TimeOfHash = Figure{
		Name: "hash", Unit: latency, Help: "CPU time of one hash.", merge: longer,
		Of:   part(calibrationOf, func(c *handover.CalibrationResult) *int64 { return &c.HashMicroseconds }),
		low:  part(calibrationOf, func(c *handover.CalibrationResult) *int64 { return new(c.HashMicroseconds - c.ErrorMicroseconds) }),
		high: part(calibrationOf, func(c *handover.CalibrationResult) *int64 { return new(c.HashMicroseconds + c.ErrorMicroseconds) }),
	}
	CapacityRate = Figure{
		Name: "capacity", Unit: loginRate, Help: "The highest login rate that meets the objective.", merge: lower,
		Of:   capacityOrZero,
		low:  part(capacityInterval, func(i *v1beta1.RateInterval) *int64 { return &i.LowMilliPerSecond }),
		high: part(capacityInterval, func(i *v1beta1.RateInterval) *int64 { return &i.HighMilliPerSecond }),
	}
	MaximumRate = Figure{
		Name: "maximum", series: "throughput", Unit: loginRate, Help: "Throughput at saturation: the maximum.", merge: lower,
		Of: func(r *v1beta1.VariantResult) *int64 { return r.MaxThroughputMilliPerSecond },
	}
	boundRate = Figure{
		Name: "bound", Unit: loginRate, Help: "The CPU-bound login rate: CPU divided by the CPU time per hash.", merge: lower,
		Of: func(r *v1beta1.VariantResult) *int64 { return r.BoundMilliPerSecond },
	}
	speedLow = Figure{
		Name: "speed_low", Unit: factor, merge: slices.MinFunc[[]int64],
		Help: "The 10th percentile of the hash time while the variant was measured, divided by the reference.",
		Of:   part(speedOf, func(s *v1beta1.RowSpeed) *int64 { return unlessZero(s.LowPerMille) }),
	}
	speedMedian = Figure{
		Name: "speed_median", Unit: factor, merge: longer,
		Help: "The median hash time while the variant was measured, divided by the reference: above 1 the CPU was slower.",
		Of:   part(speedOf, func(s *v1beta1.RowSpeed) *int64 { return unlessZero(s.MedianPerMille) }),
	}
	speedHigh = Figure{
		Name: "speed_high", Unit: factor, merge: slices.MaxFunc[[]int64],
		Help: "The 90th percentile of the hash time while the variant was measured, divided by the reference.",
		Of:   part(speedOf, func(s *v1beta1.RowSpeed) *int64 { return unlessZero(s.HighPerMille) }),
	}
	// A memory limit must hold for all repetitions.
	memoryPeak = Figure{
		Name: "memory_peak", Unit: memory, Help: "The maximum memory that a pod of the variant used.", merge: slices.MaxFunc[[]int64],
		Of: func(r *v1beta1.VariantResult) *int64 { return r.MemoryPeakBytes },
	}
)

var longer, lower = measurement.UpperMedian[int64], measurement.LowerMedian[int64]

// Figures are the numbers of a row, each with the column of the CSV that it is in since it exists.
var Figures = []Figure{
	LatencyP50, LatencyP95, LatencyP99, TimeOfHash, MaximumRate, boundRate,
	shown(CapacityRate, func(r *v1beta1.VariantResult) *int64 { return r.CapacityMilliPerSecond }),
	{Name: "hash_error", Unit: latency, Of: part(calibrationOf, func(c *handover.CalibrationResult) *int64 { return &c.ErrorMicroseconds })},
	{Name: "capacity_low", Unit: loginRate, Of: CapacityRate.low},
	{Name: "capacity_high", Unit: loginRate, Of: CapacityRate.high},
	{Name: "offered", Unit: loginRate, Help: "The login rate of the reported step.", Of: func(r *v1beta1.VariantResult) *int64 { return r.OfferedMilliPerSecond }},
	{Name: "throughput", Unit: loginRate, Of: func(r *v1beta1.VariantResult) *int64 { return r.ThroughputMilliPerSecond }},
	{Name: "p95_low", Unit: latency, Help: "The lower end of the 95 % interval of p95.", Of: LatencyP95.low},
	{Name: "p95_high", Unit: latency, Help: "The upper end of the 95 % interval of p95.", Of: LatencyP95.high},
	{Name: "p50_low", Unit: latency, Of: LatencyP50.low},
	{Name: "p50_high", Unit: latency, Of: LatencyP50.high},
	{Name: "p99_low", Unit: latency, Of: LatencyP99.low},
	{Name: "p99_high", Unit: latency, Of: LatencyP99.high},
	{Name: "users", Unit: number, Of: func(r *v1beta1.VariantResult) *int64 { return wide(r.Users) }},
	{Name: "samples", Unit: number, Of: func(r *v1beta1.VariantResult) *int64 { return r.Samples }},
	{
		Name: "throttled", Unit: percent, Help: "Share of the reported step's quota periods in which the service was throttled.",
		Of: func(r *v1beta1.VariantResult) *int64 { return r.ThrottledPerMille },
	},
	speedLow, speedMedian, speedHigh,
	{Name: "failed_at_most", Unit: Unit{"_per_million", 1, "", 0}, Of: part(failuresOf, func(f *v1beta1.Failures) *int64 { return &f.AtMostPerMillion })},
	memoryPeak,
	{Name: "alive_probes", Unit: number, Of: part(aliveOf, func(a *handover.Alive) *int64 { return &a.Probes })},
	{Name: "alive_failed", Unit: number, Of: part(aliveOf, func(a *handover.Alive) *int64 { return &a.Failed })},
	{Name: "alive_p95", Unit: Unit{"_microseconds", 1, "", 0}, Of: part(aliveOf, func(a *handover.Alive) *int64 { return a.P95Microseconds })},
}

func shown(f Figure, of func(*v1beta1.VariantResult) *int64) Figure {
	f.Of = of
	return f
}

// part returns a number of a part of a row that can be missing.
func part[T any](of func(*v1beta1.VariantResult) *T, number func(*T) *int64) func(*v1beta1.VariantResult) *int64 {
	return func(r *v1beta1.VariantResult) *int64 {
		p := of(r)
		if p == nil {
			return nil
		}
		return number(p)
	}
}

func calibrationOf(r *v1beta1.VariantResult) *handover.CalibrationResult { return r.Calibration }
func capacityInterval(r *v1beta1.VariantResult) *v1beta1.RateInterval    { return r.CapacityInterval }
func p50Interval(r *v1beta1.VariantResult) *handover.Interval            { return r.P50Interval }
func p95Interval(r *v1beta1.VariantResult) *handover.Interval            { return r.P95Interval }
func p99Interval(r *v1beta1.VariantResult) *handover.Interval            { return r.P99Interval }
func speedOf(r *v1beta1.VariantResult) *v1beta1.RowSpeed                 { return r.Speed }
func failuresOf(r *v1beta1.VariantResult) *v1beta1.Failures              { return r.Failures }
func aliveOf(r *v1beta1.VariantResult) *handover.Alive                   { return r.Alive }
func lowEnd(i *handover.Interval) *int64                                 { return &i.LowMicroseconds }
func highEnd(i *handover.Interval) *int64                                { return &i.HighMicroseconds }

func unlessZero(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

func wide(n *int32) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}

// capacityOrZero returns the capacity, or 0 for a result that met the objective at no rate. Such a
// result is below every capacity, and must not be left out as if it were unknown.
func capacityOrZero(r *v1beta1.VariantResult) *int64 {
	if r.CapacityMilliPerSecond == nil && r.ObjectiveMet != nil && !*r.ObjectiveMet {
		return new(int64)
	}
	return r.CapacityMilliPerSecond
}
