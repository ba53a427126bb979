//go:build integration

package controllers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// TestWhatAQuotaRefusesIsWaitedFor has a real quota of zero for one kind of object. It is deleted
// during the first attempt, or only once that attempt was given up.
func TestWhatAQuotaRefusesIsWaitedFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		resource corev1.ResourceName
		probe    client.Object
		givenUp  bool
	}{
		{"the Deployment", "count/deployments.apps", &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: selector(), Template: podTemplate(corev1.RestartPolicyAlways)}}, false},
		{"the Service", "services", &corev1.Service{Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}}, false},
		{"the NetworkPolicies", "count/networkpolicies.networking.k8s.io", &networkingv1.NetworkPolicy{}, false},
		{"the Job", "count/jobs.batch", &batchv1.Job{Spec: batchv1.JobSpec{Template: podTemplate(corev1.RestartPolicyNever)}}, false},
		{"the Deployment, for too long", "count/deployments.apps", &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: selector(), Template: podTemplate(corev1.RestartPolicyAlways)}}, true},
		{"the Job, for too long", "count/jobs.batch", &batchv1.Job{Spec: batchv1.JobSpec{Template: podTemplate(corev1.RestartPolicyNever)}}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "quota")
			quota := w.refuse(tt.resource, tt.probe)
			e := w.create(newExperiment("login", quick, oneVariant), 0)
			trial := func() v1beta1.SizingTrialStatus { return w.trialsOf(e)[0].Status }
			w.run("the trial says that it waits for the quota", func() bool { return trial().Reason == v1beta1.ReasonQuotaRefused })
			if message := trial().Message; !strings.Contains(message, "exceeded quota: none, requested: "+string(tt.resource)+"=1") {
				t.Errorf("the trial's message is %q", message)
			}
			want := []string{"Kept Measured"}
			if tt.givenUp {
				w.run("the attempt is given up", func() bool { return trial().Attempts[0].EndTime != nil })
				fault{reason: v1beta1.ReasonQuotaRefused, waits: true}.checkPatience(t, trial().Attempts[0], []string{v1beta1.ReasonQuotaRefused})
				want = slices.Insert(want, 0, "Broken QuotaRefused")
			}
			w.must("deleting the quota", uncached.Delete(w.ctx, quota))
			w.untilProbe(tt.probe, func(err error) bool { return err == nil })
			w.toEnd(e)
			w.checkAttempts(e, want...)
			w.checkNothingLeft()
		})
	}
}

// refuse creates a quota of zero. Its status is written by a controller that the API server alone
// lacks.
func (w *testCluster) refuse(what corev1.ResourceName, probe client.Object) *corev1.ResourceQuota {
	w.t.Helper()
	none := corev1.ResourceList{what: resource.MustParse("0")}
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespaces[0], Name: "none"}, Spec: corev1.ResourceQuotaSpec{Hard: none},
	}
	w.must("creating a quota", uncached.Create(w.ctx, quota))
	quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none}
	w.must("writing the quota's status", uncached.Status().Update(w.ctx, quota))
	w.untilProbe(probe, apierrors.IsForbidden)
	return quota
}

// untilProbe creates an object, without effect, until the API server answers as expected. It reads
// quotas from a cache of its own.
func (w *testCluster) untilProbe(probe client.Object, expected func(error) bool) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for limit := time.After(time.Minute); ; {
		object := probe.DeepCopyObject().(client.Object)
		object.SetNamespace(w.namespaces[0])
		object.SetName("probe")
		err := uncached.Create(w.ctx, object, client.DryRunAll)
		if expected(err) {
			return
		}
		select {
		case <-tick.C:
		case <-limit:
			w.t.Fatalf("the API server still answers %v", err)
		}
	}
}
