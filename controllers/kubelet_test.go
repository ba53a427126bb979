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

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// How long things take in a test cluster, by the cluster's own clock.
const (
	scheduling  = 1 * time.Second
	calibrating = 8 * time.Second
	starting    = 1 * time.Second
	startingK6  = 2 * time.Second
	grace       = 2 * time.Second
	collecting  = 1 * time.Second
)

// The nodes of a test cluster, and their boot IDs.
const (
	serviceNode = simulated.ServiceNode
	loadNode    = simulated.LoadNode
	spareNode   = "node-c" // for generators, if the other does not answer
	lostNode    = "node-d" // never answers
)

// kubelet simulates everything of Kubernetes that an API server alone lacks: the controllers
// of Deployments and Jobs, the scheduler, kubelet on both nodes, and the garbage collector. It
// reads the current state of the cluster and does what is due by then.
type kubelet struct {
	cluster *testCluster
	// began is when a pending step of an object was first seen.
	began map[string]time.Time
	// next is when the next step is due; zero if none is.
	next time.Time
	// made counts the pods that were created for a Deployment or a Job.
	made map[types.UID]int
	// addresses counts the IP addresses that were given to pods.
	addresses int
	// mishap is what goes wrong.
	mishap mishap
	// slower is the factor by which logins of a verification take longer if the offered rate
	// is above failsAbove, in thousandths of a login per second.
	slower     float64
	failsAbove int64
	// runs are the results of the generators, by pod.
	runs map[types.UID]measurement.Run
	// lost are the nodes that do not answer: whatever is to happen to their pods does not.
	lost map[string]bool
	// finished are the runs whose generators ended without an error, by pod.
	finished map[types.UID]finishedRun
	// forgetsTrials makes the garbage collector ignore trials without an owner.
	forgetsTrials bool
}

func newKubelet(w *testCluster) *kubelet {
	return &kubelet{
		cluster: w, began: map[string]time.Time{}, made: map[types.UID]int{},
		runs: map[types.UID]measurement.Run{}, finished: map[types.UID]finishedRun{}, lost: map[string]bool{lostNode: true},
	}
}

