package verdict

import (
	"cmp"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// Input is everything that Judge needs.
type Input struct {
	// Spec is the trial's plan.
	Spec v1beta1.SizingTrialSpec
	// Calibration of the variant.
	Calibration handover.Calibration
	// Plan is the load that the generator ran.
	Plan loadplan.Plan
	// Run is the generator's handover.
	Run measurement.Run
	// Reference is the reference speed of the node pool, as the CPU time of one hash at cost 8 in
	// microseconds. If it is 0, because no trial has ended on the node pool, this trial fixes it: it is
	// the median over its own windows.
	Reference float64
	// PlannedMicros is the speed that the plan was made for, as the CPU time of one hash
	// at cost 8 in microseconds; 0 for the calibration's own.
	PlannedMicros float64
	// Placement is where the pods ran, and how they differ from the planned pods.
	Placement Placement
}

// Placement is where the pods ran, and how they differ from the planned pods.
type Placement struct {
	// ServiceNodes are the nodes of the login service's pods.
	ServiceNodes []string
	// GeneratorNode is the node of the generator.
	GeneratorNode string
	// Altered lists how the running pods differ from the planned ones.
	Altered []string
}

// Judgement is the result of a run.
type Judgement struct {
	// Result is the trial's row.
	Result v1beta1.VariantResult
	// Steps in the order in which they ran, followed by those that were left out.
	Steps []v1beta1.Step
	// Speed of the CPU, and the reference that the result is converted to; nil if both
	// are unknown.
	Speed *v1beta1.TrialSpeed
	// Capacity is nil if the load has none.
	Capacity *v1beta1.Capacity
	// Evidence for the numbers.
	Evidence *v1beta1.Evidence
	// UnderWay of the reported step; nil if the handover had no room for it.
	UnderWay []int32
}

// Judge judges a run. It never fails: a missing number is nil in the result, and a reason
// says why.
func Judge(in Input) Judgement { return judge(in, simulated(in.Spec, in.Calibration)) }

func judge(in Input, newModel modelOf) Judgement {
	t := newTrial(in, newModel)
	status := v1beta1.SizingTrialStatus{Calibration: &in.Calibration, Speed: t.speedStatus(), Steps: t.facts()}
	result := t.row()
	status.Result = &result
	t.decision = decisionOn(in.Spec, &status, newModel)
	t.decision.disturbed = len(ofSteps(belowCPUBound)(t)) > 0
	t.decided = t.decision.decide(&result)
	result.Reasons = Foremost(t.findings())
	result.Verdict = worst(result.Reasons)
	return Judgement{
		Result:   result,
		Steps:    status.Steps,
		Speed:    status.Speed,
		Capacity: t.decided.api,
		Evidence: t.evidence(),
		UnderWay: underWay(in.Run.UnderWay),
	}
}

// Foremost returns the reasons in their order without those that the API has no room for: first it
// leaves out those that only explain, and then those that make a result Suspect.
func Foremost(reasons []v1beta1.Reason) []v1beta1.Reason {
	kept := slices.Clone(reasons)
	slices.SortStableFunc(kept, func(a, b v1beta1.Reason) int { return cmp.Compare(gravity(b), gravity(a)) })
	kept = kept[:min(len(kept), v1beta1.MaxReasons)]
	return slices.DeleteFunc(reasons, func(r v1beta1.Reason) bool { return !slices.Contains(kept, r) })
}

func gravity(r v1beta1.Reason) int {
	return slices.Index([]v1beta1.Verdict{v1beta1.VerdictSuspect, v1beta1.VerdictInvalid}, r.Verdict)
}

// passing are the reasons for an Invalid result that may be gone a little later: other work on the service's CPUs, or a
// generator that could not keep up.
var passing = []string{
	v1beta1.ReasonNoisyNeighbour, v1beta1.ReasonSharedNode,
	v1beta1.ReasonGeneratorSaturated, v1beta1.ReasonGeneratorThrottled, v1beta1.ReasonRateNotAchieved,
}

// Disturbed reports whether a result is Invalid for a reason that may pass, so that another attempt can succeed.
func Disturbed(result v1beta1.VariantResult) bool {
	return slices.ContainsFunc(result.Reasons, func(r v1beta1.Reason) bool {
		return r.Verdict == v1beta1.VerdictInvalid && slices.Contains(passing, r.Type)
	})
}

func worst(reasons []v1beta1.Reason) v1beta1.Verdict {
	verdict := v1beta1.VerdictValid
	for _, r := range reasons {
		switch {
		case r.Verdict == v1beta1.VerdictInvalid:
			return v1beta1.VerdictInvalid
		case r.Verdict == v1beta1.VerdictSuspect:
			verdict = v1beta1.VerdictSuspect
		}
	}
	return verdict
}

// row returns the trial's row without what follows from the objective or the checks.
func (t *trial) row() v1beta1.VariantResult {
	variant := t.Spec.Variant
	row := v1beta1.VariantResult{
		Variant: variant.Name, Hash: variant.Hash, CPULimit: variant.CPULimit,
		Calibration:                 ptr.To(t.calibration.CalibrationResult),
		Speed:                       t.rowSpeed(),
		BoundMilliPerSecond:         ptr.To(t.bound),
		MaxThroughputMilliPerSecond: t.maximum,
		Trials:                      1,
		Companions:                  t.Run.Companions,
	}
	if variant.NodePool != nil {
		row.NodePool = variant.NodePool.Name
	}
	for _, pod := range t.Run.Services {
		if pod.MemoryPeakKiB > 0 {
			row.MemoryPeakBytes = ptr.To(max(ptr.Deref(row.MemoryPeakBytes, 0), 1024*int64(pod.MemoryPeakKiB)))
		}
	}
	if t.reported != nil {
		t.reported.fill(&row)
	}
	return row
}

// throughputAtNominal returns the step's throughput at the reference speed. For a step that
// the service kept up with, it is the served share of the nominal rate.
func (s *step) throughputAtNominal() *int64 {
	if s.Kind != loadplan.Open || s.overloaded || s.result.ThroughputMilliPerSecond == nil || s.OfferedMilliPerSecond <= 0 {
		return s.throughput()
	}
	served := float64(*s.result.ThroughputMilliPerSecond) / float64(s.OfferedMilliPerSecond)
	return ptr.To(int64(math.Round(served * float64(s.nominal))))
}

func (s *step) fill(row *v1beta1.VariantResult) {
	row.ReportedLoadPerMille = s.fact.PlannedLoadPerMille
	row.Users, row.ThroughputMilliPerSecond = s.fact.Users, s.throughputAtNominal()
	if s.Kind == loadplan.Open {
		row.OfferedMilliPerSecond = ptr.To(s.nominal)
	}
	if at := s.fact.AtReference; at != nil {
		row.P50Microseconds, row.P50Interval = at.P50Microseconds, at.P50Interval
		row.P95Microseconds, row.P95Interval = at.P95Microseconds, at.P95Interval
		row.P99Microseconds, row.P99Interval = at.P99Microseconds, at.P99Interval
	}
	row.Samples, row.Alive = ptr.To(s.result.OK), s.fact.Alive
	if service := s.result.Service; service != nil && service.Periods > 0 {
		row.ThrottledPerMille = perMille(min(1, float64(service.ThrottledPeriods)/float64(service.Periods)))
	}
}
