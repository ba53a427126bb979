package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

var start = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

// world returns an observation one minute into an attempt that is under load. Tests change it.
func world(changes ...func(*Observation)) *Observation {
	trial := &v1beta1.SizingTrial{
		Spec: v1beta1.SizingTrialSpec{
			Attempts: 3, Service: v1beta1.Service{Replicas: 1},
			Load: v1beta1.Load{RequestTimeoutSeconds: 10},
		},
		Status: v1beta1.SizingTrialStatus{Attempts: []v1beta1.Attempt{{
			Number: 1, StartTime: metav1.NewTime(start), ServiceUID: "deployment", JobUID: "job",
			ServicePodUIDs: []types.UID{"pod"}, LoadStartTime: &metav1.Time{Time: start.Add(20 * time.Second)},
		}}},
	}
	o := &Observation{
		Settings: Settings{StartTimeout: 5 * time.Minute, MaxUnderLoad: 1},
		Now:      start.Add(time.Minute), Trial: trial,
		Children: Children{
			Deployment:    &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{UID: "deployment"}},
			Service:       &corev1.Service{},
			Policies:      2,
			Job:           &batchv1.Job{ObjectMeta: metav1.ObjectMeta{UID: "job"}},
			ServicePods:   []corev1.Pod{loginPod()},
			GeneratorPods: []corev1.Pod{{ObjectMeta: ownedByJob("job"), Status: corev1.PodStatus{Phase: corev1.PodRunning}}},
		},
	}
	for _, change := range changes {
		change(o)
	}
	return o
}

// ownedByJob returns the metadata of a pod that the Job with this UID controls.
func ownedByJob(uid types.UID) metav1.ObjectMeta {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "hm-1", UID: uid}}
	return metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))}}
}

// loginPod returns a pod that is calibrated and ready.
func loginPod() corev1.Pod {
	yes := func(kind corev1.PodConditionType) corev1.PodCondition {
		return corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(start.Add(10 * time.Second))}
	}
	return corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "login", UID: "pod"},
		Status: corev1.PodStatus{
			Phase:      corev1.PodRunning,
			PodIP:      "10.0.0.1",
			Conditions: []corev1.PodCondition{yes(corev1.PodScheduled), yes(corev1.PodInitialized), yes(corev1.PodReady)},
		},
	}
}

// Changes that several tests share.
func beforeJob(o *Observation) {
	a := &o.Trial.Status.Attempts[0]
	a.JobUID, a.LoadStartTime = "", nil
	o.Children.Job, o.Children.GeneratorPods = nil, nil
}

func beforeRecord(o *Observation) {
	beforeJob(o)
	o.Trial.Status.Attempts[0].ServicePodUIDs = nil
}

func noAttempt(o *Observation) {
	o.Trial.Status.Attempts = nil
	o.Children = Children{}
}

// noLoadP95 sets the p95 that the model predicts for an idle service. The objective is 300 ms.
func noLoadP95(micros int64) func(*Observation) {
	return func(o *Observation) {
		o.Trial.Spec.Objective.P95Milliseconds = 300
		o.Trial.Status.Prediction = &v1beta1.Prediction{NoLoadP95Microseconds: micros}
	}
}

func ended(outcome v1beta1.AttemptOutcome) func(*Observation) {
	return func(o *Observation) {
		a := &o.Trial.Status.Attempts[0]
		a.EndTime, a.Outcome = &metav1.Time{Time: o.Now}, outcome
		o.Children = Children{}
	}
}

func because(reason string) func(*Observation) {
	return func(o *Observation) { o.Trial.Status.Attempts[0].Reason = reason }
}

func leftovers(o *Observation) { o.Leftovers = []Leftover{{Name: "Job hm-1", Deletable: true}} }

func left(l Leftover) func(*Observation) {
	return func(o *Observation) { o.Leftovers = append(o.Leftovers, l) }
}

// What is left of an attempt: a pod that terminates, one that can't, and a generator that may
// still run.
var (
	terminating = left(Leftover{Name: "Pod hm-1-a"})
	stuck       = left(Leftover{Name: "Pod hm-1-b", Stuck: true})
	lost        = left(Leftover{Name: "Pod hm-1-c", Stuck: true, Loads: true})
)

func released(o *Observation) {
	SetCondition(o.Trial, v1beta1.ConditionReleased, metav1.ConditionTrue, "Measured", start)
}

func cancelled(o *Observation) { o.Cancelled = true }

func othersLoad(o *Observation) { o.OthersUnderLoad = []string{"b"} }

func suspended(o *Observation) { o.Suspended = true }

