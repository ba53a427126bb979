//go:build integration

package controllers_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// TestPodsAreConfinedUntilTheLastIsGone ends an attempt under load in every way that deletes its own
// policies before its pods. In each step the tests' cluster checks that each pod is denied everything.
func TestPodsAreConfinedUntilTheLastIsGone(t *testing.T) {
	t.Parallel()
	deletes := func(what func(*testCluster, *v1beta1.SizingExperiment) client.Object, how metav1.DeletionPropagation) func(*testCluster, *v1beta1.SizingExperiment) {
		return func(w *testCluster, e *v1beta1.SizingExperiment) {
			w.must("deleting", w.client.Delete(w.ctx, what(w, e), client.PropagationPolicy(how)))
		}
	}
	experiment := func(_ *testCluster, e *v1beta1.SizingExperiment) client.Object { return e }
	trial := func(w *testCluster, e *v1beta1.SizingExperiment) client.Object { return &w.trialsOf(e)[0] }
	for _, tt := range []struct {
		name string
		end  func(*testCluster, *v1beta1.SizingExperiment)
	}{
		{name: "the load ends", end: func(w *testCluster, e *v1beta1.SizingExperiment) { w.toEnd(e) }},
		{name: "the experiment is cancelled", end: func(w *testCluster, e *v1beta1.SizingExperiment) { w.edit(e, "cancels", cancel) }},
		{name: "the experiment is deleted", end: deletes(experiment, metav1.DeletePropagationBackground)},
		{name: "the experiment is deleted in the foreground", end: deletes(experiment, metav1.DeletePropagationForeground)},
		{name: "the experiment is deleted without its trials", end: deletes(experiment, metav1.DeletePropagationOrphan)},
		{name: "the trial is deleted", end: deletes(trial, metav1.DeletePropagationBackground)},
		{name: "the trial is deleted in the foreground", end: deletes(trial, metav1.DeletePropagationForeground)},
		{name: "the trial is deleted without its objects", end: deletes(trial, metav1.DeletePropagationOrphan)},
		{name: "a node does not answer", end: func(w *testCluster, e *v1beta1.SizingExperiment) {
			w.kubelet.lost[loadNode] = true
			w.edit(e, "cancels", cancel)
			w.wait(time.Hour)
			delete(w.kubelet.lost, loadNode)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "confined")
			w.disturbance.byEvents = true
			e := w.create(newExperiment("login", quick, oneVariant, ownService), 0)
			w.run("its load is running", func() bool { return loaded(w) })
			w.confined.alone = false
			tt.end(w, e)
			w.wait(10 * time.Second)
			// Kubernetes' own controllers act by the real clock.
			if !w.confined.alone && controllerManager == "" {
				t.Error("the policies of the attempt outlived its pods, so the test proves nothing")
			}
			if w.get(e) { // as long as it has trials, an operator that was frozen may create objects for them
				w.wait(10 * time.Minute)
				if !w.get(objects.DenyPolicy(e.Namespace)) {
					t.Error("the deny policy is gone before the trials")
				}
				w.must("deleting", w.client.Delete(w.ctx, e))
			}
			w.wait(10 * time.Minute)
			living := w.anyPod(v1beta1.ComponentService, func(*corev1.Pod) bool { return true })
			orphans := len(w.trials()) > 0 // which were deleted by nobody
			if policy := w.get(objects.DenyPolicy(e.Namespace)); living || policy != orphans {
				t.Errorf("the login service lives: %t; its namespace has trials: %t, and the deny policy: %t", living, orphans, policy)
			}
		})
	}
}

// TestADenyPolicyThatSomebodyDeletesIsMadeAgain deletes it while nothing but its own event tells the
// operator.
func TestADenyPolicyThatSomebodyDeletesIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "confined")
	w.disturbance.byEvents = true
	e := w.create(newExperiment("login", quick, oneVariant), 0)
	for _, step := range []struct {
		what    string
		reached func(*testCluster) bool
	}{{"the service is calibrated", calibrates}, {"its load is running", loaded}} {
		w.run(step.what, func() bool { return step.reached(w) })
		w.must("deleting the policy", w.client.Delete(w.ctx, objects.DenyPolicy(e.Namespace)))
		w.settle()
		if !w.get(objects.DenyPolicy(e.Namespace)) {
			t.Errorf("it was not created again when %s", step.what)
		}
	}
	w.toEnd(e)
	w.checkAttempts(e, "Kept Measured")
	w.checkNothingLeft()
}

