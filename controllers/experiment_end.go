package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// slowConclusion is how long a conclusion takes before its experiment gets an event about it.
const slowConclusion = 15 * time.Second

// conclude computes the recommendation once all trials have been released. If it needs another
// measurement or a verification, conclude adds that to the status, and the next pass creates its trial.
// Otherwise the experiment ends. An operator that is killed before the status is written
// computes the same again from the same trials.
func (p *experimentPass) conclude(ctx context.Context) error {
	status := &p.experiment.Status
	for i := range status.Verifications {
		p.verified(&status.Verifications[i])
	}
	found, err := p.conclusion()
	if err != nil {
		return err
	}
	found.take(status)
	if found.took >= slowConclusion {
		message := fmt.Sprintf("Computing the recommendation took %s, and trials of other experiments "+
			"waited for it, for at most a minute: measure fewer variants, or variants with larger CPU limits", found.took.Round(time.Second))
		p.events.add(warning, v1beta1.ReasonSlowConclusion, "Conclude", message)
	}
	cancelled := ptr.Deref(p.experiment.Spec.Cancel, false)
	switch {
	case found.goesOn && !cancelled && !p.over():
		p.load(found.load)
	case found.needed && !cancelled:
		status.Verifications = append(status.Verifications, found.next)
		p.events.add(normal, v1beta1.ReasonVerifying, "Verify", results.Verifying(found.next))
	default:
		ctx, cancel := timeToWrite(ctx)
		defer cancel()
		return p.end(ctx)
	}
	if p.planned, err = matrix.Plan(p.experiment, matrix.Seed(p.experiment)); err != nil {
		return err
	}
	status.Progress = results.Progress(p.trials, p.trialCount())
	p.show()
	return nil
}

// load plans the load of a decision.
func (p *experimentPass) load(load v1beta1.DecisionLoad) {
	status := &p.experiment.Status
	if !load.Also {
		status.Recommendation = nil // it may be of a prediction
	}
	status.Decision.Loads = append(status.Decision.Loads, load)
	p.events.add(normal, v1beta1.ReasonDeciding, "Decide", results.Deciding(load))
}

// verified writes the outcome of a verification once, after its trial has ended.
func (p *experimentPass) verified(v *v1beta1.Verification) {
	for i := range p.trials {
		if p.trials[i].Name != v.TrialName || v.Outcome != "" {
			continue
		}
		sizing.Verified(v, &p.trials[i])
		kind := normal
		if v.Outcome != v1beta1.VerificationMet {
			kind = warning
		}
		p.events.add(kind, "Verification"+string(v.Outcome), "Verify", v.Message)
	}
}

// end writes the end of an experiment together with its recommendation, in one write.
func (p *experimentPass) end(ctx context.Context) error {
	if err := p.removeServiceAccount(ctx); err != nil {
		return err
	}
	spec, status := p.experiment.Spec, &p.experiment.Status
	status.Progress = results.Progress(p.trials, len(p.trials))
	outcome := results.End(status.Results, p.trials)
	phase := v1beta1.ExperimentFailed
	switch {
	case ptr.Deref(p.experiment.Spec.Cancel, false):
		phase, outcome.Reason = v1beta1.ExperimentCancelled, v1beta1.ReasonCancelled
		outcome.Message = "Cancelled; the results so far are kept"
	case outcome.Succeeded:
		phase = v1beta1.ExperimentSucceeded
	}
	p.finish(phase, outcome.Reason, results.Conclusion(status, spec.Prices, outcome.Message))
	return nil
}

// refuse ends an experiment that can't be measured. Before its first trial has begun, its spec can be
// corrected.
func (p *experimentPass) refuse(reason, message string) {
	p.experiment.Status.ObservedGeneration = p.experiment.Generation
	if p.begun() {
		message += ". Create a new experiment"
	} else {
		message += ". Edit the spec, and the experiment goes on"
		p.experiment.Status.Results, p.experiment.Status.Progress = nil, nil // of the spec before
	}
	p.condition(v1beta1.ConditionAccepted, false, reason, message)
	p.finish(v1beta1.ExperimentFailed, reason, message)
}

func (p *experimentPass) finish(phase v1beta1.ExperimentPhase, reason, message string) {
	status := &p.experiment.Status
	status.Phase = phase
	if status.CompletionTime == nil { // else its spec was edited, and is still not accepted
		status.CompletionTime = &metav1.Time{Time: p.now}
	}
	if status.Progress != nil {
		status.Progress.EstimatedEndTime, status.Progress.EarliestEndTime, status.Progress.LatestEndTime = nil, nil, nil
		status.Progress.QueuePosition = nil
	}
	succeeded := phase == v1beta1.ExperimentSucceeded
	p.suspended(false)
	p.condition(v1beta1.ConditionReconciling, false, v1beta1.ReasonFinished, message)
	p.condition(v1beta1.ConditionFinished, true, reason, message)
	p.condition(v1beta1.ConditionReady, succeeded, reason, message)
	if succeeded {
		p.condition(v1beta1.ConditionStalled, false, v1beta1.ReasonNotStalled, "")
	} else {
		p.condition(v1beta1.ConditionStalled, true, reason, message)
	}
	status.Display = results.ExperimentDisplay(p.experiment.Spec.Demand, status)
	kind := normal
	if phase == v1beta1.ExperimentFailed {
		kind = warning
	}
	p.events.add(kind, string(phase), "Finish", message)
}

// afterEnd handles an experiment that has ended. It updates the generation of the conditions
// if the spec was edited, because kubectl wait would otherwise never return. It deletes the
// experiment when its time to live is over, unless the spec has been edited since it was read: a
// leader that was frozen must not delete results whose time to live was removed meanwhile. It
// also deletes a service account that such a leader created after the end.
func (p *experimentPass) afterEnd(ctx context.Context) (again time.Duration, err error) {
	p.checks.forget(p.experiment.UID)
	p.conclusions.forget(p.experiment.UID)
	status := &p.experiment.Status
	p.warnOfAlso()
	status.ObservedGeneration = p.experiment.Generation
	for i := range status.Conditions {
		status.Conditions[i].ObservedGeneration = p.experiment.Generation
	}
	if err := p.removeServiceAccount(ctx); err != nil {
		return 0, err
	}
	ttl := p.experiment.Spec.TTLSecondsAfterFinished
	if ttl == nil || status.CompletionTime == nil {
		return 0, nil
	}
	left := status.CompletionTime.Add(time.Duration(*ttl) * time.Second).Sub(p.now)
	if left > 0 {
		return left, nil
	}
	return 0, removeUnchanged(ctx, p.Client, p.experiment)
}

func (p *experimentPass) removeServiceAccount(ctx context.Context) error {
	account := &corev1.ServiceAccount{}
	key := client.ObjectKey{Namespace: p.experiment.Namespace, Name: objects.ServiceAccountName(p.experiment.UID)}
	if err := p.Get(ctx, key, account); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(account, p.experiment) {
		return nil
	}
	err := remove(ctx, p.Client, account)
	if _, refused := errors.AsType[*refusedError](asRefused(err)); refused {
		return nil // it can do nothing, and goes with the experiment
	}
	return err
}
