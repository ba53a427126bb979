package results

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// scatterOf returns half the width of the 95 % interval of the repetitions' mean, from their
// scatter, as the logarithm of a factor. It is 0 for a single repetition. Each repetition has
// its own pods, and two pods of one image differ by a percent.
func scatterOf(from []*v1beta1.VariantResult, f Figure) float64 {
	var logs []float64
	for _, n := range values(from, f) {
		if n > 0 {
			logs = append(logs, math.Log(float64(n)))
		}
	}
	n := float64(len(logs))
	if n < 2 {
		return 0
	}
	student := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}
	return student.Quantile(0.975) * stat.StdDev(logs, nil) / math.Sqrt(n)
}

// widen moves the ends of the figure's interval in a row outwards by the repetitions' scatter.
// The interval and the scatter are independent of each other.
func (f Figure) widen(r *v1beta1.VariantResult, scatter float64) {
	number := ptr.Deref(f.Of(r), 0)
	low, high := f.Interval(r)
	if low == nil || number <= 0 || scatter == 0 {
		return
	}
	below := math.Log(float64(number) / float64(max(1, min(*low, number))))
	above := math.Log(float64(max(*high, number)) / float64(number))
	*low = int64(float64(number) * math.Exp(-math.Hypot(below, scatter)))
	*high = int64(math.Ceil(float64(number) * math.Exp(math.Hypot(above, scatter))))
}

func mergeSpeeds(from []*v1beta1.VariantResult) *v1beta1.RowSpeed {
	s := v1beta1.RowSpeed{
		LowPerMille: ptr.Deref(speedLow.over(from), 0), MedianPerMille: ptr.Deref(speedMedian.over(from), 0),
		HighPerMille: ptr.Deref(speedHigh.over(from), 0),
	}
	if s == (v1beta1.RowSpeed{}) {
		return nil
	}
	return &s
}
