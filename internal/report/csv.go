package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// column is a column of the CSV: its name, which contains the unit, and its value for a
// row, which is empty if unknown.
type column struct {
	name  string
	value func(Document, Row) string
}

// columns are the columns in their order. Names are never changed and never reused. A figure that is not
// listed here is added at the end.
var columns = withFigures([]column{
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
	figure("hash_error"), figure("bound"), figure("maximum"),
	{"objective_met", func(_ Document, r Row) string { return truth(r.Result.ObjectiveMet) }},
	figure("capacity"), figure("capacity_low"), figure("capacity_high"),
	{"capacity_method", func(_ Document, r Row) string { return guarded(string(r.Result.CapacityMethod)) }},
	{"capacity_is_lower_bound", func(_ Document, r Row) string { return truth(r.Result.CapacityIsLowerBound) }},
	figure("offered"), figure("users"), figure("throughput"), figure("p95"), figure("p95_low"), figure("p95_high"), figure("samples"), figure("throttled"),
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
	figure("speed_low"), figure("speed_median"), figure("speed_high"), figure("failed_at_most"),
	figure("p50"), figure("p50_low"), figure("p50_high"), figure("p99"), figure("p99_low"), figure("p99_high"),
})

// figure returns the column of a figure.
func figure(name string) column {
	i := slices.IndexFunc(results.Figures, func(f results.Figure) bool { return f.Name == name })
	return columnOf(results.Figures[i])
}

func columnOf(f results.Figure) column {
	return column{f.Column(), func(_ Document, r Row) string {
		n := f.Of(&r.Result)
		if n == nil {
			return ""
		}
		return strconv.FormatFloat(float64(*n)/f.Unit.PerColumn, 'f', -1, 64)
	}}
}

// withFigures adds the figures that have no column yet.
func withFigures(columns []column) []column {
	for _, f := range results.Figures {
		if !slices.ContainsFunc(columns, func(c column) bool { return c.name == f.Column() }) {
			columns = append(columns, columnOf(f))
		}
	}
	return columns
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

func price(r Row, field func(v1alpha1.Price) string) string {
	if r.Result.Price == nil {
		return ""
	}
	return guarded(field(*r.Result.Price))
}
