//go:build integration

package controllers_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// TestAnObjectOfAChildsNameIsLeftAlone creates an object with another owner under the name of
// each of an attempt's children.
func TestAnObjectOfAChildsNameIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, decoy := range map[string]client.Object{
		"a Deployment":                     &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: selector(), Template: podTemplate(corev1.RestartPolicyAlways)}},
		"a Service":                        &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}},
		"a Job":                            &batchv1.Job{Spec: batchv1.JobSpec{Template: podTemplate(corev1.RestartPolicyNever)}},
		"a NetworkPolicy of the service":   &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "-service"}},
		"a NetworkPolicy of the generator": &networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Name: "-generator"}},
		"a Service with all labels of a child": &corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1beta1.LabelTrialUID: "", v1beta1.LabelAttempt: "1"}},
			Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "decoy")
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			uid := w.begin(e).UID
			decoy.SetNamespace(e.Namespace)
			decoy.SetName(objects.Child(uid, 1) + decoy.GetName())
			if labels := decoy.GetLabels(); labels != nil {
				labels[v1beta1.LabelTrialUID] = string(uid)
			}
			w.make(decoy)
			w.toEnd(e)
			w.checkAttempts(e, "Broken NameTaken", "Kept Measured")
			w.checkUntouched(decoy)
		})
	}
}

// TestAnExperimentWhoseOwnNamesAreTakenSaysSo covers the objects that an experiment creates
// itself. It continues as soon as the name is free.
func TestAnExperimentWhoseOwnNamesAreTakenSaysSo(t *testing.T) {
	t.Parallel()
	for name, decoyOf := range map[string]func(*testCluster, *v1beta1.SizingExperiment) client.Object{
		"the service account's": func(_ *testCluster, e *v1beta1.SizingExperiment) client.Object {
			return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: objects.ServiceAccountName(e.UID)}}
		},
		"a trial's": func(w *testCluster, e *v1beta1.SizingExperiment) client.Object {
			return &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Name: w.plannedName(e)}, Spec: trialByHand()}
		},
		"a trial's, owned by the experiment": func(w *testCluster, e *v1beta1.SizingExperiment) client.Object {
			return &v1beta1.SizingTrial{
				ObjectMeta: metav1.ObjectMeta{Name: w.plannedName(e), OwnerReferences: ownedBy(e, "SizingExperiment")}, Spec: trialByHand(),
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "decoy")
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			decoy := decoyOf(w, e)
			decoy.SetNamespace(e.Namespace)
			w.make(decoy)
			w.wait(time.Minute)
			w.reread(e)
			reconciling := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionReconciling)
			if reconciling == nil || reconciling.Status != metav1.ConditionFalse || reconciling.Reason != v1beta1.ReasonNameTaken {
				t.Fatalf("condition Reconciling does not report that a name is taken: %+v", reconciling)
			}
			if _, trial := decoy.(*v1beta1.SizingTrial); !trial { // the operator writes into a trial's status why it is refused
				w.checkUntouched(decoy)
			}
			w.must("freeing the name", clientFor(decoy).Delete(w.ctx, decoy))
			w.toEnd(e)
			w.checkAttempts(e, "Kept Measured")
		})
	}
}

