package summary

import (
	"cmp"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// Results is a row for each variant, in the matrix's order, from acceptance on.
// Each but the baseline's tells how it differs from that; without a baseline,
// its name is empty.
func Results(variants []v1alpha1.Variant, trials []v1alpha1.SizingTrial, baseline string) []v1alpha1.VariantResult {
	results := together(trials)
	base := repetitions(baseline, trials, results)
	rows := make([]v1alpha1.VariantResult, 0, len(variants))
	for _, variant := range variants {
		r := row(variant, trials, results)
		if variant.Name != baseline {
			r.Comparison = compare(repetitions(variant.Name, trials, results), base, baseline)
		}
		rows = append(rows, r)
	}
	return rows
}

// row gathers the trials of a variant, each with its result. Without one it says
// why, as far as that is known.
func row(variant v1alpha1.Variant, trials []v1alpha1.SizingTrial, results []*v1alpha1.VariantResult) v1alpha1.VariantResult {
	r := v1alpha1.VariantResult{
		Variant: variant.Name, Algorithm: variant.Algorithm, Cost: variant.Cost, Control: variant.Control, CPULimit: variant.CPULimit,
		Verdict: v1alpha1.VerdictPending,
	}
	if variant.NodePool != nil {
		r.NodePool = variant.NodePool.Name
	}
	var measured []*v1alpha1.VariantResult
	open := false
	for i := range trials {
		trial := &trials[i]
		switch {
		case trial.Spec.Variant.Name != variant.Name:
		case results[i] != nil:
			measured = append(measured, results[i])
		case trial.Status.Phase == v1alpha1.TrialFailed:
			r.Reasons = addReason(r.Reasons, failure(trial))
		default:
			open = true
		}
	}
	switch {
	case len(measured) > 0:
		merge(&r, measured)
	case len(r.Reasons) > 0 && !open:
		// Nothing is to come any more: there is nothing here that may be believed.
		r.Verdict = v1alpha1.VerdictInvalid
	}
	r.Reasons = append(r.Reasons, cpuUnused(variant, r.Verdict)...)
	return r
}

// cpuUnused tells of a CPU limit that the variant's workers can't use. What is Invalid
// has no price that could be lower.
func cpuUnused(variant v1alpha1.Variant, verdict v1alpha1.Verdict) []v1alpha1.Reason {
	unused := matrix.Unused(variant)
	if unused == "" || verdict == v1alpha1.VerdictInvalid {
		return nil
	}
	return []v1alpha1.Reason{{Type: matrix.CPUUnused, Message: clip(unused)}}
}

// failure is why a trial has no result, as a reason of its row.
func failure(trial *v1alpha1.SizingTrial) v1alpha1.Reason {
	return v1alpha1.Reason{Type: trial.Status.Reason, Message: clip(trial.Status.Message)}
}

// clip keeps a message within the API's bound for reasons.
func clip(message string) string {
	const most = 500
	if runes := []rune(message); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return message
}

// merge fills a row from the results of its repetitions. The numbers come from
// those that are not Invalid, unless all are.
func merge(r *v1alpha1.VariantResult, measured []*v1alpha1.VariantResult) {
	from := usable(measured)
	if len(from) == 0 {
		from = measured
	}
	r.Verdict = v1alpha1.VerdictValid
	for _, m := range measured {
		r.Verdict = worse(r.Verdict, m.Verdict)
		for _, reason := range m.Reasons {
			r.Reasons = addReason(r.Reasons, reason)
		}
	}
	r.Trials = int32(len(measured))
	mergeNumbers(r, from)
	r.Spread = spread(from)
}

// mergeNumbers takes the median of each number over those that have it. Of an even
// number of repetitions it takes the less favourable of the two in the middle: the
// longer latency and time of a hash, the lower rate. The lower of two latencies would
// be the smallest, which flatters. What belongs together comes from one trial: p95
// with its interval, the calibration with its error, the capacity with its interval,
// with how it was decided, and with whether it meets the objective. Intervals then
// hold the scatter of the repetitions, too. Of the memory it takes the largest peak: a
// limit must hold for all.
func mergeNumbers(r *v1alpha1.VariantResult, from []*v1alpha1.VariantResult) {
	typical := upperMedian(from, p95)
	if typical == nil {
		typical = from[0]
	}
	if calibrated := upperMedian(from, hashTime); calibrated != nil {
		r.Calibration = calibrated.Calibration
	}
	r.Speed = mergeSpeeds(from)
	r.ReportedLoadPercent, r.OfferedMilliPerSecond, r.Users = typical.ReportedLoadPercent, typical.OfferedMilliPerSecond, typical.Users
	r.P95Microseconds, r.Samples = typical.P95Microseconds, typical.Samples
	r.P50Microseconds, r.P99Microseconds = typical.P50Microseconds, typical.P99Microseconds
	r.P50Interval = scatteredLatency(typical.P50Interval, typical, from, p50)
	r.P95Interval = scatteredLatency(typical.P95Interval, typical, from, p95)
	r.P99Interval = scatteredLatency(typical.P99Interval, typical, from, p99)
	r.ThrottledPercent, r.ThroughputMilliPerSecond = typical.ThrottledPercent, typical.ThroughputMilliPerSecond
	r.Failures = allFailures(from)
	answer := medianAnswer(from)
	r.ObjectiveMet, r.CapacityIsLowerBound = answer.ObjectiveMet, answer.CapacityIsLowerBound
	r.CapacityMilliPerSecond, r.CapacityMethod = answer.CapacityMilliPerSecond, answer.CapacityMethod
	r.CapacityInterval = scatteredRate(answer, from)
	r.BoundMilliPerSecond = medianOf(from, func(m *v1alpha1.VariantResult) *int64 { return m.BoundMilliPerSecond })
	r.MaxThroughputMilliPerSecond = medianOf(from, maximum)
	if most := sorted(from, memoryPeak); len(most) > 0 {
		r.MemoryPeakBytes = memoryPeak(most[len(most)-1])
	}
}

func memoryPeak(m *v1alpha1.VariantResult) *int64 { return m.MemoryPeakBytes }

func hashTime(m *v1alpha1.VariantResult) *int64 {
	if m.Calibration == nil {
		return nil
	}
	return &m.Calibration.HashMicroseconds
}

// median is the result whose number is the lower median, nil when none has it.
func median(from []*v1alpha1.VariantResult, of figure) *v1alpha1.VariantResult {
	if with := sorted(from, of); len(with) > 0 {
		return with[(len(with)-1)/2]
	}
	return nil
}

// upperMedian is the one whose number is the upper median.
func upperMedian(from []*v1alpha1.VariantResult, of figure) *v1alpha1.VariantResult {
	if with := sorted(from, of); len(with) > 0 {
		return with[len(with)/2]
	}
	return nil
}

// sorted are the results that have a number, from low to high.
func sorted(from []*v1alpha1.VariantResult, of figure) []*v1alpha1.VariantResult {
	with := slices.DeleteFunc(slices.Clone(from), func(m *v1alpha1.VariantResult) bool { return of(m) == nil })
	slices.SortStableFunc(with, func(a, b *v1alpha1.VariantResult) int { return cmp.Compare(*of(a), *of(b)) })
	return with
}

// medianAnswer is the result whose answer to the question is the lower median:
// a repetition that met the objective nowhere counts as below every capacity,
// or a variant that fails two times in three would show what it held once.
func medianAnswer(from []*v1alpha1.VariantResult) *v1alpha1.VariantResult {
	sorted := slices.Clone(from)
	slices.SortStableFunc(sorted, func(a, b *v1alpha1.VariantResult) int {
		return cmp.Or(cmp.Compare(metRank(a), metRank(b)), cmp.Compare(orZero(a.CapacityMilliPerSecond), orZero(b.CapacityMilliPerSecond)))
	})
	return sorted[(len(sorted)-1)/2]
}

// metRank orders answers: not met, not decided, met.
func metRank(r *v1alpha1.VariantResult) int {
	switch {
	case r.ObjectiveMet == nil:
		return 1
	case *r.ObjectiveMet:
		return 2
	default:
		return 0
	}
}

func medianOf(from []*v1alpha1.VariantResult, of figure) *int64 {
	if m := median(from, of); m != nil {
		return of(m)
	}
	return nil
}

// rank orders verdicts from good to bad.
func rank(v v1alpha1.Verdict) int {
	return slices.Index([]v1alpha1.Verdict{v1alpha1.VerdictPending, v1alpha1.VerdictValid, v1alpha1.VerdictSuspect, v1alpha1.VerdictInvalid}, v)
}

func worse(a, b v1alpha1.Verdict) v1alpha1.Verdict {
	if rank(b) > rank(a) {
		return b
	}
	return a
}

// addReason keeps one reason of each type, the worst.
func addReason(reasons []v1alpha1.Reason, more v1alpha1.Reason) []v1alpha1.Reason {
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

// allFailures are those of all repetitions together; nil where none has any logins.
func allFailures(from []*v1alpha1.VariantResult) *v1alpha1.Failures {
	var all v1alpha1.Failures
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
