package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"k8s.io/utils/clock"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// away is printed when the API server can't be reached.
const away = "The API server can't be reached, retrying"

// newReporter returns a reporter that draws a progress bar on a terminal, and otherwise
// one that prints lines.
func (p Program) newReporter() reporter {
	if p.Columns > 0 {
		return &barReporter{out: p.Streams.ErrOut, clock: p.Clock, columns: p.Columns}
	}
	return &lineReporter{out: p.messages(), clock: p.Clock}
}

// lineReporter prints a line for each stage of each trial. It is made for logs: it writes no
// control characters and does not repeat a line.
type lineReporter struct {
	out   io.Writer
	clock clock.PassiveClock
	last  string
}

func (t *lineReporter) update(e *v1alpha1.SizingExperiment) {
	line := results.ProgressLine(e)
	if line == t.last || results.BetweenStages(e) {
		return
	}
	t.last = line
	t.say(line + comma(left(e, t.clock.Now())))
}

func (t *lineReporter) say(line string) {
	fmt.Fprintf(t.out, "%s  %s\n", t.clock.Now().Format(time.TimeOnly), line)
}

func (t *lineReporter) disconnected(err error) { t.say(away + ": " + units.Line(err.Error())) }
func (t *lineReporter) reconnected()           { t.say("The API server can be reached again") }
func (t *lineReporter) tick()                  {}
func (t *lineReporter) done()                  {}

// barReporter draws a progress bar of the finished trials, with what is running and the
// remaining time.
type barReporter struct {
	out     io.Writer
	clock   clock.PassiveClock
	columns int
	bar     *progressbar.ProgressBar
	last    *v1alpha1.SizingExperiment
	said    string
	away    bool
}

// The bar's share of the line. The percentage, the count and what is running follow it.
const (
	barColumns   = 20
	barsOverhead = barColumns + len(" 100% |") + len("| (640/640)  ")
)

func (t *barReporter) update(e *v1alpha1.SizingExperiment) {
	t.last = e
	progress := e.Status.Progress
	if progress == nil || progress.Trials == 0 {
		t.say(results.ProgressLine(e)) // there are no trials before the operator has planned it
		return
	}
	if t.bar == nil {
		t.bar = t.newBar(int(progress.Trials))
	}
	t.bar.ChangeMax(int(progress.Trials)) // the verification of a second size adds trials
	t.draw()
	_ = t.bar.Set(int(progress.Finished)) // fails only if the terminal was closed
}

// say prints a line, before there is a bar, unless it was printed last.
func (t *barReporter) say(line string) {
	if line != t.said {
		t.said = line
		fmt.Fprintln(units.PlainWriter(t.out), line)
	}
}

func (t *barReporter) newBar(trials int) *progressbar.ProgressBar {
	return progressbar.NewOptions(trials,
		progressbar.OptionSetWriter(t.out), progressbar.OptionSetWidth(barColumns),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(), progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true),
	)
}

// draw shows next to the bar what is running, cut to the width of the terminal: a
// wrapped line could not be redrawn.
func (t *barReporter) draw() {
	switch {
	case t.bar == nil && t.away:
		t.say(away)
	case t.bar == nil:
	case t.away:
		t.bar.Describe(cut(away, t.columns-barsOverhead))
	default:
		// What is running is last, because it is what a narrow terminal cuts.
		t.bar.Describe(cut(strings.TrimPrefix(left(t.last, t.clock.Now())+comma(units.Line(doing(t.last))), ", "), t.columns-barsOverhead))
	}
}

func (t *barReporter) tick() { t.draw() }

func (t *barReporter) disconnected(error) {
	t.away = true
	t.draw()
}

func (t *barReporter) reconnected() {
	t.away = false
	t.draw()
}

func (t *barReporter) done() {
	if t.bar != nil {
		_ = t.bar.Clear()
	}
}

// doing returns in a few words what the experiment is doing.
func doing(e *v1alpha1.SizingExperiment) string {
	progress := e.Status.Progress
	stage, _ := results.Stage(e)
	switch {
	case progress.QueuePosition != nil:
		return fmt.Sprintf("queued at position %d", *progress.QueuePosition)
	case stage != "":
		return stage
	case len(progress.Running) > 0:
		return strings.Join(progress.Running, ", ")
	default:
		return strings.ToLower(string(e.Status.Phase))
	}
}

// left returns the remaining time by the experiment's own estimate, as text. It is empty
// without an estimate, or if the estimated time has passed.
func left(e *v1alpha1.SizingExperiment, now time.Time) string {
	progress := e.Status.Progress
	if progress == nil || progress.EstimatedEndTime == nil || !progress.EstimatedEndTime.After(now) {
		return ""
	}
	seconds := int(progress.EstimatedEndTime.Sub(now).Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("about %d h %02d min left", seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf("about %d:%02d left", seconds/60, seconds%60)
}

func comma(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}

func cut(text string, columns int) string {
	letters := []rune(text)
	if len(letters) <= columns {
		return text
	}
	return string(letters[:max(columns-1, 0)]) + "…"
}
