//go:build integration

package controllers_test

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// How long things take in a world, at the world's own clock.
const (
	scheduling  = 1 * time.Second
	calibrating = 8 * time.Second
	starting    = 1 * time.Second
	startingK6  = 2 * time.Second
	grace       = 2 * time.Second
	collecting  = 1 * time.Second
)

// The nodes of a world, and their boot ids.
const (
	serviceNode = "node-a"
	loadNode    = "node-b"
)

// kubelet plays everything of Kubernetes that an API server alone lacks: the
// controllers of Deployments and Jobs, the scheduler, both nodes' kubelets and
// the garbage collector. It sees the cluster as it is in each moment and does
// what is due by then.
type kubelet struct {
	world *world
	// began is when something was first seen to be about to happen.
	began map[string]time.Time
	// next is when something is due, zero while nothing is.
	next time.Time
	// made counts the pods that were made for a Deployment or a Job.
	made map[types.UID]int
	// addresses counts those that were given to pods.
	addresses int
	// mishap is what goes wrong.
	mishap mishap
	// slower is by how much longer each login takes in a verification at more than
	// failsAbove logins per second, times 1000.
	slower     float64
	failsAbove int64
	// runs are what generators find, by their pods.
	runs map[types.UID]measurement.Run
	// forgetsTrials lets the garbage collector leave trials without owner alone.
	forgetsTrials bool
}

func newKubelet(w *world) *kubelet {
	return &kubelet{world: w, began: map[string]time.Time{}, made: map[types.UID]int{}, runs: map[types.UID]measurement.Run{}}
}

// play does all that is due, and tells whether that changed anything.
func (k *kubelet) play() (changed bool) {
	k.next = time.Time{}
	exists := map[types.UID]bool{}
	all := k.world.everything()
	for _, object := range all {
		exists[object.GetUID()] = true
	}
	for _, object := range all {
		changed = k.attend(object, exists) || changed
	}
	return changed
}

// attend does what is due for one object.
func (k *kubelet) attend(object client.Object, exists map[types.UID]bool) (changed bool) {
	if owner := metav1.GetControllerOf(object); owner != nil && !exists[owner.UID] && object.GetDeletionTimestamp() == nil {
		return k.collect(object)
	}
	switch object := object.(type) {
	case *appsv1.Deployment:
		return k.deployment(object)
	case *batchv1.Job:
		return k.job(object)
	case *corev1.Pod:
		return k.pod(object)
	}
	return false
}

// after tells whether so much time has gone by since it was first asked.
func (k *kubelet) after(d time.Duration, object client.Object, what string) bool {
	key := string(object.GetUID()) + " " + what
	began, known := k.began[key]
	if !known {
		began = k.world.now()
		k.began[key] = began
	}
	due := began.Add(d)
	if !k.world.now().Before(due) {
		return true
	}
	if k.next.IsZero() || due.Before(k.next) {
		k.next = due
	}
	return false
}

// collect deletes what has lost its owner.
func (k *kubelet) collect(orphan client.Object) bool {
	if _, trial := orphan.(*v1alpha1.SizingTrial); trial && k.forgetsTrials {
		return false
	}
	if !k.after(collecting, orphan, "collected") {
		return false
	}
	k.world.must("collecting garbage", client.IgnoreNotFound(k.world.client.Delete(k.world.ctx, orphan)))
	if _, pod := orphan.(*corev1.Pod); !pod {
		k.world.tell("world", fmt.Sprintf("collects %s %s", kindOf(orphan), orphan.GetName()))
	}
	return true
}

// deployment makes the pods that it lacks. There is no ReplicaSet in between;
// the pods' owner only carries the name that one would have.
func (k *kubelet) deployment(d *appsv1.Deployment) bool {
	if d.Labels[v1alpha1.LabelTrialUID] == "" {
		return false // a decoy: nobody runs it
	}
	living := 0
	for _, pod := range k.podsOf(d.UID) {
		if pod.DeletionTimestamp == nil {
			living++
		}
	}
	if living >= int(*d.Spec.Replicas) || !k.after(scheduling, d, fmt.Sprint("pod ", k.made[d.UID])) {
		return false
	}
	if refusal := k.mishapOf(d).refusal; refusal != "" {
		return k.refuseReplica(d, refusal)
	}
	k.makePod(d, "ReplicaSet", "login", d.Spec.Template)
	return true
}