func outdated(o *Observation) { o.Outdated = true }

func late(o *Observation) { o.Now = start.Add(6 * time.Minute) }

// slow makes the service a user's own that may take some seconds to start, and to warm up.
func slow(start, warmUp int32) func(*Observation) {
	return func(o *Observation) {
		o.Trial.Spec.Service.Own = &v1beta1.OwnService{Ready: v1beta1.ReadyWhen{TimeoutSeconds: start}}
		o.Trial.Spec.Load.WarmupSeconds = ptr.To(warmUp)
	}
}

func podState(change func(*corev1.PodStatus)) func(*Observation) {
	return func(o *Observation) { change(&o.Children.ServicePods[0].Status) }
}

func unschedulable(s *corev1.PodStatus) {
	s.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/2 nodes"}}
}

func imagePull(s *corev1.PodStatus) {
	s.Conditions = nil
	s.InitContainerStatuses = []corev1.ContainerStatus{{
		Name: objects.CalibrateContainer, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff"}},
	}}
}

func containerEnded(name, reason string, code int32) func(*corev1.PodStatus) {
	return func(s *corev1.PodStatus) {
		s.ContainerStatuses = []corev1.ContainerStatus{{
			Name:  name,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: reason, ExitCode: code}},
		}}
	}
}

func generatorState(change func(*corev1.PodStatus)) func(*Observation) {
	return func(o *Observation) { change(&o.Children.GeneratorPods[0].Status) }
}

// loadEndedAt ends the generator successfully, at a time after the attempt's start.
func loadEndedAt(after time.Duration) func(*Observation) {
	return func(o *Observation) {
		containerEnded(objects.GeneratorContainer, "Completed", 0)(&o.Children.GeneratorPods[0].Status)
		o.Children.GeneratorPods[0].Status.ContainerStatuses[0].State.Terminated.FinishedAt = metav1.NewTime(start.Add(after))
	}
}

// serviceEndedAt ends the login service, and kubelet restarts it.
func serviceEndedAt(after time.Duration) func(*Observation) {
	return podState(func(s *corev1.PodStatus) {
		s.ContainerStatuses = []corev1.ContainerStatus{{
			Name: objects.LoginContainer, RestartCount: 1,
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(start.Add(after))}},
		}}
	})
}

// anotherPod adds a pod to the login service, as somebody does who scales its Deployment.
func anotherPod(after time.Duration) func(*Observation) {
	return func(o *Observation) {
		pod := loginPod()
		pod.Name, pod.UID, pod.CreationTimestamp = "another", "another", metav1.NewTime(start.Add(after))
		o.Children.ServicePods = append(o.Children.ServicePods, pod)
	}
}

// calibratesSince lets the calibration run since the start of the attempt.
func calibratesSince(at time.Time) func(*Observation) {
	return podState(func(s *corev1.PodStatus) {
		s.Conditions = s.Conditions[:1]
		s.InitContainerStatuses = []corev1.ContainerStatus{{
			Name: objects.CalibrateContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(at)}},
		}}
	})
}

func jobCondition(kind batchv1.JobConditionType, reason string) func(*Observation) {
	return func(o *Observation) {
		o.Children.GeneratorPods = nil
		o.Children.Job.Status.Conditions = []batchv1.JobCondition{{Type: kind, Status: corev1.ConditionTrue, Reason: reason}}
	}
}

func orphaned(o *Observation) { o.Ownership = ExperimentGone }

func noTurn(o *Observation) { o.NoTurn, o.Trial.Spec.Suspend = true, true }

// justLoaded moves the time to nine seconds after the Job was created.
func justLoaded(o *Observation) { o.Now = start.Add(29 * time.Second) }

func suspendedJob(o *Observation) {
	o.Children.Job.Spec.Suspend, o.Children.GeneratorPods = new(true), nil
}

// waitedBefore puts an attempt before the current one that gave its turn back five minutes ago.
func waitedBefore(o *Observation) {
	a := v1beta1.Attempt{
		StartTime: metav1.NewTime(o.Now.Add(-5 * time.Minute)), EndTime: &metav1.Time{Time: start},
		Outcome: v1beta1.OutcomeInterrupted, Reason: v1beta1.ReasonJobSuspended,
	}
	o.Trial.Status.Attempts = append([]v1beta1.Attempt{a}, o.Trial.Status.Attempts...)
}

