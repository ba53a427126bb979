package lifecycle

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// withDatabase adds a companion that is ready.
func withDatabase(o *Observation) {
	o.Trial.Spec.Service.Own = &v1beta1.OwnService{
		Ready: v1beta1.ReadyWhen{TimeoutSeconds: 60}, Companions: []v1beta1.Companion{{Name: "database", Ready: v1beta1.CompanionReady{TimeoutSeconds: 40}}},
	}
	o.Children.Companions = []appsv1.Deployment{{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{v1beta1.LabelCompanion: "database"}}}}
	o.Children.Policies = 3
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "hm-1-database", Labels: map[string]string{v1beta1.LabelCompanion: "database"}}}
	pod.Status = corev1.PodStatus{
		Phase: corev1.PodRunning, PodIP: "198.18.0.20", Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: objects.CompanionContainer, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(start)}},
		}},
	}
	o.Children.CompanionPods = []corev1.Pod{pod}
	if o.Children.Deployment != nil {
		o.Children.Deployment.Spec.Template.Spec.HostAliases = []corev1.HostAlias{{IP: "198.18.0.20", Hostnames: []string{"database"}}}
	}
}

// beforeService is the state in which only the companions were created.
func beforeService(o *Observation) {
	attempt := &o.Trial.Status.Attempts[0]
	attempt.ServiceUID, attempt.JobUID, attempt.ServicePodUIDs, attempt.LoadStartTime = "", "", nil, nil
	o.Children.Deployment, o.Children.Service, o.Children.Job, o.Children.ServicePods, o.Children.GeneratorPods = nil, nil, nil, nil, nil
	o.Now = start.Add(20 * time.Second)
}

func database(change func(*corev1.Pod)) func(*Observation) {
	return func(o *Observation) { change(&o.Children.CompanionPods[0]) }
}

func pending(pod *corev1.Pod) {
	unready(pod)
	pod.Status.Phase, pod.Status.ContainerStatuses = corev1.PodPending, nil
}

func evicted(pod *corev1.Pod) {
	pending(pod)
	pod.Status.Phase, pod.Status.Reason, pod.Status.Message = corev1.PodFailed, "Evicted", "the node was low on resource: memory"
}

func unready(pod *corev1.Pod) { pod.Status.Conditions[0].Status = corev1.ConditionFalse }

func databaseEnded(code int32, reason string) func(*Observation) {
	return database(func(pod *corev1.Pod) {
		unready(pod)
		pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: reason, FinishedAt: metav1.NewTime(start.Add(30 * time.Second)),
		}}
	})
}

