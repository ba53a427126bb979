package verdict

import (
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// Input is everything that Judge needs.
type Input struct {
	// Spec is the trial's plan.
	Spec v1alpha1.SizingTrialSpec
	// Calibration of the variant.
	Calibration v1alpha1.TrialCalibration
	// Plan is the load that the generator ran.
	Plan loadplan.Plan
	// Run is the generator's handover.
	Run measurement.Run
	// Reference is the reference speed of the node pool. If it is unknown, it is taken from
	// the trial's own windows.
	Reference speed.Reference
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
	Result v1alpha1.VariantResult
	// Steps in the order in which they ran, followed by those that were left out.
	Steps []v1alpha1.Step
	// Speed of the CPU, and the reference that the result is converted to; nil if both
	// are unknown.
	Speed *v1alpha1.TrialSpeed
	// Capacity is nil if the load mode has none.
	Capacity *v1alpha1.Capacity
	// Evidence for the numbers.
	Evidence *v1alpha1.Evidence
	// Distribution and UnderWay of the reported step; nil if the handover had no room for
	// them.
	Distribution *v1alpha1.Distribution
	UnderWay     []int32
}

// Judge judges a run. It never fails: a missing number is nil in the result, and a reason
// says why.
func Judge(in Input) Judgement { return judge(in, simulated(in)) }

// judge judges a run with the given model of the service.
func judge(in Input, newModel modelOf) Judgement {
	t := newTrial(in, newModel)
	reasons := t.findings()
	result := t.row()
	result.Verdict = worst(reasons)
	result.Reasons = reasons
	return Judgement{
		Result:       result,
		Steps:        t.apiSteps(),
		Speed:        t.speedStatus(),
		Capacity:     t.capacity.api,
		Evidence:     t.evidence(),
		Distribution: distribution(in.Run.Histogram),
		UnderWay:     underWay(in.Run.UnderWay),
	}
}

// InvalidByGenerator reports whether a result is Invalid because of the load generator. Such
// a result says nothing about the service, and another attempt can succeed.
func InvalidByGenerator(result v1alpha1.VariantResult) bool {
	return slices.ContainsFunc(result.Reasons, func(r v1alpha1.Reason) bool {
		return r.Verdict == v1alpha1.VerdictInvalid &&
			(r.Type == v1alpha1.ReasonGeneratorSaturated || r.Type == v1alpha1.ReasonGeneratorThrottled || r.Type == v1alpha1.ReasonRateNotAchieved)
	})
}

// worst returns the verdict that follows from the reasons.
func worst(reasons []v1alpha1.Reason) v1alpha1.Verdict {
	verdict := v1alpha1.VerdictValid
	for _, r := range reasons {
		switch {
		case r.Verdict == v1alpha1.VerdictInvalid:
			return v1alpha1.VerdictInvalid
		case r.Verdict == v1alpha1.VerdictSuspect:
			verdict = v1alpha1.VerdictSuspect
		}
	}
	return verdict
}

// row returns the trial's row without its verdict.
func (t *trial) row() v1alpha1.VariantResult {
	variant := t.Spec.Variant
	row := v1alpha1.VariantResult{
		Variant: variant.Name, Algorithm: variant.Algorithm, Cost: variant.Cost, Control: variant.Control, CPULimit: variant.CPULimit,
		Calibration:                 ptr.To(t.calibration.CalibrationResult),
		Speed:                       t.rowSpeed(),
		BoundMilliPerSecond:         ptr.To(t.bound),
		MaxThroughputMilliPerSecond: t.maximum,
		ObjectiveMet:                t.objectiveMet(),
		Trials:                      1,
	}
	if variant.NodePool != nil {
		row.NodePool = variant.NodePool.Name
	}
	if peak := t.memoryPeak(); peak > 0 {
		row.MemoryPeakBytes = &peak
	}
	t.fillCapacity(&row)
	if t.reported != nil {
		t.reported.fill(&row)
	}
	return row
}

// fillCapacity writes the capacity and its method into the row.
func (t *trial) fillCapacity(row *v1alpha1.VariantResult) {
	c := t.capacity.api
	if c == nil || c.MilliPerSecond == nil {
		return
	}
	row.CapacityMilliPerSecond, row.CapacityInterval, row.CapacityMethod = c.MilliPerSecond, c.Interval, c.Method
	if c.Method == v1alpha1.CapacityMeasured {
		row.CapacityIsLowerBound = ptr.To(*c.MilliPerSecond == t.highestOffered())
	}
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

// fill writes the reported step's numbers into the row.
func (s *step) fill(row *v1alpha1.VariantResult) {
	api := s.api()
	row.ReportedLoadPercent = api.LoadPercent
	row.Users, row.ThroughputMilliPerSecond = api.Users, s.throughputAtNominal()
	if s.Kind == loadplan.Open {
		row.OfferedMilliPerSecond = ptr.To(s.nominal)
	}
	if !s.overloaded {
		row.P50Microseconds, row.P50Interval = s.latency[q50].atReference(), s.interval(q50)
		row.P95Microseconds, row.P95Interval = s.p95(), s.interval(q95)
		row.P99Microseconds, row.P99Interval = s.latency[q99].atReference(), s.interval(q99)
	}
	row.Samples, row.Alive = ptr.To(s.result.OK), api.Alive
	if s.failures.logins > 0 {
		row.Failures = s.failures.api()
	}
	if service := s.result.Service; service != nil && service.Periods > 0 {
		share := 100 * float64(service.ThrottledPeriods) / float64(service.Periods)
		row.ThrottledPercent = ptr.To(min(100, int32(share+0.5)))
	}
}
