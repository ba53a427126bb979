package controllers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// done is the decision that was carried out, with its events and its log line. It is not the one that was
// made if a name is taken or the load can't be planned.
type done struct {
	lifecycle.Decision
	events       pendingEvents
	reason, note string
}

// with adds an event, which is also logged.
func (d done) with(kind, reason, note string) done {
	d.events.add(kind, reason, string(d.Action), note)
	return d.noting(reason, note)
}

// noting sets the log line without an event, because another event or the status says the same.
func (d done) noting(reason, note string) done {
	d.reason, d.note = reason, note
	return d
}

// act does what was decided, and writes into the trial's status what can't be observed again
// later.
func (r *TrialReconciler) act(ctx context.Context, seen *lifecycle.Observation, decision lifecycle.Decision) (done, error) {
	did := done{Decision: decision}
	if err := r.sweep(ctx, seen); err != nil {
		return did, err
	}
	switch decision.Action {
	case lifecycle.Begin:
		return r.begin(seen, did), nil
	case lifecycle.Deploy:
		return r.deploy(ctx, seen, did)
	case lifecycle.Record:
		return r.record(seen, did), nil
	case lifecycle.Load:
		return r.load(ctx, seen, did)
	case lifecycle.Harvest, lifecycle.Conclude:
		return r.conclude(seen, did), nil
	case lifecycle.Break, lifecycle.Interrupt:
		return r.end(seen, did), nil
	case lifecycle.Release:
		return r.release(seen, did), nil
	case lifecycle.Refuse:
		lifecycle.FailTrial(seen.Trial, seen.Now, decision.Reason, decision.Message)
		return did.with(warning, decision.Reason, decision.Message), nil
	default:
		return did, nil
	}
}

func (r *TrialReconciler) begin(seen *lifecycle.Observation, did done) done {
	lifecycle.BeginAttempt(seen.Trial, seen.Now, r.StartTimeout)
	attempt := lifecycle.Current(&seen.Trial.Status)
	attempt.Settings = r.digest(seen.Trial, attempt)
	note := fmt.Sprintf("Attempt %d started: %s", attempt.Number, describe(seen.Trial))
	if attempt.Number == 1 {
		return did.noting("AttemptStarted", note) // the experiment has the event TrialStarted
	}
	return did.with(normal, "AttemptStarted", note)
}

func describe(trial *v1beta1.SizingTrial) string {
	v := trial.Spec.Variant
	text := fmt.Sprintf("%s on %s CPU", matrix.Hashing(v), v.CPULimit)
	switch trial.Spec.Role {
	case v1beta1.RoleCalibration:
		text = "calibration with " + text
	case v1beta1.RoleVerification:
		text = "verification of " + text
	}
	return text
}

// deploy creates the NetworkPolicies, then the companions, and once these are ready the login service.
func (r *TrialReconciler) deploy(ctx context.Context, seen *lifecycle.Observation, did done) (done, error) {
	attempt := lifecycle.Current(&seen.Trial.Status)
	builder, err := r.builder(seen.Trial, attempt)
	if err != nil {
		return r.breakOff(seen, v1beta1.ReasonPlanImpossible, err), nil
	}
	children := []client.Object{builder.ServicePolicy(), builder.GeneratorPolicy()}
	if policy := builder.CompanionPolicy(); policy != nil {
		children = append(children, policy)
	}
	for _, companion := range builder.Companions() {
		children = append(children, companion)
	}
	addresses, ready := seen.CompanionAddresses()
	deployment := builder.Deployment(addresses)
	if ready {
		children = append(children, deployment, builder.Service())
	}
	for _, child := range children {
		if err := r.create(ctx, child, seen.Trial); err != nil {
			return r.notCreated(seen, err)
		}
	}
	attempt.ServiceUID = deployment.UID
	return did, nil
}

// notCreated breaks the attempt off if a child's name is taken by an object with another owner,
// and waits for a child that the API server refuses. It returns any other error unchanged.
func (r *TrialReconciler) notCreated(seen *lifecycle.Observation, err error) (done, error) {
	if refused, is := errors.AsType[*refusedError](err); is {
		decision := lifecycle.Refused(seen, refused.message)
		if decision.Action == lifecycle.Break {
			return r.end(seen, done{Decision: decision}), nil
		}
		return done{Decision: decision}, nil
	}
	if _, taken := errors.AsType[*nameTakenError](err); taken {
		return r.breakOff(seen, v1beta1.ReasonNameTaken, err), nil
	}
	return done{}, err
}

func (r *TrialReconciler) breakOff(seen *lifecycle.Observation, reason string, why error) done {
	return r.end(seen, done{Decision: lifecycle.Decision{Action: lifecycle.Break, Reason: reason, Message: why.Error()}})
}

func (r *TrialReconciler) builder(trial *v1beta1.SizingTrial, attempt *v1beta1.Attempt) (objects.Builder, error) {
	deadline := lifecycle.Deadline(trial, attempt, r.StartTimeout)
	return objects.New(r.Settings, trial, attempt.Number, deadline)
}

// record writes the calibration, the model's prediction and the pods into the status.
func (r *TrialReconciler) record(seen *lifecycle.Observation, did done) done {
	if err := lifecycle.RecordCalibration(seen, r.Model); err != nil {
		return r.breakOff(seen, v1beta1.ReasonCalibrationFailed, err)
	}
	calibration, timed := seen.Trial.Status.Calibration, "hash"
	if seen.Trial.Spec.Service.Own != nil {
		timed = "login"
	}
	return did.noting("Calibrated", fmt.Sprintf("A %s takes %s ± %s of CPU time", timed,
		units.Latency(&calibration.HashMicroseconds), units.Latency(&calibration.ErrorMicroseconds)))
}

