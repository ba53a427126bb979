package results

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// ExperimentDisplay returns the columns of an experiment: the recommended size and the
// numbers of its row or prediction. If nothing is recommended, the numbers are those of the
// Best row, or blank if there is none. With a demand, P95 is only that at the demanded rate.
func ExperimentDisplay(demand *v1beta1.Demand, status *v1beta1.SizingExperimentStatus) v1beta1.ExperimentDisplay {
	shown := v1beta1.ExperimentDisplay{Recommended: Recommended(status.Recommendation), Verified: verified(status), Speed: Speed(status.Speed)}
	if progress := status.Progress; progress != nil {
		shown.Trials = fmt.Sprintf("%d/%d", progress.Finished, progress.Trials)
	}
	best := recommendedRow(status)
	if best == nil {
		best = Best(status.Results)
	}
	if best == nil {
		return shown
	}
	shown.Variant = best.Variant
	shown.StepP50, shown.StepP99 = units.Latency(best.P50Microseconds), units.Latency(best.P99Microseconds)
	shown.StepP95, shown.Capacity = units.Latency(best.P95Microseconds), Capacity(best)
	shown.Throughput = units.Rate(best.MaxThroughputMilliPerSecond)
	if shown.P95 = shown.StepP95; demand != nil {
		shown.P95 = demandedP95(status)
	}
	return shown
}

// demandedP95 returns p95 of the recommended size at the demanded rate, as text: measured by its
// verification, such as "118ms", or else predicted, such as "~120ms".
func demandedP95(status *v1beta1.SizingExperimentStatus) string {
	r := status.Recommendation
	if r == nil || r.Variant == "" {
		return ""
	}
	for _, v := range slices.Backward(status.Verifications) {
		if r.Verified != "" && v.Variant == r.Variant && v.Replicas == r.Replicas && v.P95Microseconds != nil {
			return units.Latency(v.P95Microseconds)
		}
	}
	if r.P95Microseconds == nil {
		return ""
	}
	return "~" + units.Latency(r.P95Microseconds)
}

// Recommended returns the recommended size as text, such as 2×c10-500m, or "none". It returns ""
// before the end and without a demand.
func Recommended(r *v1beta1.Recommendation) string {
	switch {
	case r == nil:
		return ""
	case r.Variant == "":
		return "none"
	default:
		return units.Size(r.Replicas, r.Variant)
	}
}

// recommendedRow returns the row of the recommended variant, or nil if nothing is recommended.
// A predicted variant has no row. For it, the result has only the predicted capacity.
func recommendedRow(status *v1beta1.SizingExperimentStatus) *v1beta1.VariantResult {
	if status.Recommendation == nil || status.Recommendation.Variant == "" {
		return nil
	}
	name := status.Recommendation.Variant
	for i := range status.Results {
		if status.Results[i].Variant == name {
			return &status.Results[i]
		}
	}
	for i := range status.Predictions {
		if p := &status.Predictions[i]; p.Variant == name {
			return &v1beta1.VariantResult{
				Variant: name, CapacityMilliPerSecond: p.CapacityMilliPerSecond, CapacityMethod: v1beta1.CapacityPredicted,
			}
		}
	}
	return nil
}

// Best returns the row of the highest cost that met the objective. Among rows of the same
// cost it prefers a Valid one, and then the one with the highest capacity. It returns nil if
// no row met the objective.
func Best(rows []v1beta1.VariantResult) *v1beta1.VariantResult {
	var best *v1beta1.VariantResult
	for i := range rows {
		r := &rows[i]
		usable := r.Verdict == v1beta1.VerdictValid || r.Verdict == v1beta1.VerdictSuspect
		if usable && r.ObjectiveMet != nil && *r.ObjectiveMet && (best == nil || better(r, best)) {
			best = r
		}
	}
	return best
}

func better(a, b *v1beta1.VariantResult) bool {
	switch {
	case a.Hash.Cost() != b.Hash.Cost():
		return a.Hash.Cost() > b.Hash.Cost()
	case a.Verdict != b.Verdict:
		return a.Verdict == v1beta1.VerdictValid
	default:
		return ptr.Deref(a.CapacityMilliPerSecond, 0) > ptr.Deref(b.CapacityMilliPerSecond, 0)
	}
}

