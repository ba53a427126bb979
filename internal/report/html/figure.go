package html

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/chart"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// figure is drawings with one caption, and what they show as a table.
type figure struct {
	// What is to be seen.
	Caption string
	Panels  []panel
	// Bars of shares, drawn by the page itself.
	Bars    []bar
	Columns []string
	Lines   [][]string
}

// panel is one drawing under its name.
type panel struct {
	Title string
	SVG   template.HTML
	// True where the drawing takes the width of the page, and scrolls where that is
	// narrow.
	Wide bool
}

// bar is a share of 100.
type bar struct {
	Label   string
	Percent int32
}

// drawing is an SVG that the chart package made, which escapes what users wrote.
func drawing(svg string) template.HTML { return template.HTML(svg) } //nolint:gosec // see above

// small is the size of a drawing of which many stand side by side.
var small = chart.Size{Width: 340, Height: 190}

// distributionPart shows how response times spread at the reported step.
func distributionPart(d report.Document) part {
	f := figure{
		Caption: "How many logins took how long at the step that the variant's p95 was taken from, as observed. " +
			"The dashed line is that step's p95, also as observed.",
		Columns: []string{"Variant", "At", "Logins", "Fastest", "p95", "Slowest", "In buckets of equal width"},
	}
	for i, row := range d.Rows {
		if row.Shown == nil || row.Shown.Status.Distribution == nil || len(row.Shown.Status.Distribution.Counts) == 0 {
			continue
		}
		f.Panels = append(f.Panels, distribution(d, row, "spread-"+strconv.Itoa(i)))
		f.Lines = append(f.Lines, distributionLine(row))
	}
	return figurePart("spread", "Response times", f)
}

// figurePart has no figure where nothing was drawn.
func figurePart(id, title string, f figure) part {
	p := part{ID: id, Section: report.Section{Title: title}}
	if len(f.Panels)+len(f.Bars) > 0 {
		p.Figures = []figure{f}
	}
	return p
}

func distribution(d report.Document, row report.Row, id string) panel {
	spread := row.Shown.Status.Distribution
	area := chart.Area{
		Low: float64(spread.LowMicroseconds), High: float64(spread.HighMicroseconds),
		Values: floats(spread.Counts),
		Y:      chart.FromZero("", greatest(spread.Counts), units.Number),
	}
	objective := float64(d.Experiment.Spec.Objective.P95Milliseconds) * 1000
	area.X = chart.FromZero("response time", area.High, latency)
	if p95 := observedP95(row); p95 != nil {
		area.Marks = append(area.Marks, chart.Mark{At: float64(*p95), Label: "p95 " + units.Latency(p95)})
	}
	area.Marks = append(area.Marks, chart.Mark{At: objective, Label: "objective " + latency(objective), Limit: true})
	line := distributionLine(row)
	return panel{
		Title: atLoad(row),
		SVG: drawing(area.SVG(small, chart.Words{
			ID: id, Title: "Response times of " + row.Result.Variant,
			Description: fmt.Sprintf("%s logins took from %s to %s. p95 is %s.", line[2], line[3], line[5], cmp.Or(line[4], "not known")),
		})),
	}
}

// atLoad reads c10-500m at 5.5/s: the load as observed.
func atLoad(row report.Row) string {
	if load := observedLoad(row); load != "" {
		return row.Result.Variant + " at " + load
	}
	return row.Result.Variant
}

// observedLoad is the reported step's rate as it was offered, or its users; the row's
// own where the step is not known.
func observedLoad(row report.Row) string {
	if step := reported(row); step != nil && step.OfferedMilliPerSecond != nil {
		return units.Rate(step.OfferedMilliPerSecond)
	}
	return row.Load()
}

// observedP95 is the reported step's p95 before it is converted to the reference
// speed; the row's own where the step is not known.
func observedP95(row report.Row) *int64 {
	if step := reported(row); step != nil && step.P95Microseconds != nil {
		return step.P95Microseconds
	}
	return row.Result.P95Microseconds
}

func distributionLine(row report.Row) []string {
	spread := row.Shown.Status.Distribution
	var logins int64
	for _, count := range spread.Counts {
		logins += count
	}
	return []string{
		row.Result.Variant, observedLoad(row), strconv.FormatInt(logins, 10), units.Latency(&spread.LowMicroseconds),
		units.Latency(observedP95(row)), units.Latency(&spread.HighMicroseconds), listed(spread.Counts),
	}
}