// play does all that is due, and reports whether that changed anything.
func (k *kubelet) play() (changed bool) {
	k.next = time.Time{}
	exists := map[types.UID]bool{}
	all := k.cluster.everything()
	for _, object := range all {
		exists[object.GetUID()] = true
	}
	k.owners(exists)
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
	if controllerManager != "" {
		return k.attendReal(object)
	}
	if object.GetDeletionTimestamp() != nil && k.cluster.live(object) && propagates(object) {
		return k.propagate(object)
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

// after reports whether d has passed since the first call for this object and step.
func (k *kubelet) after(d time.Duration, object client.Object, what string) bool {
	key := string(object.GetUID()) + " " + what
	began, known := k.began[key]
	if !known {
		began = k.cluster.now()
		k.began[key] = began
	}
	due := began.Add(d)
	if !k.cluster.now().Before(due) {
		return true
	}
	if k.next.IsZero() || due.Before(k.next) {
		k.next = due
	}
	return false
}

// collect deletes an object without an owner.
func (k *kubelet) collect(orphan client.Object) bool {
	if _, trial := orphan.(*v1beta1.SizingTrial); trial && k.forgetsTrials {
		return false
	}
	if controllerManager != "" {
		return k.collectReal(orphan)
	}
	if !k.after(collecting, orphan, "collected") {
		return false
	}
	err := k.cluster.client.Delete(k.cluster.ctx, orphan, client.PropagationPolicy(metav1.DeletePropagationBackground))
	k.cluster.must("collecting garbage", client.IgnoreNotFound(err))
	if _, pod := orphan.(*corev1.Pod); !pod {
		k.cluster.log("cluster", fmt.Sprintf("collects %s %s", kindOf(orphan), orphan.GetName()))
	}
	return true
}

// deployment creates missing pods. It creates no ReplicaSet; the pods' owner only has the name
// that one would have, and the Deployment's UID.
func (k *kubelet) deployment(d *appsv1.Deployment) bool {
	if d.Labels[v1beta1.LabelTrialUID] == "" || d.DeletionTimestamp != nil {
		return false // a decoy, which is not run, or one that a finalizer keeps
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
	template := d.Spec.Template.DeepCopy()
	template.Labels[appsv1.DefaultDeploymentUniqueLabelKey] = templateHash
	role := "login"
	if d.Labels[v1beta1.LabelComponent] == v1beta1.ComponentCompanion {
		role = "load"
	}
	k.makePod(d, metav1.OwnerReference{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: d.Name + "-" + templateHash}, role, *template)
	return true
}

// job creates its pod, and ends when the pod ends.
func (k *kubelet) job(j *batchv1.Job) bool {
	if j.Labels[v1beta1.LabelTrialUID] == "" || len(j.Status.Conditions) > 0 || j.DeletionTimestamp != nil {
		return false
	}
	if k.mishapOf(j).suspends && k.once(j, "suspended") {
		j.Spec.Suspend = new(true)
		k.cluster.must("suspending a Job", k.cluster.client.Update(k.cluster.ctx, j))
	}
	if j.Spec.Suspend != nil && *j.Spec.Suspend {
		return false
	}
	pods := k.podsOf(j.UID)
	limit := time.Duration(*j.Spec.ActiveDeadlineSeconds) * time.Second
	switch {
	case k.after(limit, j, "its deadline"):
		for i := range pods {
			k.cluster.must("ending a Job's pod", k.cluster.client.Delete(k.cluster.ctx, &pods[i]))
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
	k.makePod(j, metav1.OwnerReference{APIVersion: "batch/v1", Kind: "Job", Name: j.Name}, "load", j.Spec.Template)
	j.Status.StartTime, j.Status.Active = k.moment(), 1
	k.cluster.must("starting a Job", k.cluster.client.Status().Update(k.cluster.ctx, j))
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
	k.cluster.must("ending a Job", k.cluster.client.Status().Update(k.cluster.ctx, j))
	return true
}

// templateHash is what the Deployment controller would derive from a template.
const templateHash = "7d4b9c"

// makePod creates a pod from a template, on its node.
func (k *kubelet) makePod(owner client.Object, reference metav1.OwnerReference, role string, template corev1.PodTemplateSpec) {
	k.made[owner.GetUID()]++
	reference.UID, reference.Controller = owner.GetUID(), new(true)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: owner.GetNamespace(), Name: fmt.Sprintf("%s-%s-%d", owner.GetName(), role, k.made[owner.GetUID()]),
			Labels: template.Labels, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{reference},
		},
		Spec: *template.Spec.DeepCopy(),
	}
	if k.mishapOf(owner).stuck == nil {
		pod.Spec.NodeName = map[string]string{"login": serviceNode, "load": loadNode}[role]
		if k.lost[pod.Spec.NodeName] {
			pod.Spec.NodeName = spareNode
		}
	}
	k.mishapOf(owner).alter(pod)
	k.cluster.must("creating a pod", k.cluster.client.Create(k.cluster.ctx, pod))
	k.logPod(pod, "is created")
}

// podsOf returns the pods of a Deployment or a Job.
func (k *kubelet) podsOf(owner types.UID) []corev1.Pod {
	var pods []corev1.Pod
	for _, namespace := range k.cluster.namespaces {
		list := &corev1.PodList{}
		k.cluster.list(list, namespace)
		for _, pod := range list.Items {
			if ref := metav1.GetControllerOf(&pod); ref != nil && ref.UID == owner {
				pods = append(pods, pod)
			}
		}
	}
	return pods
}

func (k *kubelet) moment() *metav1.Time { return &metav1.Time{Time: k.cluster.now()} }

func (k *kubelet) logPod(pod *corev1.Pod, what string) {
	k.cluster.log("cluster", "pod "+pod.Name+" "+what)
}