func TestCompanionsComeBeforeTheService(t *testing.T) {
	after := func(length time.Duration) func(*Observation) {
		return func(o *Observation) { o.Now = start.Add(length) }
	}
	for name, test := range map[string]struct {
		seen   *Observation
		action Action
		reason string
		says   string
	}{
		"before anything exists": {world(beforeService, withDatabase, func(o *Observation) { o.Children.Companions, o.Children.CompanionPods = nil, nil }), Deploy, v1beta1.ReasonDeploying, preparing},
		"without a pod":          {world(beforeService, withDatabase, func(o *Observation) { o.Children.CompanionPods = nil }), Wait, v1beta1.ReasonCompanionNotReady, "Waiting for the pod of companion database"},
		"refused by a quota": {world(beforeService, withDatabase, func(o *Observation) {
			o.Children.CompanionPods = nil
			o.Children.Companions[0].Status.Conditions = []appsv1.DeploymentCondition{{Type: "ReplicaFailure", Status: corev1.ConditionTrue, Message: "exceeded quota"}}
		}), Wait, v1beta1.ReasonQuotaRefused, "refuses the pod of companion database"},
		"while it starts": {world(beforeService, withDatabase, database(unready)), Wait, v1beta1.ReasonCompanionNotReady, "Waiting for companion database to be ready"},
		"without an image": {world(beforeService, withDatabase, database(func(pod *corev1.Pod) {
			unready(pod)
			pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull"}}
		})), Wait, v1beta1.ReasonImagePull, "can't be pulled"},
		"not ready in time":                {world(beforeService, withDatabase, database(unready), after(41*time.Second)), Break, v1beta1.ReasonCompanionNotReady, "was not ready within 40s"},
		"once it is ready":                 {world(beforeService, withDatabase), Deploy, v1beta1.ReasonDeploying, preparing},
		"under load":                       {world(withDatabase), Wait, v1beta1.ReasonUnderLoad, ""},
		"it ended before the service":      {world(beforeService, withDatabase, databaseEnded(1, "Error")), Break, v1beta1.ReasonCompanionFailed, "Companion database ended with exit code 1; it can write only to its writable folders"},
		"it ended without an error":        {world(withDatabase, databaseEnded(0, "Completed")), Break, v1beta1.ReasonCompanionFailed, "ended with exit code 0"},
		"it ran out of memory under load":  {world(withDatabase, databaseEnded(137, "OOMKilled")), Break, v1beta1.ReasonCompanionOOMKilled, "raise its memoryLimit"},
		"it was replaced under load":       {world(withDatabase, database(func(pod *corev1.Pod) { pod.Status.PodIP = "198.18.0.21" })), Break, v1beta1.ReasonCompanionFailed, "deleted or replaced"},
		"it was deleted under load":        {world(withDatabase, func(o *Observation) { o.Children.CompanionPods = nil }), Break, v1beta1.ReasonCompanionFailed, "deleted or replaced"},
		"without a turn, while it starts":  {world(beforeService, withDatabase, database(unready), func(o *Observation) { o.NoTurn = true }), Interrupt, v1beta1.ReasonWaitingForTurn, "can start now"},
		"without a turn, once it is ready": {world(beforeService, withDatabase, func(o *Observation) { o.NoTurn = true }), Interrupt, v1beta1.ReasonWaitingForTurn, "can start now"},
		"without a turn, while it can't":   {world(beforeService, withDatabase, database(pending), func(o *Observation) { o.NoTurn = true }), Wait, v1beta1.ReasonCompanionNotReady, "to be ready"},
		"evicted, and replaced":            {world(beforeService, withDatabase, database(evicted), func(o *Observation) { o.Children.CompanionPods = append(o.Children.CompanionPods, corev1.Pod{}) }), Break, v1beta1.ReasonCompanionFailed, "the node was low on resource"},
		"minutes to start, with a turn":    {world(beforeService, withDatabase, database(unready), func(o *Observation) { o.Trial.Spec.Service.Own.Companions[0].Ready.TimeoutSeconds = 300 }, after(4*time.Minute)), Wait, v1beta1.ReasonCompanionNotReady, "to be ready"},
		"it can't start for long": {world(beforeService, withDatabase, database(func(pod *corev1.Pod) {
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no node"}}
			pod.Status.ContainerStatuses = nil
		}), after(6*time.Minute)), Break, v1beta1.ReasonUnschedulable, "Gave up after 5m0s"},
	} {
		got := Decide(test.seen)
		if name == "minutes to start, with a turn" && !got.since.IsZero() {
			t.Errorf("%s: it gives its turn away", name)
		}
		if got.Action != test.action || got.Reason != test.reason || !strings.Contains(got.Message, test.says) {
			t.Errorf("%s: %s, %s: %s; want %s, %s: %s", name, got.Action, got.Reason, got.Message, test.action, test.reason, test.says)
		}
	}
}

func TestTheAddressesOfCompanions(t *testing.T) {
	addresses, ready := world(withDatabase).CompanionAddresses()
	if diff := cmp.Diff(map[string]string{"database": "198.18.0.20"}, addresses); diff != "" || !ready {
		t.Errorf("ready: %t, addresses (-want +got):\n%s", ready, diff)
	}
	for name, change := range map[string]func(*Observation){
		"not ready":  database(unready),
		"terminates": database(func(pod *corev1.Pod) { pod.DeletionTimestamp = &metav1.Time{Time: start} }),
		"two pods": func(o *Observation) {
			o.Children.CompanionPods = append(o.Children.CompanionPods, *o.Children.CompanionPods[0].DeepCopy())
		},
	} {
		if addresses, ready := world(withDatabase, change).CompanionAddresses(); ready || len(addresses) > 0 {
			t.Errorf("%s: ready: %t, addresses %v", name, ready, addresses)
		}
	}
	if _, ready := world().CompanionAddresses(); !ready {
		t.Error("without companions, the service waits for some")
	}
}
