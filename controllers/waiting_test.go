//go:build integration

package controllers_test

import (
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// notStarted is the status of a pod that a node has taken and whose sandbox can't be created, with
// kubelet's reason for one of its containers.
func notStarted(container, reason string) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		waitingFor(container, reason)(s)
		s.Phase = corev1.PodPending
		s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}, {Type: corev1.PodInitialized, Status: corev1.ConditionFalse}}
	}
}

// TestWhoWaitsForSomethingElseLetsOthersGoFirst has a tenant whose trial can't start for as long as the
// test wants. The other tenant, which comes later, has its turn within a minute. When the first trial
// can start, it takes part again and is measured.
func TestWhoWaitsForSomethingElseLetsOthersGoFirst(t *testing.T) {
	t.Parallel()
	for _, h := range hindrances {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			w, m := newTestCluster(t, "first", "second"), h.mishap
			m.only, m.always = "c8-500m", true
			w.kubelet.mishap = m
			first := w.create(newExperiment("first", quick, oneVariant), 0)
			w.run("the first tenant's trial has its turn", func() bool { return len(w.trialsOf(first)) > 0 && !w.trialsOf(first)[0].Spec.Suspend })
			w.run("the first tenant's trial waits", func() bool { return waits(w, first) })
			second := w.create(newExperiment("second", quick, func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{7} }), 1)
			created := w.now()
			w.run("the second tenant has its turn", func() bool { return len(w.trialsOf(second)) > 0 && !w.trialsOf(second)[0].Spec.Suspend })
			if took := w.now().Sub(created); took > promised {
				t.Errorf("the second tenant waited for %s", took)
			}
			w.toEnd(second)
			w.checkAttempts(second, "Kept Measured")
			w.kubelet.mishap = mishap{}
			w.deletePods(m.of) // the cluster creates others, which start
			w.toEnd(first)
			attempts := w.trialsOf(first)[0].Status.Attempts
			if last := attempts[len(attempts)-1]; !isKept(last) || slices.ContainsFunc(attempts[:len(attempts)-1], isKept) {
				t.Errorf("the first tenant's attempts are %+v", attempts)
			}
			w.checkNothingLeft()
		})
	}
}

// TestATrialThatCanContinueWaitsForItsTurn lets the pods of a trial that lost its turn start while the other tenant's
// trial is calibrated, or loaded. At no time do both have a turn.
func TestATrialThatCanContinueWaitsForItsTurn(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]func(*testCluster) bool{"beside a calibration": calibratesSecond, "beside a load": loaded} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "first", "second")
			w.kubelet.mishap = mishap{of: service, only: "c8-500m", always: true, stuck: unschedulable}
			first := w.create(newExperiment("first", quick, oneVariant), 0)
			w.run("the first tenant's trial waits", func() bool { return len(w.trialsOf(first)) > 0 && waits(w, first) })
			second := w.create(newExperiment("second", quick, func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{7} }), 1)
			w.run("the second tenant is measured", func() bool { return when(w) })
			w.kubelet.mishap = mishap{}
			pods := &corev1.PodList{}
			w.list(pods, w.namespaces[0])
			for i := range pods.Items {
				w.must("deleting a pod that waits", w.client.Delete(w.ctx, &pods.Items[i])) // another one starts
			}
			w.run("both end", func() bool {
				turns := 0
				for _, trial := range w.trials() {
					if !trial.Spec.Suspend && trial.Status.CompletionTime == nil {
						turns++
					}
				}
				if turns > 1 {
					t.Fatalf("%s: %d trials have their turn", at(w.now()), turns)
				}
				w.reread(first)
				w.reread(second)
				return first.Status.Phase.Finished() && second.Status.Phase.Finished()
			})
			w.checkAttempts(second, "Kept Measured")
			w.checkAttempts(first, "Interrupted WaitingForTurn", "Kept Measured")
		})
	}
}

func calibratesSecond(w *testCluster) bool {
	return w.anyPod(service, func(pod *corev1.Pod) bool { return pod.Namespace == w.namespaces[1] && pod.Status.PodIP != "" })
}

// waits reports whether an experiment's first trial waits for something other than its load.
func waits(w *testCluster, e *v1beta1.SizingExperiment) bool {
	return slices.ContainsFunc(w.trialsOf(e)[0].Status.Conditions, func(c metav1.Condition) bool {
		return c.Type == v1beta1.ConditionWaiting && c.Status == metav1.ConditionTrue
	})
}

// TestAJobWhoseTurnCannotBeTakenBackIsDeleted suspends the first tenant's Job, and then refuses every
// change of that tenant's trials, so that the trial is never told that its turn was taken back. The Job is
// deleted all the same before the other tenant's load begins: whatever suspended it could let it go on.
func TestAJobWhoseTurnCannotBeTakenBackIsDeleted(t *testing.T) {
	t.Parallel()
	for how, answer := range answers() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "first", "second")
			w.kubelet.mishap = mishap{of: generator, only: "c8-500m", always: true, suspends: true}
			jobs := func(tenant int) []batchv1.Job {
				list := &batchv1.JobList{}
				w.list(list, w.namespaces[tenant])
				return list.Items
			}
			first := w.create(newExperiment("first", quick, oneVariant), 0)
			w.run("the first tenant's Job is suspended", func() bool {
				return slices.ContainsFunc(jobs(0), func(j batchv1.Job) bool { return j.Spec.Suspend != nil && *j.Spec.Suspend })
			})
			w.disturbance.refusal = &refusal{writeKind: writeKind{"patches", "SizingTrial"}, answer: answer}
			second := w.create(newExperiment("second", quick, func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{7} }), 1)
			created := w.now()
			w.run("the second tenant's load begins", func() bool { return len(jobs(1)) > 0 })
			if took := w.now().Sub(created); took > promised {
				t.Errorf("the second tenant waited for %s", took)
			}
			for _, job := range jobs(0) {
				t.Errorf("the first tenant's Job %s is left beside the second tenant's load", job.Name)
			}
			if w.trialsOf(first)[0].Spec.Suspend {
				t.Error("the first tenant's turn was taken back in spite of the refusal")
			}
			w.toEnd(second)
			w.checkAttempts(second, "Kept Measured")
			w.disturbance.refusal, w.kubelet.mishap = nil, mishap{}
			w.toEnd(first)
			w.checkNothingLeft()
		})
	}
}

