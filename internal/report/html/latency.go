package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// latencyPart returns p95 against the offered load: a chart for each cost, node pool and
// concurrency with the same axes, and a curve for each CPU limit.
func latencyPart(d report.Document) part {
	objective := float64(d.Experiment.Spec.Objective.P95Milliseconds) * 1000
	f := figure{
		Caption: "p95 at each offered rate" + atReference(d.Rows) + ", with its interval (vertical bars, 95 % confidence). " +
			"Each curve has its CPU limit as its label. A cross at the top is a rate that overloaded the service and has no p95. " +
			"The dashed line is the objective, " + latency(objective) + ".",
	}
	if d.Experiment.Spec.Load.Mode() == v1beta1.LoadUsers {
		f.Caption = strings.Replace(f.Caption, "each offered rate", "each number of users", 1)
	}
	drawn := curves(d.Rows)
	x, y := axes(d, drawn, objective)
	for i, c := range drawn {
		c.X, c.Y, c.Limit, c.LimitLabel = x, y, objective, "objective"
		f.Panels = append(f.Panels, panel{Title: c.title, SVG: drawing(c.SVG(dimensions{Width: 370, Height: 270}, altText{
			ID: "latency-" + strconv.Itoa(i), Title: "p95 against the load, " + c.title, Description: c.description(),
		}))})
	}
	table := report.Section{Columns: []string{
		"Variant", "Offered", "Share of the bound", "p95 as observed", "Hash time", "Rate at the reference", "p95 at the reference", "Interval of p95", "Outcome",
	}}
	for _, row := range d.Rows {
		table.Lines = append(table.Lines, latencyLines(row)...)
	}
	table.DropEmptyColumns()
	f.Columns, f.Lines = table.Columns, table.Lines
	return figurePart("latency", "p95 against the load", f)
}

// atReference says that the chart shows steps at the reference speed. It is empty if no
// step is converted.
func atReference(rows []report.Row) string {
	for _, row := range rows {
		if row.Shown != nil && slices.ContainsFunc(row.Shown.Status.Steps, func(s v1beta1.Step) bool { return s.AtReference != nil }) {
			return ", both at the reference speed of the CPU"
		}
	}
	return ""
}

type panelCurves struct {
	title string
	curveChart
}

func curves(rows []report.Row) []panelCurves {
	all := limits(rows)
	named := differing(rows)
	var drawn []panelCurves
	for _, row := range rows {
		curve := curve{Label: row.Result.CPULimit, Series: slices.Index(all, row.Result.CPULimit)}
		if row.Shown == nil || !fill(&curve, row.Shown.Status.Steps) {
			continue
		}
		title := panelTitle(row, named)
		at := slices.IndexFunc(drawn, func(p panelCurves) bool { return p.title == title })
		if at < 0 {
			at, drawn = len(drawn), append(drawn, panelCurves{title: title})
		}
		drawn[at].Lines = append(drawn[at].Lines, curve)
	}
	return drawn
}

func panelTitle(row report.Row, named func(report.Row) string) string {
	title := cmp.Or(row.Result.Hash.Name, "Cost "+strconv.Itoa(int(row.Result.Hash.Cost())))
	if name := named(row); name != "" {
		title += ", " + name
	}
	return title
}

// fill adds the points of the steps to the curve, and reports whether there are any.
func fill(curve *curve, steps []v1beta1.Step) bool {
	for i := range steps {
		x, ok := load(&steps[i])
		p95, interval := latencyOf(&steps[i])
		switch {
		case !ok:
		case p95 != nil && *p95 > 0:
			point := curvePoint{X: x, Y: float64(*p95)}
			if interval != nil {
				point.Low, point.High = float64(interval.LowMicroseconds), float64(interval.HighMicroseconds)
			}
			curve.Points = append(curve.Points, point)
		case steps[i].Outcome == v1beta1.StepOverloaded:
			curve.Beyond = append(curve.Beyond, x)
		}
	}
	slices.SortFunc(curve.Points, func(a, b curvePoint) int { return cmp.Compare(a.X, b.X) })
	slices.Sort(curve.Beyond)
	return len(curve.Points)+len(curve.Beyond) > 0
}