func TestEachStateIsFollowedByOneAction(t *testing.T) {
	for _, tt := range []struct {
		name   string
		world  *Observation
		action Action
		reason string
	}{
		{"a trial whose turn came begins an attempt", world(noAttempt), Begin, v1beta1.ReasonDeploying},
		{"a trial whose turn has not come rests", world(noAttempt, suspended), Rest, v1beta1.ReasonWaitingForTurn},
		{"a released trial rests whatever else is seen", world(released), Rest, ""},
		{"a released trial rests while its leftovers can't be deleted", world(released, stuck, lost), Rest, ""},
		{"a released trial deletes what was created after its end", world(released, leftovers), Sweep, v1beta1.ReasonCleaningUp},
		{"what was created for an earlier attempt is deleted during the next", world(leftovers), Sweep, v1beta1.ReasonCleaningUp},
		{"what can't be deleted of an earlier attempt does not hold up the next", world(stuck, lost), Wait, v1beta1.ReasonUnderLoad},
		{"a trial that no experiment plans is refused", world(noAttempt, func(o *Observation) { o.Ownership = NotPlanned }), Refuse, v1beta1.ReasonNotPlanned},
		{"an orphan deletes its load first", world(leftovers, orphaned), Sweep, v1beta1.ReasonCleaningUp},
		{"an orphan ends its attempt", world(orphaned), Interrupt, v1beta1.ReasonExperimentGone},
		{"an orphan without load is refused", world(ended(v1beta1.OutcomeInterrupted), orphaned), Refuse, v1beta1.ReasonExperimentGone},

		{"an attempt without a Deployment deploys", world(beforeRecord, func(o *Observation) {
			o.Children.Deployment, o.Trial.Status.Attempts[0].ServiceUID = nil, ""
		}), Deploy, v1beta1.ReasonDeploying},
		{"an attempt without a policy deploys", world(beforeRecord, func(o *Observation) { o.Children.Policies = 1 }), Deploy, v1beta1.ReasonDeploying},
		{"a service without pods is waited for", world(beforeRecord, func(o *Observation) { o.Children.ServicePods = nil }), Wait, v1beta1.ReasonDeploying},
		{"a pod that has not started to calibrate is waited for", world(beforeRecord, podState(func(s *corev1.PodStatus) { s.Conditions = s.Conditions[:1] })), Wait, v1beta1.ReasonDeploying},
		{"a calibration is waited for until it should have ended long ago", world(beforeRecord, late, calibratesSince(start.Add(time.Minute))), Wait, v1beta1.ReasonDeploying},
		{"a calibration that should have ended long ago breaks off", world(beforeRecord, late, calibratesSince(start.Add(59*time.Second))), Break, v1beta1.ReasonCalibrationFailed},
		{"a user's own service has time to start while it is calibrated", world(beforeRecord, late, calibratesSince(start.Add(59*time.Second)), slow(20, 0)), Wait, v1beta1.ReasonDeploying},
		{"a user's own service has time to warm up while it is calibrated", world(beforeRecord, late, calibratesSince(start.Add(59*time.Second)), slow(0, 20)), Wait, v1beta1.ReasonDeploying},
		{"a calibration on a node whose clock is an hour behind is waited for", world(beforeRecord, calibratesSince(start.Add(-time.Hour))), Wait, v1beta1.ReasonDeploying},
		{"a pod that is added under load breaks off", world(anotherPod(30 * time.Second)), Break, v1beta1.ReasonServiceReplaced},
		{"a pod that is added under load breaks off even if it is seen after the load", world(loadEndedAt(50*time.Second), anotherPod(30*time.Second)), Break, v1beta1.ReasonServiceReplaced},
		{"a pod that is added after the load does no harm", world(loadEndedAt(50*time.Second), anotherPod(55*time.Second)), Harvest, v1beta1.ReasonCleaningUp},
		{"an attempt is given up at the deadline that it began with", world(func(o *Observation) {
			o.Trial.Status.Attempts[0].DeadlineTime = &metav1.Time{Time: o.Now.Add(-time.Second)}
		}), Break, v1beta1.ReasonDeadlineExceeded},
		{"a pod that does not start to calibrate fails after the start timeout", world(beforeRecord, late, podState(func(s *corev1.PodStatus) { s.Conditions = s.Conditions[:1] })), Break, v1beta1.ReasonDeploying},
		{"a calibrated service is recorded", world(beforeRecord), Record, v1beta1.ReasonDeploying},
		{"a service is recorded before it answers", world(beforeRecord, podState(func(s *corev1.PodStatus) { s.Conditions = s.Conditions[:2] })), Record, v1beta1.ReasonDeploying},
		{"a pod without an address is waited for", world(beforeRecord, podState(func(s *corev1.PodStatus) { s.PodIP = "" })), Wait, v1beta1.ReasonDeploying},
		{"a recorded service is loaded", world(beforeJob), Load, v1beta1.ReasonUnderLoad},
		{"a variant that may meet its objective is loaded", world(beforeJob, noLoadP95(300_000)), Load, v1beta1.ReasonUnderLoad},
		{"a variant that no rate can make meet its objective is concluded without load", world(beforeJob, noLoadP95(300_001)), Conclude, v1beta1.ReasonInfeasible},
		{"it is concluded although another trial is under load", world(beforeJob, noLoadP95(300_001), func(o *Observation) { o.OthersUnderLoad = []string{"b"} }), Conclude, v1beta1.ReasonInfeasible},
		{"a prediction of an earlier attempt concludes nothing", world(beforeRecord, noLoadP95(300_001)), Record, v1beta1.ReasonDeploying},
		{"rates that the experiment sets are run whatever the model predicts", world(beforeJob, noLoadP95(300_001), func(o *Observation) { o.Trial.Spec.Load.Rates = &v1beta1.RatesLoad{} }), Load, v1beta1.ReasonUnderLoad},
		{"an attempt that another operator began starts again while it is deployed", world(beforeRecord, outdated), Interrupt, v1beta1.ReasonOperatorChanged},
		{"an attempt that another operator calibrated starts again", world(beforeJob, outdated), Interrupt, v1beta1.ReasonOperatorChanged},
		{"a load that another operator began goes on", world(outdated), Wait, v1beta1.ReasonUnderLoad},
		{"a load that another operator created is recorded", world(outdated, func(o *Observation) { o.Trial.Status.Attempts[0].JobUID = "" }), Load, v1beta1.ReasonUnderLoad},
		{"a running load is not concluded", world(noLoadP95(300_001)), Wait, v1beta1.ReasonUnderLoad},
		{"a load waits while another runs", world(beforeJob, func(o *Observation) { o.OthersUnderLoad = []string{"b"} }), Wait, v1beta1.ReasonWaitingForOthers},
		{"a Job that was created and not recorded is recorded", world(func(o *Observation) { o.Trial.Status.Attempts[0].JobUID = "" }), Load, v1beta1.ReasonUnderLoad},
		{"a running load is waited for", world(), Wait, v1beta1.ReasonUnderLoad},
		{"a generator that ended is harvested", world(generatorState(containerEnded(objects.GeneratorContainer, "Completed", 0))), Harvest, v1beta1.ReasonCleaningUp},
		{"a generator that failed is harvested for its reason", world(generatorState(containerEnded(objects.GeneratorContainer, "Error", 107))), Harvest, v1beta1.ReasonCleaningUp},
		{"a kept attempt is swept", world(ended(v1beta1.OutcomeKept), leftovers), Sweep, v1beta1.ReasonCleaningUp},
		{"a kept attempt waits until its pods have terminated", world(ended(v1beta1.OutcomeKept), terminating), Sweep, v1beta1.ReasonCleaningUp},
		{"a kept attempt is released although a pod can't be deleted", world(ended(v1beta1.OutcomeKept), stuck), Release, ""},
		{"a kept attempt waits for a generator that may still run", world(ended(v1beta1.OutcomeKept), lost), Sweep, v1beta1.ReasonCleaningUp},
		{"a broken attempt is followed by the next although a pod can't be deleted", world(ended(v1beta1.OutcomeBroken), stuck), Begin, v1beta1.ReasonDeploying},
		{"a cancelled trial waits until its pods have terminated", world(ended(v1beta1.OutcomeInterrupted), cancelled, terminating), Sweep, v1beta1.ReasonCleaningUp},
		{"a cancelled trial does not wait for a node that does not answer", world(ended(v1beta1.OutcomeInterrupted), cancelled, lost), Release, ""},
		{"a suspended trial gives its turn back although a pod can't be deleted", world(ended(v1beta1.OutcomeInterrupted), suspended, stuck), Rest, v1beta1.ReasonWaitingForTurn},
		{"an orphan waits for a generator that may still run", world(ended(v1beta1.OutcomeInterrupted), lost, orphaned), Sweep, v1beta1.ReasonCleaningUp},
		{"an orphan is refused although a pod can't be deleted", world(ended(v1beta1.OutcomeInterrupted), stuck, orphaned), Refuse, v1beta1.ReasonExperimentGone},
		{"no attempt begins while others are under load", world(noAttempt, othersLoad), Wait, v1beta1.ReasonWaitingForOthers},
		{"a cancelled trial does not wait for others", world(noAttempt, othersLoad, cancelled), Release, ""},
		{"a service that waited too long for others is taken away", world(beforeJob, othersLoad, late), Interrupt, v1beta1.ReasonWaitingForOthers},
		{"a kept attempt that is swept is released", world(ended(v1beta1.OutcomeKept)), Release, ""},
		{"a broken attempt is followed by the next", world(ended(v1beta1.OutcomeBroken)), Begin, v1beta1.ReasonDeploying},
		{"a disturbed attempt leaves its turn to others", world(ended(v1beta1.OutcomeInvalid)), Wait, v1beta1.ReasonDisturbed},
		{"and is followed by the next", world(ended(v1beta1.OutcomeInvalid), late), Begin, v1beta1.ReasonDeploying},
		{"the last broken attempt releases the trial", world(ended(v1beta1.OutcomeBroken), func(o *Observation) { o.Trial.Spec.Attempts = 1 }), Release, ""},
		{"an attempt that fails because of the spec is not repeated", world(ended(v1beta1.OutcomeBroken), because(handover.HashMismatch)), Release, ""},
		{"an attempt without a login is repeated", world(ended(v1beta1.OutcomeBroken), because(handover.LoginFailed)), Begin, v1beta1.ReasonDeploying},
		{"an interrupted attempt does not count", world(ended(v1beta1.OutcomeInterrupted), func(o *Observation) { o.Trial.Spec.Attempts = 1 }), Begin, v1beta1.ReasonDeploying},

		{"suspension interrupts", world(suspended), Interrupt, v1beta1.ReasonSuspended},
		{"cancellation interrupts, and takes precedence over suspension", world(suspended, func(o *Observation) { o.Cancelled = true }), Interrupt, v1beta1.ReasonCancelled},
		{"a suspended trial deletes its load", world(ended(v1beta1.OutcomeInterrupted), suspended, leftovers), Sweep, v1beta1.ReasonCleaningUp},
		{"a cancelled trial without load is released", world(noAttempt, func(o *Observation) { o.Cancelled = true }), Release, ""},

		{"a deleted Deployment breaks off", world(func(o *Observation) { o.Children.Deployment = nil }), Break, v1beta1.ReasonServiceDeleted},
		{"a replaced Deployment breaks off", world(func(o *Observation) { o.Children.Deployment.UID = "other" }), Break, v1beta1.ReasonServiceReplaced},
		{"a deleted Service breaks off under load", world(func(o *Observation) { o.Children.Service = nil }), Break, v1beta1.ReasonServiceDeleted},
		{"a generator's pod that has not started is under load as its Job is", world(justLoaded, func(o *Observation) { o.Children.GeneratorPods = nil }), Wait, v1beta1.ReasonUnderLoad},
		{"a generator's pod that has not started after ten seconds is waited for", world(func(o *Observation) { o.Children.GeneratorPods = nil }), Wait, v1beta1.ReasonDeploying},
		{"a Job that something suspends is waited for", world(justLoaded, suspendedJob), Wait, v1beta1.ReasonJobSuspended},
		{"a Job that something suspends fails after the start timeout", world(late, suspendedJob), Break, v1beta1.ReasonJobSuspended},
		{"a generator that no Job controls any more spoils the load", world(func(o *Observation) { o.Strays = []string{"hm-1-x"} }), Break, v1beta1.ReasonGeneratorReplaced},

		{"without a turn, no attempt begins", world(noAttempt, noTurn), Rest, v1beta1.ReasonWaitingForTurn},
		{"without a turn, what is refused is tried again", world(beforeRecord, noTurn, func(o *Observation) { o.Children.Service = nil }), Deploy, v1beta1.ReasonDeploying},
		{"without a turn, pods that can't start stay", world(beforeRecord, noTurn, podState(unschedulable)), Wait, v1beta1.ReasonUnschedulable},
		{"without a turn, pods that can't start fail after the start timeout, too", world(beforeRecord, noTurn, late, podState(unschedulable)), Break, v1beta1.ReasonUnschedulable},
		{"without a turn, a calibration does not count", world(beforeRecord, noTurn), Interrupt, v1beta1.ReasonWaitingForTurn},
		{"without a turn, a calibration that runs does not count", world(beforeRecord, noTurn, calibratesSince(start.Add(time.Minute))), Interrupt, v1beta1.ReasonWaitingForTurn},
		{"without a turn, a Job that waits is deleted", world(noTurn, suspendedJob), Interrupt, v1beta1.ReasonJobSuspended},
		{"without a turn, a load that began meanwhile is deleted", world(noTurn), Interrupt, v1beta1.ReasonUnderLoad},
		{"without a turn, a Job that waited for the start timeout in two attempts counts as one that failed", world(noTurn, suspendedJob, waitedBefore), Break, v1beta1.ReasonJobSuspended},
		{"without a turn, a broken attempt breaks off", world(noTurn, func(o *Observation) { o.Children.Deployment = nil }), Break, v1beta1.ReasonServiceDeleted},
		{"without a turn, what is left of an attempt is deleted", world(ended(v1beta1.OutcomeInterrupted), noTurn, leftovers), Sweep, v1beta1.ReasonCleaningUp},
		{"without a turn, a trial that is decided is released", world(ended(v1beta1.OutcomeKept), noTurn), Release, ""},
		{"while the operator is paused, an attempt is interrupted", world(func(o *Observation) { o.Paused, o.Suspended = true, true }), Interrupt, v1beta1.ReasonPaused},
		{"a generator's pod that never starts breaks off", world(late, func(o *Observation) { o.Children.GeneratorPods = nil }), Break, v1beta1.ReasonDeploying},
		{"a deleted Job breaks off", world(func(o *Observation) { o.Children.Job, o.Children.GeneratorPods = nil, nil }), Break, v1beta1.ReasonJobDeleted},
		{"a replaced Job breaks off", world(func(o *Observation) { o.Children.Job.UID = "other" }), Break, v1beta1.ReasonJobDeleted},
		{"a replaced login pod breaks off", world(func(o *Observation) { o.Children.ServicePods[0].UID = "other" }), Break, v1beta1.ReasonServiceReplaced},
		{"a login pod that is being deleted breaks off", world(func(o *Observation) { o.Children.ServicePods[0].DeletionTimestamp = &metav1.Time{Time: start} }), Break, v1beta1.ReasonServiceReplaced},
		{"a login pod replaced before the load is waited for", world(beforeRecord, func(o *Observation) { o.Children.ServicePods[0].DeletionTimestamp = &metav1.Time{Time: start} }), Wait, v1beta1.ReasonDeploying},
		{"a restarted service breaks off", world(podState(func(s *corev1.PodStatus) {
			s.ContainerStatuses = []corev1.ContainerStatus{{Name: objects.LoginContainer, RestartCount: 1}}
		})), Break, v1beta1.ReasonServiceRestarted},
		{"a service out of memory breaks off", world(podState(containerEnded(objects.LoginContainer, "OOMKilled", 137))), Break, v1beta1.ReasonServiceOOMKilled},
		{"a failed calibration breaks off", world(beforeRecord, podState(containerEnded(objects.CalibrateContainer, "Error", 2))), Break, v1beta1.ReasonCalibrationFailed},
		{"an evicted login pod breaks off", world(podState(func(s *corev1.PodStatus) { s.Reason = "Evicted" })), Break, v1beta1.ReasonServiceEvicted},
		{"a service that ended breaks off", world(podState(func(s *corev1.PodStatus) { s.Phase = corev1.PodSucceeded })), Break, v1beta1.ReasonServiceFailed},
		{"an attempt past its deadline breaks off", world(func(o *Observation) { o.Now = start.Add(4 * time.Hour) }), Break, v1beta1.ReasonDeadlineExceeded},

		{"a result is harvested however late the operator reads it", world(loadEndedAt(5*time.Minute), func(o *Observation) {
			o.Now = start.Add(4 * time.Hour)
		}), Harvest, v1beta1.ReasonCleaningUp},
		{"a service that ended itself after the load does no harm", world(loadEndedAt(5*time.Minute), serviceEndedAt(30*time.Minute)), Harvest, v1beta1.ReasonCleaningUp},
		{"a service that restarted before the load ended breaks off", world(loadEndedAt(5*time.Minute), serviceEndedAt(4*time.Minute)), Break, v1beta1.ReasonServiceRestarted},

		{"an unschedulable pod is waited for", world(beforeRecord, podState(unschedulable)), Wait, v1beta1.ReasonUnschedulable},
		{"an unschedulable pod fails after the start timeout", world(beforeRecord, late, podState(unschedulable)), Break, v1beta1.ReasonUnschedulable},
		{"an image that can't be pulled is waited for", world(beforeRecord, podState(imagePull)), Wait, v1beta1.ReasonImagePull},
		{"an image that can't be pulled fails after the start timeout", world(beforeRecord, late, podState(imagePull)), Break, v1beta1.ReasonImagePull},
		{"a quota that refuses the service is waited for", world(beforeRecord, func(o *Observation) {
			o.Children.ServicePods = nil
			o.Children.Deployment.Status.Conditions = []appsv1.DeploymentCondition{{
				Type: appsv1.DeploymentReplicaFailure, Status: corev1.ConditionTrue, Message: "forbidden: exceeded quota: small",
			}}
		}), Wait, v1beta1.ReasonQuotaRefused},
		{"a quota that refuses the generator is waited for", world(func(o *Observation) {
			o.Children.GeneratorPods, o.Children.JobRefusal = nil, "forbidden: exceeded quota: small"
		}), Wait, v1beta1.ReasonQuotaRefused},
		{"a quota that refuses the generator fails after the start timeout", world(late, func(o *Observation) {
			o.Children.GeneratorPods, o.Children.JobRefusal = nil, "forbidden: exceeded quota: small"
		}), Break, v1beta1.ReasonQuotaRefused},
		{"an admission that refuses the generator says so", world(func(o *Observation) {
			o.Children.GeneratorPods, o.Children.JobRefusal = nil, "violates PodSecurity"
		}), Wait, v1beta1.ReasonAdmissionRefused},
		{"a generator without memory breaks off", world(generatorState(containerEnded(objects.GeneratorContainer, "OOMKilled", 137))), Break, v1beta1.ReasonGeneratorOOMKilled},
		{"an evicted generator breaks off", world(generatorState(func(s *corev1.PodStatus) { s.Phase, s.Reason = corev1.PodFailed, "Evicted" })), Break, v1beta1.ReasonGeneratorEvicted},
		{"a generator whose node is gone breaks off", world(generatorState(func(s *corev1.PodStatus) {
			s.Phase = corev1.PodFailed
			s.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "DeletionByPodGC"}}
		})), Break, v1beta1.ReasonGeneratorEvicted},
		{"a generator that ended before it was evicted is harvested", world(loadEndedAt(time.Second), generatorState(func(s *corev1.PodStatus) {
			s.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI"}}
		})), Harvest, v1beta1.ReasonCleaningUp},
		{"a generator's pod that is gone at the end is a lost summary", world(jobCondition(batchv1.JobComplete, "")), Break, v1beta1.ReasonSummaryLost},
		{"a generator's pod that is gone with its Job failed is a lost summary", world(jobCondition(batchv1.JobFailed, "BackoffLimitExceeded")), Break, v1beta1.ReasonSummaryLost},
		{"a Job past its deadline breaks off", world(jobCondition(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded)), Break, v1beta1.ReasonDeadlineExceeded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Decide(tt.world)
			if got.Action != tt.action || got.Reason != tt.reason {
				t.Errorf("decided on %s (%s): %s; want %s (%s)", got.Action, got.Reason, got.Message, tt.action, tt.reason)
			}
			if got.Action == Break && got.Message == "" {
				t.Error("an attempt is broken off without a message")
			}
		})
	}
}

