package controllers

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// TestWhatTheSchemaCanNotRefuseEndsAnExperimentAtOnce uses a client without the schema. The
// API server rejects such prices, but it does not know the rates of hashes. An experiment with
// an invalid one must end, and not be checked again for ever.
func TestWhatTheSchemaCanNotRefuseEndsAnExperimentAtOnce(t *testing.T) {
	const cents = "four cents"
	for name, tt := range map[string]struct {
		change func(*v1beta1.SizingExperimentSpec)
		want   string
	}{
		"a price of all CPUs": {func(s *v1beta1.SizingExperimentSpec) { s.Prices.PerCPUHour = ptr.To(intstr.Parse(cents)) }, cents},
		"of a pool's": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.NodePools = []v1beta1.NodePool{{Name: "small", PerCPUHour: ptr.To(intstr.Parse(cents))}}
		}, cents},
		"of memory": {func(s *v1beta1.SizingExperimentSpec) { s.Prices.PerGiBHour = ptr.To(intstr.Parse(cents)) }, cents},
		"of a GPU":  {func(s *v1beta1.SizingExperimentSpec) { s.Prices.GPUHour = ptr.To(intstr.Parse(cents)) }, cents},
		"a hash with an unknown guess rate": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Hashes = []v1beta1.Hash{{Name: "scrypt", Scrypt: &v1beta1.Scrypt{MemoryKiB: 131_072, Parallelism: 1}}}
			s.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), Hashes: []v1beta1.HashKind{v1beta1.HashScrypt}}
		}, "set its guessesPerSecond, such as {name: scrypt, guessesPerSecond: 12000}"},
		"a plan of more than a day": {func(s *v1beta1.SizingExperimentSpec) { s.Repetitions = ptr.To[int32](28) }, "It can take at most 24 hours; use fewer variants"},
		"a label that no node can have": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.NodePools = []v1beta1.NodePool{{Name: "small", NodeSelector: map[string]v1beta1.LabelValue{"a b": ""}}}
		}, "node pool small has the label \"a b\""},
		"too little memory for a hash": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Hashes = []v1beta1.Hash{{Name: "scrypt", Scrypt: &v1beta1.Scrypt{MemoryKiB: 131_072, Parallelism: 1}}}
			s.Service.MemoryLimit = ptr.To(intstr.Parse("128Mi"))
		}, "raise service.memoryLimit to that"},
	} {
		t.Run(name, func(t *testing.T) {
			experiment := &v1beta1.SizingExperiment{
				ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: "a"},
				Spec: v1beta1.SizingExperimentSpec{
					Matrix: v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1")}, Prices: &v1beta1.Prices{},
					Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse("192Mi"))}, Repetitions: ptr.To[int32](1),
					Load: v1beta1.Load{RequestTimeoutSeconds: 10, WarmupSeconds: ptr.To[int32](5)},
				},
			}
			tt.change(&experiment.Spec)
			c := serving(experiment).Build()
			r := &ExperimentReconciler{
				Client: c, Live: c, Queue: &Queue{}, Events: events.NewFakeRecorder(9),
				Clock: clocktesting.NewFakePassiveClock(time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)),
			}
			key := client.ObjectKeyFromObject(experiment)
			if again, err := r.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil || again != (ctrl.Result{}) {
				t.Fatalf("the pass returned %v, error %v", again, err)
			}
			if err := c.Get(t.Context(), key, experiment); err != nil {
				t.Fatal(err)
			}
			accepted := meta.FindStatusCondition(experiment.Status.Conditions, v1beta1.ConditionAccepted)
			if experiment.Status.Phase != v1beta1.ExperimentFailed || accepted == nil || accepted.Reason != v1beta1.ReasonNotAccepted ||
				!strings.Contains(accepted.Message, tt.want) {
				t.Errorf("the phase is %s, and condition Accepted is %+v", experiment.Status.Phase, accepted)
			}
		})
	}
}

func TestCPUThatIsPaidForAndNeverUsedIsWarnedOfOnce(t *testing.T) {
	experiment := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: "a"},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix: v1beta1.Matrix{
				Costs: []int32{8, 9, 10, 11, 12}, CPULimits: fixture.Limits("1500m"), Measure: v1beta1.MeasureCorners,
				Concurrency: []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}},
			},
			Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse("128Mi"))},
			Suspend: ptr.To(true),
		},
	}
	p := &experimentPass{ExperimentReconciler: &ExperimentReconciler{}, experiment: experiment, now: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)}
	for range 2 {
		if p.accept() {
			t.Fatal("the experiment is refused")
		}
	}
	var warnings []pendingEvent
	for _, e := range p.events {
		if e.kind == warning {
			warnings = append(warnings, e)
		}
	}
	if len(warnings) != 1 || warnings[0].reason != "CPUUnused" {
		t.Fatalf("warnings are %+v, want one", warnings)
	}
	for _, variant := range []string{"c8-1500m", "c9-1500m", "c10-1500m", "c11-1500m", "c12-1500m"} {
		want := variant + " has a limit of 1500m and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"
		if !strings.Contains(warnings[0].note, want) {
			t.Errorf("the warning is %q, without %q", warnings[0].note, want)
		}
	}
}

// Whoever may not deploy an image can't make the operator check anything else of it.
func TestAForbiddenImageIsTheOnlyRefusal(t *testing.T) {
	e := withOwnImage("registry.example/forbidden/login:v1")
	e.Spec.Service.Own.Login.Steps = []handover.Request{{Path: "/", Extract: []handover.Extraction{{Name: "a", Regexp: "("}}}}
	p := &experimentPass{ExperimentReconciler: &ExperimentReconciler{}, experiment: e}
	err := p.check(1)
	if _, is := errors.AsType[*objects.ImageNotAllowedError](err); !is {
		t.Errorf("the check returned %v", err)
	}
}

// A spec is checked once. Only what may change without a new generation is checked in each pass.
func TestASpecIsCheckedOnce(t *testing.T) {
	e := withOwnImage("registry.example/team/login:v1")
	p := &experimentPass{ExperimentReconciler: &ExperimentReconciler{}, experiment: e}
	p.Settings.AllowedServiceImages = []string{"registry.example/team"}
	tooLarge := strings.Repeat("x", 200_000)
	for _, step := range []struct {
		change func()
		want   string
	}{
		{func() {}, ""},
		{func() { e.Spec.Service.Own.Env = []v1beta1.EnvVar{{Name: "A", Value: tooLarge}} }, ""},
		{func() { e.Generation++ }, "the spec has 200"},
		{func() { p.Settings.AllowedServiceImages = nil }, "is not in a repository"},
	} {
		step.change()
		if err := p.check(1); step.want == "" && err != nil || step.want != "" && !strings.Contains(fmt.Sprint(err), step.want) {
			t.Errorf("the check returned %v, want %q", err, step.want)
		}
	}
}

// withOwnImage returns an experiment with a user's own login service.
func withOwnImage(image string) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: "login", UID: "a", Generation: 1},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix: v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1"), Concurrency: []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyUnbounded}}},
			Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse("192Mi")), Own: &v1beta1.OwnService{
				Image: image, Login: handover.Login{Wrong: handover.ExpectedResponse{Status: []int32{401}}},
			}},
			Load: v1beta1.Load{RequestTimeoutSeconds: 10, WarmupSeconds: ptr.To[int32](5)}, Repetitions: ptr.To[int32](1),
		},
	}
}
