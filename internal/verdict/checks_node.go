package verdict

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// sharedNode: the generator could run on the service's CPUs.
func sharedNode(t *trial) []v1alpha1.Reason {
	if !t.overlaps() {
		return nil
	}
	const advice = "add a node for the generator, or leave it a core of its own"
	use := t.use
	if use == nil {
		return []v1alpha1.Reason{{
			Type: SharedNode, Verdict: v1alpha1.VerdictSuspect,
			Message: "The generator could run on the service's CPUs, and how these were used is not known; " + advice,
		}}
	}
	found := graded(SharedNode, use.others, othersInvalid, othersInvalid,
		"The generator could run on the service's CPUs, of which others took %s (invalid from %s); %s",
		percent(use.others), percent(othersInvalid), advice)
	if use.idleCores() < idleCoresSuspect {
		found = append(found, v1alpha1.Reason{
			Type: SharedNode, Verdict: v1alpha1.VerdictSuspect,
			Message: fmt.Sprintf("The generator could run on the service's CPUs, and only %.2g cores stood idle there (suspect below %g); %s",
				use.idleCores(), idleCoresSuspect, advice),
		})
	}
	return found
}

// noisyNeighbour: somebody else used the service's CPUs during the reported
// step, another machine on the same hardware or another pod on the same node.
// Where a whole core stood idle the two need not have met. Of a generator on
// those CPUs sharedNode tells.
func noisyNeighbour(t *trial) []v1alpha1.Reason {
	use := t.use
	if use == nil {
		return nil
	}
	found := graded(NoisyNeighbour, use.steal, stealSuspect, stealInvalid,
		"The hypervisor gave %s of the service's CPUs to other machines during the reported step (suspect above %s, invalid above %s); measure again on hardware that is not shared",
		percent(use.steal), percent(stealSuspect), percent(stealInvalid))
	if t.overlaps() || use.idleCores() >= idleCoresSuspect {
		return found
	}
	return append(found, graded(NoisyNeighbour, use.others, neighbourSuspect, neighbourInvalid,
		"Other processes took %s of the service's CPUs during the reported step (suspect above %s, invalid above %s); measure again on a node where nothing else runs",
		percent(use.others), percent(neighbourSuspect), percent(neighbourInvalid))...)
}
