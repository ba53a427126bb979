package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
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
	{"experiment", func(d Document, _ Row) string { return d.Name() }},
	{"variant", func(_ Document, r Row) string { return r.Result.Variant }},
	{"source", func(_ Document, r Row) string { return source(r) }},
	{"algorithm", func(_ Document, r Row) string { return string(r.Result.Hash.Kind()) }},
	{"cost", func(_ Document, r Row) string { return positive(r.Result.Hash.Cost()) }},
	{"hash", func(_ Document, r Row) string { return r.Result.Hash.Name }},
	{"cpu_limit", func(_ Document, r Row) string { return r.Result.CPULimit }},
	{"concurrency", func(_ Document, r Row) string { return string(r.Variant.Concurrency.Mode) }},
	{"workers", func(_ Document, r Row) string { return whole(r.Variant.Concurrency.Workers) }},
	{"queue_length", func(_ Document, r Row) string { return whole(r.Variant.Concurrency.QueueLength) }},
	{"node_pool", func(_ Document, r Row) string { return r.Result.NodePool }},
	{"verdict", func(_ Document, r Row) string { return string(r.Result.Verdict) }},
	{"reasons", func(_ Document, r Row) string { return strings.Join(results.ReasonTypes(r.Result.Reasons), ";") }},
	{"trials", func(_ Document, r Row) string { return positive(r.Result.Trials) }},
	{"hash_milliseconds", func(_ Document, r Row) string { return decimal(r.HashMicroseconds, 1000) }},
	figure("hash_error"), figure("bound"), figure("maximum"),
	{"objective_met", func(_ Document, r Row) string { return truth(r.Result.ObjectiveMet) }},
	figure("capacity"), figure("capacity_low"), figure("capacity_high"),
	{"capacity_method", func(_ Document, r Row) string { return string(r.Result.CapacityMethod) }},
	{"capacity_is_lower_bound", func(_ Document, r Row) string { return truth(r.Result.CapacityIsLowerBound) }},
	figure("offered"), figure("users"), figure("throughput"), figure("p95"), figure("p95_low"), figure("p95_high"), figure("samples"), figure("throttled"),
	{"replicas_for_demand", func(_ Document, r Row) string { return positive(r.sizing().Replicas) }},
	{"total_cpu_for_demand", func(_ Document, r Row) string { return r.sizing().TotalCPU }},
	{"load_percent_at_demand", func(_ Document, r Row) string { return decimal(r.loadPerMille(), 10) }},
	{"breaks", func(_ Document, r Row) string { return bounds(r.sizing()) }},
	{"currency", func(d Document, _ Row) string { return d.Currency() }},
	{"price_per_million_logins", func(_ Document, r Row) string { return r.price().PerMillionLogins }},
	{"price_per_month", func(_ Document, r Row) string { return r.price().PerMonth }},
	{"attacker_price_per_billion_guesses", func(_ Document, r Row) string { return r.price().AttackerPerBillionGuesses }},
	{"reference_hash_cost8_milliseconds", func(d Document, r Row) string {
		return reference(d, r, func(p *v1beta1.PoolSpeed) *int64 { return &p.HashMicrosecondsAtCost8 })
	}},
	{"pool_speed_median_ratio", func(d Document, r Row) string {
		return reference(d, r, func(p *v1beta1.PoolSpeed) *int64 { return &p.MedianPerMille })
	}},
	figure("speed_low"), figure("speed_median"), figure("speed_high"), figure("failed_at_most"),
	figure("p50"), figure("p50_low"), figure("p50_high"), figure("p99"), figure("p99_low"), figure("p99_high"),
})

func figure(name string) column {
	i := slices.IndexFunc(results.Figures, func(f results.Figure) bool { return f.Name == name })
	return columnOf(results.Figures[i])
}

func columnOf(f results.Figure) column {
	return column{f.Column(), func(_ Document, r Row) string { return decimal(f.Of(&r.Result), f.Unit.PerColumn) }}
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
			line[i] = guarded(c.value(d, row))
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
	if first, _ := utf8.DecodeRuneInString(text); strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + text
	}
	return text
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

// decimal returns an integer, divided by a unit, as an exact decimal: 5770 thousandths are 5.77.
func decimal(n *int64, unit float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*n)/unit, 'f', -1, 64)
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

func (r Row) price() v1beta1.Price { return ptr.Deref(r.Result.Price, v1beta1.Price{}) }

func (r Row) sizing() v1beta1.Sizing { return ptr.Deref(r.Result.Sizing, v1beta1.Sizing{}) }

func (r Row) loadPerMille() *int64 {
	if r.Result.Sizing == nil {
		return nil
	}
	return &r.Result.Sizing.LoadPerMille
}

func bounds(s v1beta1.Sizing) string {
	var broken []string
	for _, bound := range s.Breaks {
		broken = append(broken, string(bound))
	}
	return strings.Join(broken, ";")
}

// reference returns a number of the reference speed that a row is converted to.
func reference(d Document, r Row, field func(*v1beta1.PoolSpeed) *int64) string {
	pool := d.Reference(r)
	if pool == nil {
		return ""
	}
	return decimal(field(pool), 1000)
}