// underWayPart shows how many requests were under way over the reported step's time.
func underWayPart(d report.Document) part {
	f := figure{
		Caption: "Logins that had been sent and not yet answered, at 60 moments of the same step. " +
			"A row that rises to its end tells of a service that falls behind.",
		Columns: []string{"Variant", "At", "Mean", "Most", "At the moments in turn"},
	}
	for i, row := range d.Rows {
		if row.Shown == nil || len(row.Shown.Status.UnderWay) == 0 {
			continue
		}
		f.Panels = append(f.Panels, underWay(row, "under-way-"+strconv.Itoa(i)))
		f.Lines = append(f.Lines, underWayLine(row))
	}
	return figurePart("under-way", "Requests under way", f)
}

func underWay(row report.Row, id string) panel {
	counts := row.Shown.Status.UnderWay
	area := chart.Area{
		High: 100, Values: floats(counts),
		Y: chart.FromZero("", greatest(counts), units.Number),
		X: chart.Scale{Title: "share of the step’s time", High: 100, Words: func(x float64) string { return units.Number(x) + " %" }},
	}
	if step := reported(row); step != nil && step.CountedMilliseconds > 0 {
		area.High = float64(step.CountedMilliseconds) / 1000
		area.X = chart.Scale{Title: "since the step began to count", High: area.High, Words: func(x float64) string { return units.Number(x) + " s" }}
	}
	line := underWayLine(row)
	return panel{
		Title: atLoad(row),
		SVG: drawing(area.SVG(small, chart.Words{
			ID: id, Title: "Requests under way, " + row.Result.Variant,
			Description: fmt.Sprintf("%s requests were under way on average and %s at the most.", line[2], line[3]),
		})),
	}
}

// reported is the step that the row's p95 was taken from; nil where it is not known.
func reported(row report.Row) *v1alpha1.Step {
	if row.Shown == nil || row.Shown.Status.Result == nil {
		return nil
	}
	steps := row.Shown.Status.Steps
	at := slices.IndexFunc(steps, func(s v1alpha1.Step) bool {
		return s.CountedMilliseconds > 0 && belongs(&s, row.Shown.Status.Result)
	})
	if at < 0 {
		return nil
	}
	return &steps[at]
}

// belongs tells whether a result was taken from a step: it has the step's rate at the
// reference speed, or of a step that is not converted the planned share of the bound
// or the rate.
func belongs(step *v1alpha1.Step, result *v1alpha1.VariantResult) bool {
	switch {
	case step.Kind == v1alpha1.StepClosed:
		return same(step.Users, result.Users)
	case step.AtReference != nil:
		return same(&step.AtReference.OfferedMilliPerSecond, result.OfferedMilliPerSecond)
	default:
		return same(step.LoadPercent, result.ReportedLoadPercent) || same(step.OfferedMilliPerSecond, result.OfferedMilliPerSecond)
	}
}

func same[N int32 | int64](a, b *N) bool { return a != nil && b != nil && *a == *b }

func underWayLine(row report.Row) []string {
	counts := row.Shown.Status.UnderWay
	var sum int32
	for _, count := range counts {
		sum += count
	}
	return []string{
		row.Result.Variant, observedLoad(row), units.Number(float64(sum) / float64(len(counts))), units.Number(greatest(counts)), listed(counts),
	}
}

// throttlingPart shows how often the quota held a variant up.
func throttlingPart(d report.Document) part {
	f := figure{
		Caption: "The share of the quota’s periods in which the CPU limit held the service up, at the step that the variant’s p95 was taken from. " +
			"Time in which a login waits for the next period is part of its response time.",
	}
	for _, row := range d.Rows {
		if share := row.Result.ThrottledPercent; share != nil {
			f.Bars = append(f.Bars, bar{Label: atLoad(row), Percent: min(max(*share, 0), 100)})
		}
	}
	return figurePart("throttling", "Throttling", f)
}

func latency(microseconds float64) string {
	whole := int64(microseconds)
	if whole == 0 {
		return "0"
	}
	return units.Latency(&whole)
}

func floats[N int32 | int64](values []N) []float64 {
	all := make([]float64, len(values))
	for i, value := range values {
		all[i] = float64(value)
	}
	return all
}

// listed are counts in a row, without brackets.
func listed[N int32 | int64](values []N) string { return strings.Trim(fmt.Sprint(values), "[]") }

func greatest[N int32 | int64](values []N) float64 {
	var most N
	for _, value := range values {
		most = max(most, value)
	}
	return float64(most)
}
