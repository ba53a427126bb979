package lifecycle

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// sweepAllowance is how long the objects of an attempt may take to be deleted. Pods have a grace
// period of seconds, so what is left after that is on a node that does not answer, or is kept by
// the finalizer of somebody else.
const sweepAllowance = time.Minute

// endAllowance is how much later than its deadline a generator may end: its node's clock may be
// behind, and k6 takes seconds to stop.
const endAllowance = 30 * time.Second

// longestLoad is how long a generator may run, with all allowances.
const longestLoad = longestPlan + time.Hour

// Leftover is an object of a trial that no current attempt needs.
type Leftover struct {
	// Name is its kind and name.
	Name string
	// Deletable means that it is to be deleted and has not been yet. Pods are deleted with their
	// owner, and not directly.
	Deletable bool
	// Stuck means that it should have been deleted by now. If it is still Deletable, the cluster refuses
	// that.
	Stuck bool
	// Loads means that it is a generator's pod that may still put load on the cluster.
	Loads bool
}

// NewLeftover returns the state of an object that is left of a trial. The refusal is what the API server
// answered when the object was to be deleted; empty if it did not refuse that.
func NewLeftover(name string, object metav1.Object, status *v1beta1.SizingTrialStatus, refusal string, now time.Time) Leftover {
	pod, isPod := object.(*corev1.Pod)
	left := Leftover{Name: name, Deletable: !isPod && object.GetDeletionTimestamp() == nil}
	swept := sweptSince(status)
	first := swept.IsZero() && Current(status) != nil // its end is not on record yet
	left.Stuck = (!left.Deletable || refusal != "") && !first && now.Sub(swept) > sweepAllowance
	if refusal != "" {
		left.Name += " (" + refusal + ")"
	}
	left.Loads = isPod && MayLoad(pod, now)
	return left
}

// sweptSince returns when the last attempt ended, from when its objects are deleted. It is the
// operator's own time, unlike that of a deletion.
func sweptSince(status *v1beta1.SizingTrialStatus) time.Time {
	var since time.Time
	for _, attempt := range status.Attempts {
		if attempt.EndTime != nil {
			since = attempt.EndTime.Time
		}
	}
	return since
}

// MayLoad reports whether a pod is a generator that may put load on the cluster now. It can't if no node has
// taken it, if it has ended, or after its own deadline, when it stops even if its node does not answer.
func MayLoad(pod *corev1.Pod, now time.Time) bool {
	deadline, known := objects.GeneratorDeadline(pod.Spec)
	made := pod.CreationTimestamp
	switch {
	case pod.Spec.NodeName == "" || !known || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed:
		return false
	case !made.IsZero() && deadline.Sub(made.Time) > longestLoad:
		return false // none that the operator creates runs as long
	}
	return !now.After(deadline.Add(endAllowance))
}

// deletable reports whether there is a leftover to delete. Also after the trial was released:
// an operator that was not the leader any more may have created one again. One whose deletion was
// refused for long enough holds up nothing.
func (o *Observation) deletable() bool {
	return slices.ContainsFunc(o.Leftovers, func(left Leftover) bool { return left.Deletable && !left.Stuck })
}

// sweeping reports whether the trial waits for leftovers: for those that are being deleted, and, unless
// it is cancelled, for generators that may still run. The loads of other trials always wait for the latter.
func (o *Observation) sweeping() bool {
	return slices.ContainsFunc(o.Leftovers, func(left Leftover) bool { return !left.Stuck || left.Loads && !o.Cancelled })
}

// StuckLeftovers returns the names of the leftovers that should have been deleted by now, as
// many as the status holds.
func (o *Observation) StuckLeftovers() []string {
	const most = 32
	var stuck []string
	for _, left := range o.Leftovers {
		if left.Stuck && len(stuck) < most {
			stuck = append(stuck, left.Name)
		}
	}
	return stuck
}
