//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
	"github.com/hashmark-dev/hashmark/tools/lab"
)

// namespace creates a namespace that enforces restricted pods, and deletes it at the end.
func namespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "e2e-", Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"},
	}}
	must(t, cluster.Create(t.Context(), ns))
	t.Cleanup(func() {
		if t.Failed() {
			dump(t, ns.Name)
		}
		_ = cluster.Delete(context.Background(), ns)
	})
	return ns.Name
}

// tiny returns an experiment of one variant at one low rate, which takes about twenty seconds,
// with a test's changes.
func tiny(ns, name string, changes ...func(*v1beta1.SizingExperimentSpec)) *v1beta1.SizingExperiment {
	e := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: name},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix: v1beta1.Matrix{Costs: []int32{4}, CPULimits: fixture.Limits("250m")},
			Load: v1beta1.Load{
				Rates:       &v1beta1.RatesLoad{PerSecond: []intstr.IntOrString{intstr.FromInt32(30)}},
				StepSeconds: 3, WarmupSeconds: ptr.To[int32](1), RequestTimeoutSeconds: 2,
			},
			Objective: v1beta1.Objective{P95Milliseconds: 1000},
		},
	}
	for _, change := range changes {
		change(&e.Spec)
	}
	return e
}

// longer sets the length of steps in seconds, to leave time for a fault.
func longer(seconds int32) func(*v1beta1.SizingExperimentSpec) {
	return func(s *v1beta1.SizingExperimentSpec) { s.Load.StepSeconds = seconds }
}

func costs(costs ...int32) func(*v1beta1.SizingExperimentSpec) {
	return func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = costs }
}

func tries(n int32) func(*v1beta1.SizingExperimentSpec) {
	return func(s *v1beta1.SizingExperimentSpec) { s.AttemptsPerTrial = &n }
}

func create[T client.Object](t *testing.T, object T) T {
	t.Helper()
	must(t, cluster.Create(t.Context(), object))
	return object
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// until waits for a condition. If it is not met, the error has what was seen last.
func until(t *testing.T, limit time.Duration, what string, look func() (done bool, seen string)) {
	t.Helper()
	seen := ""
	err := wait.PollUntilContextTimeout(t.Context(), 300*time.Millisecond, limit, true, func(context.Context) (done bool, err error) {
		done, seen = look()
		return done, nil
	})
	if err != nil {
		t.Fatalf("waited %s for %s; last seen: %s", limit, what, seen)
	}
}

// refresh reads an object again.
func refresh(t *testing.T, object client.Object) {
	t.Helper()
	must(t, cluster.Get(t.Context(), client.ObjectKeyFromObject(object), object))
}

// finished waits for an experiment's end.
func finished(t *testing.T, e *v1beta1.SizingExperiment, limit time.Duration) {
	t.Helper()
	until(t, limit, e.Name+" to finish", func() (bool, string) {
		refresh(t, e)
		return meta.IsStatusConditionTrue(e.Status.Conditions, v1beta1.ConditionFinished), standing(t, e)
	})
}

// measured creates an experiment and waits for its end. It repeats this, up to three times in
// total, if a row is Invalid because of other work on the machine: an Invalid row can't be
// recommended.
func measured(t *testing.T, e *v1beta1.SizingExperiment, limit time.Duration) *v1beta1.SizingExperiment {
	t.Helper()
	return measuredUnless(t, e, limit, func(row v1beta1.VariantResult) bool { return row.Verdict == v1beta1.VerdictInvalid })
}

// measuredUnless measures an experiment, up to three times, until no row must be measured
// again.
func measuredUnless(t *testing.T, e *v1beta1.SizingExperiment, limit time.Duration, again func(v1beta1.VariantResult) bool) *v1beta1.SizingExperiment {
	t.Helper()
	for try := 1; ; try++ {
		tried := e.DeepCopy()
		tried.Name = fmt.Sprintf("%s-%d", e.Name, try)
		finished(t, create(t, tried), limit)
		if !slices.ContainsFunc(tried.Status.Results, again) || try == 3 {
			return tried
		}
		t.Logf("measuring again: %s", standing(t, tried))
	}
}

// endOf returns the phase in which an experiment that was measured ends: Failed if other work on the
// machine made all of its results Invalid, and otherwise Succeeded.
func endOf(t *testing.T, e *v1beta1.SizingExperiment) v1beta1.ExperimentPhase {
	t.Helper()
	for _, trial := range trialsOf(t, e) {
		if result := trial.Status.Result; result != nil && result.Verdict != v1beta1.VerdictInvalid {
			return v1beta1.ExperimentSucceeded
		}
	}
	return v1beta1.ExperimentFailed
}

// standing returns the state of an experiment and its trials as text.
func standing(t *testing.T, e *v1beta1.SizingExperiment) string {
	var all []string
	for _, trial := range trialsOf(t, e) {
		all = append(all, fmt.Sprintf("%s is %s (%s: %s)", trial.Name, trial.Status.Phase, trial.Status.Reason, trial.Status.Message))
	}
	return fmt.Sprintf("%s; %s", e.Status.Phase, strings.Join(all, "; "))
}

// trialsOf returns an experiment's trials in their order.
func trialsOf(t *testing.T, e *v1beta1.SizingExperiment) []v1beta1.SizingTrial {
	t.Helper()
	ordered, err := lab.Trials(t.Context(), cluster, e)
	must(t, err)
	return ordered
}

// theTrial returns the only trial of a tiny experiment.
func theTrial(t *testing.T, e *v1beta1.SizingExperiment) *v1beta1.SizingTrial {
	t.Helper()
	var trial *v1beta1.SizingTrial
	until(t, 30*time.Second, "the trial of "+e.Name, func() (bool, string) {
		if trials := trialsOf(t, e); len(trials) == 1 {
			trial = &trials[0]
		}
		return trial != nil, "none"
	})
	return trial
}

// underLoad waits until a generator's container runs, and returns its pod.
func underLoad(t *testing.T, e *v1beta1.SizingExperiment) *corev1.Pod {
	t.Helper()
	var generator *corev1.Pod
	until(t, 3*time.Minute, e.Name+" to be under load", func() (bool, string) {
		for _, pod := range podsOf(t, e, v1beta1.ComponentGenerator) {
			if pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
				generator = &pod
			}
		}
		refresh(t, e)
		return generator != nil, standing(t, e)
	})
	return generator
}

