package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// stage is the experiment's phase at one poll, and the message of its conditions.
type stage struct {
	phase   v1alpha1.ExperimentPhase
	message string
}

// install is a cluster in which an operator moves the experiment one stage further at each
// poll. It stays in the last stage.
type install struct {
	stages []stage
	polls  int
	// refusal is the error of creating an experiment, deletion that of deleting it.
	refusal, deletion error
	// creating is called while the experiment is created, and seen at each poll.
	creating, seen func()
}

func (i *install) client(objects ...client.Object) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(newScheme()).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.CreateOption) error {
			if i.refusal != nil {
				return i.refusal
			}
			if i.creating != nil {
				i.creating()
			}
			// The API server creates it even if nobody waits for the answer.
			return errors.Join(c.Create(ctx, object, opts...), ctx.Err())
		},
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, object client.Object, opts ...client.GetOption) error {
			if err := c.Get(ctx, key, object, opts...); err != nil {
				return err
			}
			i.show(object.(*v1alpha1.SizingExperiment))
			return nil
		},
		Delete: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.DeleteOption) error {
			if i.deletion != nil {
				return i.deletion
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return c.Delete(ctx, object, opts...)
		},
	}).Build()
}

func (i *install) show(e *v1alpha1.SizingExperiment) {
	now := i.stages[min(i.polls, len(i.stages)-1)]
	i.polls++
	e.Status.Phase = now.phase
	for _, kind := range []string{v1alpha1.ConditionProgressing, v1alpha1.ConditionFinished} {
		meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Message: now.message})
	}
	if now.phase == v1alpha1.ExperimentSucceeded {
		e.Status.Display = v1alpha1.ExperimentDisplay{Trials: "1/1", Variant: "c8-250m", P95: "4.2ms", Capacity: ">25/s"}
		e.Status.Results = []v1alpha1.VariantResult{{Verdict: v1alpha1.VerdictValid}}
	}
	if i.seen != nil {
		i.seen()
	}
}

// try runs the test. It returns what it printed, the number of experiments that are left, and
// its error.
func try(t *testing.T, ctx context.Context, i *install, objects ...client.Object) (printed string, left int, err error) {
	t.Helper()
	var out strings.Builder
	c := i.client(objects...)
	err = (&smokeTest{client: c, namespace: "ns", timeout: 200 * time.Millisecond, every: time.Millisecond, out: &out}).run(ctx)
	list := &v1alpha1.SizingExperimentList{}
	if err := c.List(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	return out.String(), len(list.Items) - len(objects), err
}

func TestASmokeTestTellsHowItGoesAndCleansUp(t *testing.T) {
	i := &install{stages: []stage{
		{}, {v1alpha1.ExperimentQueued, "Waits for its turn"}, {v1alpha1.ExperimentQueued, "Waits for its turn"},
		{v1alpha1.ExperimentRunning, "0 of 1 trials have ended. c8-250m: Calibrating"}, {v1alpha1.ExperimentSucceeded, "All measured"},
	}}
	printed, left, err := try(t, t.Context(), i)
	if err != nil || left != 0 {
		t.Fatalf("it ended with %v and left %d experiments", err, left)
	}
	_, printed, _ = strings.Cut(printed, "\n") // the first line has a random name
	want := `Waits for an operator to look at it
Queued: Waits for its turn
Running: 0 of 1 trials have ended. c8-250m: Calibrating
Succeeded: All measured
PHASE       TRIALS   VARIANT   P95     CAPACITY   VERDICT
Succeeded   1/1      c8-250m   4.2ms   >25/s      Valid

Deleted the experiment
`
	if diff := cmp.Diff(want, printed); diff != "" {
		t.Errorf("what it printed (-want +got):\n%s", diff)
	}
}

func TestASmokeTestThatFailsSaysWhyAndCleansUp(t *testing.T) {
	kind := schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: "sizingexperiments"}
	busy := &v1alpha1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "busy", UID: "of-another"},
		Status:     v1alpha1.SizingExperimentStatus{Phase: v1alpha1.ExperimentRunning},
	}
	queued := []stage{{v1alpha1.ExperimentQueued, "Waits for its turn"}}
	for name, tt := range map[string]struct {
		install install
		others  []client.Object
		want    string
	}{
		"no definitions": {
			install{refusal: &meta.NoKindMatchError{GroupKind: schema.GroupKind{Kind: "SizingExperiment"}}}, nil, "does not know Hashmark's kinds",
		},
		"no rights": {install{refusal: apierrors.NewForbidden(kind, "", errors.New("no"))}, nil, "the test requires create, get, list and delete on sizingexperiments"},
		"no namespace": {
			install{refusal: apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "ns")}, nil, "namespace ns does not exist",
		},
		"no operator":              {install{stages: []stage{{}}}, nil, "no operator looked at the experiment"},
		"behind another":           {install{stages: queued}, []client.Object{busy}, "behind ns/busy: wait for its end or suspend it"},
		"behind another namespace": {install{stages: queued}, nil, "kubectl get sizingexperiments -A"},
		"still under way": {
			install{stages: []stage{{v1alpha1.ExperimentRunning, "c8-250m: ImagePull"}}}, nil, "did not end within 200ms; Running: c8-250m: ImagePull",
		},
		"failed":    {install{stages: []stage{{v1alpha1.ExperimentFailed, "No variant was measured"}}}, nil, "ended as Failed: No variant was measured"},
		"cancelled": {install{stages: []stage{{v1alpha1.ExperimentCancelled, "Cancelled"}}}, nil, "ended as Cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			_, left, err := try(t, t.Context(), &tt.install, tt.others...)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("it ended with %v, want %q in it", err, tt.want)
			}
			if left != 0 {
				t.Errorf("it left %d experiments", left)
			}
		})
	}
}

func TestAnInterruptedSmokeTestCleansUp(t *testing.T) {
	for when, on := range map[string]func(i *install, interrupt func()){
		"while the experiment is created": func(i *install, interrupt func()) { i.creating = interrupt },
		"at the first poll":               func(i *install, interrupt func()) { i.seen = interrupt },
	} {
		ctx, interrupt := context.WithCancel(t.Context())
		i := &install{stages: []stage{{v1alpha1.ExperimentRunning, "c8-250m: Calibrating"}}}
		on(i, interrupt)
		_, left, err := try(t, ctx, i)
		if err == nil || !strings.Contains(err.Error(), "interrupted") || left != 0 {
			t.Errorf("interrupted %s, it ended with %v and left %d experiments", when, err, left)
		}
	}
}

func TestASmokeTestSaysWhatItCouldNotDelete(t *testing.T) {
	i := &install{stages: []stage{{v1alpha1.ExperimentSucceeded, "All measured"}}, deletion: errors.New("no way")}
	_, _, err := try(t, t.Context(), i)
	if err == nil || !strings.Contains(err.Error(), "kubectl delete sizingexperiment -n ns smoke-test-") {
		t.Errorf("it ended with %v", err)
	}
}

func TestASmokeTestsFlagsAreRefusedWithWhatToChange(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"no namespace":      {nil, "--namespace is required"},
		"no time":           {[]string{"--namespace=ns", "--timeout=0s"}, "--timeout must be at least 1s"},
		"an extra argument": {[]string{"--namespace=ns", "now"}, `unexpected argument "now"`},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parseSmokeTest(tt.args); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parsed with error %v, want %q in it", err, tt.want)
			}
		})
	}
}
