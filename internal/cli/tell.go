package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"k8s.io/utils/clock"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/smoke"
)

// away is said when the API server does not answer.
const away = "The API server is away, trying again"

// newTeller draws a bar where a terminal is, and else prints lines.
func (p Program) newTeller() teller {
	if p.Columns > 0 {
		return &barTeller{out: p.Streams.ErrOut, clock: p.Clock, columns: p.Columns}
	}
	return &lineTeller{out: p.Streams.ErrOut, clock: p.Clock}
}

// lineTeller prints a line for each change, for logs: no control characters,
// and nothing that was said before.
type lineTeller struct {
	out   io.Writer
	clock clock.PassiveClock
	last  string
}

func (t *lineTeller) shows(e *v1alpha1.SizingExperiment) {
	line := smoke.Progress(e)
	if line == t.last {
		return
	}
	t.last = line
	t.say(line + comma(left(e, t.clock.Now())))
}

func (t *lineTeller) say(line string) {
	fmt.Fprintf(t.out, "%s  %s\n", t.clock.Now().Format(time.TimeOnly), line)
}

func (t *lineTeller) loses(err error) { t.say(away + ": " + err.Error()) }
func (t *lineTeller) finds()          { t.say("The API server is back") }
func (t *lineTeller) passes()         {}
func (t *lineTeller) ends()           {}

// barTeller draws a bar of trials that have ended, with what runs now and the
// time that is left.
type barTeller struct {
	out     io.Writer
	clock   clock.PassiveClock
	columns int
	bar     *progressbar.ProgressBar
	last    *v1alpha1.SizingExperiment
	said    string
	away    bool
}

// The bar's own share of the line; beside it stand the percentage, the count and
// what goes on.
const (
	barColumns   = 20
	barsOverhead = barColumns + len(" 100% |") + len("| (640/640)  ")
)

func (t *barTeller) shows(e *v1alpha1.SizingExperiment) {
	t.last = e
	progress := e.Status.Progress
	if progress == nil || progress.Trials == 0 {
		t.say(smoke.Progress(e)) // before the operator has planned it there is nothing to count
		return
	}
	if t.bar == nil {
		t.bar = t.newBar(int(progress.Trials))
	}
	t.bar.ChangeMax(int(progress.Trials)) // a second size may be verified
	t.draw()
	_ = t.bar.Set(int(progress.Finished)) // who closed the terminal sees no bar
}

// say prints what is new while there is no bar.
func (t *barTeller) say(line string) {
	if line != t.said {
		t.said = line
		fmt.Fprintln(t.out, line)
	}
}

func (t *barTeller) newBar(trials int) *progressbar.ProgressBar {
	return progressbar.NewOptions(trials,
		progressbar.OptionSetWriter(t.out), progressbar.OptionSetWidth(barColumns),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionShowDescriptionAtLineEnd(), progressbar.OptionClearOnFinish(), progressbar.OptionUseANSICodes(true),
	)
}

// draw says beside the bar what goes on, as far as the line reaches: one that is
// broken by the terminal could not be drawn over.
func (t *barTeller) draw() {
	switch {
	case t.bar == nil && t.away:
		t.say(away)
	case t.bar == nil:
	case t.away:
		t.bar.Describe(cut(away, t.columns-barsOverhead))
	default:
		t.bar.Describe(cut(doing(t.last)+comma(left(t.last, t.clock.Now())), t.columns-barsOverhead))
	}
}

func (t *barTeller) passes() { t.draw() }

func (t *barTeller) loses(error) {
	t.away = true
	t.draw()
}

func (t *barTeller) finds() {
	t.away = false
	t.draw()
}

func (t *barTeller) ends() {
	if t.bar != nil {
		_ = t.bar.Clear()
	}
}

// doing says in a few words what an experiment is at.
func doing(e *v1alpha1.SizingExperiment) string {
	progress := e.Status.Progress
	switch {
	case progress.QueuePosition != nil:
		return fmt.Sprintf("queued at place %d", *progress.QueuePosition)
	case len(progress.Running) > 0:
		return strings.Join(progress.Running, ", ")
	default:
		return strings.ToLower(string(e.Status.Phase))
	}
}

// left says how long an experiment is likely to go on, by its own estimate;
// nothing where it has none, or where its time is up.
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

func comma(words string) string {
	if words == "" {
		return ""
	}
	return ", " + words
}

func cut(words string, columns int) string {
	letters := []rune(words)
	if len(letters) <= columns {
		return words
	}
	return string(letters[:max(columns-1, 0)]) + "…"
}