func TestAttemptsAreNumberedForEverAndBounded(t *testing.T) {
	trial := &v1beta1.SizingTrial{Spec: v1beta1.SizingTrialSpec{Attempts: 2}}
	for range 30 {
		BeginAttempt(trial, start, time.Minute)
		EndAttempt(trial, start, v1beta1.OutcomeInterrupted, "Suspended", "")
	}
	BeginAttempt(trial, start, time.Minute)
	EndAttempt(trial, start, v1beta1.OutcomeBroken, "JobDeleted", "The Job was deleted")
	got := []int{len(trial.Status.Attempts), int(trial.Status.Attempts[19].Number), int(Spent(&trial.Status))}
	if diff := cmp.Diff([]int{20, 31, 1}, got); diff != "" {
		t.Errorf("attempts kept, last number, attempts spent (-want +got):\n%s", diff)
	}
	if Decided(trial) {
		t.Error("the trial counts as decided with an attempt left")
	}
}

func TestAnExperimentIsOverdueAfterTheLongestPlanThereMayBe(t *testing.T) {
	experiment := &v1beta1.SizingExperiment{}
	if Overdue(experiment, start) {
		t.Error("an experiment that has not begun is overdue")
	}
	experiment.Status.StartTime = &metav1.Time{Time: start}
	for after, want := range map[time.Duration]bool{25 * time.Hour: false, 25*time.Hour + time.Second: true} {
		if got := Overdue(experiment, start.Add(after)); got != want {
			t.Errorf("overdue after %s: %v, want %v", after, got, want)
		}
	}
}

