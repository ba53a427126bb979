package controllers

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/queue"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// giveTurns lets this experiment's next trials begin if it is their turn. It takes back the
// turns of a suspended experiment.
func (p *experimentPass) giveTurns(ctx context.Context) error {
	if p.experiment.Spec.Suspend && !p.experiment.Spec.Cancel {
		return p.takeTurnsBack(ctx)
	}
	turns, err := p.turns(ctx, p.Client)
	if err != nil {
		return err
	}
	if len(turns.Start[p.experiment.UID]) > 0 {
		// A turn that is given twice puts two trials under load, so check again without a cache.
		if turns, err = p.turns(ctx, p.Live); err != nil {
			return err
		}
	}
	p.waiting = turns
	for _, name := range turns.Start[p.experiment.UID] {
		if err := p.setSuspend(ctx, name, false); err != nil {
			return err
		}
	}
	return nil
}

func (p *experimentPass) takeTurnsBack(ctx context.Context) error {
	for i := range p.trials {
		if trial := &p.trials[i]; !trial.Spec.Suspend && !queue.Released(trial) {
			if err := p.setSuspend(ctx, trial.Name, true); err != nil {
				return err
			}
		}
	}
	return nil
}

// giveTurn is the action of the event about a turn.
const giveTurn = "GiveTurn"

// setSuspend gives a trial its turn, or takes it back.
func (p *experimentPass) setSuspend(ctx context.Context, name string, suspend bool) error {
	for i := range p.trials {
		trial := &p.trials[i]
		if trial.Name != name {
			continue
		}
		before := trial.DeepCopy()
		trial.Spec.Suspend = suspend
		place := fmt.Sprintf("Trial %d of %d: %s", trial.Spec.Sequence, p.trialCount(), describe(trial))
		if !suspend {
			p.events.add(normal, "TrialStarted", giveTurn, place)
		}
		if err := p.Patch(ctx, trial, client.MergeFrom(before)); err != nil {
			return err
		}
		action := giveTurn
		if suspend {
			action = "TakeTurnBack"
		}
		ctrl.LoggerFrom(ctx).Info(place, "action", action, "trial", name, "variant", trial.Spec.Variant.Name)
		return nil
	}
	return fmt.Errorf("trial %s is not a trial of the experiment", name)
}

// turns computes whose turn it is from the experiments and trials that the reader returns.
func (p *experimentPass) turns(ctx context.Context, reader client.Reader) (queue.Turns, error) {
	experiments, trials := &v1alpha1.SizingExperimentList{}, &v1alpha1.SizingTrialList{}
	if err := reader.List(ctx, experiments); err != nil {
		return queue.Turns{}, err
	}
	if err := reader.List(ctx, trials); err != nil {
		return queue.Turns{}, err
	}
	return queue.Decide(experiments.Items, trials.Items, p.MaxConcurrent), nil
}

// show writes the phase, conditions and columns of an experiment that has not ended.
func (p *experimentPass) show() {
	status := &p.experiment.Status
	phase, reason, message := results.Standing(p.experiment, p.trials, p.trialCount())
	status.Phase = phase
	status.Progress.QueuePosition = nil
	if position, waits := p.waiting.Position[p.experiment.UID]; waits && phase == v1alpha1.ExperimentQueued {
		status.Progress.QueuePosition = &position
		message = fmt.Sprintf("Waits for its turn: position %d in the queue", position)
	}
	if phase == v1alpha1.ExperimentRunning {
		status.Progress.EstimatedEndTime = results.EstimatedEnd(p.trials, p.trialCount(), p.now)
	}
	p.condition(v1alpha1.ConditionProgressing, phase != v1alpha1.ExperimentSuspended, reason, message)
	for _, kind := range []string{v1alpha1.ConditionComplete, v1alpha1.ConditionFailed, v1alpha1.ConditionFinished} {
		p.condition(kind, false, v1alpha1.ReasonNotFinished, "The experiment has not ended")
	}
	status.Display = results.ExperimentDisplay(status)
}
