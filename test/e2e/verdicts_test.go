//go:build e2e

package e2e

import (
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/verdict"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestAStarvedGeneratorIsNeverValid(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "starved", tries(1), func(s *v1beta1.SizingExperimentSpec) {
		s.Generator.CPULimit = ptr.To(intstr.Parse("20m"))
	}, loaded(t, 40, 1)))
	finished(t, e, 4*time.Minute)
	// With so little CPU, k6 sends its logins late, or cannot even start its virtual users.
	status := theTrial(t, e).Status
	if status.Phase == v1beta1.TrialFailed && status.Reason == v1beta1.ReasonGeneratorThrottled && status.Result == nil {
		return
	}
	if status.Result == nil || status.Result.Verdict != v1beta1.VerdictInvalid || !verdict.Disturbed(*status.Result) {
		t.Errorf("a generator with 20m CPU and an offered rate of 40 %% of the bound: %s, %s, result %+v", status.Phase, status.Reason, status.Result)
	}
}

func TestAGeneratorOnTheServicesNodeIsSuspect(t *testing.T) {
	startOperator(t)
	cordon(t, "node-2")
	status := doubtedFor(t, create(t, tiny(namespace(t), "crowded")), v1beta1.ReasonSharedNode)
	if status.Evidence.GeneratorNode != status.Evidence.ServiceNodes[0] {
		t.Errorf("the generator ran on %s, the service on %v", status.Evidence.GeneratorNode, status.Evidence.ServiceNodes)
	}
}

func TestALimitThatIsChangedUnderLoadIsFound(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "resized", longer(20)))
	underLoad(t, e)
	pod := podsOf(t, e, v1beta1.ComponentService)[0]
	kubectl(t, "patch", "pod", pod.Name, "-n", e.Namespace, "--subresource=resize", "--patch",
		`{"spec":{"containers":[{"name":"`+pod.Spec.Containers[0].Name+`","resources":{"limits":{"cpu":"500m"},"requests":{"cpu":"500m"}}}]}}`)
	if status := doubtedFor(t, e, v1beta1.ReasonPodAltered); status.Result.Verdict != v1beta1.VerdictInvalid {
		t.Errorf("judged %s, want Invalid", status.Result.Verdict)
	}
}

// What a neighbour spoiled is measured again once it is gone, and the row says so.
func TestWhatANeighbourSpoiledIsMeasuredAgain(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "robbed", longer(12), costs(8), func(s *v1beta1.SizingExperimentSpec) {
		s.Matrix.CPULimits = fixture.Limits("1")
	}, loaded(t, 30, 1)))
	underLoad(t, e)
	stop := burn(t, theTrial(t, e).Status.Calibration.Cpuset)
	until(t, 2*time.Minute, "an attempt to be disturbed", func() (bool, string) {
		attempts := theTrial(t, e).Status.Attempts
		return len(attempts) > 0 && attempts[0].Outcome == v1beta1.OutcomeInvalid, standing(t, e)
	})
	stop()
	if first := theTrial(t, e).Status.Attempts[0]; first.Reason != v1beta1.ReasonNoisyNeighbour {
		t.Errorf("the disturbed attempt: %+v", first)
	}
	finished(t, e, 3*time.Minute)
	row := e.Status.Results[0]
	t.Logf("%s after %d attempts: %+v", row.Verdict, len(theTrial(t, e).Status.Attempts), row.Reasons)
	if !has(row.Reasons, v1beta1.ReasonDisturbed) || row.Verdict != v1beta1.VerdictValid && !disturbed(row) {
		t.Errorf("it was measured again, and is %s: %+v", row.Verdict, row.Reasons)
	}
}

// doubtedFor waits for the end of an experiment, and fails unless its only result is not Valid and has the reason.
func doubtedFor(t *testing.T, e *v1beta1.SizingExperiment, reason string) v1beta1.SizingTrialStatus {
	t.Helper()
	finished(t, e, 2*time.Minute)
	status := theTrial(t, e).Status
	if result := status.Result; result == nil || result.Verdict == v1beta1.VerdictValid || !has(result.Reasons, reason) {
		t.Fatalf("judged %+v, want %s", result, reason)
	}
	t.Logf("judged %s: %+v", status.Result.Verdict, status.Result.Reasons)
	return status
}

func has(reasons []v1beta1.Reason, kind string) bool {
	return slices.ContainsFunc(reasons, func(r v1beta1.Reason) bool { return r.Type == kind })
}

// cordon keeps new pods off a node until the test ends.
func cordon(t *testing.T, node string) {
	t.Helper()
	kubectl(t, "cordon", node)
	t.Cleanup(func() {
		kubectlAfter(t, "uncordon", node)
	})
}

// burn keeps a process busy on CPUs, given as a list such as 0-3, until stop or the end of the test.
func burn(t *testing.T, cpus string) (stop func()) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "taskset", "-c", cpus, "sh", "-c", "while :; do :; done")
	// If the test dies, the process dies too.
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	must(t, command.Start())
	stop = sync.OnceFunc(func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	})
	t.Cleanup(stop)
	return stop
}
