package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/schollz/progressbar/v3"
	"k8s.io/utils/clock"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/follow"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// newReporter returns a reporter that draws a progress bar on a terminal, and otherwise
// one that prints lines.
func (p Program) newReporter() follow.Reporter {
	if p.Columns > 0 {
		return &barReporter{out: p.Streams.ErrOut, clock: p.Clock, columns: p.Columns}
	}
	return &follow.Lines{Out: p.messages(), Clock: p.Clock}
}

// barReporter draws a progress bar of the finished trials, with what is running and the
// remaining time.
type barReporter struct {
	out     io.Writer
	clock   clock.PassiveClock
	columns int
	bar     *progressbar.ProgressBar
	last    *v1beta1.SizingExperiment
	said    string
	away    bool
}

// The bar's share of the line. The percentage, the count and what is running follow it.
const (
	barColumns   = 20
	barsOverhead = barColumns + len(" 100% |") + len("| (640/640)  ")
)

// Update moves the bar.
func (t *barReporter) Update(e *v1beta1.SizingExperiment) {
	t.last = e
	progress := e.Status.Progress
	if progress == nil || progress.Trials == 0 {
		t.say(follow.ProgressLine(e)) // there are no trials before the operator has planned it
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
		t.say(follow.Away)
	case t.bar == nil:
	case t.away:
		t.bar.Describe(cut(follow.Away, t.columns-barsOverhead))
	default:
		// What is running is last, because it is what a narrow terminal cuts.
		line := strings.TrimPrefix(follow.TimeLeft(t.last, t.clock.Now())+", "+doing(t.last), ", ")
		t.bar.Describe(cut(units.Line(line), t.columns-barsOverhead))
	}
}

// Tick shows the remaining time anew.
func (t *barReporter) Tick() { t.draw() }

// Disconnected shows that the API server can't be reached.
func (t *barReporter) Disconnected(error) {
	t.away = true
	t.draw()
}

// Reconnected shows again what is running.
func (t *barReporter) Reconnected() {
	t.away = false
	t.draw()
}

// Done removes the bar.
func (t *barReporter) Done() {
	if t.bar != nil {
		_ = t.bar.Clear()
	}
}

func doing(e *v1beta1.SizingExperiment) string {
	switch progress, trials := e.Status.Progress, follow.Doing(e); {
	case progress.QueuePosition != nil:
		return fmt.Sprintf("queued at position %d", *progress.QueuePosition)
	case trials != "":
		return trials
	default:
		return strings.ToLower(string(e.Status.Phase))
	}
}

func cut(text string, columns int) string {
	letters := []rune(text)
	if len(letters) <= columns {
		return text
	}
	return string(letters[:max(columns-1, 0)]) + "…"
}
