package report

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// column is a column of the CSV: its name, which contains the unit, and its value for a
// row, which is empty if unknown.
type column struct {
	name  string
	value func(Document, Row) string
}

// columns are the columns in their order. Names are never changed and never reused; new
// columns are added at the end.
var columns = []column{
	{"experiment", func(d Document, _ Row) string { return guarded(d.Name()) }},
	{"variant", func(_ Document, r Row) string { return guarded(r.Result.Variant) }},
	{"source", func(_ Document, r Row) string { return source(r) }},
	{"algorithm", func(_ Document, r Row) string { return guarded(string(r.Result.Algorithm)) }},
	{"cost", func(_ Document, r Row) string { return positive(r.Result.Cost) }},
	{"control", func(_ Document, r Row) string { return guarded(r.Result.Control) }},
	{"cpu_limit", func(_ Document, r Row) string { return guarded(r.Result.CPULimit) }},
	{"concurrency", func(_ Document, r Row) string { return guarded(string(r.Variant.Concurrency.Mode)) }},
	{"workers", func(_ Document, r Row) string { return whole(r.Variant.Concurrency.Workers) }},
	{"queue_length", func(_ Document, r Row) string { return whole(r.Variant.Concurrency.QueueLength) }},
	{"node_pool", func(_ Document, r Row) string { return guarded(r.Result.NodePool) }},
	{"verdict", func(_ Document, r Row) string { return guarded(string(r.Result.Verdict)) }},
	{"reasons", func(_ Document, r Row) string { return guarded(strings.Join(reasonTypes(r.Result.Reasons), ";")) }},
	{"trials", func(_ Document, r Row) string { return positive(r.Result.Trials) }},
	{"hash_milliseconds", func(_ Document, r Row) string { return thousandths(r.HashMicroseconds) }},
	{"hash_error_milliseconds", func(_ Document, r Row) string { return thousandths(hashError(r)) }},
	{"bound_logins_per_second", func(_ Document, r Row) string { return thousandths(r.Result.BoundMilliPerSecond) }},
	{"maximum_logins_per_second", func(_ Document, r Row) string { return thousandths(r.Result.MaxThroughputMilliPerSecond) }},
	{"objective_met", func(_ Document, r Row) string { return truth(r.Result.ObjectiveMet) }},
	{"capacity_logins_per_second", func(_ Document, r Row) string { return thousandths(r.Result.CapacityMilliPerSecond) }},
	{"capacity_low_logins_per_second", func(_ Document, r Row) string { low, _ := rateEnds(r.Result.CapacityInterval); return thousandths(low) }},
	{"capacity_high_logins_per_second", func(_ Document, r Row) string {
		_, high := rateEnds(r.Result.CapacityInterval)
		return thousandths(high)
	}},
	{"capacity_method", func(_ Document, r Row) string { return guarded(string(r.Result.CapacityMethod)) }},
	{"capacity_is_lower_bound", func(_ Document, r Row) string { return truth(r.Result.CapacityIsLowerBound) }},
	{"offered_logins_per_second", func(_ Document, r Row) string { return thousandths(r.Result.OfferedMilliPerSecond) }},
	{"users", func(_ Document, r Row) string { return whole(r.Result.Users) }},
	{"throughput_logins_per_second", func(_ Document, r Row) string { return thousandths(r.Result.ThroughputMilliPerSecond) }},
	{"p95_milliseconds", func(_ Document, r Row) string { return thousandths(r.Result.P95Microseconds) }},
	{"p95_low_milliseconds", func(_ Document, r Row) string { low, _ := latencyEnds(r.Result.P95Interval); return thousandths(low) }},
	{"p95_high_milliseconds", func(_ Document, r Row) string { _, high := latencyEnds(r.Result.P95Interval); return thousandths(high) }},
	{"samples", func(_ Document, r Row) string { return whole(r.Result.Samples) }},
	{"throttled_percent", func(_ Document, r Row) string { return whole(r.Result.ThrottledPercent) }},
	{"replicas_for_demand", func(_ Document, r Row) string {
		return sizing(r, func(s v1alpha1.Sizing) string { return positive(s.Replicas) })
	}},
	{"total_cpu_for_demand", func(_ Document, r Row) string {
		return sizing(r, func(s v1alpha1.Sizing) string { return guarded(s.TotalCPU) })
	}},
	{"load_percent_at_demand", func(_ Document, r Row) string {
		return sizing(r, func(s v1alpha1.Sizing) string { return whole(&s.LoadPercent) })
	}},
	{"breaks", func(_ Document, r Row) string { return guarded(sizing(r, bounds)) }},
	{"currency", func(d Document, _ Row) string { return guarded(d.Currency()) }},
	{"price_per_million_logins", func(_ Document, r Row) string {
		return price(r, func(p v1alpha1.Price) string { return p.PerMillionLogins })
	}},
	{"price_per_month", func(_ Document, r Row) string { return price(r, func(p v1alpha1.Price) string { return p.PerMonth }) }},
	{"attacker_price_per_billion_guesses", func(_ Document, r Row) string {
		return price(r, func(p v1alpha1.Price) string { return p.AttackerPerBillionGuesses })
	}},
	{"reference_hash_cost8_milliseconds", func(d Document, r Row) string {
		return reference(d, r, func(p *v1alpha1.PoolSpeed) *int64 { return &p.HashMicrosecondsAtCost8 })
	}},
	{"pool_speed_median_ratio", func(d Document, r Row) string {
		return reference(d, r, func(p *v1alpha1.PoolSpeed) *int64 { return &p.MedianPerMille })
	}},
	{"speed_low_ratio", func(_ Document, r Row) string {
		return rowSpeed(r, func(s *v1alpha1.RowSpeed) *int64 { return &s.LowPerMille })
	}},
	{"speed_median_ratio", func(_ Document, r Row) string {
		return rowSpeed(r, func(s *v1alpha1.RowSpeed) *int64 { return &s.MedianPerMille })
	}},
	{"speed_high_ratio", func(_ Document, r Row) string {
		return rowSpeed(r, func(s *v1alpha1.RowSpeed) *int64 { return &s.HighPerMille })
	}},
	{"failed_at_most_per_million", func(_ Document, r Row) string {
		if r.Result.Failures == nil {
			return ""
		}
		return strconv.FormatInt(r.Result.Failures.AtMostPerMillion, 10)
	}},
	{"p50_milliseconds", func(_ Document, r Row) string { return thousandths(r.Result.P50Microseconds) }},
	{"p50_low_milliseconds", func(_ Document, r Row) string { low, _ := latencyEnds(r.Result.P50Interval); return thousandths(low) }},
	{"p50_high_milliseconds", func(_ Document, r Row) string { _, high := latencyEnds(r.Result.P50Interval); return thousandths(high) }},
	{"p99_milliseconds", func(_ Document, r Row) string { return thousandths(r.Result.P99Microseconds) }},
	{"p99_low_milliseconds", func(_ Document, r Row) string { low, _ := latencyEnds(r.Result.P99Interval); return thousandths(low) }},
	{"p99_high_milliseconds", func(_ Document, r Row) string { _, high := latencyEnds(r.Result.P99Interval); return thousandths(high) }},
	{"memory_peak_bytes", func(_ Document, r Row) string {
		if r.Result.MemoryPeakBytes == nil {
			return ""
		}
		return strconv.FormatInt(*r.Result.MemoryPeakBytes, 10)
	}},
	{"alive_probes", func(_ Document, r Row) string { return probes(r, func(a handover.Alive) *int64 { return &a.Probes }) }},
	{"alive_failed", func(_ Document, r Row) string { return probes(r, func(a handover.Alive) *int64 { return &a.Failed }) }},
	{"alive_p95_microseconds", func(_ Document, r Row) string {
		return probes(r, func(a handover.Alive) *int64 { return a.P95Microseconds })
	}},
}

