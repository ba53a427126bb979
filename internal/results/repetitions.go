package results

import (
	"cmp"
	"maps"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// figure returns one of the numbers by which repetitions are compared, or nil if a result
// does not have it.
type figure func(*v1alpha1.VariantResult) *int64

func p50(r *v1alpha1.VariantResult) *int64 { return r.P50Microseconds }
func p95(r *v1alpha1.VariantResult) *int64 { return r.P95Microseconds }
func p99(r *v1alpha1.VariantResult) *int64 { return r.P99Microseconds }

// CapacityOrZero returns the capacity, or 0 for a result that met the objective at no rate. Such a
// result is below every capacity, and must not be left out as if it were unknown.
func CapacityOrZero(r *v1alpha1.VariantResult) *int64 {
	if r.CapacityMilliPerSecond == nil && r.ObjectiveMet != nil && !*r.ObjectiveMet {
		return new(int64)
	}
	return r.CapacityMilliPerSecond
}

func maximum(r *v1alpha1.VariantResult) *int64 { return r.MaxThroughputMilliPerSecond }

// values returns a number of all results that have it.
func values(from []*v1alpha1.VariantResult, get figure) []int64 {
	var all []int64
	for _, r := range from {
		if n := get(r); n != nil {
			all = append(all, *n)
		}
	}
	return all
}

// usable returns the results without the Invalid ones.
func usable(results []*v1alpha1.VariantResult) []*v1alpha1.VariantResult {
	return slices.DeleteFunc(slices.Clone(results), func(r *v1alpha1.VariantResult) bool {
		return r.Verdict == v1alpha1.VerdictInvalid
	})
}

// spread returns the range of each number over the repetitions, or nil if no number has two
// values.
func spread(from []*v1alpha1.VariantResult) *v1alpha1.Spread {
	s := v1alpha1.Spread{
		P95PerMille: rangeOf(from, p95), CapacityPerMille: rangeOf(from, CapacityOrZero), MaxThroughputPerMille: rangeOf(from, maximum),
	}
	if s == (v1alpha1.Spread{}) {
		return nil
	}
	return &s
}

// rangeOf returns largest − smallest in thousandths of the median.
func rangeOf(from []*v1alpha1.VariantResult, get figure) *int64 {
	all := values(from, get)
	if len(all) < 2 {
		return nil
	}
	median := measurement.LowerMedian(all, cmp.Compare[int64])
	if median <= 0 {
		return nil
	}
	share := PerMille(slices.Max(all)-slices.Min(all), float64(median))
	return &share
}

// repetitions returns a variant's usable results by the number of the repetition. Results
// with the same number had the same arrivals.
func repetitions(variant string, trials []v1alpha1.SizingTrial, results []*v1alpha1.VariantResult) map[int32]*v1alpha1.VariantResult {
	byNumber := map[int32]*v1alpha1.VariantResult{}
	for i := range trials {
		result := results[i]
		if trials[i].Spec.Variant.Name == variant && result != nil && result.Verdict != v1alpha1.VerdictInvalid {
			byNumber[trials[i].Spec.Repetition] = result
		}
	}
	return byNumber
}

// compare compares a variant's repetitions with those of another. It returns nil if no number
// can be compared.
func compare(these, others map[int32]*v1alpha1.VariantResult, against string) *v1alpha1.Comparison {
	difference := func(get figure) *v1alpha1.Difference {
		return Difference(values(slices.Collect(maps.Values(these)), get), values(slices.Collect(maps.Values(others)), get))
	}
	c := v1alpha1.Comparison{Against: against, P95: difference(p95), Capacity: difference(CapacityOrZero), MaxThroughput: difference(maximum)}
	if c == (v1alpha1.Comparison{Against: against}) {
		return nil
	}
	return &c
}
