package controllers

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// observe lists the experiment's trials. One that was created by hand, with the experiment as its owner,
// is not part of the plan.
func (p *experimentPass) observe(ctx context.Context) error {
	list := &v1beta1.SizingTrialList{}
	err := p.List(ctx, list, client.InNamespace(p.experiment.Namespace),
		client.MatchingFields{ownerField: string(p.experiment.UID)})
	slices.SortFunc(list.Items, bySequence)
	planned := map[string]v1beta1.SizingTrialSpec{}
	for _, trial := range p.planned {
		planned[trial.Name] = trial.Spec
	}
	for _, trial := range list.Items {
		spec, named := planned[trial.Name]
		same := named && matrix.SamePlan(spec, trial.Spec)
		switch outdated := p.isOutdated(&trial, named, same); {
		case outdated && trial.DeletionTimestamp == nil:
			p.outdated = append(p.outdated, trial)
		case same && !outdated:
			p.trials = append(p.trials, trial)
		default:
			p.foreign = append(p.foreign, trial.Name)
		}
	}
	p.giveUp()
	return err
}

// isOutdated reports whether a trial is to be deleted, or replaced if its name is planned. The operator
// created it for a spec that was edited before the experiment began. It may also have ended meanwhile,
// because that spec was not accepted.
func (p *experimentPass) isOutdated(trial *v1beta1.SizingTrial, named, same bool) bool {
	switch {
	case trial.Status.StartTime != nil || !createdFor(p.experiment, trial):
		return false
	case same:
		return !p.begun() && !p.over() && queue.Released(trial)
	default:
		return named || !p.begun() // a leader that was frozen may create one later
	}
}

// dropOutdated deletes the outdated trials, unless one of them has begun since it was read. Only then does
// the status belong to the spec as it is, which lets trials have turns.
func (p *experimentPass) dropOutdated(ctx context.Context) error {
	for i := range p.outdated {
		trial := &p.outdated[i]
		if err := removeUnchanged(ctx, p.Client, trial); err != nil {
			return asRefused(err)
		}
		ctrl.LoggerFrom(ctx).Info("The spec was edited before the first trial began", "action", "DropTrial",
			"trial", trial.Name, "variant", trial.Spec.Variant.Name)
	}
	p.experiment.Status.ObservedGeneration = p.experiment.Generation
	return nil
}

// dropAllOutdated is dropOutdated for an experiment that ends. Trials that the cluster keeps do nothing,
// and go with the experiment.
func (p *experimentPass) dropAllOutdated(ctx context.Context) error {
	err := p.dropOutdated(ctx)
	if _, refused := errors.AsType[*refusedError](err); refused {
		return nil
	}
	return err
}

// giveUp ends the trials that can't go on for the start timeout, for this pass: their own status can't
// be written, so they fail again in each pass, until their experiment ends or they can go on.
func (p *experimentPass) giveUp() {
	for i := range p.trials {
		trial := &p.trials[i]
		if f, fails := p.Queue.failureOf(trial.UID, p.now); fails && !queue.Released(trial) && f.hopeless(p.now, p.StartTimeout) {
			lifecycle.FailTrial(trial, p.now, lifecycle.RefusalReason(f.err.Error()),
				fmt.Sprintf("Gave up after %s. The cluster does not let the operator continue: %s", p.StartTimeout, f.err))
		}
	}
}

// plan creates the service account and the trials whose turn is near. The others are only added
// to the pass, as they will be created, so that the status has a row for each.
func (p *experimentPass) plan(ctx context.Context) error {
	if p.allReleased() {
		return nil // the service account may already be deleted
	}
	near := p.near()
	if near {
		if err := ensure(ctx, p.Client, p.Live, objects.ServiceAccount(p.experiment), p.experiment); err != nil {
			return err
		}
	}
	ahead := p.unreleased()
	exists := map[string]bool{}
	for i := range p.trials {
		exists[p.trials[i].Name] = true
	}
	for _, planned := range p.planned {
		if exists[planned.Name] {
			continue
		}
		if !near || ahead > int(ptr.Deref(p.experiment.Spec.Parallelism, 1)) {
			p.trials = append(p.trials, p.later(planned))
			continue
		}
		trial, err := p.create(ctx, planned)
		switch {
		case err == nil:
			p.trials = append(p.trials, *trial)
			ahead++
		case !p.skipVerification(planned, err):
			return err
		}
	}
	slices.SortFunc(p.trials, bySequence)
	return nil
}

