package comparison

import (
	"cmp"
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// least is how many repetitions each set needs for a chance: one number has no order.
const least = 2

// Difference of a set of repetitions from another's. Nil where one of the two is
// empty, or where there is no share of the other's median to tell because that
// is not above 0. Without a chance where one of the two is a single repetition,
// of which nobody can tell how it scatters.
func Difference(these, others []int64) *v1alpha1.Difference {
	if len(these) == 0 || len(others) == 0 {
		return nil
	}
	base := Median(others)
	if base <= 0 {
		return nil
	}
	found := v1alpha1.Difference{PerMille: PerMille(Median(these)-base, float64(base))}
	if len(these) >= least && len(others) >= least {
		found.ChancePerMille = ptr.To(chance(these, others))
	}
	return &found
}

// chance of a difference at least as large where there is none, in thousandths.
// It is never 0: nothing is impossible by chance.
func chance(these, others []int64) int64 {
	found := benchmath.AssumeNothing.Compare(sample(these), sample(others))
	return max(1, int64(math.Round(1000*found.P)))
}

func sample(values []int64) *benchmath.Sample {
	numbers := make([]float64, len(values))
	for i, v := range values {
		numbers[i] = float64(v)
	}
	return benchmath.NewSample(numbers, &benchmath.DefaultThresholds)
}

// Median is the lower median of at least one number: one of them.
func Median[N cmp.Ordered](numbers []N) N {
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[(len(sorted)-1)/2]
}

// PerMille is a difference as a share of something, in thousandths, rounded.
func PerMille(difference int64, of float64) int64 {
	return int64(math.Round(1000 * float64(difference) / of))
}