// TestATrialWaitsFifteenSecondsAtMostBeforeItSaysSo looks at the time from the beginning of an attempt.
func TestATrialWaitsFifteenSecondsAtMostBeforeItSaysSo(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "waiting")
	w.kubelet.mishap = mishap{of: service, always: true, stuck: unschedulable}
	e := w.create(newExperiment("login", quick, oneVariant), 0)
	began := w.begin(e).Status.Attempts[0].StartTime
	w.run("it says that it waits", func() bool { return waits(w, e) })
	if took := w.now().Sub(began.Time); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestALoadThatLostItsJobCountsForOthers deletes a Job without its pod, which runs on, or takes the pod
// away from its Job, and ends the experiment. Nobody else loads the cluster until that generator has
// ended by itself.
func TestALoadThatLostItsJobCountsForOthers(t *testing.T) {
	t.Parallel()
	orphan := func(w *testCluster, pod *corev1.Pod, job *batchv1.Job) {
		before := pod.DeepCopy()
		pod.OwnerReferences = nil
		pod.Labels[batchv1.ControllerUidLabel] = string(job.UID)
		w.must("orphaning", w.client.Patch(w.ctx, pod, client.MergeFrom(before)))
		w.must("deleting the Job", w.client.Delete(w.ctx, job, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}
	relabel := func(w *testCluster, pod *corev1.Pod, _ *batchv1.Job) {
		before := pod.DeepCopy()
		pod.OwnerReferences = nil
		pod.Labels[batchv1.ControllerUidLabel] = "other"
		w.must("relabelling", w.client.Patch(w.ctx, pod, client.MergeFrom(before)))
	}
	for how, lose := range map[string]func(*testCluster, *corev1.Pod, *batchv1.Job){"the Job is deleted": orphan, "the pod is relabelled": relabel} {
		for name, end := range endings {
			t.Run(how+", "+name, func(t *testing.T) {
				t.Parallel()
				w := newTestCluster(t, "first", "second")
				first := w.create(newExperiment("first", oneVariant), 0)
				second := w.create(newExperiment("second", quick, oneVariant), 1)
				w.run("its load is running", func() bool { return loaded(w) })
				jobs, pods := &batchv1.JobList{}, &corev1.PodList{}
				w.list(jobs, w.namespaces[0])
				w.list(pods, w.namespaces[0])
				i := slices.IndexFunc(pods.Items, func(p corev1.Pod) bool { return p.Labels[v1beta1.LabelComponent] == generator })
				pod := &pods.Items[i]
				lose(w, pod, &jobs.Items[0])
				w.kubelet.lost[loadNode] = true // the simulated kubelet would end a pod without a Job
				deadline, known := objects.GeneratorDeadline(pod.Spec)
				end(w, first)
				w.run("the second is loaded", func() bool { return w.creates["Job"] > 1 }) // checkOverlap looks at each Job
				if !known || w.now().Before(deadline) {
					t.Errorf("the second load began at %s, and the first generator runs until %s", at(w.now()), at(deadline))
				}
				w.toEnd(second)
				w.checkAttempts(second, "Kept Measured")
			})
		}
	}
}

// TestAPausedOperatorRemovesAllLoad starts the operator with paused: true under load, and without it again.
func TestAPausedOperatorRemovesAllLoad(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "first", "second")
	first, second := w.create(newExperiment("first", quick, oneVariant), 0), w.create(newExperiment("second", quick, oneVariant), 1)
	w.run("its load is running", func() bool { return loaded(w) })
	w.paused = true
	w.startOperator()
	w.wait(15 * time.Second)
	w.checkNothingLoads()
	w.wait(time.Hour)
	w.checkNothingLoads()
	w.reread(first)
	if i := slices.IndexFunc(first.Status.Conditions, func(c metav1.Condition) bool { return c.Type == v1beta1.ConditionReconciling }); first.Status.Conditions[i].Reason != v1beta1.ReasonPaused {
		t.Errorf("the condition is %+v", first.Status.Conditions[i])
	}
	w.paused = false
	w.startOperator()
	w.toEnd(first)
	w.toEnd(second)
	w.checkAttempts(first, "Interrupted Paused", "Kept Measured")
	w.checkAttempts(second, "Kept Measured")
}

// checkNothingLoads checks that no object of an attempt is left, and that nobody has a turn.
func (w *testCluster) checkNothingLoads() {
	w.t.Helper()
	for _, object := range w.everything() {
		switch object := object.(type) {
		case *v1beta1.SizingTrial:
			if !object.Spec.Suspend {
				w.t.Errorf("%s: trial %s has its turn", at(w.now()), object.Name)
			}
		case *batchv1.Job, *corev1.Pod:
			w.t.Errorf("%s: %s %s is left", at(w.now()), kindOf(object), object.GetName())
		}
	}
}
