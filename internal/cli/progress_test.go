package cli

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// under returns an experiment whose trials do what is said.
func under(doing ...string) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{Status: v1beta1.SizingExperimentStatus{
		Phase: v1beta1.ExperimentRunning,
		Progress: &v1beta1.Progress{
			Trials: 9, Finished: 3, Doing: doing, EstimatedEndTime: ptr.To(metav1.NewTime(noon.Add(250 * time.Second))),
		},
	}}
}

// drawn are the lines that were drawn over one another, without what erases them.
func drawn(out string) []string {
	return regexp.MustCompile(`\r|\x1b\[[0-9]*[A-Za-z]|\n`).Split(out, -1)
}

func TestBarShowsWhatRunsAndTheTimeLeft(t *testing.T) {
	var out bytes.Buffer
	clock := clocktesting.NewFakeClock(noon)
	bar := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clock, Columns: 100}.newReporter()
	bar.Update(&v1beta1.SizingExperiment{})
	bar.Update(&v1beta1.SizingExperiment{})
	if out.String() != "Waits for an operator to look at it\n" {
		t.Errorf("before there was anything to count it said %q", out.String())
	}
	bar.Update(under("c10-500m: Creating the service"))
	clock.Step(10 * time.Second)
	bar.Tick()
	bar.Disconnected(errors.New("connection refused"))
	bar.Reconnected()
	queued := under()
	bar.Update(under("c10-500m: Running the load"))
	queued.Status.Progress.Trials, queued.Status.Progress.Finished, queued.Status.Progress.QueuePosition = 10, 9, ptr.To[int32](2)
	bar.Update(queued)
	bar.Done()
	for _, want := range []string{
		"(3/9)", "33%", "about 4:10 left, c10-500m: Creating", "about 4:00 left, c10-500m: Creating", "The API server can't be reached, retrying",
		"about 4:00 left, c10-500m: Running the load", "(9/10)", "about 4:00 left, queued at position 2",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it never drew %q: %q", want, out.String())
		}
	}
	if lines := drawn(out.String()); strings.TrimSpace(lines[len(lines)-1]) != "" {
		t.Errorf("the bar is still there: %q", lines)
	}
}

func TestBarFitsIntoTheTerminal(t *testing.T) {
	for _, columns := range []int{20, 40, 80, 120} {
		var out bytes.Buffer
		bar := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon), Columns: columns}.newReporter()
		bar.Update(under("c10-500m-w1q64-small", "c12-500m-w1q64-small", "c12-500m-w1q64-large"))
		bar.Tick()
		for _, line := range drawn(out.String()) {
			if wide := utf8.RuneCountInString(strings.TrimRight(line, " ")); wide > max(columns, barsOverhead) {
				t.Errorf("of %d columns it took %d: %q", columns, wide, line)
			}
		}
	}
}
