package results

import (
	"maps"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// over returns the median over the results that have the figure, or nil if none has it.
func (f Figure) over(from []*v1alpha1.VariantResult) *int64 {
	all := values(from, f)
	if len(all) == 0 {
		return nil
	}
	return new(f.Median(all))
}

// typical returns the first result with the median, or nil if none has the figure.
func (f Figure) typical(from []*v1alpha1.VariantResult) *v1alpha1.VariantResult {
	median := f.over(from)
	for _, r := range from {
		if n := f.Of(r); n != nil && *n == *median {
			return r
		}
	}
	return nil
}

// values returns a number of all results that have it.
func values(from []*v1alpha1.VariantResult, f Figure) []int64 {
	var all []int64
	for _, r := range from {
		if n := f.Of(r); n != nil {
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
		P95PerMille: rangeOf(from, LatencyP95), CapacityPerMille: rangeOf(from, CapacityRate), MaxThroughputPerMille: rangeOf(from, MaximumRate),
	}
	if s == (v1alpha1.Spread{}) {
		return nil
	}
	return &s
}

// rangeOf returns largest − smallest in thousandths of the median.
func rangeOf(from []*v1alpha1.VariantResult, f Figure) *int64 {
	all := values(from, f)
	if len(all) < 2 {
		return nil
	}
	median := f.Median(all)
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
	difference := func(f Figure) *v1alpha1.Difference {
		return f.Difference(values(slices.Collect(maps.Values(these)), f), values(slices.Collect(maps.Values(others)), f))
	}
	c := v1alpha1.Comparison{Against: against, P95: difference(LatencyP95), Capacity: difference(CapacityRate), MaxThroughput: difference(MaximumRate)}
	if c == (v1alpha1.Comparison{Against: against}) {
		return nil
	}
	return &c
}
