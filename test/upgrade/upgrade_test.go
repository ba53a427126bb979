//go:build upgrade

package upgrade

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/test/fixture"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// phase is where a trial is when its operator is replaced.
type phase struct {
	name string
	// gate is the step that the nodes don't do until then.
	gate step
	// reached reports whether the trial is there, from its status and its pods.
	reached func(*v1beta1.SizingTrial, []corev1.Pod) bool
	// meanwhile is what the nodes do while no operator runs: they take the step.
	meanwhile func([]corev1.Pod) bool
}

// phases are those of a trial, in their order.
func phases() []phase {
	some := func(holds func(*corev1.Pod) bool) func([]corev1.Pod) bool {
		return func(pods []corev1.Pod) bool {
			for i := range pods {
				if holds(&pods[i]) {
					return true
				}
			}
			return false
		}
	}
	of := func(pods func([]corev1.Pod) bool) func(*v1beta1.SizingTrial, []corev1.Pod) bool {
		return func(_ *v1beta1.SizingTrial, all []corev1.Pod) bool { return pods(all) }
	}
	generator := func(in corev1.PodPhase) func([]corev1.Pod) bool {
		return some(func(pod *corev1.Pod) bool {
			return pod.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator && pod.Status.Phase == in
		})
	}
	calibrating := some(func(pod *corev1.Pod) bool { return pod.Status.PodIP != "" })
	calibrated := some(func(pod *corev1.Pod) bool { return simulated.Holds(&pod.Status, corev1.PodReady) })
	return []phase{
		{"deploying", schedules, of(some(func(*corev1.Pod) bool { return true })), nil},
		{"calibrating", calibrates, of(calibrating), nil},
		{"before the load", calibrates, of(calibrating), calibrated},
		{"under load", ends, of(generator(corev1.PodRunning)), nil},
		{"harvest", ends, of(generator(corev1.PodRunning)), generator(corev1.PodSucceeded)},
		{"cleaning up", removes, func(trial *v1beta1.SizingTrial, _ []corev1.Pod) bool {
			n := len(trial.Status.Attempts)
			return n > 0 && trial.Status.Attempts[n-1].EndTime != nil
		}, nil},
		{"released, and before the next attempt", "", func(trial *v1beta1.SizingTrial, _ []corev1.Pod) bool { return released(trial) }, nil},
	}
}

func released(trial *v1beta1.SizingTrial) bool {
	return meta.IsStatusConditionTrue(trial.Status.Conditions, v1beta1.ConditionReleased)
}

