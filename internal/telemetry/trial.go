package telemetry

import (
	"cmp"
	"fmt"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

var ofTrial = []string{"namespace", "experiment", "variant", "trial"}

var (
	trialPhase = define("trial_phase",
		"The phase and its reason, for a trial that is running, suspended or failed; always 1.", ofTrial, "phase", "reason")
	attemptDeadline = define("trial_attempt_deadline_timestamp_seconds",
		"Deadline of the trial's current attempt.", ofTrial)
)

// trials adds the trials that are running, suspended or failed. Waiting and measured trials
// have no series: the variant's row shows them.
func (g *gathering) trials(e *v1beta1.SizingExperiment, trials []*v1beta1.SizingTrial, startTimeout time.Duration) {
	for _, trial := range trials {
		values := []string{e.Namespace, e.Name, trial.Spec.Variant.Name, trial.Name}
		switch phase := trial.Status.Phase; phase {
		case v1beta1.TrialRunning, v1beta1.TrialSuspended, v1beta1.TrialFailed:
			g.add(trialPhase, 1, with(values, string(phase), orNone(trial.Status.Reason))...)
		}
		if attempt := lifecycle.Current(&trial.Status); attempt != nil {
			g.add(attemptDeadline, float64(lifecycle.Deadline(trial, attempt, startTimeout).Unix()), values...)
		}
	}
}

var ofStep = []string{"namespace", "experiment", "variant", "step"}

var stepReadings = []reading[v1beta1.Step]{
	{define("step_offered_logins_per_second", "The offered login rate of the step, as observed.", ofStep),
		func(s *v1beta1.Step) (float64, bool) { return perSecond(s.OfferedMilliPerSecond) }},
	{define("step_p95_seconds", "The 95th percentile of login latency in the step, as observed.", ofStep),
		func(s *v1beta1.Step) (float64, bool) { return seconds(s.P95Microseconds) }},
	{define("step_throttled_ratio", "Share of the step's quota periods in which the service was throttled.", ofStep), throttled},
	{define("step_error_ratio", "Share of the step's logins without a complete response with status 200.", ofStep), failed},
}

// steps adds the steps of the first repetition that is not Invalid. There are no medians
// over repetitions, since their steps have different rates.
func (g *gathering) steps(e *v1beta1.SizingExperiment, variant string, trials []*v1beta1.SizingTrial) {
	var first *v1beta1.SizingTrial
	for _, trial := range trials {
		result := trial.Status.Result
		if result == nil || result.Verdict == v1beta1.VerdictInvalid {
			continue
		}
		if first == nil || trial.Spec.Repetition < first.Spec.Repetition {
			first = trial
		}
	}
	if first == nil {
		return
	}
	for i := range first.Status.Steps {
		if step := &first.Status.Steps[i]; step.Ran() {
			read(g, stepReadings, step, []string{e.Namespace, e.Name, variant, fmt.Sprintf("%02d", i+1)})
		}
	}
}

// failed returns the share of the due logins without a complete response with status 200.
// It is absent for a saturation, whose end cuts off one login per caller.
func failed(s *v1beta1.Step) (float64, bool) {
	if s.Kind == v1beta1.StepSaturation {
		return 0, false
	}
	return ratio(s.Scheduled-s.OK, s.Scheduled)
}

func throttled(s *v1beta1.Step) (float64, bool) {
	if s.Service == nil || s.Service.ThrottledPeriods == nil || s.Service.Periods == nil {
		return 0, false
	}
	return ratio(*s.Service.ThrottledPeriods, *s.Service.Periods)
}

// errorRatio returns the median over the repetitions that are not Invalid or, if all are
// Invalid, over all, as for the other numbers of the row. For an even number it is the
// higher of the two in the middle, which is the less favourable one.
func (o *outcome) errorRatio() (float64, bool) {
	var sound, invalid []float64
	for _, trial := range o.trials {
		step := loadplan.ReportedStep(&trial.Status)
		if step == nil {
			continue
		}
		share, known := failed(step)
		switch {
		case !known:
		case trial.Status.Result.Verdict == v1beta1.VerdictInvalid:
			invalid = append(invalid, share)
		default:
			sound = append(sound, share)
		}
	}
	if len(sound) == 0 {
		sound = invalid
	}
	if len(sound) == 0 {
		return 0, false
	}
	return measurement.UpperMedian(sound, cmp.Compare[float64]), true
}