// The end of an experiment's time is not an event that would wake its trials.
func TestATrialThatWaitsForItsTurnLooksAgainWhenItsExperimentIsOverdue(t *testing.T) {
	experiment := &v1beta1.SizingExperiment{Status: v1beta1.SizingExperimentStatus{StartTime: &metav1.Time{Time: start}}}
	o := world(noAttempt, suspended)
	o.TimeLeft = TimeLeft(experiment, start.Add(20*time.Hour))
	decision := Decide(o)
	if again := start.Add(20 * time.Hour).Add(decision.Again()); decision.Action != Rest || !Overdue(experiment, again) || Overdue(experiment, again.Add(-2*time.Second)) {
		t.Errorf("20 hours after the begin it does %s, and looks again after %s", decision.Action, decision.Again())
	}
}

func TestATrialIsLookedAtAgainUntilItHasEnded(t *testing.T) {
	for action, want := range map[Action]time.Duration{
		Begin: pollInterval, Deploy: pollInterval, Wait: pollInterval, Record: pollInterval, Load: pollInterval, Harvest: pollInterval,
		Conclude: pollInterval, Break: pollInterval, Interrupt: pollInterval, Sweep: pollInterval, Rest: 0, Refuse: 0, Release: 0,
	} {
		if got := (Decision{Action: action}).Again(); got != want {
			t.Errorf("%s: again after %s, want %s", action, got, want)
		}
	}
}

