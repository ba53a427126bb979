//go:build integration

package controllers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// The tests of this file have two tenants. One does what could stop the operator or fill its
// memory, and the experiment of the other must go on.

// stalledReader does not return the trials of one namespace, whatever its context says, as a
// simulation that takes minutes does not return.
type stalledReader struct {
	client.Client
	namespace string
	stalled   chan struct{}
	goOn      <-chan struct{}
}

func (s stalledReader) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	if (&client.ListOptions{}).ApplyOptions(opts).Namespace == s.namespace {
		select {
		case s.stalled <- struct{}{}:
		default:
		}
		<-s.goOn
	}
	return s.Client.List(ctx, list, opts...)
}

// TestASlowConclusionDoesNotHoldUpOtherTenants runs the controllers as the operator does. A pass
// over the first tenant's experiment does not end.
func TestASlowConclusionDoesNotHoldUpOtherTenants(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "offender", "other")
	w.asleep = true
	stalled, goOn := make(chan struct{}, 1), make(chan struct{})
	mgr, err := ctrl.NewManager(cachedCluster.GetConfig(), ctrl.Options{
		Scheme: w.client.Scheme(), Cache: controllers.CacheOptions(w.namespaces, nil),
		Metrics: server.Options{BindAddress: "0"}, Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	w.must("creating a manager", err)
	w.must("adding indexes", controllers.IndexTrials(w.ctx, mgr.GetFieldIndexer()))
	live, waiting := controllers.LiveIn(mgr.GetAPIReader(), w.namespaces), &controllers.Queue{}
	experiments := &controllers.ExperimentReconciler{
		Client: stalledReader{mgr.GetClient(), w.namespaces[0], stalled, goOn},
		Live:   live, Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("test"), Queue: waiting,
	}
	turns := &controllers.TurnReconciler{
		Client: mgr.GetClient(), Live: live, Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("test"),
		MaxConcurrent: 1, Queue: waiting, Lease: w.turns(),
	}
	w.must("adding controllers", experiments.SetupWithManager(mgr))
	w.must("adding controllers", turns.SetupWithManager(mgr))
	ctx, stop := context.WithCancel(w.ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	defer func() {
		close(goOn)
		stop()
		w.must("running the manager", <-ended)
	}()

	w.create(newExperiment("slow"), 0)
	<-stalled
	other := w.create(newExperiment("other", oneVariant), 1)
	err = wait.PollUntilContextTimeout(w.ctx, 20*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		trials := w.trialsOf(other)
		return len(trials) > 0 && !trials[0].Spec.Suspend, nil
	})
	w.must("waiting until the other tenant's trial has its turn", err)
}

// TestAGiantMessageOfAPodCostsNothing lets the pods of one tenant claim numbers and CPUs that
// would take gigabytes to expand or days to simulate. It is not parallel, because it measures the
// memory of the process.
func TestAGiantMessageOfAPodCostsNothing(t *testing.T) {
	calibrated := func(change func(*calibration.Result)) mishap {
		return mishap{of: service, only: "c8-500m", always: true, calibration: func(ended *corev1.ContainerStateTerminated) {
			var result calibration.Result
			if err := json.Unmarshal([]byte(ended.Message), &result); err != nil {
				panic(err) // the message is that of a simulated pod
			}
			change(&result)
			ended.Message = string(mustMarshal(result))
		}}
	}
	measured := func(change func(*measurement.Run)) mishap {
		return mishap{of: generator, only: "c8-500m", always: true, result: func(ended *corev1.ContainerStateTerminated) {
			run, err := measurement.Decode(ended.Message)
			if err != nil {
				panic(err) // the message is that of a simulated pod
			}
			change(&run)
			if ended.Message, err = measurement.Encode(run); err != nil {
				panic(err)
			}
		}}
	}
	usual, _ := twoTenants(t, mishap{})
	for _, tt := range []struct {
		name   string
		mishap mishap
		// reason and message are those of the tenant's row.
		reason, message string
	}{
		{"ten thousand million CPUs", calibrated(func(r *calibration.Result) { r.Cpuset = "0-9999999999" }), v1beta1.ReasonCalibrationFailed, "the cpuset is not a list of at most 4096 CPUs"},
		{"four million CPUs", calibrated(func(r *calibration.Result) { r.Cpuset = "0-4000000" }), v1beta1.ReasonCalibrationFailed, "the cpuset is not a list of at most 4096 CPUs"},
		{"a hash that takes eleven days", calibrated(func(r *calibration.Result) { r.HashMicroseconds = 1e12 }), v1beta1.ReasonCalibrationFailed, "the hash time in microseconds is 1000000000000"},
		{"a quota of a thousandth of a CPU", calibrated(func(r *calibration.Result) { r.QuotaMilliCPU = ptr.To[int64](1) }), v1beta1.ReasonCalibrationFailed, "the CPU quota in thousandths is 1"},
		{
			"a generator on four million CPUs", measured(func(r *measurement.Run) { r.Generator.Cpuset = "0-4000000" }),
			v1beta1.ReasonEvidenceMissing, "the CPUs of the generator",
		},
		{
			"a service with a thousand million workers", measured(func(r *measurement.Run) {
				r.Services[0].QuotaMilliCPU, r.Services[0].GoMaxProcs, r.Services[0].Workers = 1e12, 1e9, 1e9
			}), v1beta1.ReasonSummaryGarbled, "a container has the invalid number",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			allocated, row := twoTenants(t, tt.mishap)
			if len(row.Reasons) == 0 || row.Reasons[0].Type != tt.reason || !strings.Contains(row.Reasons[0].Message, tt.message) {
				t.Errorf("the row is %s", rowText(row))
			}
			if most := usual + 64<<20; allocated > most {
				t.Errorf("%d MiB were allocated, and %d MiB without such a message", allocated>>20, usual>>20)
			}
		})
	}
}

