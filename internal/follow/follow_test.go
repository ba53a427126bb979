package follow

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// calls counts the calls of a reporter.
type calls struct{ updates, lost, found, done int }

func (c *calls) Update(*v1beta1.SizingExperiment) { c.updates++ }
func (c *calls) Tick()                            {}
func (c *calls) Disconnected(error)               { c.lost++ }
func (c *calls) Reconnected()                     { c.found++ }
func (c *calls) Done()                            { c.done++ }

// in returns an experiment in a phase.
func in(phase v1beta1.ExperimentPhase, uid types.UID) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "login", UID: uid},
		Status:     v1beta1.SizingExperimentStatus{Phase: phase},
	}
}

// cluster returns a fake cluster with experiments, some of whose requests are replaced.
func cluster(t *testing.T, functions interceptor.Funcs, experiments ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	named := func(o client.Object) []string { return []string{o.GetName()} }
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(experiments...).
		WithIndex(&v1beta1.SizingExperiment{}, metav1.ObjectNameField, named).WithInterceptorFuncs(functions).Build()
}

func TestUntilFinished(t *testing.T) {
	experiments := schema.GroupResource{Group: v1beta1.GroupVersion.Group, Resource: "sizingexperiments"}
	ours := in("", "ours")
	event := func(kind watch.EventType, phase v1beta1.ExperimentPhase, uid types.UID) []watch.Event {
		return []watch.Event{{Type: kind, Object: in(phase, uid)}}
	}
	// result is that of one watch.
	type result struct {
		events []watch.Event
		err    error
	}
	end := result{events: event(watch.Modified, v1beta1.ExperimentSucceeded, "ours")}
	for name, tt := range map[string]struct {
		exists  client.Object
		watches []result
		want    calls
		failure string
	}{
		"it finishes":             {ours, []result{end}, calls{updates: 2, done: 1}, ""},
		"a watch ends":            {ours, []result{{}, end}, calls{updates: 3, done: 1}, ""},
		"the server is not ready": {ours, []result{{err: apierrors.NewServiceUnavailable("starting")}, end}, calls{updates: 3, lost: 1, found: 1, done: 1}, ""},
		"a version is too old":    {ours, []result{{err: apierrors.NewResourceExpired("too old")}, end}, calls{updates: 3, done: 1}, ""},
		"a right was revoked": {ours, []result{{err: apierrors.NewForbidden(experiments, "login", errors.New("no"))}},
			calls{done: 1}, "you can't watch sizingexperiments in namespace ns"},
		"an unknown error":   {ours, []result{{err: errors.New("what?")}}, calls{done: 1}, "can't watch the experiment: what?"},
		"it is deleted":      {ours, []result{{events: event(watch.Deleted, "", "ours")}}, calls{done: 1}, ErrGone.Error()},
		"it is replaced":     {ours, []result{{events: event(watch.Modified, "", "theirs")}}, calls{done: 1}, ErrGone.Error()},
		"it was deleted":     {nil, []result{{}}, calls{done: 1}, ErrGone.Error()},
		"it was replaced":    {in("", "theirs"), []result{{}}, calls{done: 1}, ErrGone.Error()},
		"the timeout passes": {ours, []result{{events: event(watch.Modified, v1beta1.ExperimentQueued, "ours")}}, calls{done: 1}, context.DeadlineExceeded.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			left, exist := tt.watches, []client.Object{}
			if tt.exists != nil {
				exist = append(exist, tt.exists)
			}
			c := cluster(t, interceptor.Funcs{
				Watch: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) (watch.Interface, error) {
					now := left[0]
					left = left[1:]
					if now.err != nil {
						return nil, now.err
					}
					events := watch.NewFakeWithChanSize(len(now.events), false)
					for _, event := range now.events {
						events.Action(event.Type, event.Object)
					}
					if len(left) > 0 {
						events.Stop()
					}
					return events, nil
				},
			}, exist...)
			got := calls{}
			timeout := time.Minute
			if tt.failure == context.DeadlineExceeded.Error() {
				timeout = time.Second
			}
			last, err := UntilFinished(t.Context(), c, ours, timeout, &got)
			if (err == nil) != (tt.failure == "") || err != nil && !strings.Contains(err.Error(), tt.failure) {
				t.Fatalf("it ended with %v, want %q in it", err, tt.failure)
			}
			if err == nil && last.Status.Phase != v1beta1.ExperimentSucceeded {
				t.Errorf("it ended in phase %q", last.Status.Phase)
			}
			if err != nil {
				got.updates = 0 // it may end before it reports what it has seen
			}
			if got != tt.want {
				t.Errorf("it reported %+v, want %+v", got, tt.want)
			}
		})
	}
}