// CSV writes a line for each variant, measured or predicted, as defined by RFC 4180.
// Unknown numbers are empty. Text that a spreadsheet would interpret as a formula is
// preceded by an apostrophe.
func CSV(w io.Writer, d Document) error {
	writer := csv.NewWriter(w)
	line := make([]string, len(columns))
	for i, c := range columns {
		line[i] = c.name
	}
	if err := writer.Write(line); err != nil {
		return err
	}
	for _, row := range d.Rows {
		for i, c := range columns {
			line[i] = c.value(d, row)
		}
		if err := writer.Write(line); err != nil {
			return err
		}
	}
	writer.Flush()
	return writer.Error()
}

// guarded prevents spreadsheets from evaluating a text that starts like a formula, also
// with the full-width characters that East Asian spreadsheets accept.
func guarded(text string) string {
	text = units.Line(text)
	if strings.ContainsAny(firstRune(text), "=+-@＝＋－＠") {
		return "'" + text
	}
	return text
}

func firstRune(text string) string {
	for _, r := range text {
		return string(r)
	}
	return ""
}

func source(r Row) string {
	switch {
	case r.Predicted:
		return "predicted"
	case r.Result.Trials > 0:
		return "measured"
	default:
		return ""
	}
}

// thousandths returns an integer of thousandths as an exact decimal: 5770 is 5.77.
func thousandths(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*n)/1000, 'f', -1, 64)
}

func whole[N int32 | int64](n *N) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(int64(*n), 10)
}

// positive returns a number as text, and nothing for 0, which means that it is absent.
func positive(n int32) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(int(n))
}

func truth(b *bool) string {
	if b == nil {
		return ""
	}
	return strconv.FormatBool(*b)
}

func hashError(r Row) *int64 {
	if r.Result.Calibration == nil {
		return nil
	}
	return &r.Result.Calibration.ErrorMicroseconds
}

func rateEnds(i *v1alpha1.RateInterval) (low, high *int64) {
	if i == nil {
		return nil, nil
	}
	return &i.LowMilliPerSecond, &i.HighMilliPerSecond
}

func latencyEnds(i *handover.Interval) (low, high *int64) {
	if i == nil {
		return nil, nil
	}
	return &i.LowMicroseconds, &i.HighMicroseconds
}

func sizing(r Row, field func(v1alpha1.Sizing) string) string {
	if r.Result.Sizing == nil {
		return ""
	}
	return field(*r.Result.Sizing)
}

func bounds(s v1alpha1.Sizing) string {
	var broken []string
	for _, bound := range s.Breaks {
		broken = append(broken, string(bound))
	}
	return strings.Join(broken, ";")
}

// reference returns a number of the reference speed that a row is converted to.
func reference(d Document, r Row, field func(*v1alpha1.PoolSpeed) *int64) string {
	pool := d.Reference(r)
	if pool == nil {
		return ""
	}
	return thousandths(field(pool))
}

func rowSpeed(r Row, field func(*v1alpha1.RowSpeed) *int64) string {
	if r.Result.Speed == nil {
		return ""
	}
	return thousandths(field(r.Result.Speed))
}

func price(r Row, field func(v1alpha1.Price) string) string {
	if r.Result.Price == nil {
		return ""
	}
	return guarded(field(*r.Result.Price))
}

func probes(r Row, get func(handover.Alive) *int64) string {
	if r.Result.Alive == nil {
		return ""
	}
	if number := get(*r.Result.Alive); number != nil {
		return strconv.FormatInt(*number, 10)
	}
	return ""
}