// TestATrialThatNobodyPlansIsRefused creates trials by hand next to an experiment, which must
// not be affected.
func TestATrialThatNobodyPlansIsRefused(t *testing.T) {
	t.Parallel()
	for name, owner := range map[string]func(*v1beta1.SizingExperiment) []metav1.OwnerReference{
		"without an owner": func(*v1beta1.SizingExperiment) []metav1.OwnerReference { return nil },
		"an experiment's":  func(e *v1beta1.SizingExperiment) []metav1.OwnerReference { return ownedBy(e, "SizingExperiment") },
		"something else's": func(e *v1beta1.SizingExperiment) []metav1.OwnerReference { return ownedBy(e, "Experiment") },
		"a later experiment's own": func(e *v1beta1.SizingExperiment) []metav1.OwnerReference {
			refs := ownedBy(e, "SizingExperiment")
			refs[0].UID = "00000000-0000-0000-0000-000000000000"
			return refs
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "byhand")
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			trial := &v1beta1.SizingTrial{
				ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "by-hand", OwnerReferences: owner(e)}, Spec: trialByHand(),
			}
			w.must("creating a trial by hand", w.client.Create(w.ctx, trial))
			w.pass()
			w.reread(trial)
			want := v1beta1.ReasonNotPlanned
			if name == "a later experiment's own" {
				want = v1beta1.ReasonExperimentGone
			}
			if s := trial.Status; s.Phase != v1beta1.TrialFailed || s.Reason != want || s.Message == "" || len(s.Attempts) > 0 {
				t.Errorf("the trial by hand is %s, %s: %s, after %d attempts; want Failed, %s", s.Phase, s.Reason, s.Message, len(s.Attempts), want)
			}
			w.toEnd(e)
			w.checkAttempts(e, "Kept Measured")
			if diff := cmp.Diff(map[string]int{"SizingTrial": 1, "ServiceAccount": 1, "Deployment": 1, "Service": 1, "NetworkPolicy": 2, "Job": 1}, w.creates); diff != "" {
				t.Errorf("all created objects (-want +got):\n%s", diff)
			}
		})
	}
}

// make creates an object with another owner.
func (w *testCluster) make(object client.Object) {
	w.t.Helper()
	w.must("creating an object with another owner", clientFor(object).Create(w.ctx, object))
	w.log("user", "creates "+kindOf(object)+" "+object.GetName())
}

// clientFor returns the client for an object with another owner: the operator's if its cache
// contains the object. Otherwise that client would wait for ever for the object to appear in
// the cache.
func clientFor(object client.Object) client.Client {
	if _, trial := object.(*v1beta1.SizingTrial); trial || object.GetLabels() != nil {
		return cachedCluster.GetClient()
	}
	return uncached
}

// checkUntouched checks that an object has not changed since it was created.
func (w *testCluster) checkUntouched(object client.Object) {
	w.t.Helper()
	now := object.DeepCopyObject().(client.Object)
	w.must("reading a decoy", uncached.Get(w.ctx, client.ObjectKeyFromObject(object), now))
	if diff := cmp.Diff(object, now); diff != "" {
		w.t.Errorf("the decoy was changed (-made +found):\n%s", diff)
	}
}

// checkAttempts checks how the attempts of an experiment's only trial ended.
func (w *testCluster) checkAttempts(e *v1beta1.SizingExperiment, want ...string) {
	w.t.Helper()
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: w.plannedName(e)}}
	w.reread(trial)
	var got []string
	for _, a := range trial.Status.Attempts {
		got = append(got, string(a.Outcome)+" "+a.Reason)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("the attempts (-want +got):\n%s", diff)
	}
}

// plannedName returns the name of an experiment's first trial.
func (w *testCluster) plannedName(e *v1beta1.SizingExperiment) string {
	w.t.Helper()
	planned, err := matrix.Plan(e, matrix.Seed(e))
	w.must("planning", err)
	return planned[0].Name
}

// trialByHand returns the spec of a trial that is not planned and claims to have its turn.
func trialByHand() v1beta1.SizingTrialSpec {
	return v1beta1.SizingTrialSpec{
		Variant: v1beta1.Variant{
			Name: "c4-1", Hash: v1beta1.BcryptHash(4), CPULimit: "1",
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded},
		},
		Repetition: 1, Sequence: 1, Objective: v1beta1.Objective{P95Milliseconds: 1000}, Attempts: 3,
	}
}

func ownedBy(e *v1beta1.SizingExperiment, kind string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{
		APIVersion: v1beta1.GroupVersion.String(), Kind: kind, Name: e.Name, UID: e.UID, Controller: ptr.To(true),
	}}
}

func selector() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "decoy"}}
}

func podTemplate(restart corev1.RestartPolicy) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: selector().MatchLabels},
		Spec:       corev1.PodSpec{RestartPolicy: restart, Containers: []corev1.Container{{Name: "decoy", Image: "example.test/decoy:v1"}}},
	}
}
