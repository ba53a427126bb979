package verdict

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// generatorSaturated: logins were sent late, not at all, or by a generator that
// was short of CPU. Only steps that the service kept up with are looked at for
// lateness; in an overload, callers are late because they wait for the service.
func generatorSaturated(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		if s.settled() {
			found = append(found, sentLate(s)...)
			found = append(found, neverSent(s)...)
		}
		found = append(found, outOfCPU(t, s)...)
	}
	return found
}

func sentLate(s *step) []v1alpha1.Reason {
	lag, p95 := s.result.LagP99Microseconds, s.result.P95Microseconds
	if lag == nil {
		return nil
	}
	of := int64(0)
	if p95 != nil {
		of = *p95
	}
	suspect := max(lagSuspectMicroseconds, lagSuspectShare*float64(of))
	invalid := max(lagInvalidMicroseconds, lagInvalidShare*float64(of))
	return graded(GeneratorSaturated, float64(*lag), suspect, invalid,
		"In %s one login in a hundred was sent %s or more after it was due (suspect from %s, invalid from %s); give the generator more CPU (spec.generator.cpuLimit)",
		s.name(), microseconds(*lag), microseconds(int64(suspect)), microseconds(int64(invalid)))
}

func neverSent(s *step) []v1alpha1.Reason {
	if s.result.NeverSent == 0 {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: GeneratorSaturated, Verdict: v1alpha1.VerdictInvalid,
		Message: fmt.Sprintf("In %s %d of %d logins were never sent, though the service kept up; give the generator more CPU (spec.generator.cpuLimit)",
			s.name(), s.result.NeverSent, s.result.Scheduled),
	}}
}

func outOfCPU(t *trial, s *step) []v1alpha1.Reason {
	used, limit := s.result.Generator, t.generatorCPUs()
	if used == nil || limit == 0 || used.ElapsedMicroseconds == 0 {
		return nil
	}
	share := float64(used.CPUMicroseconds) / float64(used.ElapsedMicroseconds) / limit
	return graded(GeneratorSaturated, share, generatorCPUInvalid, generatorCPUInvalid,
		"In %s the generator used %s of its CPU limit (invalid from %s), so that its own delay counts as the service's; raise spec.generator.cpuLimit",
		s.name(), percent(share), percent(generatorCPUInvalid))
}

// generatorCPUs is how much CPU the generator was given: its quota, or CPUs of
// its own where there is none; 0 when that is not known.
func (t *trial) generatorCPUs() float64 {
	given := t.Run.Generator
	switch {
	case given == nil:
		return 0
	case given.QuotaMilliCPU > 0:
		return float64(given.QuotaMilliCPU) / 1000
	default:
		return float64(evidence.CPUs(given.Cpuset))
	}
}

// generatorThrottled: the generator's own quota stalled it.
func generatorThrottled(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		used := s.result.Generator
		if used == nil || used.ElapsedMicroseconds == 0 {
			continue
		}
		share := float64(used.ThrottledMicroseconds) / float64(used.ElapsedMicroseconds)
		found = append(found, graded(GeneratorThrottled, share, throttledSuspect, throttledInvalid,
			"In %s the generator was throttled for %s of the time (suspect from %s, invalid from %s); raise spec.generator.cpuLimit",
			s.name(), percent(share), percent(throttledSuspect), percent(throttledInvalid))...)
	}
	return found
}

// rateNotAchieved: less was sent in the counted part than was asked for.
func rateNotAchieved(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		if !s.settled() || s.result.Scheduled == 0 {
			continue
		}
		missed := s.share(s.result.Scheduled - s.result.SentInWindow)
		found = append(found, graded(RateNotAchieved, missed, missedSuspect, missedInvalid,
			"In %s %s of the scheduled logins were not sent in time (suspect above %s, invalid above %s); give the generator more CPU (spec.generator.cpuLimit)",
			s.name(), percent(missed), percent(missedSuspect), percent(missedInvalid))...)
	}
	return found
}
