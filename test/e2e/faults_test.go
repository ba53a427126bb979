//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// The reconcilers' tests have a simulated kubelet and cover all other faults.
func TestATrialThatCannotSucceedFailsWithAReason(t *testing.T) {
	for reason, settings := range map[string]string{
		// Nothing listens there, so that the pull fails at once, whatever the network does with other names.
		v1beta1.ReasonImagePull: `{loginService: {image: "localhost:1/absent:dev"}, trials: {startTimeout: 15s}}`,
		handover.ScriptError:    `generator: {image: "hashmark.dev/failing-k6:e2e"}`,
	} {
		t.Run(reason, func(t *testing.T) {
			startOperator(t, settings)
			endsFor(t, create(t, tiny(namespace(t), strings.ToLower(reason), tries(1))), reason)
		})
	}
}

func TestAGeneratorOutOfMemoryFailsTheTrial(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "memory", longer(10), tries(1)))
	fillMemory(t, underLoad(t, e), objects.GeneratorContainer)
	endsFor(t, e, v1beta1.ReasonGeneratorOOMKilled)
}

// endsFor waits for the end of an experiment that can't succeed any more, and checks the reason.
func endsFor(t *testing.T, e *v1beta1.SizingExperiment, reason string) {
	t.Helper()
	begun := time.Now()
	finished(t, e, 2*time.Minute)
	trial := theTrial(t, e)
	if trial.Status.Phase != v1beta1.TrialFailed || trial.Status.Reason != reason || trial.Status.Message == "" {
		t.Errorf("the trial is %s (%s: %s), want Failed (%s)", trial.Status.Phase, trial.Status.Reason, trial.Status.Message, reason)
	}
	if e.Status.Phase != v1beta1.ExperimentFailed {
		t.Errorf("the experiment ended as %s", e.Status.Phase)
	}
	t.Logf("%s after %s: %s", trial.Status.Reason, time.Since(begun).Round(time.Second), trial.Status.Message)
}
