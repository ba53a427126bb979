package verdict

import (
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// generatorSaturated finds logins that were sent late or not at all, and a generator that was short of CPU. In
// an overload, callers are late because they wait for the service.
func generatorSaturated(t *trial, s *step) []v1beta1.Reason {
	found := outOfCPU(t, s)
	if s.settled() {
		found = slices.Concat(sentLate(t, s), neverSent(s), found)
	}
	return found
}

// sentLate compares each percentile of the start lag with the same percentile of latency. The 99th matters only if
// the objective has it.
func sentLate(t *trial, s *step) []v1beta1.Reason {
	found := lagging(s, "twenty", s.result.StartLagP95Microseconds, s.result.P95Microseconds)
	if t.Spec.Objective.P99Milliseconds == nil {
		return found
	}
	return append(found, lagging(s, "a hundred", s.result.StartLagP99Microseconds, s.result.P99Microseconds)...)
}

func lagging(s *step, oneIn string, lag, latency *int64) []v1beta1.Reason {
	if lag == nil {
		return nil
	}
	measured := float64(ptr.Deref(latency, 0))
	suspect, invalid := max(lagSuspectMicroseconds, lagSuspectShare*measured), max(lagInvalidMicroseconds, lagInvalidShare*measured)
	return graded(v1beta1.ReasonGeneratorSaturated, float64(*lag), suspect, invalid,
		"In %s, one login in %s was sent %s or more after its due time (suspect above %s, invalid above %s): raise spec.generator.cpuLimit",
		s.name(), oneIn, microseconds(*lag), microseconds(int64(suspect)), microseconds(int64(invalid)))
}

func neverSent(s *step) []v1beta1.Reason {
	if s.result.NeverSent == 0 {
		return nil
	}
	return finding(v1beta1.ReasonGeneratorSaturated, v1beta1.VerdictInvalid,
		"In %s, %d of %d logins were never sent although the service kept up: raise spec.generator.cpuLimit",
		s.name(), s.result.NeverSent, s.result.Scheduled)
}

func outOfCPU(t *trial, s *step) []v1beta1.Reason {
	used, limit := s.result.Generator, t.generatorCPUs()
	if used == nil || limit == 0 || used.ElapsedMicroseconds == 0 {
		return nil
	}
	share := float64(used.CPUMicroseconds) / float64(used.ElapsedMicroseconds) / limit
	return graded(v1beta1.ReasonGeneratorSaturated, share, generatorCPUInvalid, generatorCPUInvalid,
		"In %s, the generator used %s of its CPU limit (invalid above %s), so its own delays are measured as latency of the service: raise spec.generator.cpuLimit",
		s.name(), percent(share), percent(generatorCPUInvalid))
}

// generatorCPUs returns how many CPUs the generator could use; 0 if that is unknown.
func (t *trial) generatorCPUs() float64 {
	generator := t.Run.Generator
	switch {
	case generator == nil:
		return 0
	case generator.QuotaMilliCPU > 0:
		return float64(generator.QuotaMilliCPU) / 1000
	default:
		return float64(evidence.CPUs(generator.Cpuset))
	}
}

// generatorThrottled finds a generator that was throttled by its own quota.
func generatorThrottled(_ *trial, s *step) []v1beta1.Reason {
	used := s.result.Generator
	if used == nil || used.ElapsedMicroseconds == 0 {
		return nil
	}
	share := float64(used.ThrottledMicroseconds) / float64(used.ElapsedMicroseconds)
	return graded(v1beta1.ReasonGeneratorThrottled, share, throttledSuspect, throttledInvalid,
		"In %s, the generator was throttled for %s of the time (suspect above %s, invalid above %s): raise spec.generator.cpuLimit",
		s.name(), percent(share), percent(throttledSuspect), percent(throttledInvalid))
}

// rateNotAchieved finds a step in which fewer logins were sent in the counted part than were scheduled.
func rateNotAchieved(_ *trial, s *step) []v1beta1.Reason {
	if !s.settled() {
		return nil
	}
	missed := s.share(s.result.Scheduled - s.result.SentInWindow)
	return graded(v1beta1.ReasonRateNotAchieved, missed, missedSuspect, missedInvalid,
		"In %s, %s of the scheduled logins were not sent in time (suspect above %s, invalid above %s): raise spec.generator.cpuLimit",
		s.name(), percent(missed), percent(missedSuspect), percent(missedInvalid))
}

// sharedNode finds a generator that could run on the service's CPUs.
func sharedNode(t *trial) []v1beta1.Reason {
	if !t.overlaps() {
		return nil
	}
	advice := "add a node for the generator, or leave it a core of its own"
	if t.oneMachine() {
		advice = "its node is another one on the same machine, as with kind. End what else runs there, give it more CPUs, or measure on nodes that are machines of their own"
	}
	var use *cpuUse
	if t.reported != nil {
		use = t.reported.use
	}
	if use == nil {
		return finding(v1beta1.ReasonSharedNode, v1beta1.VerdictSuspect,
			"The generator could run on the service's CPUs, and the use of these CPUs is unknown: %s", advice)
	}
	found := graded(v1beta1.ReasonSharedNode, use.others, othersInvalid, othersInvalid,
		"The generator could run on the service's CPUs, and other processes used %s of these (invalid above %s): %s",
		percent(use.others), percent(othersInvalid), advice)
	if use.idleCores() < idleCoresSuspect {
		found = append(found, finding(v1beta1.ReasonSharedNode, v1beta1.VerdictSuspect,
			"The generator could run on the service's CPUs, and only %s cores of these were idle (suspect below %s): %s",
			units.Ratio(use.idleCores()), units.Ratio(idleCoresSuspect), advice)...)
	}
	return found
}

// oneMachine reports whether the generator has a node of its own, but on the service's machine, where
// another node would change nothing.
func (t *trial) oneMachine() bool {
	return t.Placement.GeneratorNode != "" && len(t.Placement.ServiceNodes) > 0 && !slices.Contains(t.Placement.ServiceNodes, t.Placement.GeneratorNode)
}

// noisyNeighbour finds a step in which another virtual machine or another pod used the service's CPUs. If a
// whole core was idle, the pod need not have disturbed the service. sharedNode checks for a generator there.
func noisyNeighbour(t *trial, s *step) []v1beta1.Reason {
	use := s.use
	if use == nil {
		return nil
	}
	found := graded(v1beta1.ReasonNoisyNeighbour, use.steal, stealSuspect, stealInvalid,
		"In %s, the hypervisor gave %s of the service's CPUs to other virtual machines (suspect above %s, invalid above %s): measure again on hardware that is not shared",
		s.name(), percent(use.steal), percent(stealSuspect), percent(stealInvalid))
	if t.overlaps() || use.idleCores() >= idleCoresSuspect {
		return found
	}
	return append(found, graded(v1beta1.ReasonNoisyNeighbour, use.others, neighbourSuspect, neighbourInvalid,
		"In %s, other processes used %s of the service's CPUs (suspect above %s, invalid above %s): measure again on a node where nothing else runs",
		s.name(), percent(use.others), percent(neighbourSuspect), percent(neighbourInvalid))...)
}
