package telemetry

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// ofTrial are the labels of every series of a trial.
var ofTrial = []string{"namespace", "experiment", "variant", "trial"}

var (
	trialPhase = define("trial_phase",
		"The phase of a trial that runs, is suspended or failed, and why; always 1.", ofTrial, "phase", "reason")
	attemptDeadline = define("trial_attempt_deadline_timestamp_seconds",
		"When the trial's attempt that is under way is given up.", ofTrial)
)

// trials adds what goes on, and what went wrong. Trials that wait, and those
// that were measured, have no series: the variant's row tells of them.
func (g *gathering) trials(e *v1alpha1.SizingExperiment, trials []*v1alpha1.SizingTrial, startTimeout time.Duration) {
	for _, trial := range trials {
		values := []string{e.Namespace, e.Name, trial.Spec.Variant.Name, trial.Name}
		switch phase := trial.Status.Phase; phase {
		case v1alpha1.TrialRunning, v1alpha1.TrialSuspended, v1alpha1.TrialFailed:
			g.add(trialPhase, 1, with(values, string(phase), orNone(trial.Status.Reason))...)
		}
		if attempt := lifecycle.Current(&trial.Status); attempt != nil {
			g.add(attemptDeadline, float64(lifecycle.Deadline(trial, attempt, startTimeout).Unix()), values...)
		}
	}
}
