package html

import (
	"cmp"
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// figure is a group of charts with a caption and a table of what they show.
type figure struct {
	// What the charts show.
	Caption string
	Panels  []panel
	// Bars of shares, which the page draws with CSS.
	Bars    []bar
	Columns []string
	Lines   [][]string
}

type panel struct {
	Title string
	SVG   template.HTML
	// True if the chart is as wide as the page. It scrolls on a narrow page.
	Wide bool
}

type bar struct {
	Label string
	// Percent is a share of 100.
	Percent float64
}

// drawing marks an SVG of package html as safe: the package escapes what users wrote.
func drawing(svg string) template.HTML { return template.HTML(svg) } //nolint:gosec // see above

var small = dimensions{Width: 340, Height: 190}

func distributionPart(d report.Document) part {
	f := figure{
		Caption: "The number of logins by response time at the step of the variant's p95, as observed. " +
			"The dashed line is the p95 of that step, also as observed.",
		Columns: []string{"Variant", "At", "Logins", "Fastest", "p95", "Slowest", "Counts in buckets of equal width"},
	}
	for i, row := range d.Rows {
		if row.Step == nil || row.Step.Latencies == nil {
			continue
		}
		spread := spreadOf(row.Step.Latencies)
		line := spread.line(row)
		f.Panels = append(f.Panels, distribution(d, row, spread, altText{
			ID: "spread-" + strconv.Itoa(i), Title: "Response times of " + row.Result.Variant,
			Description: fmt.Sprintf("%s logins took from %s to %s. p95 is %s.", line[2], line[3], line[5], cmp.Or(line[4], "unknown")),
		}))
		f.Lines = append(f.Lines, line)
	}
	return figurePart("spread", "Response times", f)
}

// figurePart returns a part with a figure, or without if the figure is empty.
func figurePart(id, title string, f figure) part {
	p := part{ID: id, Section: report.Section{Title: title}}
	if len(f.Panels)+len(f.Bars) > 0 {
		p.Figures = []figure{f}
	}
	return p
}

// spread is a histogram with buckets of equal width from low to high, in microseconds.
type spread struct {
	low, high int64
	counts    []int64
}

// mostBars is the number of buckets that are drawn, if the histogram is fine enough for them.
const mostBars = 32

// spreadOf returns a histogram as it is drawn. Each bucket is drawn where its middle is, so those that
// are drawn are at least as wide as two of the widest.
func spreadOf(h *handover.Histogram) spread {
	var s spread
	buckets := h.Buckets[:min(len(h.Buckets), len(h.Counts))]
	if len(buckets) == 0 {
		return s
	}
	s.low, _ = h.Edges(buckets[0])
	start, end := h.Edges(buckets[len(buckets)-1])
	s.high = max(end, s.low+1)
	s.counts = make([]int64, max(1, min(mostBars, (s.high-s.low)/(2*(end-start)))))
	for i, bucket := range buckets {
		low, high := h.Edges(bucket)
		at := (float64(low+high)/2 - float64(s.low)) / float64(s.high-s.low)
		s.counts[min(len(s.counts)-1, max(0, int(at*float64(len(s.counts)))))] += h.Counts[i]
	}
	return s
}

func distribution(d report.Document, row report.Row, spread spread, alt altText) panel {
	area := barChart{
		Low: float64(spread.low), High: float64(spread.high),
		Values: floats(spread.counts),
		Y:      fromZero("", greatest(spread.counts), units.Number),
	}
	objective := float64(d.Experiment.Spec.Objective.P95Milliseconds) * 1000
	area.X = fromZero("response time", area.High, latency)
	if p95 := observedP95(row); p95 != nil {
		area.Marks = append(area.Marks, marker{At: float64(*p95), Label: "p95 " + units.Latency(p95)})
	}
	area.Marks = append(area.Marks, marker{At: objective, Label: "objective " + latency(objective), Limit: true})
	return panel{Title: atLoad(row), SVG: drawing(area.SVG(small, alt))}
}

// atLoad returns the variant with the load as observed: c10-500m at 5.5/s.
func atLoad(row report.Row) string {
	if load := observedLoad(row); load != "" {
		return row.Result.Variant + " at " + load
	}
	return row.Result.Variant
}

// observedLoad is before the conversion to the reference speed, if the reported step is known.
func observedLoad(row report.Row) string {
	if step := row.Step; step != nil && step.OfferedMilliPerSecond != nil {
		return units.Rate(step.OfferedMilliPerSecond)
	}
	return row.Load()
}

// observedP95 is before the conversion to the reference speed, if the reported step is known.
func observedP95(row report.Row) *int64 {
	if step := row.Step; step != nil && step.P95Microseconds != nil {
		return step.P95Microseconds
	}
	return row.Result.P95Microseconds
}

// line returns the figure's line in the table below it.
func (s spread) line(row report.Row) []string {
	var logins int64
	for _, count := range s.counts {
		logins += count
	}
	return []string{
		row.Result.Variant, observedLoad(row), strconv.FormatInt(logins, 10), units.Latency(&s.low),
		units.Latency(observedP95(row)), units.Latency(&s.high), listed(s.counts),
	}
}

func underWayPart(d report.Document) part {
	f := figure{
		Caption: "Logins sent and not yet answered, at 60 moments of the same step. " +
			"A curve that rises until its end shows a service that falls behind.",
		Columns: []string{"Variant", "At", "Mean", "Maximum", "At each moment"},
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
	area := barChart{
		High: 100, Values: floats(counts),
		Y: fromZero("", greatest(counts), units.Number),
		X: scale{Title: "share of the step’s time", High: 100, Format: func(x float64) string { return units.Number(x) + " %" }},
	}
	if step := row.Step; step != nil && step.CountedMilliseconds > 0 {
		area.High = float64(step.CountedMilliseconds) / 1000
		area.X = scale{Title: "since counting started", High: area.High, Format: func(x float64) string { return units.Number(x) + " s" }}
	}
	line := underWayLine(row)
	return panel{
		Title: atLoad(row),
		SVG: drawing(area.SVG(small, altText{
			ID: id, Title: "Requests under way, " + row.Result.Variant,
			Description: fmt.Sprintf("%s requests were under way on average and %s at most.", line[2], line[3]),
		})),
	}
}

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

func throttlingPart(d report.Document) part {
	f := figure{
		Caption: "The share of the quota’s periods in which the CPU limit throttled the service, at the step of the variant’s p95. " +
			"The time that a login waits for the next period is part of its response time.",
	}
	for _, row := range d.Rows {
		if share := row.Result.ThrottledPerMille; share != nil {
			f.Bars = append(f.Bars, bar{Label: atLoad(row), Percent: float64(min(max(*share, 0), 1000)) / 10})
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

func listed[N int32 | int64](values []N) string { return strings.Trim(fmt.Sprint(values), "[]") }

func greatest[N int32 | int64](values []N) float64 {
	var most N
	for _, value := range values {
		most = max(most, value)
	}
	return float64(most)
}