// podsOf returns the pods of an experiment's login services or generators.
func podsOf(t *testing.T, e *v1beta1.SizingExperiment, component string) []corev1.Pod {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, cluster.List(t.Context(), pods, client.InNamespace(e.Namespace), client.MatchingLabels{
		v1beta1.LabelExperimentUID: string(e.UID), v1beta1.LabelComponent: component,
	}))
	return pods.Items
}

// versions returns the versions of all experiments and trials of a namespace, by kind and name.
func versions(t *testing.T, ns string) map[string]string {
	t.Helper()
	experiments, trials := &v1beta1.SizingExperimentList{}, &v1beta1.SizingTrialList{}
	must(t, cluster.List(t.Context(), experiments, client.InNamespace(ns)))
	must(t, cluster.List(t.Context(), trials, client.InNamespace(ns)))
	all := map[string]string{}
	for _, e := range experiments.Items {
		all["experiment "+e.Name] = e.ResourceVersion
	}
	for _, trial := range trials.Items {
		all["trial "+trial.Name] = trial.ResourceVersion
	}
	return all
}

// kubectl runs kubectl and returns its output, without warnings. If it fails, the test fails
// with the whole output.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	var warnings strings.Builder
	command := exec.CommandContext(t.Context(), "kubectl", args...)
	command.Stderr = &warnings
	out, err := command.Output()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s%s", strings.Join(args, " "), err, out, warnings.String())
	}
	return string(out)
}

// dump logs the contents of a namespace after a test has failed.
func dump(t *testing.T, ns string) {
	trials := &v1beta1.SizingTrialList{}
	_ = cluster.List(context.Background(), trials, client.InNamespace(ns))
	for _, trial := range trials.Items {
		text, _ := yaml.Marshal(trial.Status)
		t.Logf("trial %s:\n%s", trial.Name, text)
	}
	out, _ := exec.Command("kubectl", "get", "szx,szt,pods,jobs,events", "-n", ns, "-o", "wide").CombinedOutput()
	t.Logf("namespace %s:\n%s", ns, out)
}

// kubectlAfter runs kubectl for cleaning up, after the test's context has ended.
func kubectlAfter(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("kubectl", args...).CombinedOutput(); err != nil {
		t.Errorf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