// TrialDisplay returns the columns of a trial.
func TrialDisplay(trial *v1beta1.SizingTrial) v1beta1.TrialDisplay {
	shown := v1beta1.TrialDisplay{Concurrency: Concurrency(trial.Spec.Variant.Concurrency), Reason: trial.Status.Reason}
	if evidence := trial.Status.Evidence; evidence != nil {
		shown.Node = strings.Join(evidence.ServiceNodes, ",")
	}
	calibration := trial.Status.Calibration
	if trial.Status.Result != nil && calibration != nil && trial.Status.Speed != nil {
		atReference := speed.At(*calibration, float64(trial.Status.Speed.ReferenceHashMicrosecondsAtCost8))
		calibration = &atReference
	}
	if calibration != nil {
		shown.Hash = units.Latency(&calibration.HashMicroseconds) + " ± " + units.Latency(&calibration.ErrorMicroseconds)
	}
	result := trial.Status.Result
	if result == nil {
		return shown
	}
	shown.P50, shown.P99 = units.Latency(result.P50Microseconds), units.Latency(result.P99Microseconds)
	shown.Rate, shown.P95 = units.Rate(result.OfferedMilliPerSecond), units.Latency(result.P95Microseconds)
	if result.Users != nil {
		shown.Rate = fmt.Sprintf("%d users", *result.Users)
	}
	shown.Capacity, shown.Throughput = Capacity(result), units.Rate(result.MaxThroughputMilliPerSecond)
	shown.Verdict = string(result.Verdict)
	shown.Reason = strings.Join(ReasonTypes(result.Reasons), ",")
	return shown
}

// ReasonTypes returns the types of reasons.
func ReasonTypes(reasons []v1beta1.Reason) []string {
	types := make([]string, len(reasons))
	for i, r := range reasons {
		types[i] = r.Type
	}
	return types
}

// Causes returns the types of the reasons that cause a verdict, without those that only explain.
func Causes(reasons []v1beta1.Reason) []string {
	return ReasonTypes(slices.DeleteFunc(slices.Clone(reasons), func(r v1beta1.Reason) bool { return r.Verdict == "" }))
}

// Speed returns text such as "-7/+9 %": the time per hash, relative to the reference, in the
// fastest and the slowest tenth of the time. With several node pools it is the widest range.
func Speed(pools []v1beta1.PoolSpeed) string {
	if len(pools) == 0 {
		return ""
	}
	low, high := pools[0].LowPerMille, pools[0].HighPerMille
	for _, pool := range pools {
		low, high = min(low, pool.LowPerMille), max(high, pool.HighPerMille)
	}
	return fmt.Sprintf("-%s/+%s %%", units.Number(float64(max(0, 1000-low))/10), units.Number(float64(max(0, high-1000))/10))
}

// Concurrency returns text such as "pool 1", "pool 2 queue 64" or "unbounded".
func Concurrency(c v1beta1.Concurrency) string {
	if c.Mode == v1beta1.ConcurrencyUnbounded {
		return "unbounded"
	}
	text := "pool"
	if c.Workers != nil {
		text += " " + strconv.Itoa(int(*c.Workers))
	}
	if c.QueueLength != nil {
		text += " queue " + strconv.Itoa(int(*c.QueueLength))
	}
	return text
}

// Capacity returns text such as "5.5/s", ">5.5/s" if the capacity is a lower bound, or
// "~5.5/s" if it was predicted and not measured.
func Capacity(r *v1beta1.VariantResult) string {
	text := units.Rate(r.CapacityMilliPerSecond)
	switch {
	case text == "":
		return ""
	case r.CapacityIsLowerBound != nil && *r.CapacityIsLowerBound:
		return ">" + text
	case r.CapacityMethod == v1beta1.CapacityPredicted:
		return "~" + text
	default:
		return text
	}
}
