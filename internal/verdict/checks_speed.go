package verdict

import (
	"math"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// speedUnknown finds steps whose speed is unknown, and steps that ran on another machine by their speed.
func speedUnknown(t *trial) []v1beta1.Reason {
	if !t.hashes() {
		return nil
	}
	var found []v1beta1.Reason
	for _, s := range t.steps {
		if s.slower <= 0 {
			if service := s.result.Service; service != nil && service.Hashes >= samplesForP95 {
				found = append(found, suspectSpeed("In %s, the CPU time of a hash is unknown, so its numbers are as observed and not at the reference speed: see the log of the load generator for why the login service's counters could not be read", s.name())...)
			}
			continue
		}
		if s.slower > speed.Slowest || s.slower < speed.Fastest {
			found = append(found, suspectSpeed("In %s, a hash took %s times as long as at the reference speed (suspect outside %s to %s), on %s: this is probably a different machine. List the kinds of machine in matrix.nodePools, or measure again",
				s.name(), units.Ratio(s.slower), units.Ratio(speed.Fastest), units.Ratio(speed.Slowest), cpuModel(t.Calibration))...)
		}
	}
	if t.load.slope > 0 {
		return found // the speed follows the load, and so does that of every other run of the step
	}
	return append(found, speedVaried(t.reported)...)
}

// speedVaried finds a reported step in which the speed changed so much that p95 depends on when it did.
func speedVaried(s *step) []v1beta1.Reason {
	if s == nil || s.variation <= 0 {
		return nil
	}
	return graded(v1beta1.ReasonSpeedUnknown, max(s.variation, 1/s.variation), variationSuspect, math.Inf(1),
		"In %s, the CPU speed changed so much that simulated p95 is %s times what it is at a constant speed with the same mean (suspect outside %s to %s): measure again, or raise load.capacity.maxStepSeconds",
		s.name(), units.Ratio(s.variation), units.Ratio(1/variationSuspect), units.Ratio(variationSuspect))
}

func suspectSpeed(format string, args ...any) []v1beta1.Reason {
	return finding(v1beta1.ReasonSpeedUnknown, v1beta1.VerdictSuspect, format, args...)
}

func cpuModel(cal handover.Calibration) string {
	if cal.CPUModel == "" {
		return "an unknown CPU"
	}
	return cal.CPUModel
}

// aboveCPUBound finds a step in which the service used more CPU than its limit allows.
func aboveCPUBound(t *trial, s *step) []v1beta1.Reason {
	use := t.cpuOf(s)
	if use == nil {
		return nil
	}
	return graded(v1beta1.ReasonAboveCPUBound, use.used-use.tolerance, aboveBoundSuspect, aboveBoundInvalid,
		"In %s, the service used %s times the CPU that its limit allows (suspect above %s, invalid above %s): the limit was removed or not applied. Check the node's kubelet and container runtime",
		s.name(), units.Ratio(use.used), units.Ratio(aboveBoundSuspect), units.Ratio(aboveBoundInvalid))
}

// belowCPUBound finds a step in which the saturated service got less CPU than its limit allows.
func belowCPUBound(t *trial, s *step) []v1beta1.Reason {
	use := t.cpuOf(s)
	if use == nil || !t.saturatedIn(s) {
		return nil
	}
	suspect, used := t.minimumUsed(s), use.hashing+use.tolerance
	if t.exactIn(s) && used >= suspect {
		suspect, used = belowQuotaSuspect, use.hashing+quotaTolerance
	}
	return graded(v1beta1.ReasonBelowCPUBound, -used, -suspect, -belowBoundInvalid,
		"In %s, the service was saturated but used only %s of the CPU that it can hash with (suspect below %s, invalid below %s): something else used its CPUs, or a quota of its pod or node leaves it less. Measure again on a node where nothing else runs",
		s.name(), units.Ratio(use.hashing), units.Ratio(suspect), units.Ratio(belowBoundInvalid))
}

// exactIn reports whether a quota alone decides how much CPU a step uses, to half a percent: that of a pool that is
// saturated all the time. Of several replicas one can be idle for a moment.
func (t *trial) exactIn(s *step) bool {
	return s.Kind == loadplan.Saturation && t.Calibration.QuotaMilliCPU != nil && t.Spec.Service.Replicas <= 1 && !unbounded(t.Spec.Variant)
}

// stepUse is the CPU that the service used in a step, as shares.
type stepUse struct {
	// used is the share of what quota, cpuset and GOMAXPROCS allow. hashing is the share
	// of what its workers can use of that.
	used, hashing float64
	// tolerance is the error of these shares, because the ends of a window cut a hash or a
	// period of the quota in two.
	tolerance float64
}

// cpuOf returns the CPU that the service used in a step, or nil if it is unknown.
func (t *trial) cpuOf(s *step) *stepUse {
	service := s.result.Service
	if service == nil || service.ElapsedMicroseconds <= 0 || service.Hashes <= 0 {
		return nil
	}
	cpus := func(milli int64) float64 { return float64(service.ElapsedMicroseconds) * float64(milli) / 1000 }
	anyWorkers := t.Spec.Variant
	anyWorkers.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}
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

func (t *trial) saturatedIn(s *step) bool {
	switch s.Kind {
	case loadplan.Saturation:
		return true
	case loadplan.Closed:
		return t.hashes() && s.Callers >= 2*t.lanes()
	default:
		return t.hashes() && s.rateAtReference() > saturatedFrom*float64(t.bound)
	}
}

// lanes returns how many logins all replicas can hash at the same time.
func (t *trial) lanes() int {
	lanes := loadplan.Workers(t.Spec.Variant)
	if lanes == 0 {
		lanes = max(1, t.Calibration.GoMaxProcs)
	}
	return int(lanes * max(1, t.Spec.Service.Replicas))
}

// minimumUsed returns the smallest share of its CPU that a saturated service normally uses. Users leave some
// of several replicas idle, because each login goes to a random one: with K users and R replicas,
// K ÷ (K + R − 1) of the time is used.
func (t *trial) minimumUsed(s *step) float64 {
	share := belowBoundSuspect
	if unbounded(t.Spec.Variant) {
		share = belowBoundUnbounded
	}
	if replicas := float64(t.Spec.Service.Replicas); replicas > 1 && s.Kind == loadplan.Closed {
		share *= float64(s.Callers) / (float64(s.Callers) + replicas - 1)
	}
	return share
}
