package verdict

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// sharedNode finds a generator that could run on the service's CPUs.
func sharedNode(t *trial) []v1alpha1.Reason {
	if !t.overlaps() {
		return nil
	}
	const advice = "add a node for the generator, or leave it a core of its own"
	var use *cpuUse
	if t.reported != nil {
		use = t.reported.use
	}
	if use == nil {
		return []v1alpha1.Reason{{
			Type: v1alpha1.ReasonSharedNode, Verdict: v1alpha1.VerdictSuspect,
			Message: "The generator could run on the service's CPUs, and the use of these CPUs is unknown: " + advice,
		}}
	}
	found := graded(v1alpha1.ReasonSharedNode, use.others, othersInvalid, othersInvalid,
		"The generator could run on the service's CPUs, and other processes used %s of these (invalid above %s): %s",
		percent(use.others), percent(othersInvalid), advice)
	if use.idleCores() < idleCoresSuspect {
		found = append(found, v1alpha1.Reason{
			Type: v1alpha1.ReasonSharedNode, Verdict: v1alpha1.VerdictSuspect,
			Message: fmt.Sprintf("The generator could run on the service's CPUs, and only %.2g cores of these were idle (suspect below %g): %s",
				use.idleCores(), idleCoresSuspect, advice),
		})
	}
	return found
}

// noisyNeighbour finds steps in which something else used the service's CPUs: another
// virtual machine on the same hardware, or another pod on the same node. If a whole core
// was idle, the other pod need not have disturbed the service. sharedNode checks for a
// generator on these CPUs.
func noisyNeighbour(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		use := s.use
		if use == nil {
			continue
		}
		found = append(found, graded(v1alpha1.ReasonNoisyNeighbour, use.steal, stealSuspect, stealInvalid,
			"In %s, the hypervisor gave %s of the service's CPUs to other virtual machines (suspect above %s, invalid above %s): measure again on hardware that is not shared",
			s.name(), percent(use.steal), percent(stealSuspect), percent(stealInvalid))...)
		if t.overlaps() || use.idleCores() >= idleCoresSuspect {
			continue
		}
		found = append(found, graded(v1alpha1.ReasonNoisyNeighbour, use.others, neighbourSuspect, neighbourInvalid,
			"In %s, other processes used %s of the service's CPUs (suspect above %s, invalid above %s): measure again on a node where nothing else runs",
			s.name(), percent(use.others), percent(neighbourSuspect), percent(neighbourInvalid))...)
	}
	return found
}
