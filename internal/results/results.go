package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Results returns a row for each variant, in the matrix's order, also before anything is
// measured. Each row except the baseline's has its difference from the baseline. An empty name
// means that there is no baseline.
func Results(variants []v1beta1.Variant, trials []v1beta1.SizingTrial, baseline string) []v1beta1.VariantResult {
	measured := map[string][]*v1beta1.VariantResult{}
	for i, result := range together(trials) {
		if name := trials[i].Spec.Variant.Name; result != nil && trials[i].Spec.Role != v1beta1.RoleCalibration {
			measured[name] = append(measured[name], result)
		}
	}
	rows := make([]v1beta1.VariantResult, 0, len(variants))
	for _, variant := range variants {
		r := row(variant, trials, measured[variant.Name])
		if variant.Name != baseline {
			r.Comparison = compare(usable(measured[variant.Name]), usable(measured[baseline]), baseline)
		}
		rows = append(rows, r)
	}
	return rows
}

// row returns the row of a variant from all trials and the results of its own. If there is no
// result, its reasons say why, if that is known.
func row(variant v1beta1.Variant, trials []v1beta1.SizingTrial, measured []*v1beta1.VariantResult) v1beta1.VariantResult {
	reasons, open := failed(variant, trials)
	r := v1beta1.VariantResult{Verdict: v1beta1.VerdictPending}
	switch {
	case len(measured) > 0:
		r = merged(measured)
	case len(reasons) > 0 && !open:
		// No more trials follow, and none has a result.
		r.Verdict = v1beta1.VerdictInvalid
	}
	for _, m := range measured {
		for _, reason := range m.Reasons {
			reasons = addReason(reasons, reason)
		}
	}
	reasons = append(reasons, disturbed(variant, trials)...)
	r.Variant, r.Hash = variant.Name, variant.Hash
	r.CPULimit, r.NodePool = variant.CPULimit, speed.NodePool(variant)
	r.Reasons = verdict.Foremost(append(reasons, cpuUnused(variant, r.Verdict)...))
	return r
}

// failed returns why trials of a variant have no result, and whether others can still have one.
func failed(variant v1beta1.Variant, trials []v1beta1.SizingTrial) (reasons []v1beta1.Reason, open bool) {
	for i := range trials {
		switch trial := &trials[i]; {
		case trial.Spec.Variant.Name != variant.Name || trial.Spec.Role == v1beta1.RoleCalibration || trial.Status.Result != nil:
		case trial.Status.Phase == v1beta1.TrialFailed:
			reasons = addReason(reasons, v1beta1.Reason{Type: trial.Status.Reason, Message: units.Clip(trial.Status.Message, v1beta1.MaxReasonMessage)})
		default:
			open = true
		}
	}
	return reasons, open
}

// disturbed returns a reason that says how many attempts at a variant were disturbed and measured again.
func disturbed(variant v1beta1.Variant, trials []v1beta1.SizingTrial) []v1beta1.Reason {
	attempts, last := 0, ""
	for i := range trials {
		for _, attempt := range trials[i].Status.Attempts {
			if trials[i].Spec.Variant.Name == variant.Name && attempt.Outcome == v1beta1.OutcomeInvalid {
				attempts, last = attempts+1, attempt.Reason
			}
		}
	}
	if attempts == 0 {
		return nil
	}
	return []v1beta1.Reason{{Type: v1beta1.ReasonDisturbed, Message: fmt.Sprintf("%s disturbed and measured again, the last one by %s", wereAttempts(attempts), last)}}
}

func wereAttempts(n int) string {
	if n == 1 {
		return "1 attempt was"
	}
	return fmt.Sprintf("%d attempts were", n)
}

// cpuUnused returns a reason if the variant's workers can't use its CPU limit. An Invalid row
// has no price that could be lower, so it gets none.
func cpuUnused(variant v1beta1.Variant, verdict v1beta1.Verdict) []v1beta1.Reason {
	unused := matrix.Unused(variant)
	if unused == "" || verdict == v1beta1.VerdictInvalid {
		return nil
	}
	return []v1beta1.Reason{{Type: v1beta1.ReasonCPUUnused, Message: units.Clip(unused, v1beta1.MaxReasonMessage)}}
}