// job makes its one pod, and ends with it.
func (k *kubelet) job(j *batchv1.Job) bool {
	if j.Labels[v1alpha1.LabelTrialUID] == "" || len(j.Status.Conditions) > 0 {
		return false
	}
	pods := k.podsOf(j.UID)
	limit := time.Duration(*j.Spec.ActiveDeadlineSeconds) * time.Second
	switch {
	case k.after(limit, j, "its deadline"):
		for i := range pods {
			k.world.must("ending a Job's pod", k.world.client.Delete(k.world.ctx, &pods[i]))
		}
		return k.endJob(j, batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded)
	case k.made[j.UID] == 0:
		return k.after(scheduling, j, "pod") && k.admitGenerator(j)
	case len(pods) == 0 || pods[0].Status.Phase == corev1.PodFailed:
		return k.after(scheduling, j, "end") && k.endJob(j, batchv1.JobFailed, "BackoffLimitExceeded")
	case pods[0].Status.Phase == corev1.PodSucceeded:
		return k.after(scheduling, j, "end") && k.endJob(j, batchv1.JobComplete, "CompletionsReached")
	}
	return false
}

func (k *kubelet) admitGenerator(j *batchv1.Job) bool {
	if refusal := k.mishapOf(j).refusal; refusal != "" {
		return k.refuseGenerator(j, refusal)
	}
	k.makePod(j, "Job", "load", j.Spec.Template)
	j.Status.StartTime, j.Status.Active = k.moment(), 1
	k.world.must("starting a Job", k.world.client.Status().Update(k.world.ctx, j))
	return true
}

func (k *kubelet) endJob(j *batchv1.Job, end batchv1.JobConditionType, reason string) bool {
	before := map[batchv1.JobConditionType]batchv1.JobConditionType{
		batchv1.JobComplete: batchv1.JobSuccessCriteriaMet, batchv1.JobFailed: batchv1.JobFailureTarget,
	}
	for _, kind := range []batchv1.JobConditionType{before[end], end} {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{
			Type: kind, Status: corev1.ConditionTrue, Reason: reason, LastTransitionTime: *k.moment(),
		})
	}
	j.Status.Active = 0
	if end == batchv1.JobComplete {
		j.Status.Succeeded, j.Status.CompletionTime = 1, k.moment()
	} else {
		j.Status.Failed = 1
	}
	if j.Status.StartTime == nil {
		j.Status.StartTime = k.moment()
	}
	k.world.must("ending a Job", k.world.client.Status().Update(k.world.ctx, j))
	return true
}

// makePod makes a pod from a template, on the node where it is to run.
func (k *kubelet) makePod(owner client.Object, kind, role string, template corev1.PodTemplateSpec) {
	k.made[owner.GetUID()]++
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: owner.GetNamespace(), Name: fmt.Sprintf("%s-%s-%d", owner.GetName(), role, k.made[owner.GetUID()]),
			Labels: template.Labels, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "v1", Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), Controller: new(true),
			}},
		},
		Spec: *template.Spec.DeepCopy(),
	}
	if k.mishapOf(owner).stuck == nil {
		pod.Spec.NodeName = map[string]string{"login": serviceNode, "load": loadNode}[role]
	}
	k.mishapOf(owner).alter(pod)
	k.world.must("making a pod", k.world.client.Create(k.world.ctx, pod))
	k.tellPod(pod, "is made")
}

// podsOf lists the pods of a Deployment or a Job.
func (k *kubelet) podsOf(owner types.UID) []corev1.Pod {
	var pods []corev1.Pod
	for _, namespace := range k.world.namespaces {
		list := &corev1.PodList{}
		k.world.list(list, namespace)
		for _, pod := range list.Items {
			if ref := metav1.GetControllerOf(&pod); ref != nil && ref.UID == owner {
				pods = append(pods, pod)
			}
		}
	}
	return pods
}

func (k *kubelet) moment() *metav1.Time { return &metav1.Time{Time: k.world.now()} }

// variable reads one of a container's variables.
func variable(container corev1.Container, name string) string {
	for _, v := range container.Env {
		if v.Name == name {
			return v.Value
		}
	}
	return ""
}

func (k *kubelet) tellPod(pod *corev1.Pod, what string) {
	k.world.tell("world", "pod "+pod.Name+" "+what)
}
