package results

import (
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/queue"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Progress counts the trials that have ended of all planned trials, and names those that run and what they do. One that
// was given its turn a moment ago, and has not said yet what it does, is not named: each change is a write.
func Progress(trials []v1beta1.SizingTrial, planned int) *v1beta1.Progress {
	progress := &v1beta1.Progress{Trials: int32(max(planned, len(trials)))}
	for i := range trials {
		switch trial := &trials[i]; {
		case queue.Released(trial):
			progress.Finished++
		case queue.Begun(trial) && trial.Status.Message != "" && len(progress.Running) < v1beta1.MaxRunning:
			name := trial.Spec.Variant.Name
			progress.Running = append(progress.Running, name)
			switch trial.Spec.Role {
			case v1beta1.RoleCalibration:
				name = "Calibration with " + name
			case v1beta1.RoleVerification:
				name = "Verification of " + name
			}
			progress.Doing = append(progress.Doing, units.Clip(name+": "+trial.Status.Message, v1beta1.MaxMessage))
		}
	}
	return progress
}

// PhaseOf returns the phase of an experiment whose trials have not all ended, with the
// reason and message of its condition.
func PhaseOf(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial, planned int) (phase v1beta1.ExperimentPhase, reason, message string) {
	progress := Progress(trials, planned)
	begun := progress.Finished > 0 || len(progress.Running) > 0
	switch {
	case ptr.Deref(experiment.Spec.Cancel, false):
		return v1beta1.ExperimentRunning, v1beta1.ReasonCancelled, "Cancelled; removing the load"
	case ptr.Deref(experiment.Spec.Suspend, false):
		return v1beta1.ExperimentSuspended, v1beta1.ReasonSuspended, "Suspended; set spec.suspend to false to continue"
	case begun:
		return v1beta1.ExperimentRunning, v1beta1.ReasonMeasuring, measuring(progress)
	default:
		return v1beta1.ExperimentQueued, v1beta1.ReasonQueued, "Waits for its turn"
	}
}

func measuring(progress *v1beta1.Progress) string {
	message := fmt.Sprintf("%d of %d trials have ended", progress.Finished, progress.Trials)
	if len(progress.Doing) == 0 {
		return message
	}
	return message + ". " + strings.Join(progress.Doing, "; ")
}

// GuessedCheck returns the estimate for a load at a share of the demand whose size is unknown: as many logins as the
// first check of a verification needs at the demanded rate, but as long as a busy service needs for a steady state, and
// the start of its pods.
func GuessedCheck(spec v1beta1.SizingExperimentSpec) time.Duration {
	const start = 20 * time.Second
	if spec.Demand == nil {
		return 0
	}
	load := time.Duration(loadplan.FirstCheck(spec.Objective)) * 1000 * time.Second / time.Duration(max(1, spec.Demand.MilliPerSecond()))
	return min(max(load, 90*time.Second), 10*time.Minute) + start
}

// fastCPU and slowCPU are how many times the guessed hash time a hash takes on most machines.
const fastCPU, slowCPU = 0.5, 2

// Estimate writes when an experiment is likely to end, or nothing if nothing is left.
func Estimate(progress *v1beta1.Progress, spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, planned int, now time.Time) {
	if Timed(trials) {
		progress.EstimatedEndTime = estimatedEnd(spec, trials, planned, slower(trials), now)
		return
	}
	progress.EstimatedEndTime = estimatedEnd(spec, trials, planned, 1, now)
	if progress.EstimatedEndTime == nil {
		return
	}
	another := planned
	if matrix.Measuring(spec) == v1beta1.MeasureDecision {
		another++
	}
	// On a slow CPU more variants can be infeasible, and are not loaded.
	ends := []*metav1.Time{progress.EstimatedEndTime, estimatedEnd(spec, trials, planned, fastCPU, now), estimatedEnd(spec, trials, another, slowCPU, now)}
	ends = slices.DeleteFunc(ends, func(end *metav1.Time) bool { return end == nil }) // what runs is already overdue for it
	compare := func(a, b *metav1.Time) int { return a.Compare(b.Time) }
	progress.EarliestEndTime, progress.LatestEndTime = slices.MinFunc(ends, compare), slices.MaxFunc(ends, compare)
}

// Timed reports whether a hash has been timed.
func Timed(trials []v1beta1.SizingTrial) bool { return slower(trials) > 0 }

// slower returns how many times the guessed hash time the reference speed's is, or 0 before a hash has been timed.
func slower(trials []v1beta1.SizingTrial) float64 {
	for i := range trials {
		if speed := trials[i].Status.Speed; speed != nil && speed.ReferenceHashMicrosecondsAtCost8 > 0 {
			guess := password.Recipe{Algorithm: password.Bcrypt, Cost: password.ReferenceCost}.GuessedTime()
			return float64(speed.ReferenceHashMicrosecondsAtCost8) / float64(guess.Microseconds())
		}
	}
	return 0
}

// estimatedEnd returns when an experiment is likely to end, or nil if nothing is left: what is left of the trials'
// estimates, times how much longer the ended trials took, divided by the number of trials that run now. Trials
// that are planned and don't exist yet are verifications, and with measure: Decision the first load.
func estimatedEnd(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, planned int, slower float64, now time.Time) *metav1.Time {
	all := effort{left: GuessedCheck(spec) * time.Duration(max(0, planned-len(trials)))}
	for i := range trials {
		if guess, err := loadplan.Estimate(trials[i].Spec, slower); err == nil {
			all.add(&trials[i], guess, now)
		}
	}
	left := all.left
	if left == 0 {
		return nil
	}
	if all.estimated > 0 {
		left = time.Duration(float64(left) * float64(all.took) / float64(all.estimated))
	}
	left /= time.Duration(max(1, all.atOnce))
	// Whole seconds, as the API stores them. A finer time would cause a write at every
	// reconcile.
	return &metav1.Time{Time: now.Add(left).Truncate(time.Second)}
}

// Waiting returns the message of an experiment that waits at a position of the queue, as
// [queue.Shown] rounds it.
func Waiting(position int32) string {
	about := ""
	if !queue.Near(position) {
		about = "about "
	}
	return fmt.Sprintf("Waits for its turn: %sposition %d in the queue", about, position)
}

type effort struct {
	// estimated and took are for the trials that ended, left is for the others.
	estimated, took, left time.Duration
	atOnce                int
}

func (e *effort) add(trial *v1beta1.SizingTrial, guess time.Duration, now time.Time) {
	start, end := lastBegan(trial.Status), trial.Status.CompletionTime
	active := queue.Active(trial)
	if active {
		e.atOnce++
	}
	switch {
	case queue.Released(trial):
		if start != nil && end != nil {
			e.estimated += guess
			e.took += end.Sub(start.Time)
		}
	case active && start != nil:
		e.left += max(guess-now.Sub(start.Time), 0)
	default:
		e.left += guess
	}
}

// lastBegan returns when a trial's last attempt began, or nil if none did. The time before
// that was lost to failed attempts or suspension.
func lastBegan(status v1beta1.SizingTrialStatus) *metav1.Time {
	if n := len(status.Attempts); n > 0 {
		return &status.Attempts[n-1].StartTime
	}
	return status.StartTime
}

// Outcome is how an experiment ended whose trials have all ended.
type Outcome struct {
	// Succeeded means that every variant has a verdict and at least one result is usable.
	Succeeded bool
	Reason    string
	Message   string
}

// End returns the outcome of an experiment from its rows. Without a row, the trials say why.
func End(rows []v1beta1.VariantResult, trials []v1beta1.SizingTrial) Outcome {
	var suspect, without, usable []string
	for _, r := range rows {
		switch r.Verdict {
		case v1beta1.VerdictValid:
			usable = append(usable, r.Variant)
		case v1beta1.VerdictSuspect:
			usable, suspect = append(usable, r.Variant), append(suspect, r.Variant)
		default:
			without = append(without, r.Variant)
		}
	}
	switch {
	case len(usable) == 0:
		return Outcome{Reason: v1beta1.ReasonNoneMeasured, Message: "No variant has a usable result: " + why(rows, trials)}
	case len(without) > 0:
		message := "Without a usable result: " + strings.Join(without, ", ")
		if len(suspect) > 0 {
			message += "; suspect: " + strings.Join(suspect, ", ")
		}
		return Outcome{true, v1beta1.ReasonSomeWithoutResult, message}
	case len(suspect) > 0:
		return Outcome{true, v1beta1.ReasonSomeSuspect, "Suspect: " + strings.Join(suspect, ", ")}
	case len(rows) == 1:
		return Outcome{true, v1beta1.ReasonAllMeasured, "The variant was measured and is valid"}
	default:
		return Outcome{true, v1beta1.ReasonAllMeasured, fmt.Sprintf("All %d variants were measured and are valid", len(rows))}
	}
}

// why lists the kinds of reasons of all rows. A reason that only explains is left out of a row with
// one that decided the verdict: it is not why the result is unusable.
func why(rows []v1beta1.VariantResult, trials []v1beta1.SizingTrial) string {
	var kinds []string
	for i := range trials {
		if status := &trials[i].Status; len(rows) == 0 && status.Phase == v1beta1.TrialFailed && !slices.Contains(kinds, status.Reason) {
			kinds = append(kinds, status.Reason)
		}
	}
	for _, r := range rows {
		decided := slices.ContainsFunc(r.Reasons, func(reason v1beta1.Reason) bool { return reason.Verdict != "" })
		for _, reason := range r.Reasons {
			if (!decided || reason.Verdict != "") && !slices.Contains(kinds, reason.Type) {
				kinds = append(kinds, reason.Type)
			}
		}
	}
	if len(kinds) == 0 {
		return "nothing was measured"
	}
	return strings.Join(kinds, ", ")
}
