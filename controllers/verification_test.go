//go:build integration

package controllers_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// small reduces an experiment to one variant of cost 8 on half a CPU, with a demand that one
// replica can serve.
func small(spec *v1beta1.SizingExperimentSpec) {
	oneVariant(spec)
	demanding(spec)
	spec.Demand.LoginsPerSecond = intstr.FromInt32(20)
}

// verifications returns the verifications of an experiment: variant, rate and outcome.
func verifications(e *v1beta1.SizingExperiment) []string {
	var lines []string
	for _, v := range e.Status.Verifications {
		lines = append(lines, strings.Join([]string{v.Variant, milli(&v.OfferedMilliPerSecond), string(v.Outcome)}, ", "))
	}
	return lines
}

// checkVerifications compares the verifications of an experiment with those that are wanted.
func (w *testCluster) checkVerifications(e *v1beta1.SizingExperiment, want ...string) {
	w.t.Helper()
	if diff := cmp.Diff(want, verifications(e)); diff != "" {
		w.t.Errorf("verifications (-want +got):\n%s", diff)
	}
}

func TestTheAnswerIsVerifiedBeforeTheEnd(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "verified")
	e := w.create(newExperiment("login", small), 0)
	w.toEnd(e)
	w.checkAnswer(e, "1×c8-500m", "verified; confidence ")
	w.checkVerifications(e, "c8-500m, 20000 milli/s, Met")
	if e.Status.Display.Verified != "yes" || e.Status.Display.Trials != "2/2" {
		t.Errorf("the columns are %+v", e.Status.Display)
	}
	// 321 logins at 20/s take 16 s. Steps that did not run are not counted: the whole plan would take minutes.
	loads := w.tally.stages[telemetry.StageLoading]
	if took := loads[len(loads)-1]; took < 16*time.Second || took > time.Minute {
		t.Errorf("the verification's load took %s", took)
	}
}

func TestASizeThatFailsIsFollowedByTheNext(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "second")
	w.kubelet.slower, w.kubelet.failsAbove = 100, 15_000
	e := w.create(newExperiment("login", small), 0)
	w.toEnd(e)
	w.checkAnswer(e, "2×c8-500m", "verified; confidence ")
	w.checkVerifications(e, "c8-500m, 20000 milli/s, Failed", "c8-500m, 10000 milli/s, Met")
}

func TestWhereBothSizesFailNothingIsRecommended(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "neither")
	w.kubelet.slower = 100
	e := w.create(newExperiment("login", small), 0)
	w.toEnd(e)
	w.checkAnswer(e, "none", "two sizes were verified, and both missed the objective")
	w.checkVerifications(e, "c8-500m, 20000 milli/s, Failed", "c8-500m, 10000 milli/s, Failed")
	if e.Status.Display.Verified != "no" {
		t.Errorf("the column is %q", e.Status.Display.Verified)
	}
	// A replica that fails at 10/s is not sized at 10/s.
	if sizing := e.Status.Results[0].Sizing; sizing == nil || sizing.Replicas < 3 {
		t.Errorf("after two failures the row has the sizing %+v", sizing)
	}
}

func TestAVerificationWhoseNameIsTakenDoesNotKeepTheExperimentFromItsEnd(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "taken")
	e := w.create(newExperiment("login", small), 0)
	byHand := &v1beta1.SizingTrial{Spec: trialByHand()}
	byHand.Namespace, byHand.Name, byHand.Spec.Suspend = e.Namespace, matrix.VerificationName(e, "c8-500m", 1), true
	w.must("creating a trial by hand", w.client.Create(w.ctx, byHand))
	w.toEnd(e)
	w.checkAnswer(e, "1×c8-500m", "not verified; confidence ")
	w.checkVerifications(e, "c8-500m, 20000 milli/s, NotRun")
}

func TestAVerificationIsNotRefusedWhileTheCacheIsBehind(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "behind")
	w.cacheBehind = true
	e := w.create(newExperiment("login", small), 0)
	w.toEnd(e)
	w.checkVerifications(e, "c8-500m, 20000 milli/s, Met")
}

func TestASuspendedVerificationIsDrivenAfresh(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "suspended")
	e := w.create(newExperiment("login", small), 0)
	w.run("the verification's load is running", func() bool { return w.verifying(e) })
	if e.Status.Display.Verified != "running" || e.Status.Display.Trials != "1/2" || e.Status.Phase != v1beta1.ExperimentRunning {
		t.Errorf("during the verification the phase is %s and the columns are %+v", e.Status.Phase, e.Status.Display)
	}
	w.edit(e, "suspends login", suspend)
	w.wait(60 * time.Second)
	w.edit(e, "resumes login", resume)
	w.toEnd(e)
	w.checkAnswer(e, "1×c8-500m", "verified; confidence ")
}

func TestACancelledVerificationLeavesTheAnswerUnverified(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "cancelled")
	e := w.create(newExperiment("login", small), 0)
	w.run("the verification's load is running", func() bool { return w.verifying(e) })
	w.edit(e, "cancels login", cancel)
	w.toEnd(e)
	w.checkAnswer(e, "1×c8-500m", "not verified; confidence ")
}

// verifying reports whether a verification's load is running.
func (w *testCluster) verifying(e *v1beta1.SizingExperiment) bool {
	w.reread(e)
	return len(e.Status.Verifications) == 1 && w.underLoad("c8-500m") && e.Status.Progress.Finished == 1
}

func TestWithVerifyNoneNothingIsVerified(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "none")
	e := w.create(newExperiment("login", small, func(s *v1beta1.SizingExperimentSpec) { s.Demand.Verify = v1beta1.VerifyNone }), 0)
	w.toEnd(e)
	if e.Status.Verifications != nil || e.Status.Display.Verified != "" || e.Status.Recommendation.Confidence != v1beta1.ConfidenceMedium || e.Status.Display.Trials != "1/1" {
		t.Errorf("verifications %v, columns %+v, recommended %+v", verifications(e), e.Status.Display, e.Status.Recommendation)
	}
}

func TestWithVerifyFullAllReplicasAreDriven(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "full")
	e := w.create(newExperiment("login", small, func(s *v1beta1.SizingExperimentSpec) {
		s.Demand.LoginsPerSecond, s.Demand.Verify = intstr.FromInt32(40), v1beta1.VerifyFull
	}), 0)
	w.toEnd(e)
	w.checkAnswer(e, "2×c8-500m", "verified; confidence ")
	if v := e.Status.Verifications[0]; v.DrivenReplicas != 2 || v.OfferedMilliPerSecond != 40_000 {
		t.Errorf("driven: %+v", v)
	}
}
