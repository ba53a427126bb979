//go:build integration

package controllers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestHowAnExperimentEnds(t *testing.T) {
	t.Parallel()
	usual := newExperiment("login", quick)
	for _, tt := range []struct {
		name     string
		change   func(*v1beta1.SizingExperimentSpec)
		mishap   mishap
		phase    v1beta1.ExperimentPhase
		reason   string
		verdicts string
	}{
		{name: "all variants are measured", phase: v1beta1.ExperimentSucceeded, reason: v1beta1.ReasonAllMeasured, verdicts: "c6-500m Valid, c7-500m Valid"},
		{
			name: "two replicas share the load", change: func(s *v1beta1.SizingExperimentSpec) { s.Service.Replicas = 2 },
			phase: v1beta1.ExperimentSucceeded, reason: v1beta1.ReasonAllMeasured, verdicts: "c6-500m Valid, c7-500m Valid",
		},
		{
			name: "two repetitions make one row", change: func(s *v1beta1.SizingExperimentSpec) { s.Repetitions = ptr.To[int32](2) },
			phase: v1beta1.ExperimentSucceeded, reason: v1beta1.ReasonAllMeasured, verdicts: "c6-500m Valid, c7-500m Valid",
		},
		{
			name: "one variant never gets a result", mishap: mishap{of: service, only: "c7-500m", always: true, calibration: exits(1, "no")},
			phase: v1beta1.ExperimentSucceeded, reason: v1beta1.ReasonSomeWithoutResult, verdicts: "c6-500m Valid, c7-500m Invalid CalibrationFailed",
		},
		{
			name: "one variant's pod is altered, which is not retried", mishap: mishap{of: service, only: "c7-500m", always: true, webhook: otherImage},
			phase: v1beta1.ExperimentSucceeded, reason: v1beta1.ReasonSomeWithoutResult, verdicts: "c6-500m Valid, c7-500m Invalid PodAltered",
		},
		{
			name: "the generator is too slow each time", mishap: mishap{of: generator, always: true, generatorNeeds: 0.45},
			phase: v1beta1.ExperimentFailed, reason: v1beta1.ReasonNoneMeasured, verdicts: "c6-500m Invalid GeneratorSaturated Disturbed, c7-500m Invalid GeneratorSaturated Disturbed",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "ends")
			w.kubelet.mishap = tt.mishap
			e := usual.DeepCopy()
			if tt.change != nil {
				tt.change(&e.Spec)
			}
			w.toEnd(w.create(e, 0))
			w.checkEnd(e, tt.phase, tt.reason)
			var verdicts []string
			for _, row := range e.Status.Results {
				text := row.Variant + " " + string(row.Verdict)
				for _, reason := range row.Reasons {
					text += " " + reason.Type
				}
				verdicts = append(verdicts, text)
			}
			if got := strings.Join(verdicts, ", "); got != tt.verdicts {
				t.Errorf("the rows are %s; want %s", got, tt.verdicts)
			}
		})
	}
}

// checkEnd checks what all ends have in common: the conditions, that no objects are left, and
// that nothing more is due.
func (w *testCluster) checkEnd(e *v1beta1.SizingExperiment, phase v1beta1.ExperimentPhase, reason string) {
	w.t.Helper()
	yes := func(is bool) metav1.ConditionStatus {
		if is {
			return metav1.ConditionTrue
		}
		return metav1.ConditionFalse
	}
	want := map[string]metav1.ConditionStatus{
		v1beta1.ConditionFinished: metav1.ConditionTrue, v1beta1.ConditionSuspended: metav1.ConditionFalse,
		v1beta1.ConditionReady: yes(phase == v1beta1.ExperimentSucceeded), v1beta1.ConditionStalled: yes(phase != v1beta1.ExperimentSucceeded),
		v1beta1.ConditionReconciling: metav1.ConditionFalse,
	}
	got := map[string]metav1.ConditionStatus{}
	for _, c := range e.Status.Conditions {
		if c.Type != v1beta1.ConditionAccepted {
			got[c.Type] = c.Status
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("the conditions (-want +got):\n%s", diff)
	}
	for kind, reason := range map[string]string{
		v1beta1.ConditionStalled: v1beta1.ReasonNotStalled, v1beta1.ConditionSuspended: v1beta1.ReasonNotSuspended, v1beta1.ConditionReconciling: v1beta1.ReasonFinished,
	} {
		if c := meta.FindStatusCondition(e.Status.Conditions, kind); c != nil && c.Status == metav1.ConditionFalse && c.Reason != reason {
			w.t.Errorf("condition %s is False for reason %s, want %s", kind, c.Reason, reason)
		}
	}
	finished := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionFinished)
	if e.Status.Phase != phase || finished == nil || finished.Reason != reason || finished.Message == "" || e.Status.CompletionTime == nil {
		w.t.Errorf("the experiment ended %s at %v, %+v; want %s, %s", e.Status.Phase, e.Status.CompletionTime, finished, phase, reason)
	}
	w.checkNothingLeft()
	w.checkStamped(e)
	w.checkPeace()
}