// TestAnotherVersionTakesOverInEachPhase measures one experiment, whose operator is replaced in each
// phase of a trial: once by the newer one, and once by the base.
func TestAnotherVersionTakesOverInEachPhase(t *testing.T) {
	c := newCluster(t)
	c.start(base)
	e := c.suspendedExperiment(2 * len(phases()))
	c.until("the base has accepted the experiment", func() bool {
		c.read(e)
		return e.Status.ObservedGeneration == e.Generation
	})
	c.replace("before the first trial", nil)
	must(t, c.client.Patch(t.Context(), e, client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"suspend":false}}`))))

	sequence := int32(0)
	for _, p := range phases() {
		for range 2 {
			sequence++
			c.takeOver(e, func(trial *v1beta1.SizingTrial) bool {
				return trial.Spec.Role == v1beta1.RoleMeasurement && trial.Spec.Sequence == sequence
			}, p)
		}
	}
	verification := func(trial *v1beta1.SizingTrial) bool { return trial.Spec.Role == v1beta1.RoleVerification }
	c.takeOver(e, verification, phases()[1], phases()[3])
	c.until("the experiment has ended", func() bool {
		c.read(e)
		return e.Status.Phase.Finished()
	})
	c.check(e)
}

// suspendedExperiment creates an experiment with a number of trials.
func (c *cluster) suspendedExperiment(trials int) *v1beta1.SizingExperiment {
	c.t.Helper()
	e := &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "login"},
		Spec: v1beta1.SizingExperimentSpec{
			Suspend: ptr.To(true), Repetitions: ptr.To(int32(trials / 2)), AttemptsPerTrial: ptr.To[int32](1),
			Matrix:    v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("500m"), Measure: v1beta1.MeasureAll},
			Objective: v1beta1.Objective{P95Milliseconds: 1000},
			Demand:    &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(20), MinimumCost: ptr.To[int32](4), MaxTotalCPU: ptr.To(intstr.Parse("2"))},
			Seed:      ptr.To[int64](7),
		},
	}
	must(c.t, c.client.Create(c.t.Context(), e))
	return e
}

// takeOver lets the other operator take over in each of some phases of a trial, and waits for the
// trial's end.
func (c *cluster) takeOver(e *v1beta1.SizingExperiment, is func(*v1beta1.SizingTrial) bool, in ...phase) {
	c.t.Helper()
	trial := &v1beta1.SizingTrial{}
	c.until("the trial exists", func() bool {
		for _, candidate := range c.trials(e) {
			if is(&candidate) {
				*trial = candidate
				return true
			}
		}
		return false
	})
	for i, p := range in {
		c.kubelet.gate(trial.UID, p.gate)
		what := fmt.Sprintf("trial %s is %s", trial.Name, p.name)
		c.until(what, func() bool {
			c.read(trial)
			return p.reached(trial, c.pods(trial))
		})
		c.replace(what, func() {
			c.kubelet.gate(trial.UID, append(in, phase{})[i+1].gate)
			if p.meanwhile != nil {
				c.until("the nodes have gone on", func() bool { return p.meanwhile(c.pods(trial)) })
			}
		})
	}
	c.until(trial.Name+" is released", func() bool {
		c.read(trial)
		return released(trial)
	})
}

// replace stops the operator and starts the other one. Between the two the nodes go on.
func (c *cluster) replace(when string, meanwhile func()) {
	c.t.Helper()
	c.stop()
	if meanwhile != nil {
		meanwhile()
	}
	c.t.Logf("%s: %s takes over", when, c.running.other())
	c.start(c.running.other())
}

func (c *cluster) read(object client.Object) {
	c.t.Helper()
	must(c.t, c.client.Get(c.t.Context(), client.ObjectKeyFromObject(object), object))
}

func (c *cluster) trials(e *v1beta1.SizingExperiment) []v1beta1.SizingTrial {
	c.t.Helper()
	list := &v1beta1.SizingTrialList{}
	must(c.t, c.client.List(c.t.Context(), list, client.InNamespace(e.Namespace)))
	return list.Items
}

func (c *cluster) pods(trial *v1beta1.SizingTrial) []corev1.Pod {
	c.t.Helper()
	list := &corev1.PodList{}
	must(c.t, c.client.List(c.t.Context(), list, client.InNamespace(trial.Namespace), client.MatchingLabels{v1beta1.LabelTrialUID: string(trial.UID)}))
	return list.Items
}

// check checks that the experiment has an answer, and each trial one result: that of the load which
// its Job had.
func (c *cluster) check(e *v1beta1.SizingExperiment) {
	c.t.Helper()
	if e.Status.Phase != v1beta1.ExperimentSucceeded || e.Status.Recommendation == nil || len(e.Status.Verifications) == 0 {
		c.t.Errorf("the experiment is %s, with the recommendation %+v", e.Status.Phase, e.Status.Recommendation)
	}
	for _, trial := range c.trials(e) {
		c.checkAttempts(&trial)
		if result := trial.Status.Result; result == nil || result.Verdict != v1beta1.VerdictValid {
			c.t.Errorf("%s has the result %+v", trial.Name, result)
		}
	}
}

// checkAttempts checks that the last attempt was kept, and that another one ended only because the
// operator had changed.
func (c *cluster) checkAttempts(trial *v1beta1.SizingTrial) {
	c.t.Helper()
	last := len(trial.Status.Attempts) - 1
	for i, attempt := range trial.Status.Attempts {
		plan, loaded := c.planOf(attempt.JobUID)
		ran := len(c.kubelet.run(attempt.JobUID).Steps) > 0
		switch {
		case i == last && attempt.Outcome == v1beta1.OutcomeKept && loaded && ran:
			c.checkNumbers(trial, attempt, plan)
		case i != last && attempt.Outcome == v1beta1.OutcomeInterrupted && attempt.Reason == v1beta1.ReasonOperatorChanged &&
			(!loaded || strings.Contains(attempt.Message, fmt.Sprintf("its plan has version %d, and this operator judges version", plan.Version))):
			c.t.Logf("%s, attempt %d: %s", trial.Name, attempt.Number, attempt.Message)
		default:
			c.t.Errorf("%s, attempt %d of %d, of a Job with a plan: %v, ended %s, %s: %s", trial.Name, i+1, last+1, loaded, attempt.Outcome, attempt.Reason, attempt.Message)
		}
	}
}

// driven is what a status says about the load of a step, and how many of its logins succeeded.
type driven struct {
	Kind    string
	Offered int64
	Plan    *v1beta1.StepPlan
	OK      int64
}

// checkNumbers compares the steps of a trial with the plan that was in its Job, and with what its
// generator counted.
func (c *cluster) checkNumbers(trial *v1beta1.SizingTrial, attempt v1beta1.Attempt, plan loadplan.Plan) {
	c.t.Helper()
	var want, got []driven
	for i, result := range c.kubelet.run(attempt.JobUID).Steps {
		step := plan.InAPI()[i]
		want = append(want, driven{string(step.Kind), ptr.Deref(step.OfferedMilliPerSecond, 0), step.Plan, result.OK})
	}
	for _, step := range trial.Status.Steps {
		if step.Ran() {
			got = append(got, driven{string(step.Kind), ptr.Deref(step.OfferedMilliPerSecond, 0), step.Plan, step.OK})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		c.t.Errorf("%s: steps (-driven +judged):\n%s", trial.Name, diff)
	}
}
