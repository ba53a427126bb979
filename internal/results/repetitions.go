package results

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// over returns the number of a row from the results that have the figure, or nil if none has it.
func (f Figure) over(from []*v1beta1.VariantResult) *int64 {
	all := values(from, f)
	if len(all) == 0 {
		return nil
	}
	return new(f.merge(all, cmp.Compare[int64]))
}

// typical returns the first result with the median, or nil if none has the figure.
func (f Figure) typical(from []*v1beta1.VariantResult) *v1beta1.VariantResult {
	median := f.over(from)
	for _, r := range from {
		if n := f.Of(r); n != nil && *n == *median {
			return r
		}
	}
	return nil
}

func values(from []*v1beta1.VariantResult, f Figure) []int64 {
	var all []int64
	for _, r := range from {
		if n := f.Of(r); n != nil {
			all = append(all, *n)
		}
	}
	return all
}

func usable(results []*v1beta1.VariantResult) []*v1beta1.VariantResult {
	return slices.DeleteFunc(slices.Clone(results), func(r *v1beta1.VariantResult) bool {
		return r.Verdict == v1beta1.VerdictInvalid
	})
}

// spread returns the range of each number over the repetitions, or nil if no number has two
// values.
func spread(from []*v1beta1.VariantResult) *v1beta1.Spread {
	s := v1beta1.Spread{
		P95PerMille: rangeOf(from, LatencyP95), CapacityPerMille: rangeOf(from, CapacityRate), MaxThroughputPerMille: rangeOf(from, MaximumRate),
	}
	if s == (v1beta1.Spread{}) {
		return nil
	}
	return &s
}

// rangeOf returns largest − smallest in thousandths of the median.
func rangeOf(from []*v1beta1.VariantResult, f Figure) *int64 {
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

// compare compares a variant's repetitions with those of another. It returns nil if no number
// can be compared.
func compare(these, others []*v1beta1.VariantResult, against string) *v1beta1.Comparison {
	difference := func(f Figure) *v1beta1.Difference { return f.Difference(values(these, f), values(others, f)) }
	c := v1beta1.Comparison{Against: against, P95: difference(LatencyP95), Capacity: difference(CapacityRate), MaxThroughput: difference(MaximumRate)}
	if c == (v1beta1.Comparison{Against: against}) {
		return nil
	}
	return &c
}
