package html

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/plotter"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// trialsADrawing is the maximum number of trials in one chart, so that there is room
	// for their names.
	trialsADrawing = 10
	// mostPoints is the maximum number of points of all charts together, and leastPoints the
	// minimum per trial. They limit the size of a large report.
	mostPoints, leastPoints = 24_000, 40
)

// observed is the speed of the CPU during a trial.
type observed struct {
	row   report.Row
	trial *v1beta1.SizingTrial
	// The blocks of the calibration and the windows of the load: seconds since 1970, and the
	// hash time in thousandths of the reference.
	blocks, windows plotter.XYs
	// The number of blocks and windows, before points are merged.
	known int
}

// speedFigures returns charts of the speed over the experiment, or nothing if the speed is
// unknown.
func speedFigures(d report.Document) []figure {
	f := figure{
		Caption: "The hash time relative to the reference, over the experiment: above the line the CPU was slower. " +
			"Each section is a trial, named after its variant: dots are the blocks of its calibration, the line is its load. " +
			"The band is the 10th to the 90th percentile; its upper edge is the slow speed. Sizes are chosen for one that is slower, because another pod can be.",
		Columns: []string{"Variant", "Load started", "Fast", "Median", "Slow", "Windows", "Planned for", "Verdict"},
	}
	all := observations(d)
	if len(all) == 0 {
		return nil
	}
	begin := beginning(d, all)
	for at, pool := range pools(all) {
		y := speedScale(d.Reference(pool[0].row), pool)
		drawings := (len(pool) + trialsADrawing - 1) / trialsADrawing
		for part, trials := range slices.Collect(slices.Chunk(pool, (len(pool)+drawings-1)/drawings)) {
			f.Panels = append(f.Panels, speedPanel(d, trials, y, begin, fmt.Sprintf("speed-%d-%d", at, part)))
		}
	}
	for _, o := range all {
		f.Lines = append(f.Lines, o.line(begin))
	}
	return []figure{f}
}

// observations returns the trials with a known speed, in chronological order.
func observations(d report.Document) []observed {
	var all []observed
	for _, row := range d.Rows {
		for _, trial := range row.Trials {
			if o := (observed{row: row, trial: trial}); o.read() {
				all = append(all, o)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b observed) int { return cmp.Compare(a.points()[0].X, b.points()[0].X) })
	most := max(leastPoints, mostPoints/max(1, len(all)))
	for i := range all {
		all[i].windows = thinned(all[i].windows, most)
	}
	return all
}

func (o observed) points() plotter.XYs { return slices.Concat(o.blocks, o.windows) }

// read reads the blocks and windows of the trial, and reports whether there are any.
func (o *observed) read() bool {
	speed := o.trial.Status.Speed
	if speed == nil || speed.ReferenceHashMicrosecondsAtCost8 <= 0 {
		return false
	}
	o.readBlocks(float64(speed.ReferenceHashMicrosecondsAtCost8))
	if speed.LoadStartTime != nil && speed.WindowMilliseconds > 0 {
		each := float64(speed.WindowMilliseconds) / 1000
		for i, perMille := range speed.WindowsPerMille {
			if perMille > 0 {
				o.windows = append(o.windows, plotter.XY{X: seconds(speed.LoadStartTime) + (float64(i)+.5)*each, Y: float64(perMille)})
			}
		}
	}
	o.known = len(o.blocks) + len(o.windows)
	return o.known > 0
}

// readBlocks spreads the calibration's blocks evenly over its time, since the length of
// each block is not stored.
func (o *observed) readBlocks(reference float64) {
	calibration, attempt := o.trial.Status.Calibration, kept(o.trial)
	if calibration == nil || attempt == nil || attempt.CalibrationStartTime == nil || attempt.CalibrationEndTime == nil {
		return
	}
	begin, blocks := seconds(attempt.CalibrationStartTime), calibration.BlockMicroseconds
	each := (seconds(attempt.CalibrationEndTime) - begin) / float64(max(1, len(blocks)))
	for i, micros := range blocks {
		o.blocks = append(o.blocks, plotter.XY{X: begin + (float64(i)+.5)*each, Y: 1000 * float64(micros) / reference})
	}
}

func kept(trial *v1beta1.SizingTrial) *v1beta1.Attempt {
	for i := range slices.Backward(trial.Status.Attempts) {
		if a := &trial.Status.Attempts[i]; a.Outcome == v1beta1.OutcomeKept {
			return a
		}
	}
	return nil
}

func seconds(at *metav1.Time) float64 { return float64(at.UnixMilli()) / 1000 }

// thinned returns at most that many points, by merging neighbouring points to their mean.
func thinned(points plotter.XYs, most int) plotter.XYs {
	each := (len(points) + most - 1) / most
	if each <= 1 {
		return points
	}
	var means plotter.XYs
	for together := range slices.Chunk(points, each) {
		var mean plotter.XY
		for _, point := range together {
			mean.X, mean.Y = mean.X+point.X/float64(len(together)), mean.Y+point.Y/float64(len(together))
		}
		means = append(means, mean)
	}
	return means
}

func beginning(d report.Document, all []observed) float64 {
	first := all[0].points()[0].X
	if start := d.Experiment.Status.StartTime; start != nil {
		return math.Min(first, seconds(start))
	}
	return first
}

// pools returns the trials of each node pool, sorted by its name.
func pools(all []observed) [][]observed {
	byName := map[string][]observed{}
	for _, o := range all {
		byName[o.row.Result.NodePool] = append(byName[o.row.Result.NodePool], o)
	}
	var pools [][]observed
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		pools = append(pools, byName[name])
	}
	return pools
}

