package results

import (
	"math"

	"golang.org/x/perf/benchmath"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// least is how many repetitions each set needs for a chance.
const least = 2

// Difference returns the difference of a set of the figure's values from another set. It returns
// nil if one of the two is empty, or if the other's median is not above 0. The chance is nil if
// one of the two has a single repetition, because its scatter is unknown.
func (f Figure) Difference(these, others []int64) *v1beta1.Difference {
	if len(these) == 0 || len(others) == 0 {
		return nil
	}
	base := f.Median(others)
	if base <= 0 {
		return nil
	}
	difference := v1beta1.Difference{PerMille: PerMille(f.Median(these)-base, float64(base))}
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