// checkStamped checks that every condition has the current generation; otherwise kubectl wait
// would wait for ever.
func (w *testCluster) checkStamped(e *v1beta1.SizingExperiment) {
	w.t.Helper()
	for _, c := range e.Status.Conditions {
		if c.ObservedGeneration != e.Generation {
			w.t.Errorf("condition %s has observed generation %d, want %d", c.Type, c.ObservedGeneration, e.Generation)
		}
	}
	if e.Status.ObservedGeneration != e.Generation {
		w.t.Errorf("the status has observed generation %d, want %d", e.Status.ObservedGeneration, e.Generation)
	}
}

// checkPeace checks that the operator writes nothing more, however many passes it makes.
func (w *testCluster) checkPeace() {
	w.t.Helper()
	before := w.writes
	for range 3 {
		w.clock.SetTime(w.now().Add(time.Hour))
		w.pass()
	}
	if w.writes != before {
		w.t.Errorf("the operator wrote %d times after the end", w.writes-before)
	}
	if next := w.nextMoment(); !next.IsZero() {
		w.t.Errorf("something is still due at %s", at(next))
	}
}

func otherImage(pod *corev1.Pod) { pod.Spec.Containers[0].Image = "example.test/other:v1" }

func TestAnExperimentThatCanNotBeMeasuredFailsAtOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		change       func(*v1beta1.SizingExperimentSpec)
		says         []string
	}{
		{"two variants are the same, because half a CPU is one worker", v1beta1.ReasonDuplicateVariant, func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Concurrency = []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyWorkerPool}, {Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}}
		}, []string{"c8-500m-w1"}},
		{"the baseline is no variant", v1beta1.ReasonNotAccepted, func(s *v1beta1.SizingExperimentSpec) { s.Baseline = "c9-1" },
			[]string{`"c9-1" is not a measured variant`, "c8-500m"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "ends")
			e := w.create(newExperiment("login", tt.change), 0)
			w.toEnd(e)
			w.checkEnd(e, v1beta1.ExperimentFailed, tt.reason)
			accepted := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionAccepted)
			if accepted == nil || accepted.Status != metav1.ConditionFalse || accepted.Reason != tt.reason {
				t.Fatalf("condition Accepted is %+v", accepted)
			}
			for _, text := range tt.says {
				if !strings.Contains(accepted.Message, text) {
					t.Errorf("the message is %q, without %q", accepted.Message, text)
				}
			}
			if len(w.creates) > 0 {
				t.Errorf("the operator created %v", w.creates)
			}
		})
	}
}

func TestAnInvalidTrialKeepsItsLastNumbers(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "ends")
	w.kubelet.mishap = mishap{of: generator, always: true, generatorNeeds: 0.45}
	e := w.create(newExperiment("login", quick, oneVariant), 0)
	w.toEnd(e)
	w.checkAttempts(e, "Invalid "+v1beta1.ReasonGeneratorSaturated, "Invalid "+v1beta1.ReasonGeneratorSaturated, "Kept Measured")
	if row := e.Status.Results[0]; row.P95Microseconds == nil || row.MaxThroughputMilliPerSecond == nil {
		t.Errorf("the last attempt's numbers were not kept: %s", rowText(row))
	}
	if shown := e.Status.Display; shown.P95 != "" || shown.Variant != "" {
		t.Errorf("the columns show Invalid numbers: %+v", shown)
	}
}
