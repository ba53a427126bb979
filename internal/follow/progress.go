package follow

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Away is what a Reporter says when the API server can't be reached.
const Away = "The API server can't be reached, retrying"

// Lines is a Reporter that prints a line for each stage of each trial. It is made for logs: it writes no control
// characters and does not repeat a line.
type Lines struct {
	// Out is written to.
	Out io.Writer
	// Clock has the time of each line, and of the estimate.
	Clock clock.PassiveClock
	last  string
}

// Update prints what the experiment does, and the remaining time. It leaves out the moments in which no trial
// runs, or in which one has just begun.
func (l *Lines) Update(e *v1beta1.SizingExperiment) {
	line := ProgressLine(e)
	reconciling := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionReconciling)
	between := reconciling != nil && reconciling.Reason == v1beta1.ReasonMeasuring && Doing(e) == ""
	if line == l.last || between {
		return
	}
	l.last = line
	l.say(strings.TrimSuffix(line+", "+TimeLeft(e, l.Clock.Now()), ", "))
}

// Tick does nothing.
func (l *Lines) Tick() {}

// Disconnected prints why the API server can't be reached.
func (l *Lines) Disconnected(err error) { l.say(Away + ": " + units.Line(err.Error())) }

// Reconnected prints that the API server can be reached.
func (l *Lines) Reconnected() { l.say("The API server can be reached again") }

// Done does nothing.
func (l *Lines) Done() {}

func (l *Lines) say(line string) {
	fmt.Fprintf(l.Out, "%s  %s\n", l.Clock.Now().Format(time.TimeOnly), line)
}

// ProgressLine returns a line about the progress of the experiment.
func ProgressLine(e *v1beta1.SizingExperiment) string {
	if e.Status.Phase == "" {
		return "Waits for an operator to look at it"
	}
	line := string(e.Status.Phase)
	if reconciling := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionReconciling); reconciling != nil {
		line += ": " + reconciling.Message
	}
	return units.Line(line)
}

// Doing returns what each running trial of an experiment does, or "" if none does anything yet.
func Doing(e *v1beta1.SizingExperiment) string {
	if e.Status.Progress == nil {
		return ""
	}
	return strings.Join(e.Status.Progress.Doing, "; ")
}

// TimeLeft returns the remaining time by the experiment's own estimate, as text: an interval before a hash has been timed. It is "" without an estimate, or
// if the estimated time has passed.
func TimeLeft(e *v1beta1.SizingExperiment, now time.Time) string {
	progress := e.Status.Progress
	if progress == nil || progress.EstimatedEndTime == nil || !progress.EstimatedEndTime.After(now) {
		return ""
	}
	if early, late := progress.EarliestEndTime, progress.LatestEndTime; early != nil && late != nil && early.After(now) {
		return fmt.Sprintf("%s to %s left", minutes(early.Sub(now)), minutes(late.Sub(now)))
	}
	return fmt.Sprintf("about %s left", minutes(progress.EstimatedEndTime.Sub(now)))
}

func minutes(left time.Duration) string {
	seconds := int(left.Seconds())
	if seconds >= 3600 {
		return fmt.Sprintf("%d h %02d min", seconds/3600, seconds/60%60)
	}
	return fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
}

// Ended returns nil if the experiment succeeded, or else an error with the messages of the experiment and of its
// trials.
func Ended(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) error {
	if e.Status.Phase == v1beta1.ExperimentSucceeded {
		return nil
	}
	phase := string(e.Status.Phase)
	if finished := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionFinished); finished != nil {
		phase += ": " + finished.Message
	}
	why := []string{phase}
	for i := range trials {
		if status := &trials[i].Status; status.Message != "" {
			why = append(why, fmt.Sprintf("%s: %s: %s", trials[i].Spec.Variant.Name, status.Reason, status.Message))
		}
	}
	return fmt.Errorf("the experiment ended as %s", strings.Join(why, "; "))
}

// Late returns an error that says why an experiment did not end in time, and what to check.
func Late(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment, timeout time.Duration) error {
	switch e.Status.Phase {
	case "":
		return fmt.Errorf("no operator looked at the experiment within %s: check that one is running and ready, "+
			"and that it watches namespace %s", timeout, e.Namespace)
	case v1beta1.ExperimentQueued:
		place := ""
		if progress := e.Status.Progress; progress != nil && progress.QueuePosition != nil {
			place = fmt.Sprintf(" at place %d", *progress.QueuePosition)
		}
		return fmt.Errorf("the experiment still waits for its turn%s after %s, behind %s: wait for its end or suspend it, and try again",
			place, timeout, ahead(ctx, cluster, e))
	default:
		return fmt.Errorf("the experiment did not end within %s; %s", timeout, ProgressLine(e))
	}
}

// ahead names the experiments of the namespace that have a turn, or says how to find those of other namespaces.
func ahead(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment) string {
	list, names := &v1beta1.SizingExperimentList{}, []string(nil)
	_ = cluster.List(ctx, list, client.InNamespace(e.Namespace)) // without them, the answer is less exact
	for i := range list.Items {
		if other := &list.Items[i]; other.UID != e.UID && other.Status.Phase == v1beta1.ExperimentRunning {
			names = append(names, other.Namespace+"/"+other.Name)
		}
	}
	if len(names) == 0 {
		return "an experiment of another namespace, which `kubectl get sizingexperiments -A` shows as Running"
	}
	return strings.Join(names, ", ")
}
