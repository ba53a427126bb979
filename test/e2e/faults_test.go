//go:build e2e

package e2e

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// Each fault breaks another attempt of the same trial; the attempt after the last fault must be
// kept. TestChaos deletes Jobs, and the tests of the reconcilers every kind of object.
func TestWhatIsDeletedUnderAnAttemptIsNamedAndTheNextAttemptCounts(t *testing.T) {
	o := startOperator(t)
	faults := []struct {
		reason string
		fault  func(e *v1alpha1.SizingExperiment, generator *corev1.Pod)
	}{
		{v1alpha1.ReasonServiceReplaced, func(e *v1alpha1.SizingExperiment, _ *corev1.Pod) {
			must(t, cluster.Delete(t.Context(), &podsOf(t, e, v1alpha1.ComponentService)[0]))
		}},
		{v1alpha1.ReasonSummaryLost, func(e *v1alpha1.SizingExperiment, generator *corev1.Pod) {
			// Between its exit and the harvest, which no operator makes meanwhile.
			o.kill()
			until(t, time.Minute, "the generator to end", func() (bool, string) {
				refresh(t, generator)
				return generator.Status.Phase == corev1.PodSucceeded, string(generator.Status.Phase)
			})
			must(t, cluster.Delete(t.Context(), generator))
			until(t, 30*time.Second, "its pod to go", func() (bool, string) {
				return len(podsOf(t, e, v1alpha1.ComponentGenerator)) == 0, generator.Name
			})
			o.start()
		}},
	}
	e := create(t, tiny(namespace(t), "deleted", longer(6), tries(int32(len(faults)+1))))
	for i, f := range faults {
		until(t, time.Minute, fmt.Sprintf("attempt %d to begin", i+1), func() (bool, string) {
			trials := trialsOf(t, e)
			return len(trials) == 1 && len(trials[0].Status.Attempts) == i+1, standing(t, e)
		})
		f.fault(e, underLoad(t, e))
	}
	finished(t, e, 2*time.Minute)
	attempts := theTrial(t, e).Status.Attempts
	if len(attempts) != len(faults)+1 {
		t.Fatalf("%d attempts, want %d: %+v", len(attempts), len(faults)+1, attempts)
	}
	for i, f := range faults {
		if a := attempts[i]; a.Outcome != v1alpha1.OutcomeBroken || a.Reason != f.reason {
			t.Errorf("attempt %d ended as %s (%s: %s), want Broken (%s)", i+1, a.Outcome, a.Reason, a.Message, f.reason)
		}
	}
	if last := attempts[len(faults)]; last.Outcome != v1alpha1.OutcomeKept {
		t.Errorf("the last attempt ended as %s (%s)", last.Outcome, last.Reason)
	}
}

// failsWith runs an experiment that can't succeed, and checks why its only attempt broke off,
// within two minutes.
func failsWith(t *testing.T, e *v1alpha1.SizingExperiment, reason string) {
	t.Helper()
	endsFor(t, create(t, e), reason)
}

// endsFor waits for the end of an experiment that can't succeed any more, and checks the reason.
func endsFor(t *testing.T, e *v1alpha1.SizingExperiment, reason string) {
	t.Helper()
	begun := time.Now()
	finished(t, e, 2*time.Minute)
	trial := theTrial(t, e)
	if trial.Status.Phase != v1alpha1.TrialFailed || trial.Status.Reason != reason || trial.Status.Message == "" {
		t.Errorf("the trial is %s (%s: %s), want Failed (%s)", trial.Status.Phase, trial.Status.Reason, trial.Status.Message, reason)
	}
	if e.Status.Phase != v1alpha1.ExperimentFailed {
		t.Errorf("the experiment ended as %s", e.Status.Phase)
	}
	t.Logf("%s after %s: %s", trial.Status.Reason, time.Since(begun).Round(time.Second), trial.Status.Message)
}

func TestAnImageThatCannotBePulledFailsTheTrial(t *testing.T) {
	// Nobody listens there, so that the pull fails at once, whatever the network does with other names.
	startOperator(t, "--service-image=localhost:1/absent:dev", "--start-timeout=15s")
	failsWith(t, tiny(namespace(t), "unpullable", tries(1)), v1alpha1.ReasonImagePull)
}