// twoTenants runs an experiment of each tenant to its end. It returns how many bytes were allocated
// meanwhile, and the first tenant's row.
func twoTenants(t *testing.T, m mishap) (allocated uint64, row v1beta1.VariantResult) {
	t.Helper()
	w := newTestCluster(t, "offender", "other")
	w.kubelet.mishap = m
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	first := w.create(newExperiment("login", quick, oneVariant), 0)
	second := w.create(newExperiment("other", quick, func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{7} }), 1)
	w.toEnd(first)
	w.toEnd(second)
	runtime.ReadMemStats(&after)
	w.checkAttempts(second, "Kept Measured")
	return after.TotalAlloc - before.TotalAlloc, first.Status.Results[0]
}

// TestATenantCannotForgeTheGeneratorOfAnother creates a pod in the tenant's own namespace that
// claims to be the generator of the other's trial, before that has one and under load.
func TestATenantCannotForgeTheGeneratorOfAnother(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]func(*testCluster) bool{"before the load": calibrates, "under load": loaded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "victim", "offender")
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			w.run("it is time to forge a pod", func() bool { return when(w) })
			trial := w.trialsOf(e)[0]
			job := metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: objects.Child(trial.UID, 1), UID: e.UID}
			pod := w.forge("forged", job, string(trial.UID), generatorOn(lostNode, w.now().Add(24*time.Hour)))
			pod.Namespace = w.namespaces[1]
			w.makeWithResult(pod, corev1.PodPending)
			w.wait(5 * time.Minute)
			w.reread(e)
			if !e.Status.Phase.Finished() {
				t.Fatalf("the victim's experiment is %s, and its trial %s", e.Status.Phase, w.trialsOf(e)[0].Status.Reason)
			}
			w.checkAttempts(e, "Kept Measured")
			w.checkUntouched(pod)
		})
	}
}

// TestManyTrialsOfOneTenantAreNotCreated creates a suspended experiment and twelve that wait, of 640
// trials each. Only those that are suspended, have begun, or are among the first ten have trials:
// the one that is next, and one more.
func TestManyTrialsOfOneTenantAreNotCreated(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "offender", "other")
	w.disturbance = disturbance{byEvents: true}
	suspended := newExperiment("suspended", large, suspend)
	suspended.Annotations = map[string]string{"example.test/note": strings.Repeat("x", 200_000)}
	w.create(suspended, 0)
	last := &v1beta1.SizingExperiment{}
	for i := range 12 {
		last = w.create(newExperiment(fmt.Sprintf("waiting-%02d", i), large), 0)
	}
	w.settle()
	w.checkSmall(2*(1+1+10), 300_000)
	w.reread(suspended)
	condition := meta.FindStatusCondition(suspended.Status.Conditions, v1beta1.ConditionSuspended)
	if condition.Status != metav1.ConditionTrue || suspended.Status.Progress.Trials != 640 {
		t.Errorf("the suspended experiment has condition %+v and %+v", condition, suspended.Status.Progress)
	}
	w.reread(last)
	if last.Status.Phase != v1beta1.ExperimentQueued || last.Status.Progress.QueuePosition == nil || len(w.trialsOf(last)) > 0 {
		t.Errorf("the last experiment is %s, %+v, with %d trials", last.Status.Phase, last.Status.Progress, len(w.trialsOf(last)))
	}
	other := w.create(newExperiment("other", quick, oneVariant), 1)
	w.toEnd(other)
	w.checkAttempts(other, "Kept Measured")
}

// checkSmall checks how many trials exist, and how large all cached objects are together.
func (w *testCluster) checkSmall(mostTrials, mostBytes int) {
	w.t.Helper()
	bytes := 0
	for _, object := range w.everything() {
		bytes += len(mustMarshal(object))
	}
	if trials := len(w.trials()); trials > mostTrials || bytes > mostBytes {
		w.t.Fatalf("there are %d trials, want at most %d; all objects have %d bytes, want at most %d", trials, mostTrials, bytes, mostBytes)
	}
}

// large makes an experiment of 640 trials that take less than 24 hours.
func large(s *v1beta1.SizingExperimentSpec) {
	s.Matrix = v1beta1.Matrix{
		Costs:     []int32{4, 5, 6, 7, 8, 9, 10, 11},
		CPULimits: fixture.Limits("1", "1100m", "1200m", "1300m", "1400m", "1500m", "1600m", "1700m"),
	}
	s.Load = v1beta1.Load{Rates: &v1beta1.RatesLoad{PerSecond: []intstr.IntOrString{intstr.FromInt32(1)}}, StepSeconds: 2, WarmupSeconds: ptr.To[int32](0)}
	s.Repetitions = ptr.To[int32](10)
}
