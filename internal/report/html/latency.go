package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/chart"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// latencyPart shows p95 against the load that was offered: a drawing for each
// cost, node pool and concurrency, over the same axes, with a curve for each CPU
// limit.
func latencyPart(d report.Document) part {
	objective := float64(d.Experiment.Spec.Objective.P95Milliseconds) * 1000
	f := figure{
		Caption: "p95 at each rate that was offered, and where the true one lies (upright bars, 95 % confidence). " +
			"Each curve bears its CPU limit. A cross at the top is a rate that overloaded the service, which has no p95. " +
			"The dashed line is the objective, " + latency(objective) + ".",
		Columns: []string{"Variant", "Offered", "p95", "True p95", "Outcome"},
	}
	if d.Experiment.Spec.Load.Mode == v1alpha1.LoadUsers {
		f.Caption = strings.Replace(f.Caption, "each rate that was offered", "each number of users", 1)
	}
	drawn := curves(d.Rows)
	x, y := axes(d, drawn, objective)
	for i, c := range drawn {
		c.X, c.Y, c.Limit, c.LimitLabel = x, y, objective, "objective"
		f.Panels = append(f.Panels, panel{Title: c.title, SVG: drawing(c.SVG(chart.Size{Width: 370, Height: 270}, chart.Words{
			ID: "latency-" + strconv.Itoa(i), Title: "p95 against the load, " + c.title, Description: c.description(),
		}))})
	}
	for _, row := range d.Rows {
		f.Lines = append(f.Lines, latencyLines(row)...)
	}
	return figurePart("latency", "p95 against the load", f)
}

// panelCurves are the curves of one drawing.
type panelCurves struct {
	title string
	chart.Curves
}

func curves(rows []report.Row) []panelCurves {
	all := limits(rows)
	named := differing(rows)
	var drawn []panelCurves
	for _, row := range rows {
		curve := chart.Curve{Label: row.Result.CPULimit, Series: slices.Index(all, row.Result.CPULimit)}
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
	title := "Cost " + strconv.Itoa(int(row.Result.Cost))
	if row.Result.Control != "" {
		title = row.Result.Control
	}
	if name := named(row); name != "" {
		title += ", " + name
	}
	return title
}

// fill gives the curve its points, and tells whether there are any.
func fill(curve *chart.Curve, steps []v1alpha1.Step) bool {
	for i := range steps {
		x, ok := load(&steps[i])
		switch {
		case !ok:
		case steps[i].P95Microseconds != nil && *steps[i].P95Microseconds > 0:
			point := chart.Point{X: x, Y: float64(*steps[i].P95Microseconds)}
			if interval := steps[i].P95Interval; interval != nil {
				point.Low, point.High = float64(interval.LowMicroseconds), float64(interval.HighMicroseconds)
			}
			curve.Points = append(curve.Points, point)
		case steps[i].Outcome == v1alpha1.StepOverloaded:
			curve.Beyond = append(curve.Beyond, x)
		}
	}
	slices.SortFunc(curve.Points, func(a, b chart.Point) int { return cmp.Compare(a.X, b.X) })
	slices.Sort(curve.Beyond)
	return len(curve.Points)+len(curve.Beyond) > 0
}

// load is what the step offered: logins per second, or users. The step that
// saturates a service is no question of the objective.
func load(step *v1alpha1.Step) (float64, bool) {
	switch {
	case step.Kind == v1alpha1.StepOpen && step.OfferedMilliPerSecond != nil && *step.OfferedMilliPerSecond > 0:
		return float64(*step.OfferedMilliPerSecond) / 1000, true
	case step.Kind == v1alpha1.StepClosed && step.Users != nil && *step.Users > 0:
		return float64(*step.Users), true
	default:
		return 0, false
	}
}

// axes hold every point of every drawing, and the objective.
func axes(d report.Document, drawn []panelCurves, objective float64) (x, y chart.Scale) {
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
	if d.Experiment.Spec.Load.Mode == v1alpha1.LoadUsers {
		title = "users"
	}
	return chart.Fit(title, loads, units.Number), chart.Fit("", times, latency)
}

// description tells each curve by its ends.
func (p panelCurves) description() string {
	var told []string
	for _, line := range p.Lines {
		text := "With a limit of " + line.Label
		if n := len(line.Points); n > 0 {
			first, last := line.Points[0], line.Points[n-1]
			text += fmt.Sprintf(" p95 goes from %s at %s to %s at %s", latency(first.Y), units.Number(first.X), latency(last.Y), units.Number(last.X))
		}
		if len(line.Beyond) > 0 {
			text += fmt.Sprintf(" the service was overloaded at %s", units.Number(line.Beyond[0]))
		}
		told = append(told, text+".")
	}
	return strings.Join(told, " ")
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
		offered, interval := units.Number(x)+"/s", ""
		if step.Kind == v1alpha1.StepClosed {
			offered = units.Number(x) + " users"
		}
		if i := step.P95Interval; i != nil {
			interval = units.Latency(&i.LowMicroseconds) + "–" + units.Latency(&i.HighMicroseconds)
		}
		lines = append(lines, []string{row.Result.Variant, offered, units.Latency(step.P95Microseconds), interval, outcome(step.Outcome)})
	}
	return lines
}

// outcome is what a step says of the objective, in words.
func outcome(o v1alpha1.StepOutcome) string {
	switch o {
	case v1alpha1.StepMet:
		return "meets the objective"
	case v1alpha1.StepFailed:
		return "does not meet the objective"
	case v1alpha1.StepUndecided:
		return "undecided"
	case v1alpha1.StepOverloaded:
		return "overloaded"
	case v1alpha1.StepNotRun:
		return "not run"
	default:
		return ""
	}
}