// merged returns the row of repetitions, without its reasons. The numbers come from those that
// are not Invalid, unless all are. Each is the figure's median; those that belong together, such
// as p95 and its interval, come from one repetition. Intervals also include the scatter of the
// repetitions.
func merged(measured []*v1beta1.VariantResult) v1beta1.VariantResult {
	from := usable(measured)
	if len(from) == 0 {
		from = measured
	}
	r := *cmp.Or(LatencyP95.typical(from), from[0]).DeepCopy()
	r.Verdict, r.Trials = v1beta1.VerdictValid, int32(len(measured))
	for _, m := range measured {
		r.Verdict = worse(r.Verdict, m.Verdict)
	}
	if calibrated := TimeOfHash.typical(from); calibrated != nil {
		r.Calibration = calibrated.Calibration
	}
	r.Speed, r.Failures = mergeSpeeds(from), allFailures(from)
	r.Alive = slices.MaxFunc(from, byLiveness).Alive
	decided := medianCapacity(from)
	r.ObjectiveMet, r.CapacityIsLowerBound = decided.ObjectiveMet, decided.CapacityIsLowerBound
	r.CapacityMilliPerSecond, r.CapacityMethod = decided.CapacityMilliPerSecond, decided.CapacityMethod
	r.CapacityInterval = decided.CapacityInterval.DeepCopy()
	r.BoundMilliPerSecond, r.MaxThroughputMilliPerSecond = boundRate.over(from), MaximumRate.over(from)
	r.MemoryPeakBytes = memoryPeak.over(from)
	for _, f := range []Figure{LatencyP50, LatencyP95, LatencyP99, CapacityRate} {
		f.widen(&r, scatterOf(from, f))
	}
	r.Spread = spread(from)
	return r
}

// byLiveness compares how pods answered liveness probes, the worse last. A p95 that is absent,
// because probes failed, is the longest.
func byLiveness(a, b *v1beta1.VariantResult) int {
	failed := func(m *v1beta1.VariantResult) int64 {
		if m.Alive == nil {
			return -1
		}
		return m.Alive.Failed
	}
	p95 := func(m *v1beta1.VariantResult) int64 {
		if m.Alive == nil {
			return 0
		}
		return ptr.Deref(m.Alive.P95Microseconds, math.MaxInt64)
	}
	return cmp.Or(cmp.Compare(failed(a), failed(b)), cmp.Compare(p95(a), p95(b)))
}

// medianCapacity returns the result with the lower median of the capacity. A repetition that
// met the objective at no rate counts as below every capacity. Otherwise a variant that fails
// two times in three would show the one capacity that it reached.
func medianCapacity(from []*v1beta1.VariantResult) *v1beta1.VariantResult {
	return measurement.LowerMedian(from, func(a, b *v1beta1.VariantResult) int {
		return cmp.Or(cmp.Compare(metRank(a), metRank(b)), cmp.Compare(ptr.Deref(a.CapacityMilliPerSecond, 0), ptr.Deref(b.CapacityMilliPerSecond, 0)))
	})
}

// metRank orders results: not met, undecided, met.
func metRank(r *v1beta1.VariantResult) int {
	switch {
	case r.ObjectiveMet == nil:
		return 1
	case *r.ObjectiveMet:
		return 2
	default:
		return 0
	}
}

// rank orders verdicts from good to bad.
func rank(v v1beta1.Verdict) int {
	return slices.Index([]v1beta1.Verdict{v1beta1.VerdictPending, v1beta1.VerdictValid, v1beta1.VerdictSuspect, v1beta1.VerdictInvalid}, v)
}

func worse(a, b v1beta1.Verdict) v1beta1.Verdict {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// addReason keeps one reason of each type, the worst.
func addReason(reasons []v1beta1.Reason, more v1beta1.Reason) []v1beta1.Reason {
	for i := range reasons {
		if reasons[i].Type == more.Type {
			if rank(more.Verdict) > rank(reasons[i].Verdict) {
				reasons[i] = more
			}
			return reasons
		}
	}
	return append(reasons, more)
}

// allFailures returns the failures of all repetitions together, or nil if none has any logins.
func allFailures(from []*v1beta1.VariantResult) *v1beta1.Failures {
	var all v1beta1.Failures
	for _, m := range from {
		if m.Failures != nil {
			all.Logins += m.Failures.Logins
			all.Failed += m.Failures.Failed
		}
	}
	if all.Logins == 0 {
		return nil
	}
	all.AtMostPerMillion = int64(math.Ceil(1e6 * measurement.AtMost(all.Failed, all.Logins)))
	return &all
}

// together returns the trials' results, in the trials' order, with the reasons that only all
// trials together show. A trial without a result has nil. The trials are not changed.
func together(trials []v1beta1.SizingTrial) []*v1beta1.VariantResult {
	results := make([]*v1beta1.VariantResult, len(trials))
	for i, reasons := range verdict.Across(trials) {
		own := trials[i].Status.Result
		if own == nil {
			continue
		}
		result := own.DeepCopy()
		for _, reason := range reasons {
			result.Verdict = worse(result.Verdict, reason.Verdict)
			result.Reasons = addReason(result.Reasons, reason)
		}
		results[i] = result
	}
	return results
}

// CostFits returns how the hash time grows with the cost, one line for each node pool with two
// costs or more.
func CostFits(trials []v1beta1.SizingTrial) []v1beta1.CostFit {
	var fits []v1beta1.CostFit
	for _, pool := range model.Of(trials) {
		fits = append(fits, pool.API())
	}
	return fits
}
