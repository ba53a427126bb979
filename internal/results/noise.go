package results

import (
	"math"

	"golang.org/x/perf/benchmath"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// NoiseFloor returns how much two measurements of the same thing differ, from the first pair
// of variants, in the matrix's order, that are equal except for their names. It returns nil
// without such a pair, or if the pair does not have two numbers to compare yet. Invalid
// trials do not count.
func NoiseFloor(variants []v1alpha1.Variant, trials []v1alpha1.SizingTrial) *v1alpha1.NoiseFloor {
	first, second, found := twins(variants)
	if !found {
		return nil
	}
	results := together(trials)
	a, b := repetitions(first, trials, results), repetitions(second, trials, results)
	floor := v1alpha1.NoiseFloor{
		Pair:           []string{first, second},
		EqualSeeds:     noise(func(f Figure) *int64 { return betweenTwins(a, b, f) }),
		DifferentSeeds: noise(func(f Figure) *int64 { return larger(betweenRepetitions(a, f), betweenRepetitions(b, f)) }),
	}
	if min(len(a), len(b)) > 1 {
		// The comparison is only useful with its chance, which needs several repetitions.
		floor.Comparison = compare(b, a, first)
	}
	if floor.EqualSeeds == nil && floor.DifferentSeeds == nil {
		return nil
	}
	return &floor
}

// twins returns the names of the first two variants that differ only in their names.
func twins(variants []v1alpha1.Variant) (first, second string, found bool) {
	for i := range variants {
		for j := i + 1; j < len(variants); j++ {
			if same(variants[i], variants[j]) {
				return variants[i].Name, variants[j].Name, true
			}
		}
	}
	return "", "", false
}

func same(a, b v1alpha1.Variant) bool {
	a.Name, a.Control, b.Name, b.Control = "", "", "", ""
	return equality.Semantic.DeepEqual(a, b)
}

// noise returns the difference in each number, or nil if there are no differences.
func noise(difference func(Figure) *int64) *v1alpha1.Noise {
	n := v1alpha1.Noise{P95PerMille: difference(LatencyP95), CapacityPerMille: difference(CapacityRate), MaxThroughputPerMille: difference(MaximumRate)}
	if n == (v1alpha1.Noise{}) {
		return nil
	}
	return &n
}

// betweenTwins returns the largest difference between two variants in one repetition.
func betweenTwins(a, b map[int32]*v1alpha1.VariantResult, f Figure) *int64 {
	var largest *int64
	for repetition, one := range a {
		if other, both := b[repetition]; both {
			largest = larger(largest, apart(f.Of(one), f.Of(other)))
		}
	}
	return largest
}

// betweenRepetitions returns the largest difference between repetitions of a variant.
func betweenRepetitions(results map[int32]*v1alpha1.VariantResult, f Figure) *int64 {
	var largest *int64
	for i, one := range results {
		for j, other := range results {
			if i < j {
				largest = larger(largest, apart(f.Of(one), f.Of(other)))
			}
		}
	}
	return largest
}

// apart returns |a − b| in thousandths of their mean, or nil if one is missing or both are 0.
func apart(a, b *int64) *int64 {
	if a == nil || b == nil || *a+*b <= 0 {
		return nil
	}
	share := PerMille(int64(math.Abs(float64(*a-*b))), float64(*a+*b)/2)
	return &share
}

func larger(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// least is how many repetitions each set needs for a chance.
const least = 2

// Difference returns the difference of a set of the figure's values from another set. It returns
// nil if one of the two is empty, or if the other's median is not above 0. The chance is nil if
// one of the two has a single repetition, because its scatter is unknown.
func (f Figure) Difference(these, others []int64) *v1alpha1.Difference {
	if len(these) == 0 || len(others) == 0 {
		return nil
	}
	base := f.Median(others)
	if base <= 0 {
		return nil
	}
	difference := v1alpha1.Difference{PerMille: PerMille(f.Median(these)-base, float64(base))}
	if len(these) >= least && len(others) >= least {
		difference.ChancePerMille = ptr.To(chance(these, others))
	}
	return &difference
}

// chance returns the probability of a difference at least as large if both sets have the
// same distribution, in thousandths. It is at least 1, because no difference is impossible.
func chance(these, others []int64) int64 {
	test := benchmath.AssumeNothing.Compare(sample(these), sample(others))
	return max(1, int64(math.Round(1000*test.P)))
}

func sample(values []int64) *benchmath.Sample {
	numbers := make([]float64, len(values))
	for i, v := range values {
		numbers[i] = float64(v)
	}
	return benchmath.NewSample(numbers, &benchmath.DefaultThresholds)
}

// PerMille returns a difference as a share of base, in thousandths, rounded.
func PerMille(difference int64, base float64) int64 {
	return int64(math.Round(1000 * float64(difference) / base))
}