func TestAQuotaThatAdmitsTheServiceAndRefusesTheGeneratorFailsTheTrial(t *testing.T) {
	startOperator(t, "--start-timeout=15s")
	ns := namespace(t)
	create(t, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "small"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceLimitsCPU: resource.MustParse("300m")}},
	})
	failsWith(t, tiny(ns, "quota", tries(1)), v1alpha1.ReasonQuotaRefused)
}

func TestAGeneratorOutOfMemoryFailsTheTrial(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "memory", longer(10), tries(1)))
	fillMemory(t, underLoad(t, e), objects.GeneratorContainer)
	endsFor(t, e, v1alpha1.ReasonGeneratorOOMKilled)
}

// The generator's image contains another program, which leaves a garbled result or none.
func TestAResultThatCannotBeReadFailsTheTrial(t *testing.T) {
	for image, reason := range map[string]string{
		"hashmark.dev/garbage:e2e": v1alpha1.ReasonSummaryGarbled,
		"hashmark.dev/silent:e2e":  v1alpha1.ReasonSummaryLost,
	} {
		t.Run(reason, func(t *testing.T) {
			startOperator(t, "--generator-image="+image)
			failsWith(t, tiny(namespace(t), "unreadable", tries(1)), reason)
		})
	}
}

func TestAK6ScriptThatFailsFailsTheTrial(t *testing.T) {
	startOperator(t, "--generator-image=hashmark.dev/failing-k6:e2e")
	failsWith(t, tiny(namespace(t), "script", tries(1)), "ScriptError")
}

func TestAChildsNameThatSomeoneElseHasIsLeftAlone(t *testing.T) {
	startOperator(t)
	ns := namespace(t)
	for _, kind := range []string{"deployment", "service"} {
		t.Run(kind, func(t *testing.T) {
			e := create(t, tiny(ns, "decoy-"+kind, tries(1), func(s *v1alpha1.SizingExperimentSpec) { s.Suspend = true }))
			name := objects.Child(theTrial(t, e).UID, 1)
			decoy := create(t, decoyOf(kind, ns, name))
			before := decoy.GetUID()
			edit(t, e, func(s *v1alpha1.SizingExperimentSpec) { s.Suspend = false })
			finished(t, e, time.Minute)
			if trial := theTrial(t, e); trial.Status.Reason != v1alpha1.ReasonNameTaken {
				t.Errorf("the trial is %s (%s)", trial.Status.Phase, trial.Status.Reason)
			}
			refresh(t, decoy)
			if decoy.GetUID() != before || len(decoy.GetOwnerReferences()) != 0 || decoy.GetDeletionTimestamp() != nil {
				t.Errorf("the decoy was changed: %v", decoy)
			}
		})
	}
}

// decoyOf returns an object with a child's exact name and no owner.
func decoyOf(kind, ns, name string) client.Object {
	metadata := metav1.ObjectMeta{Namespace: ns, Name: name}
	labels := map[string]string{"app": "decoy"}
	if kind == "service" {
		return &corev1.Service{ObjectMeta: metadata, Spec: corev1.ServiceSpec{Selector: labels, Ports: []corev1.ServicePort{{Port: 80}}}}
	}
	none := int32(0)
	return &appsv1.Deployment{ObjectMeta: metadata, Spec: appsv1.DeploymentSpec{
		Replicas: &none,
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "decoy", Image: "decoy"}}},
		},
	}}
}

func TestATrialThatNobodyPlannedIsRefused(t *testing.T) {
	startOperator(t)
	ns := namespace(t)
	planned := create(t, tiny(ns, "model", func(s *v1alpha1.SizingExperimentSpec) { s.Suspend = true }))
	spec := theTrial(t, planned).Spec
	spec.Suspend = false
	byHand := create(t, &v1alpha1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "by-hand"}, Spec: spec})
	until(t, 30*time.Second, "the trial to be refused", func() (bool, string) {
		refresh(t, byHand)
		return byHand.Status.Reason == v1alpha1.ReasonNotPlanned, string(byHand.Status.Phase)
	})
	if pods := kubectl(t, "get", "pods,deployments,jobs", "-n", ns, "-o", "name"); pods != "" {
		t.Errorf("these objects were created: %s", pods)
	}
}