// latencyOf returns p95 with its interval, at the reference speed, or as observed if the
// step is not converted.
func latencyOf(step *v1beta1.Step) (*int64, *handover.Interval) {
	if at := step.AtReference; at != nil {
		return at.P95Microseconds, at.P95Interval
	}
	return step.P95Microseconds, step.P95Interval
}

// load returns the load that the step offered: users, or logins per second, at the
// reference speed if the step is converted. It returns false for the saturation step, which
// has nothing to do with the objective.
func load(step *v1beta1.Step) (float64, bool) {
	switch {
	case step.Kind == v1beta1.StepOpen && step.AtReference != nil && step.AtReference.OfferedMilliPerSecond > 0:
		return float64(step.AtReference.OfferedMilliPerSecond) / 1000, true
	case step.Kind == v1beta1.StepOpen && step.OfferedMilliPerSecond != nil && *step.OfferedMilliPerSecond > 0:
		return float64(*step.OfferedMilliPerSecond) / 1000, true
	case step.Kind == v1beta1.StepClosed && step.Users != nil && *step.Users > 0:
		return float64(*step.Users), true
	default:
		return 0, false
	}
}

// axes returns axes with room for all points of all charts and for the objective.
func axes(d report.Document, drawn []panelCurves, objective float64) (x, y scale) {
	var loads []float64
	times := []float64{objective}
	for _, p := range drawn {
		for _, line := range p.Lines {
			loads = append(loads, line.Beyond...)
			for _, point := range line.Points {
				loads, times = append(loads, point.X), append(times, point.Y, point.Low, point.High)
			}
		}
	}
	title := "logins offered per second"
	if d.Experiment.Spec.Load.Mode() == v1beta1.LoadUsers {
		title = "users"
	}
	return fit(title, loads, units.Number), fit("", times, latency)
}

func (p panelCurves) description() string {
	var texts []string
	for _, line := range p.Lines {
		text := "With a limit of " + line.Label
		if n := len(line.Points); n > 0 {
			first, last := line.Points[0], line.Points[n-1]
			text += fmt.Sprintf(" p95 goes from %s at %s to %s at %s", latency(first.Y), units.Number(first.X), latency(last.Y), units.Number(last.X))
		}
		if len(line.Beyond) > 0 {
			text += fmt.Sprintf(" the service was overloaded at %s", units.Number(line.Beyond[0]))
		}
		texts = append(texts, text+".")
	}
	return strings.Join(texts, " ")
}

func latencyLines(row report.Row) [][]string {
	if row.Shown == nil {
		return nil
	}
	var lines [][]string
	for i := range row.Shown.Status.Steps {
		step := &row.Shown.Status.Steps[i]
		x, ok := load(step)
		if !ok {
			continue
		}
		lines = append(lines, latencyLine(row.Result.Variant, step, x))
	}
	return lines
}

func latencyLine(variant string, step *v1beta1.Step, users float64) []string {
	offered := units.Rate(step.OfferedMilliPerSecond)
	if step.Kind == v1beta1.StepClosed {
		offered = units.Number(users) + " users"
	}
	share, hash, rate, p95, interval := "", "", "", "", ""
	if step.LoadPerMille != nil {
		share = units.Number(float64(*step.LoadPerMille)/10) + " %"
	}
	if step.Speed != nil {
		hash = report.RelativeHashTime(step.Speed.PerMille)
	}
	if at := step.AtReference; at != nil {
		rate, p95 = units.Rate(&at.OfferedMilliPerSecond), units.Latency(at.P95Microseconds)
	}
	if _, i := latencyOf(step); i != nil {
		interval = units.Latency(&i.LowMicroseconds) + "–" + units.Latency(&i.HighMicroseconds)
	}
	return []string{variant, offered, share, units.Latency(step.P95Microseconds), hash, rate, p95, interval, outcome(step.Outcome)}
}

func outcome(o v1beta1.StepOutcome) string {
	switch o {
	case v1beta1.StepMet:
		return "meets the objective"
	case v1beta1.StepFailed:
		return "does not meet the objective"
	case v1beta1.StepUndecided:
		return "undecided"
	case v1beta1.StepOverloaded:
		return "overloaded"
	case v1beta1.StepNotRun:
		return "not run"
	default:
		return ""
	}
}