func TestSuspendedTimeIsNotOverdue(t *testing.T) {
	experiment := &v1beta1.SizingExperiment{Status: v1beta1.SizingExperimentStatus{StartTime: &metav1.Time{Time: start}}}
	at := start
	pass := func(suspend bool, after time.Duration) {
		experiment.Spec.Suspend, at = &suspend, at.Add(after)
		NoteSuspension(experiment, at)
	}
	pass(true, time.Hour)
	pass(true, 40*time.Hour)
	if Overdue(experiment, at) {
		t.Error("an experiment is overdue while it is suspended")
	}
	experiment.Spec.Suspend = ptr.To(false)
	if Overdue(experiment, at) {
		t.Error("an experiment that was resumed is overdue before that is noted")
	}
	pass(false, 0)
	pass(true, time.Hour)
	pass(false, 60*time.Hour)
	if status := experiment.Status; status.SuspendTime != nil || status.SuspendedSeconds != 100*3600 {
		t.Errorf("two suspensions of 100 hours are noted as %d s, since %v", status.SuspendedSeconds, status.SuspendTime)
	}
	for left, want := range map[time.Duration]bool{23 * time.Hour: false, 23*time.Hour + time.Second: true} {
		if got := Overdue(experiment, at.Add(left)); got != want {
			t.Errorf("overdue %s after the end of the suspensions, two hours in: %v, want %v", left, got, want)
		}
	}
}