// TestADenyPolicyThatIsOnlyInTheCacheIsMadeAgain deletes it while the operator's watch of policies
// is behind. The tests' cluster checks that it exists when the Deployment is created.
func TestADenyPolicyThatIsOnlyInTheCacheIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "confined")
	e := w.create(newExperiment("login", quick, oneVariant), 0)
	w.begin(e)
	w.disturbance = disturbance{lag: 1000, watch: "NetworkPolicy"}
	w.operator.cache = w.snapshot()
	w.must("deleting the policy", w.client.Delete(w.ctx, objects.DenyPolicy(e.Namespace)))
	w.toEnd(e)
	w.checkAttempts(e, "Kept Measured")
}

// TestNoPodIsCreatedBesideAForeignDenyPolicy takes its name for a policy that allows everything.
func TestNoPodIsCreatedBesideAForeignDenyPolicy(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*networkingv1.NetworkPolicy){
		"with another spec": func(p *networkingv1.NetworkPolicy) { p.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{}} },
		"without its label": func(p *networkingv1.NetworkPolicy) { p.Labels = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "decoy")
			decoy := objects.DenyPolicy(w.namespaces[0])
			change(decoy)
			w.make(decoy)
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			w.toEnd(e)
			w.checkAttempts(e, "Broken NameTaken", "Broken NameTaken", "Broken NameTaken")
			want := "NetworkPolicy hm-0000000000-deny already exists and has another spec or label; delete or rename it"
			if got := w.trialsOf(e)[0].Status.Message; got != want {
				t.Errorf("the trial's message is %q, want %q", got, want)
			}
			if w.creates["Deployment"] > 0 {
				t.Error("a Deployment was created")
			}
			w.checkUntouched(decoy)
		})
	}
}

// confinement is what the tests' cluster has seen of the policies of pods.
type confinement struct {
	// alone is true once a pod existed that only the deny policy selected.
	alone bool
}

// checkConfined checks each pod of a trial.
func (w *testCluster) checkConfined() {
	w.t.Helper()
	for _, object := range w.everything() {
		if pod, is := object.(*corev1.Pod); is {
			w.checkPodConfined(pod)
		}
	}
}

// checkOwnerConfined checks the pods that a Deployment or a Job will have, when it is created. What
// an operator had begun to create when it was frozen may come late; its leader has to see to that
// before there is a pod.
func (h operatorClient) checkOwnerConfined(owner client.Object, template corev1.PodTemplateSpec) {
	h.cluster.t.Helper()
	if owner.GetDeletionTimestamp() != nil || h.process.frozen != nil || !h.cluster.get(owner) {
		return
	}
	pod := &corev1.Pod{ObjectMeta: template.ObjectMeta}
	pod.Namespace, pod.Name, pod.Status.Phase = owner.GetNamespace(), "of "+owner.GetName(), "not created"
	h.cluster.checkPodConfined(pod)
}

// checkPodConfined checks that a policy selects a trial's pod that allows nothing and that no owner
// takes along.
func (w *testCluster) checkPodConfined(pod *corev1.Pod) {
	w.t.Helper()
	if pod.Labels[v1beta1.LabelTrialUID] == "" {
		return
	}
	policies, selecting, denied := &networkingv1.NetworkPolicyList{}, 0, false
	w.list(policies, pod.Namespace)
	for _, policy := range policies.Items {
		selector, err := metav1.LabelSelectorAsSelector(&policy.Spec.PodSelector)
		w.must("reading a NetworkPolicy", err)
		if selector.Matches(labels.Set(pod.Labels)) {
			selecting++
			denied = denied || len(policy.Spec.PolicyTypes) == 2 && len(policy.Spec.Ingress)+len(policy.Spec.Egress)+len(policy.OwnerReferences) == 0
		}
	}
	if !denied {
		w.t.Fatalf("%s: pod %s, which is %s, is not denied anything", at(w.now()), pod.Name, strings.ToLower(string(pod.Status.Phase)))
	}
	w.confined.alone = w.confined.alone || selecting == 1
}
