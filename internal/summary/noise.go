package summary

import (
	"math"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/comparison"
)

// NoiseFloor is how far two measurements of the same thing lie apart, from the
// first pair of variants, in the matrix's order, that are equal but for their
// names. Nil without such a pair, and while it has no two numbers to compare.
// Invalid trials do not count.
func NoiseFloor(variants []v1alpha1.Variant, trials []v1alpha1.SizingTrial) *v1alpha1.NoiseFloor {
	first, second, found := twins(variants)
	if !found {
		return nil
	}
	results := together(trials)
	a, b := repetitions(first, trials, results), repetitions(second, trials, results)
	floor := v1alpha1.NoiseFloor{
		Pair:           []string{first, second},
		EqualSeeds:     noise(func(of figure) *int64 { return betweenTwins(a, b, of) }),
		DifferentSeeds: noise(func(of figure) *int64 { return larger(betweenRepetitions(a, of), betweenRepetitions(b, of)) }),
	}
	if min(len(a), len(b)) > 1 {
		// It is asked for its chance, which a single repetition does not have.
		floor.Comparison = compare(b, a, first)
	}
	if floor.EqualSeeds == nil && floor.DifferentSeeds == nil {
		return nil
	}
	return &floor
}

// twins are the first two variants that differ in nothing but their names.
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

// noise gathers a difference in each number; nil where there is none.
func noise(difference func(figure) *int64) *v1alpha1.Noise {
	n := v1alpha1.Noise{P95PerMille: difference(p95), CapacityPerMille: difference(heldRate), MaxThroughputPerMille: difference(maximum)}
	if n == (v1alpha1.Noise{}) {
		return nil
	}
	return &n
}

// betweenTwins is the largest difference between two variants in one repetition.
func betweenTwins(a, b map[int32]*v1alpha1.VariantResult, of figure) *int64 {
	var largest *int64
	for repetition, one := range a {
		if other, both := b[repetition]; both {
			largest = larger(largest, apart(of(one), of(other)))
		}
	}
	return largest
}

// betweenRepetitions is the largest difference between repetitions of a variant.
func betweenRepetitions(results map[int32]*v1alpha1.VariantResult, of figure) *int64 {
	var largest *int64
	for i, one := range results {
		for j, other := range results {
			if i < j {
				largest = larger(largest, apart(of(one), of(other)))
			}
		}
	}
	return largest
}

// apart is |a − b| in thousandths of their mean; nil where one is missing, or
// both are 0.
func apart(a, b *int64) *int64 {
	if a == nil || b == nil || *a+*b <= 0 {
		return nil
	}
	share := comparison.PerMille(int64(math.Abs(float64(*a-*b))), float64(*a+*b)/2)
	return &share
}

func larger(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}