// speedPanel returns a chart of trials of one node pool. The charts of a pool have the same
// vertical scale.
func speedPanel(d report.Document, trials []observed, y scale, begin float64, id string) panel {
	drawn := timeChart{Y: y, Level: 0, LevelLabel: "reference", LowLabel: "fast", HighLabel: "slow"}
	first, last := math.Inf(1), 0.0
	title, words := "Hash time relative to the reference", fmt.Sprintf("%d trials.", len(trials))
	if name := trials[0].row.Result.NodePool; name != "" {
		title += ", " + name
	}
	if pool := d.Reference(trials[0].row); pool != nil {
		drawn.Low, drawn.High = percent(pool.LowPerMille), percent(pool.HighPerMille)
		drawn.LowLabel += " " + report.RelativeHashTime(pool.LowPerMille)
		drawn.HighLabel += " " + report.RelativeHashTime(pool.HighPerMille)
		words += fmt.Sprintf(" At the reference a hash of cost 8 takes %s; it took %s at the 10th and %s at the 90th percentile.",
			units.Latency(&pool.HashMicrosecondsAtCost8), report.RelativeHashTime(pool.LowPerMille), report.RelativeHashTime(pool.HighPerMille))
	}
	for i, o := range trials {
		period := chartPeriod{Label: o.name(), Series: i, Dots: placed(o.blocks, begin), Line: placed(o.windows, begin)}
		if len(period.Line) == 1 {
			period.Dots, period.Line = append(period.Dots, period.Line...), nil
		}
		for _, point := range slices.Concat(period.Dots, period.Line) {
			first, last = math.Min(first, point.X), math.Max(last, point.X)
		}
		drawn.All = append(drawn.All, period)
		words += " " + o.words()
	}
	if first < (last-first)/10 {
		first = 0
	}
	drawn.X = scale{Title: "since the start of the experiment", Low: first, High: math.Max(last, first+.1), Format: minutes}
	return panel{Title: title, Wide: true, SVG: drawing(drawn.SVG(dimensions{Width: 820, Height: 300}, altText{ID: id, Title: title, Description: words}))}
}

func speedScale(pool *v1beta1.PoolSpeed, trials []observed) scale {
	least, most := -5.0, 5.0
	if pool != nil {
		least, most = math.Min(least, percent(pool.LowPerMille)), math.Max(most, percent(pool.HighPerMille))
	}
	for _, o := range trials {
		for _, point := range placed(o.points(), 0) {
			least, most = math.Min(least, point.Y), math.Max(most, point.Y)
		}
	}
	room := (most - least) / 20
	return scale{Low: least - room, High: most + room, Format: func(y float64) string { return report.RelativeHashTime(1000 + int64(math.Round(10*y))) }}
}

func percent(perMille int64) float64 { return float64(perMille)/10 - 100 }

// placed converts points to minutes since begin and percent.
func placed(points plotter.XYs, begin float64) plotter.XYs {
	all := make(plotter.XYs, len(points))
	for i, point := range points {
		all[i] = plotter.XY{X: (point.X - begin) / 60, Y: point.Y/10 - 100}
	}
	return all
}

func minutes(x float64) string {
	if x == 0 {
		return "0"
	}
	return units.Number(x) + " min"
}

// name returns the name of the variant, with the repetition if there are several.
func (o observed) name() string {
	if len(o.row.Trials) > 1 {
		return o.row.Result.Variant + " (" + strconv.Itoa(int(o.trial.Spec.Repetition)) + ")"
	}
	return o.row.Result.Variant
}

func (o observed) words() string {
	speed := o.trial.Status.Speed
	return fmt.Sprintf("%s: %s to %s.", o.name(), slower(speed.LowPerMille), slower(speed.HighPerMille))
}

// slower is report.RelativeHashTime, but empty if the hash time is absent.
func slower(perMille int64) string {
	if perMille <= 0 {
		return ""
	}
	return report.RelativeHashTime(perMille)
}

func (o observed) line(begin float64) []string {
	speed := o.trial.Status.Speed
	began, verdict := "", ""
	if speed.LoadStartTime != nil {
		began = minutes((seconds(speed.LoadStartTime) - begin) / 60)
	}
	if o.trial.Status.Result != nil {
		verdict = strings.ToLower(string(o.trial.Status.Result.Verdict))
	}
	against := func(micros int64) string {
		return slower(int64(math.Round(1000 * float64(micros) / float64(speed.ReferenceHashMicrosecondsAtCost8))))
	}
	return []string{
		o.name(), began, slower(speed.LowPerMille), against(speed.HashMicrosecondsAtCost8), slower(speed.HighPerMille),
		strconv.Itoa(o.known), against(speed.PlannedHashMicrosecondsAtCost8), verdict,
	}
}
