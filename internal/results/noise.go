package results

import (
	"math"

	"k8s.io/apimachinery/pkg/api/equality"

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
		EqualSeeds:     noise(func(get figure) *int64 { return betweenTwins(a, b, get) }),
		DifferentSeeds: noise(func(get figure) *int64 { return larger(betweenRepetitions(a, get), betweenRepetitions(b, get)) }),
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
func noise(difference func(figure) *int64) *v1alpha1.Noise {
	n := v1alpha1.Noise{P95PerMille: difference(p95), CapacityPerMille: difference(CapacityOrZero), MaxThroughputPerMille: difference(maximum)}
	if n == (v1alpha1.Noise{}) {
		return nil
	}
	return &n
}

// betweenTwins returns the largest difference between two variants in one repetition.
func betweenTwins(a, b map[int32]*v1alpha1.VariantResult, get figure) *int64 {
	var largest *int64
	for repetition, one := range a {
		if other, both := b[repetition]; both {
			largest = larger(largest, apart(get(one), get(other)))
		}
	}
	return largest
}

// betweenRepetitions returns the largest difference between repetitions of a variant.
func betweenRepetitions(results map[int32]*v1alpha1.VariantResult, get figure) *int64 {
	var largest *int64
	for i, one := range results {
		for j, other := range results {
			if i < j {
				largest = larger(largest, apart(get(one), get(other)))
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
