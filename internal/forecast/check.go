package forecast

import (
	"fmt"
	"math"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const (
	// fewestHeldOut is how many variants must confirm the model.
	fewestHeldOut = 2
	// capacityWithin and p95Within are how near each of them must be predicted, in
	// thousandths.
	capacityWithin, p95Within = 100, 200
)

// check predicts each variant that was measured beside the corners. Only Valid
// ones count: what disturbed another would be taken for an error of the model.
func (f *forecast) check() *v1alpha1.ModelCheck {
	corner := names(matrix.Corners(f.variants))
	var held []heldOut
	beside := 0
	for _, variant := range f.measured {
		if corner[variant.Name] || variant.Control != "" {
			continue
		}
		beside++
		if of, counts := f.repetitions(variant.Name); counts {
			if expected, known := f.expect(variant); known {
				held = append(held, expected.against(of))
			}
		}
	}
	if beside == 0 {
		return nil
	}
	check := &v1alpha1.ModelCheck{Passed: len(held) >= fewestHeldOut}
	for _, h := range held {
		check.Passed = check.Passed && h.near()
		check.HeldOut = append(check.HeldOut, h.HeldOut)
	}
	check.Message = tell(held, check.Passed)
	return check
}

// heldOut is a variant that the model was not given, beside what is expected of it.
type heldOut struct {
	v1alpha1.HeldOut
	// measuredCapacity and measuredP95 are what it is held against; nil where no rate
	// met the objective, and where no load was driven.
	measuredCapacity, measuredP95 *int64
}

// against holds what is expected of a variant against its repetitions.
func (e expectation) against(of repetitions) heldOut {
	held := heldOut{HeldOut: v1alpha1.HeldOut{Variant: e.spec.Variant.Name}, measuredCapacity: of.capacity()}
	if capacity := e.capacity(e.outlook(), 1, 1); capacity > 0 {
		held.PredictedCapacityMilliPerSecond = &capacity
	}
	held.CapacityPerMille = apart(held.PredictedCapacityMilliPerSecond, held.measuredCapacity)
	if trial := of.typical(); trial != nil {
		held.measuredP95 = trial.Status.Result.P95Microseconds
		held.PredictedP95Microseconds = e.p95Of(trial)
		held.P95PerMille = apart(held.PredictedP95Microseconds, held.measuredP95)
	}
	return held
}

// near tells whether a variant was predicted near enough.
func (h heldOut) near() bool {
	return agree(h.PredictedCapacityMilliPerSecond, h.measuredCapacity, h.CapacityPerMille, capacityWithin) &&
		agree(h.PredictedP95Microseconds, h.measuredP95, h.P95PerMille, p95Within)
}

// agree tells whether a prediction and a measurement lie near enough to each
// other, or there is neither.
func agree(predicted, measured, perMille *int64, most int64) bool {
	if perMille == nil {
		return predicted == nil && measured == nil
	}
	return magnitude(*perMille) <= most
}

// apart is (predicted − measured) ÷ measured, in thousandths; nil where one is
// missing.
func apart(predicted, measured *int64) *int64 {
	if predicted == nil || measured == nil || *measured <= 0 {
		return nil
	}
	perMille := int64(math.Round(1000 * (float64(*predicted)/float64(*measured) - 1)))
	return &perMille
}

func magnitude(x int64) int64 { return max(x, -x) }

// tell says it in a sentence.
func tell(held []heldOut, passed bool) string {
	if len(held) < fewestHeldOut {
		return fmt.Sprintf("Of the variants that were measured beside the corners of the matrix, Valid and within what can be predicted: %d. It takes %d to rely on a prediction", len(held), fewestHeldOut)
	}
	predicts := "predicts"
	if !passed {
		predicts = "does not predict"
	}
	message := fmt.Sprintf("Calibrated by the corners of the matrix alone, the model %s each of %d other variants within %d %% in capacity and %d %% in p95",
		predicts, len(held), capacityWithin/10, p95Within/10)
	message += farthest(held, "capacity", func(h heldOut) *int64 { return h.CapacityPerMille })
	message += farthest(held, "p95", func(h heldOut) *int64 { return h.P95PerMille })
	if !passed {
		message += ". Measure what you rely on"
	}
	return message
}

// farthest names the variant that lies farthest off in a number, of those that
// have one; nothing where none has.
func farthest(held []heldOut, of string, figure func(heldOut) *int64) string {
	var worst *heldOut
	for i := range held {
		if off := figure(held[i]); off != nil && (worst == nil || magnitude(*off) > magnitude(*figure(*worst))) {
			worst = &held[i]
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("; farthest off in %s is %s, by %+.1f %%", of, worst.Variant, float64(*figure(*worst))/10)
}