// near reports whether the experiment's next trials are to be created: it has begun, its first
// turn is near, or it is suspended, so that a user can look at its first trials before they run.
// Objects of trials that wait for hours would only take up memory.
func (p *experimentPass) near() bool {
	if p.over() {
		return false
	}
	if len(p.trials) > 0 || ptr.Deref(p.experiment.Spec.Suspend, false) || queue.Blocked(p.experiment) {
		return true
	}
	position, known := p.Queue.position(p.experiment.UID)
	return known && position > 0 && queue.Near(position)
}

// over reports whether no other trial begins.
func (p *experimentPass) over() bool {
	return ptr.Deref(p.experiment.Spec.Cancel, false) || lifecycle.Overdue(p.experiment, p.now)
}

// unreleased returns the number of trials that exist and have not been released. One more than
// can have a turn exists, so that the next turn does not wait for an object.
func (p *experimentPass) unreleased() int {
	n := 0
	for i := range p.trials {
		if !queue.Released(&p.trials[i]) {
			n++
		}
	}
	return n
}

// later returns a trial that does not exist. If the experiment is over, it ends without having
// existed.
func (p *experimentPass) later(planned matrix.PlannedTrial) v1beta1.SizingTrial {
	trial := p.newTrial(planned)
	if p.over() {
		lifecycle.ReleaseTrial(trial, p.now, true)
	}
	return *trial
}

func bySequence(a, b v1beta1.SizingTrial) int { return int(a.Spec.Sequence - b.Spec.Sequence) }

func (p *experimentPass) create(ctx context.Context, planned matrix.PlannedTrial) (*v1beta1.SizingTrial, error) {
	if slices.Contains(p.foreign, planned.Name) {
		return nil, &nameTakenError{what: "SizingTrial " + planned.Name, has: "another spec"}
	}
	trial := p.newTrial(planned)
	return trial, create(ctx, p.Client, p.Live, trial, p.experiment)
}

// skipVerification gives up a verification whose trial name is taken by an object with another
// owner, so that the measured experiment can end. It returns false for any other error.
func (p *experimentPass) skipVerification(planned matrix.PlannedTrial, err error) bool {
	taken, is := errors.AsType[*nameTakenError](err)
	if !is || planned.Spec.Role != v1beta1.RoleVerification {
		return false
	}
	for i := range p.experiment.Status.Verifications {
		if v := &p.experiment.Status.Verifications[i]; v.TrialName == planned.Name {
			v.Outcome, v.Message = v1beta1.VerificationNotRun, taken.Error()
		}
	}
	p.planned = slices.DeleteFunc(slices.Clone(p.planned), func(t matrix.PlannedTrial) bool { return t.Name == planned.Name })
	return true
}

// blocked reports in the status why a trial or the service account can't be created: its name is
// taken by an object with another owner, or the API server refuses it. It returns when to check
// again, because either may change. It returns any other error unchanged.
func (p *experimentPass) blocked(err error) (again time.Duration, _ error) {
	reason, message := v1beta1.ReasonNameTaken, err.Error()
	if refused, is := errors.AsType[*refusedError](err); is {
		reason, message = refused.reason, p.firstRefusal(refused)
	} else if _, taken := errors.AsType[*nameTakenError](err); !taken {
		return 0, err
	}
	if p.experiment.Status.Phase == "" {
		p.experiment.Status.Phase = v1beta1.ExperimentPending
	}
	if p.unfinished(false, reason, message) {
		p.events.add(warning, reason, "Plan", message)
	}
	return refresh, nil
}

// firstRefusal returns the message that the status already has about refusals of this kind, or
// else this one's. A webhook may answer each time with another message, and each write of the
// status causes the next pass at once.
func (p *experimentPass) firstRefusal(refused *refusedError) string {
	shown := meta.FindStatusCondition(p.experiment.Status.Conditions, v1beta1.ConditionReconciling)
	if shown != nil && shown.Reason == refused.reason {
		return shown.Message
	}
	return refused.message
}

func (p *experimentPass) newTrial(planned matrix.PlannedTrial) *v1beta1.SizingTrial {
	labels := p.Settings.Pods.Inherited(p.experiment.Labels)
	maps.Copy(labels, map[string]string{
		v1beta1.LabelExperimentUID: string(p.experiment.UID),
		v1beta1.LabelExperiment:    p.experiment.Name,
		v1beta1.LabelVariant:       planned.Spec.Variant.Name,
	})
	return &v1beta1.SizingTrial{
		ObjectMeta: metav1.ObjectMeta{
			Name:      planned.Name,
			Namespace: p.experiment.Namespace,
			Labels:    labels,
			OwnerReferences: []metav1.OwnerReference{
				*metav1.NewControllerRef(p.experiment, v1beta1.GroupVersion.WithKind(experimentKind)),
			},
		},
		Spec: planned.Spec,
	}
}
