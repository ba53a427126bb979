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
		"The phase and its reason, for a trial that is running, suspended or failed; always 1.", ofTrial, "phase", "reason")
	attemptDeadline = define("trial_attempt_deadline_timestamp_seconds",
		"Deadline of the trial's current attempt.", ofTrial)
)

// trials adds the trials that are running, suspended or failed. Waiting and measured trials
// have no series: the variant's row shows them.
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
