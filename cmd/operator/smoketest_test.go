package main

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// stage is a phase of the experiment, and the message of its conditions.
type stage struct {
	phase   v1beta1.ExperimentPhase
	message string
}

func (s stage) show(e *v1beta1.SizingExperiment) {
	e.Status.Phase = s.phase
	for _, kind := range []string{v1beta1.ConditionReconciling, v1beta1.ConditionFinished} {
		meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{Type: kind, Status: metav1.ConditionTrue, Message: s.message})
	}
	if s.phase == v1beta1.ExperimentSucceeded {
		e.Status.Display = v1beta1.ExperimentDisplay{Trials: "1/1", Variant: "c8-250m", P95: "4.2ms", Capacity: ">25/s"}
		e.Status.Results = []v1beta1.VariantResult{{Verdict: v1beta1.VerdictValid}}
	}
}

// install is a cluster whose operator takes the experiment through all stages at once.
type install struct {
	stages   []stage
	deletion error // of deleting the experiment
	creating func()
	watching func()
}

func (i *install) client() client.WithWatch {
	named := func(o client.Object) []string { return []string{o.GetName()} }
	return fake.NewClientBuilder().WithScheme(newScheme()).WithIndex(&v1beta1.SizingExperiment{}, metav1.ObjectNameField, named).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.CreateOption) error {
				if i.creating != nil {
					i.creating()
				}
				// The API server creates it even if nobody waits for the answer.
				return errors.Join(c.Create(ctx, object, opts...), ctx.Err())
			},
			Watch: func(ctx context.Context, c client.WithWatch, _ client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
				list := &v1beta1.SizingExperimentList{}
				if err := c.List(ctx, list, opts...); err != nil {
					return nil, err
				}
				events := watch.NewFakeWithChanSize(len(i.stages), false)
				for _, s := range i.stages {
					s.show(&list.Items[0])
					events.Modify(list.Items[0].DeepCopy())
				}
				if i.watching != nil {
					i.watching()
				}
				return events, nil
			},
			Delete: func(ctx context.Context, c client.WithWatch, object client.Object, opts ...client.DeleteOption) error {
				return errors.Join(i.deletion, ctx.Err(), c.Delete(ctx, object, opts...))
			},
		}).Build()
}

// try runs the test. It returns what it printed, the number of experiments that are left, and its error.
func try(t *testing.T, ctx context.Context, i *install) (printed string, left int, err error) {
	t.Helper()
	var out strings.Builder
	c := i.client()
	err = (&smokeTest{client: c, namespace: "ns", timeout: 500 * time.Millisecond, out: &out}).run(ctx)
	list := &v1beta1.SizingExperimentList{}
	if err := c.List(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	return out.String(), len(list.Items), err
}

func TestSmokeTestPrintsTheResultAndDeletesTheExperiment(t *testing.T) {
	printed, left, err := try(t, t.Context(), &install{stages: []stage{
		{v1beta1.ExperimentQueued, "Waits for its turn"}, {v1beta1.ExperimentSucceeded, "All measured"},
	}})
	if err != nil || left != 0 {
		t.Fatalf("it ended with %v and left %d experiments", err, left)
	}
	_, printed, _ = strings.Cut(printed, "\n") // the first line has a random name
	want := `hh:mm:ss  Waits for an operator to look at it
hh:mm:ss  Queued: Waits for its turn
hh:mm:ss  Succeeded: All measured
PHASE       TRIALS   VARIANT   P95     CAPACITY   VERDICT
Succeeded   1/1      c8-250m   4.2ms   >25/s      Valid
Deleted the experiment
`
	if diff := cmp.Diff(want, regexp.MustCompile(`(?m)^\d\d:\d\d:\d\d`).ReplaceAllString(printed, "hh:mm:ss")); diff != "" {
		t.Errorf("what it printed (-want +got):\n%s", diff)
	}
}

func TestSmokeTestThatFailsSaysWhy(t *testing.T) {
	measured := []stage{{v1beta1.ExperimentSucceeded, "All measured"}}
	for name, tt := range map[string]struct {
		// on makes the test fail, or calls interrupt.
		on   func(i *install, interrupt func())
		want string
	}{
		"too late":  {func(*install, func()) {}, "no operator looked at the experiment within 500ms"},
		"failed":    {func(i *install, _ func()) { i.stages = []stage{{v1beta1.ExperimentFailed, "No variant was measured"}} }, "ended as Failed: No variant was measured"},
		"cancelled": {func(i *install, _ func()) { i.stages = []stage{{v1beta1.ExperimentCancelled, "Cancelled"}} }, "ended as Cancelled"},
		"interrupted while the experiment is created": {func(i *install, interrupt func()) { i.creating = interrupt }, "interrupted"},
		"interrupted while it is followed":            {func(i *install, interrupt func()) { i.watching = interrupt }, "interrupted"},
		"not deleted": {func(i *install, _ func()) { i.stages, i.deletion = measured, errors.New("no way") },
			"kubectl delete sizingexperiment -n ns smoke-test-"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			i := &install{}
			tt.on(i, interrupt)
			_, left, err := try(t, ctx, i)
			if err == nil || !strings.Contains(err.Error(), tt.want) || left != 0 {
				t.Errorf("it ended with %v, want %q in it, and left %d experiments", err, tt.want, left)
			}
		})
	}
}

// The plan's own estimate is at most a minute and a half.
func TestSmokeExperimentIsShort(t *testing.T) {
	planned, err := matrix.Plan(smokeExperiment("ns"), 7)
	if err != nil || len(planned) != 1 {
		t.Fatalf("the experiment has %d trials, error %v", len(planned), err)
	}
	if took, err := loadplan.Estimate(planned[0].Spec, 1); err != nil || took > 90*time.Second {
		t.Errorf("the estimate is %s, error %v", took, err)
	}
}

func TestSmokeTestRefusesInvalidFlags(t *testing.T) {
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
