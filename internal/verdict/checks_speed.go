package verdict

import (
	"fmt"
	"math"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// speedUnknown: a window whose speed is not known can't be converted, and one whose
// speed is far from the reference is of another machine.
func speedUnknown(t *trial) []v1alpha1.Reason {
	if !t.hashes() {
		return nil
	}
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		if s.slower <= 0 {
			if enoughHashes(s) {
				found = append(found, suspectSpeed("In %s the CPU time of a hash is not known, so that its numbers are as observed and not at the reference speed; look at the log of the generator for why the login service's account could not be read", s.name()))
			}
			continue
		}
		if s.slower > speed.Slowest || s.slower < speed.Fastest {
			found = append(found, suspectSpeed("In %s a hash took %.3g times as long as at the reference speed (suspect outside %g to %g), on %s; that is another machine rather than another moment. Name the kinds of machine in matrix.nodePools, or measure again",
				s.name(), s.slower, speed.Fastest, speed.Slowest, cpuModel(t.Calibration)))
		}
	}
	return append(found, speedVaried(t.reported)...)
}

// speedVaried: the speed changed so much inside the reported step that p95 depends
// on when in the step it did.
func speedVaried(s *step) []v1alpha1.Reason {
	if s == nil || s.variation <= 0 {
		return nil
	}
	return graded(SpeedUnknown, max(s.variation, 1/s.variation), variationSuspect, math.Inf(1),
		"In %s the speed of the CPU changed so much that p95 is %.3g times what it would be at the same mean speed throughout, simulated (suspect outside %.3g to %.3g); measure again, or raise load.maxStepSeconds",
		s.name(), s.variation, 1/variationSuspect, variationSuspect)
}

// enoughHashes tells whether a step that was driven as planned had hashes enough to
// know the speed from.
func enoughHashes(s *step) bool {
	return s.result.Service != nil && s.result.Service.Hashes >= samplesForP95
}

func suspectSpeed(format string, args ...any) v1alpha1.Reason {
	return v1alpha1.Reason{Type: SpeedUnknown, Verdict: v1alpha1.VerdictSuspect, Message: fmt.Sprintf(format, args...)}
}

func cpuModel(cal v1alpha1.TrialCalibration) string {
	if cal.CPUModel == "" {
		return "an unknown CPU"
	}
	return cal.CPUModel
}

// aboveCPUBound: in some step the service used more CPU than it was allowed.
func aboveCPUBound(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		use := t.cpuOf(s)
		if use == nil {
			continue
		}
		found = append(found, graded(AboveCPUBound, use.used-use.tolerance, aboveBoundSuspect, aboveBoundInvalid,
			"In %s the service used %.3g times the CPU that its limit allows (suspect above %g, invalid above %g); the limit was lifted or not applied. Look at the node's kubelet and container runtime",
			s.name(), use.used, aboveBoundSuspect, aboveBoundInvalid)...)
	}
	return found
}

// belowCPUBound: the service was saturated and got less CPU than it was allowed.
func belowCPUBound(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		use := t.cpuOf(s)
		if use == nil || !t.saturatedIn(s) {
			continue
		}
		suspect := t.leastUsed(s)
		found = append(found, graded(BelowCPUBound, -(use.hashing+use.tolerance), -suspect, -belowBoundInvalid,
			"In %s the service was saturated and used only %.3g of the CPU that it could hash with (suspect below %.3g, invalid below %g); something else used its CPUs. Measure again on a node where nothing else runs",
			s.name(), use.hashing, suspect, belowBoundInvalid)...)
	}
	return found
}

// stepUse is how much CPU the service used in a step, as shares.
type stepUse struct {
	// used of what quota, cpuset and GOMAXPROCS allow, and hashing of what its workers
	// can use as well.
	used, hashing float64
	// tolerance is by how much a window may be off because its edges cut a hash, or a
	// period of the quota, in two.
	tolerance float64
}

// cpuOf is nil where the service's CPU time is not known.
func (t *trial) cpuOf(s *step) *stepUse {
	service := s.result.Service
	if service == nil || service.ElapsedMicroseconds <= 0 || service.Hashes <= 0 {
		return nil
	}
	cpus := func(milli int64) float64 { return float64(service.ElapsedMicroseconds) * float64(milli) / 1000 }
	anyWorkers := t.Spec.Variant
	anyWorkers.Concurrency = v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyUnbounded}
	allowed, hashing := cpus(loadplan.EffectiveMilliCPU(anyWorkers, t.Calibration)), cpus(loadplan.EffectiveMilliCPU(t.Spec.Variant, t.Calibration))
	if allowed <= 0 || hashing <= 0 {
		return nil
	}
	use := &stepUse{
		used: float64(service.CPUMicroseconds) / allowed, hashing: float64(service.CPUMicroseconds) / hashing,
		tolerance: 1 / float64(service.Hashes),
	}
	if service.Periods > 0 {
		use.tolerance = max(use.tolerance, 1/float64(service.Periods))
	}
	return use
}

// saturatedIn tells whether a step drove the service to its limit.
func (t *trial) saturatedIn(s *step) bool {
	switch s.Kind {
	case loadplan.Saturation:
		return true
	case loadplan.Closed:
		return t.hashes() && s.Callers >= 2*t.lanes()
	default:
		return t.hashes() && s.driven() > saturatedFrom*float64(t.bound)
	}
}

// lanes is how many logins all replicas hash at a time.
func (t *trial) lanes() int {
	lanes := loadplan.Workers(t.Spec.Variant)
	if lanes == 0 {
		lanes = max(1, t.Calibration.GoMaxProcs)
	}
	return int(lanes * max(1, t.Spec.Service.Replicas))
}

// leastUsed is the share of its CPU that a saturated service uses at the least. A
// saturation keeps each pod busy by itself. Users leave some of several replicas idle,
// since each of their logins goes to one of them by chance: of K users and R replicas,
// K ÷ (K + R − 1) of the time is used.
func (t *trial) leastUsed(s *step) float64 {
	least := belowBoundSuspect
	if t.unbounded() {
		least = belowBoundUnbounded
	}
	if replicas := float64(t.Spec.Service.Replicas); replicas > 1 && s.Kind == loadplan.Closed {
		least *= float64(s.Callers) / (float64(s.Callers) + replicas - 1)
	}
	return least
}
