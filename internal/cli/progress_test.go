package cli

import (
	"bytes"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func under(running ...string) *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{Status: v1alpha1.SizingExperimentStatus{
		Phase: v1alpha1.ExperimentRunning,
		Progress: &v1alpha1.Progress{
			Trials: 9, Finished: 3, Running: running, EstimatedEndTime: ptr.To(metav1.NewTime(noon.Add(250 * time.Second))),
		},
	}}
}

// drawn are the lines that were drawn over one another, without what erases them.
func drawn(out string) []string {
	return regexp.MustCompile(`\r|\x1b\[[0-9]*[A-Za-z]|\n`).Split(out, -1)
}

func TestABarShowsWhatRunsAndTheTimeThatIsLeft(t *testing.T) {
	var out bytes.Buffer
	clock := clocktesting.NewFakeClock(noon)
	bar := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clock, Columns: 100}.newReporter()
	bar.update(&v1alpha1.SizingExperiment{})
	bar.update(&v1alpha1.SizingExperiment{})
	if out.String() != "Waits for an operator to look at it\n" {
		t.Errorf("before there was anything to count it said %q", out.String())
	}
	bar.update(under("c10-500m"))
	clock.Step(10 * time.Second)
	bar.tick()
	bar.disconnected(errors.New("connection refused"))
	bar.reconnected()
	bar.done()
	for _, want := range []string{"(3/9)", "33%", "about 4:10 left, c10-500m", "about 4:00 left, c10-500m", "The API server can't be reached, retrying"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it never drew %q: %q", want, out.String())
		}
	}
	if lines := drawn(out.String()); strings.TrimSpace(lines[len(lines)-1]) != "" {
		t.Errorf("the bar is still there: %q", lines)
	}
}

func TestABarShowsTheStageOfATrial(t *testing.T) {
	var out bytes.Buffer
	bar := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon), Columns: 100}.newReporter()
	bar.update(during("3 of 9 trials have ended. c10-500m: Running the load"))
	if want := "about 4:10 left, c10-500m: Running the load"; !strings.Contains(out.String(), want) {
		t.Errorf("it drew %q, want %q", out.String(), want)
	}
}

// during is an experiment in the operator's words.
func during(message string) *v1alpha1.SizingExperiment {
	e := under("c10-500m")
	meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionProgressing, Status: metav1.ConditionTrue, Message: message})
	return e
}

func TestLinesLeaveOutTheMomentsBetweenStages(t *testing.T) {
	var out bytes.Buffer
	lines := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon)}.newReporter()
	for _, message := range []string{
		"3 of 9 trials have ended. c8-1: Deleting", "3 of 9 trials have ended", "3 of 9 trials have ended. c10-500m",
		"3 of 9 trials have ended. c10-500m: Creating", "Cancelled; removing the load",
	} {
		lines.update(during(message))
	}
	want := `12:00:00  Running: 3 of 9 trials have ended. c8-1: Deleting, about 4:10 left
12:00:00  Running: 3 of 9 trials have ended. c10-500m: Creating, about 4:10 left
12:00:00  Running: Cancelled; removing the load, about 4:10 left
`
	if out.String() != want {
		t.Errorf("it printed %q, want %q", out.String(), want)
	}
}

func TestABarGrowsWithTheTrials(t *testing.T) {
	var out bytes.Buffer
	bar := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon), Columns: 100}.newReporter()
	bar.update(under("c10-500m"))
	more := under("c10-500m")
	more.Status.Progress.Trials, more.Status.Progress.Finished = 10, 9
	bar.update(more)
	if !strings.Contains(out.String(), "(9/10)") {
		t.Errorf("with a tenth trial it drew %q", out.String())
	}
}

func TestABarNeverOutgrowsItsLine(t *testing.T) {
	for _, columns := range []int{20, 40, 80, 120} {
		var out bytes.Buffer
		bar := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon), Columns: columns}.newReporter()
		bar.update(under("c10-500m-w1q64-small", "c12-500m-w1q64-small", "c12-500m-w1q64-large"))
		bar.tick()
		for _, line := range drawn(out.String()) {
			if wide := utf8.RuneCountInString(strings.TrimRight(line, " ")); wide > max(columns, barsOverhead) {
				t.Errorf("of %d columns it took %d: %q", columns, wide, line)
			}
		}
	}
}

func TestTheTimeThatIsLeftIsToldInWordsForPeople(t *testing.T) {
	for name, tt := range map[string]struct {
		end  time.Duration
		want string
	}{
		"seconds":         {5 * time.Second, "about 0:05 left"},
		"minutes":         {61 * time.Second, "about 1:01 left"},
		"hours":           {2*time.Hour + 5*time.Minute + 59*time.Second, "about 2 h 05 min left"},
		"later than that": {-time.Second, ""},
	} {
		t.Run(name, func(t *testing.T) {
			e := under()
			e.Status.Progress.EstimatedEndTime = ptr.To(metav1.NewTime(noon.Add(tt.end)))
			if got := left(e, noon); got != tt.want {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAQueuedExperimentNamesItsPlace(t *testing.T) {
	e := under()
	e.Status.Progress.QueuePosition = ptr.To[int32](2)
	if got := doing(e); got != "queued at position 2" {
		t.Errorf("it says %q", got)
	}
}

func TestLinesTellOfAnAPIServerThatIsAway(t *testing.T) {
	var out bytes.Buffer
	lines := Program{Streams: genericiooptions.IOStreams{ErrOut: &out}, Clock: clocktesting.NewFakeClock(noon)}.newReporter()
	lines.disconnected(errors.New("connection refused"))
	lines.reconnected()
	want := "12:00:00  The API server can't be reached, retrying: connection refused\n12:00:00  The API server can be reached again\n"
	if out.String() != want {
		t.Errorf("it said %q, want %q", out.String(), want)
	}
}
