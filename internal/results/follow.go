package results

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// ProgressLine returns a line about the progress of the experiment.
func ProgressLine(e *v1alpha1.SizingExperiment) string {
	if e.Status.Phase == "" {
		return "Waits for an operator to look at it"
	}
	line := string(e.Status.Phase)
	if progressing := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionProgressing); progressing != nil {
		line += ": " + progressing.Message
	}
	return units.Line(line)
}

// Stage returns what each running trial of an experiment is doing, without the count of trials, and
// whether the experiment is being measured. The stage is empty for the moment in which no trial
// runs, or in which one has just begun.
func Stage(e *v1alpha1.SizingExperiment) (stage string, measuring bool) {
	progressing := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionProgressing)
	if progressing == nil || e.Status.Progress == nil {
		return "", false
	}
	stage, measuring = strings.CutPrefix(progressing.Message, ended(e.Status.Progress))
	if !measuring || !strings.Contains(stage, ": ") {
		return "", measuring
	}
	return strings.TrimPrefix(stage, ". "), true
}

// BetweenStages reports whether an experiment that is measured has no stage. A log is easier to read
// without these moments.
func BetweenStages(e *v1alpha1.SizingExperiment) bool {
	stage, measuring := Stage(e)
	return measuring && stage == ""
}

// SmokeTable returns the result of the smoke test as a table with a header.
func SmokeTable(e *v1alpha1.SizingExperiment) string {
	shown, verdict := e.Status.Display, ""
	if len(e.Status.Results) > 0 {
		verdict = string(e.Status.Results[0].Verdict)
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	cells := []string{string(e.Status.Phase), shown.Trials, shown.Variant, shown.P95, shown.Capacity, verdict}
	for i, cell := range cells {
		cells[i] = units.Line(cell)
	}
	fmt.Fprintf(table, "PHASE\tTRIALS\tVARIANT\tP95\tCAPACITY\tVERDICT\n%s\n", strings.Join(cells, "\t"))
	_ = table.Flush() // writing to a strings.Builder never fails
	return text.String()
}

// Ended returns nil if the experiment succeeded, or else an error with the messages of the
// experiment and its trials.
func Ended(e *v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial) error {
	if e.Status.Phase == v1alpha1.ExperimentSucceeded {
		return nil
	}
	phase := string(e.Status.Phase)
	if finished := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionFinished); finished != nil {
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
// The others are the experiments of its namespace.
func Late(e *v1alpha1.SizingExperiment, others []v1alpha1.SizingExperiment, timeout time.Duration) error {
	switch e.Status.Phase {
	case "":
		return fmt.Errorf("no operator looked at the experiment within %s: check that one is running and ready, "+
			"and that it watches namespace %s", timeout, e.Namespace)
	case v1alpha1.ExperimentQueued:
		place := ""
		if progress := e.Status.Progress; progress != nil && progress.QueuePosition != nil {
			place = fmt.Sprintf(" at place %d", *progress.QueuePosition)
		}
		return fmt.Errorf("the experiment still waits for its turn%s after %s, behind %s: wait for its end or suspend it, and try again",
			place, timeout, ahead(e, others))
	default:
		return fmt.Errorf("the experiment did not end within %s; %s", timeout, ProgressLine(e))
	}
}

// ahead names the experiments of the namespace that have a turn, or says how to find those of
// other namespaces.
func ahead(e *v1alpha1.SizingExperiment, others []v1alpha1.SizingExperiment) string {
	var names []string
	for i := range others {
		if other := &others[i]; other.UID != e.UID && other.Status.Phase == v1alpha1.ExperimentRunning {
			names = append(names, other.Namespace+"/"+other.Name)
		}
	}
	if len(names) == 0 {
		return "an experiment of another namespace, which `kubectl get sizingexperiments -A` shows as Running"
	}
	return strings.Join(names, ", ")
}

// Unknown explains the error of a cluster without Hashmark's CustomResourceDefinitions. It
// returns other errors unchanged.
func Unknown(err error) error {
	if meta.IsNoMatchError(err) {
		return fmt.Errorf("the cluster does not know Hashmark's kinds: apply config/crd, "+
			"or install the chart with crds.enabled=true (%w)", err)
	}
	return err
}

// Refused explains why the cluster did not accept the experiment.
func Refused(err error, namespace string) error {
	switch {
	case meta.IsNoMatchError(err):
		return Unknown(err)
	case apierrors.IsForbidden(err) && !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return fmt.Errorf("not allowed: in namespace %s the test requires create, get, list and delete on sizingexperiments, "+
			"and get and list on sizingtrials (%w)", namespace, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("namespace %s does not exist; create it, or choose another with --namespace (%w)", namespace, err)
	default:
		return fmt.Errorf("the experiment could not be created: %w", err)
	}
}

// ErrDeleted means that someone else deleted the experiment.
var ErrDeleted = errors.New("someone else deleted the experiment before it ended; try again")

// ErrInterrupted means that the test was interrupted.
var ErrInterrupted = errors.New("interrupted before the experiment had ended")

// keptSeconds is how long the experiment is kept if the test ends without deleting it.
const keptSeconds = 3600

// SmokeExperiment returns the experiment of the smoke test: about 20 seconds of calibration and load on a quarter of
// a CPU, at half of its maximum. A hash takes long enough to be timed well, and the step has
// enough logins for an interval, so that only the cluster can make the result doubtful.
func SmokeExperiment(namespace string) *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "smoke-test-"},
		Spec: v1alpha1.SizingExperimentSpec{
			Matrix: v1alpha1.Matrix{Costs: []int32{8}, CPULimits: []string{"250m"}},
			Load: v1alpha1.Load{
				Mode: v1alpha1.LoadRates, RatesPerSecond: []intstr.IntOrString{intstr.FromInt32(8)},
				StepSeconds: 12, WarmupSeconds: 1, RequestTimeoutSeconds: 5,
			},
			Objective:               v1alpha1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: 1},
			TTLSecondsAfterFinished: ptr.To[int32](keptSeconds),
		},
	}
}

// Outlive returns a context for a request that creates an experiment. It ends a while after its
// parent: an interrupted request still gets its answer, so that the caller knows whether there is
// an experiment to cancel or to delete.
func Outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	request, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(by, cancel) })
	return request, func() { stop(); cancel() }
}
