//go:build bench

package bench

import (
	"fmt"
	"math"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// TestCorners compares the predictions from the corners of a matrix with the measurements of
// the other variants: of all five, and in the short run of the two that measure: Corners
// measures for that purpose.
func TestCorners(t *testing.T) {
	w, r := onCluster(t), begin(t, "corners")
	e := w.experiment(t, "corners", "corners", func(s *v1alpha1.SizingExperimentSpec) {
		s.Matrix.Measure = pick(v1alpha1.MeasureAll, v1alpha1.MeasureCorners)
	})
	trials := w.measure(t, e)
	check := e.Status.ModelCheck
	if check == nil {
		check = &v1alpha1.ModelCheck{Message: "no model was checked"}
	}
	r.Add("variants held out from the model", float64(len(check.HeldOut)), report.AtLeast(2), verdicts(trials))
	for _, out := range check.HeldOut {
		r.Add("predicted ÷ measured capacity, "+out.Variant, ofPerMille(out.CapacityPerMille), report.Between(0.9, 1.1),
			fmt.Sprintf("%s/s predicted", whole(out.PredictedCapacityMilliPerSecond)))
		r.Add("predicted ÷ measured p95 at 70 %, "+out.Variant, ofPerMille(out.P95PerMille), report.Between(0.8, 1.2),
			fmt.Sprintf("%s ms predicted", whole(out.PredictedP95Microseconds)))
	}
	r.Add("passed according to the status", map[bool]float64{true: 1}[check.Passed], report.AtLeast(1), check.Message)
	conclude(t, r)
}

// ofPerMille converts a difference in thousandths to a ratio.
func ofPerMille(difference *int64) float64 {
	if difference == nil {
		return math.NaN()
	}
	return 1 + float64(*difference)/1000
}

// whole formats a number given in thousandths, or returns "none".
func whole(thousandths *int64) string {
	if thousandths == nil {
		return "none"
	}
	return fmt.Sprintf("%.1f", float64(*thousandths)/1000)
}