func TestASuspensionBeforeTheFirstTrialIsNotNoted(t *testing.T) {
	experiment := &v1beta1.SizingExperiment{Spec: v1beta1.SizingExperimentSpec{Suspend: ptr.To(true)}}
	NoteSuspension(experiment, start)
	if experiment.Status.SuspendTime != nil {
		t.Error("time is taken off a limit that has not begun to run")
	}
}

func TestADeadlineStaysIfTheStartTimeoutChanges(t *testing.T) {
	trial := world(noAttempt).Trial
	BeginAttempt(trial, start, time.Hour)
	attempt := Current(&trial.Status)
	if got, want := Deadline(trial, attempt, time.Minute), attempt.DeadlineTime.Time; !got.Equal(want) {
		t.Errorf("the deadline is %s with another start timeout, and began as %s", got, want)
	}
	if allowed := attempt.DeadlineTime.Sub(start); allowed < 2*time.Hour {
		t.Errorf("the deadline allows %s, less than two starts of an hour", allowed)
	}
}

func TestARefusedObjectIsWaitedForUntilTheStartTimeout(t *testing.T) {
	o := world(beforeRecord)
	o.Children.ServicePods = nil
	first := Refused(o, "services is forbidden: exceeded quota: small")
	if first.Action != Wait || first.Reason != v1beta1.ReasonQuotaRefused || !strings.Contains(first.Message, "exceeded quota: small") {
		t.Fatalf("a refused object is followed by %+v", first)
	}
	ShowProgress(o.Trial, first, false, o.Now)
	if again := Refused(o, "services is forbidden: exceeded quota: other"); again.Message != first.Message {
		t.Errorf("each pass writes another message into the status: %q, then %q", first.Message, again.Message)
	}
	if other := Refused(o, `admission webhook "policy" denied the request`); other.Reason != v1beta1.ReasonAdmissionRefused {
		t.Errorf("a webhook's refusal has reason %s", other.Reason)
	}
	late(o)
	if last := Refused(o, "exceeded quota: other"); last.Action != Break || !strings.Contains(last.Message, "exceeded quota: other") {
		t.Errorf("after the start timeout a refused object is followed by %+v", last)
	}
}