func (r *TrialReconciler) load(ctx context.Context, seen *lifecycle.Observation, did done) (done, error) {
	trial, attempt := seen.Trial, lifecycle.Current(&seen.Trial.Status)
	plan, err := loadplan.Build(seen.LoadSpec(), speed.PlannedFor(trial.Status), trial.Status.Prediction)
	if err != nil {
		return r.breakOff(seen, v1beta1.ReasonPlanImpossible, err), nil
	}
	job, err := r.job(seen, attempt, plan)
	if err != nil {
		return r.breakOff(seen, v1beta1.ReasonPlanImpossible, err), nil
	}
	if err := r.create(ctx, job, trial); err != nil {
		return r.notCreated(seen, err)
	}
	attempt.JobUID = job.UID
	attempt.LoadStartTime = &metav1.Time{Time: seen.Now}
	trial.Status.Steps = plan.InAPI()
	how := "for"
	if trial.Spec.StopsEarly() {
		how = "for at most"
	}
	return did.noting("LoadStarted", fmt.Sprintf("k6 runs the load %s %s: %s", how, loadplan.Duration(plan).Round(time.Second), describe(trial))), nil
}

func (r *TrialReconciler) job(seen *lifecycle.Observation, attempt *v1beta1.Attempt, plan loadplan.Plan) (*batchv1.Job, error) {
	builder, err := r.builder(seen.Trial, attempt)
	if err != nil {
		return nil, err
	}
	limit := r.StartTimeout + lifecycle.RunAllowance(seen.Trial.Spec) + loadplan.Duration(plan)
	var ips []string
	for i := range seen.Children.ServicePods {
		ips = append(ips, seen.Children.ServicePods[i].Status.PodIP)
	}
	return builder.Job(objects.Load{
		Plan:        plan,
		Companions:  seen.GivenAddresses(),
		ClusterIP:   seen.Children.Service.Spec.ClusterIP,
		PodIPs:      ips,
		ActiveLimit: limit,
		Deadline:    seen.Now.Add(limit),
	})
}

// conclude ends the attempt with a result: that of its load, or that of a variant that is
// judged without load.
func (r *TrialReconciler) conclude(seen *lifecycle.Observation, did done) done {
	seen.Planned = r.templates(seen, did.Action)
	var end lifecycle.End
	if did.Action == lifecycle.Conclude {
		end = lifecycle.ConcludeUnloaded(seen)
	} else {
		end = lifecycle.HarvestRun(seen, r.Model)
	}
	lifecycle.EndAttempt(seen.Trial, seen.Now, end.Outcome, end.Reason, end.Message)
	if end.Outcome == v1beta1.OutcomeKept {
		return did.noting(end.Reason, end.Message) // the event of the release has the verdict
	}
	return did.with(warning, end.Reason, end.Message)
}

// end ends an attempt without a result.
func (r *TrialReconciler) end(seen *lifecycle.Observation, did done) done {
	outcome, kind := v1beta1.OutcomeBroken, warning
	if did.Action == lifecycle.Interrupt {
		outcome, kind = v1beta1.OutcomeInterrupted, normal
	}
	lifecycle.NoteJob(seen)
	lifecycle.EndAttempt(seen.Trial, seen.Now, outcome, did.Reason, did.Message)
	return did.with(kind, did.Reason, did.Message)
}

// sweep deletes everything that the trial controls and its current attempt does not need. An
// operator that was frozen may see the children of an attempt before it sees that the attempt has
// begun, so it deletes nothing of a trial that has changed. What the API server refuses is noted, and
// tried again in the next pass.
func (r *TrialReconciler) sweep(ctx context.Context, seen *lifecycle.Observation) error {
	if !slices.ContainsFunc(seen.Leftovers, func(l lifecycle.Leftover) bool { return l.Deletable }) {
		return nil
	}
	children, _, err := listChildren(ctx, r.Client, seen.Trial)
	if err != nil {
		return err
	}
	_, left := split(seen, children)
	left = slices.DeleteFunc(left, func(child client.Object) bool {
		return !metav1.IsControlledBy(child, seen.Trial) || child.GetDeletionTimestamp() != nil
	})
	if len(left) == 0 {
		return nil
	}
	if _, err := stillAsRead(ctx, r.Client, r.Live, seen.Trial); err != nil {
		return err
	}
	var failed []error
	for _, child := range left {
		err := remove(ctx, r.Client, child)
		if refused, is := errors.AsType[*refusedError](asRefused(err)); is {
			r.refusals.note(seen.Trial.UID, child.GetUID(), refused.message)
			continue
		}
		if err == nil {
			r.refusals.forget(seen.Trial.UID, child.GetUID())
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (r *TrialReconciler) release(seen *lifecycle.Observation, did done) done {
	trial := seen.Trial
	lifecycle.ReleaseTrial(trial, seen.Now, seen.Cancelled)
	kind, note := normal, "Measured"
	if result := trial.Status.Result; result != nil {
		note = "Measured, " + string(result.Verdict)
		for _, reason := range result.Reasons {
			note += ", " + reason.Type
		}
	}
	if trial.Status.Phase != v1beta1.TrialSucceeded {
		kind, note = warning, strings.TrimSpace(trial.Status.Message)
	}
	did = did.with(kind, string(trial.Status.Phase), note)
	if stuck := seen.StuckLeftovers(); len(stuck) > 0 {
		did = did.with(warning, "LeftBehind", "These objects can't be deleted yet. "+lifecycle.Kept+strings.Join(stuck, ", "))
	}
	if len(seen.Foreign) > 0 {
		did = did.with(warning, "ForeignObjects", "These objects have the labels of this trial, but it did not create them. They were ignored: "+
			strings.Join(seen.Foreign, ", "))
	}
	return did
}