// A request that nobody interrupts has no time limit, and an interrupted one has a little.
func TestCreateOutlivesItsInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		var interrupted time.Time
		c := cluster(t, interceptor.Funcs{Create: func(ctx context.Context, _ client.WithWatch, _ client.Object, _ ...client.CreateOption) error {
			select {
			case <-ctx.Done():
				t.Error("the request ended without an interruption")
			case <-time.After(time.Hour):
			}
			interrupted = time.Now()
			interrupt()
			<-ctx.Done()
			return ctx.Err()
		}})
		if err := Create(ctx, c, in("", "")); err == nil || time.Since(interrupted) != cleanupTime {
			t.Errorf("the request ended with %v, %s after the interruption", err, time.Since(interrupted))
		}
	})
}

func TestLinesLeaveOutTheTimeBetweenStages(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var out strings.Builder
	lines := &Lines{Out: &out, Clock: clocktesting.NewFakeClock(noon)}
	for _, state := range []struct {
		reason, message string
		doing           []string
	}{
		{v1beta1.ReasonMeasuring, "3 of 9 trials have ended. c8-1: Deleting", []string{"c8-1: Deleting"}},
		{v1beta1.ReasonMeasuring, "3 of 9 trials have ended. c8-1: Deleting", []string{"c8-1: Deleting"}},
		{v1beta1.ReasonMeasuring, "3 of 9 trials have ended", nil},
		{v1beta1.ReasonMeasuring, "3 of 9 trials have ended. c10-500m", nil},
		{v1beta1.ReasonCancelled, "Cancelled; removing the load", nil},
	} {
		e := in(v1beta1.ExperimentRunning, "ours")
		e.Status.Progress = &v1beta1.Progress{Doing: state.doing, EstimatedEndTime: ptr.To(metav1.NewTime(noon.Add(250 * time.Second)))}
		meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{Type: v1beta1.ConditionReconciling, Reason: state.reason, Message: state.message})
		lines.Update(e)
	}
	lines.Disconnected(errors.New("connection refused"))
	lines.Reconnected()
	want := `12:00:00  Running: 3 of 9 trials have ended. c8-1: Deleting, about 4:10 left
12:00:00  Running: Cancelled; removing the load, about 4:10 left
12:00:00  The API server can't be reached, retrying: connection refused
12:00:00  The API server can be reached again
`
	if out.String() != want {
		t.Errorf("it printed %q, want %q", out.String(), want)
	}
}

func TestTimeLeft(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for end, want := range map[time.Duration]string{
		5 * time.Second: "about 0:05 left", 61 * time.Second: "about 1:01 left",
		2*time.Hour + 5*time.Minute + 59*time.Second: "about 2 h 05 min left", -time.Second: "",
	} {
		e := in(v1beta1.ExperimentRunning, "ours")
		e.Status.Progress = &v1beta1.Progress{EstimatedEndTime: ptr.To(metav1.NewTime(now.Add(end)))}
		if got := TimeLeft(e, now); got != want {
			t.Errorf("%s before the end it says %q, want %q", end, got, want)
		}
	}
}

func TestEndedNamesTheMessagesOfTheTrials(t *testing.T) {
	e := in(v1beta1.ExperimentFailed, "ours")
	e.Status.Conditions = []metav1.Condition{{Type: v1beta1.ConditionFinished, Message: "No variant was measured"}}
	trial := v1beta1.SizingTrial{
		Spec:   v1beta1.SizingTrialSpec{Variant: v1beta1.Variant{Name: "c8-250m"}},
		Status: v1beta1.SizingTrialStatus{Reason: v1beta1.ReasonImagePull, Message: "image x can't be pulled"},
	}
	want := "the experiment ended as Failed: No variant was measured; c8-250m: ImagePull: image x can't be pulled"
	if err := Ended(e, []v1beta1.SizingTrial{trial}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestLateSaysWhatToCheck(t *testing.T) {
	busy := in(v1beta1.ExperimentRunning, "theirs")
	busy.Name = "busy"
	running := in(v1beta1.ExperimentRunning, "ours")
	running.Status.Conditions = []metav1.Condition{{Type: v1beta1.ConditionReconciling, Message: "c8-250m: ImagePull"}}
	queued := in(v1beta1.ExperimentQueued, "ours")
	queued.Status.Progress = &v1beta1.Progress{QueuePosition: ptr.To[int32](2)}
	for want, tt := range map[string]struct {
		late   *v1beta1.SizingExperiment
		others []client.Object
	}{
		"no operator looked at the experiment within 1m0s":                                         {in("", "ours"), nil},
		"did not end within 1m0s; Running: c8-250m: ImagePull":                                     {running, nil},
		"waits for its turn at place 2 after 1m0s, behind ns/busy: wait for its end or suspend it": {queued, []client.Object{busy}},
		"which `kubectl get sizingexperiments -A` shows as Running":                                {queued, nil},
	} {
		if err := Late(t.Context(), cluster(t, interceptor.Funcs{}, tt.others...), tt.late, time.Minute); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it says %v, want %q in it", err, want)
		}
	}
}
