package prediction

import (
	"fmt"
	"math"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// fewestHeldOut is the smallest number of variants that can confirm the model.
	fewestHeldOut = 2
	// capacityWithin and p95Within are the largest errors of a prediction that passes, in
	// thousandths.
	capacityWithin, p95Within = 100, 200
)

// check predicts each measured variant that is not a corner, and compares it with its
// measurement. Only Valid ones count, because a disturbance would look like an error of the
// model.
func (f *predictor) check() *v1alpha1.ModelCheck {
	corner := names(matrix.Corners(f.variants))
	var held []heldOut
	others := 0
	for _, variant := range f.measured {
		if corner[variant.Name] || variant.Control != "" {
			continue
		}
		others++
		if runs, counts := f.repetitions(variant.Name); counts {
			if expected, known := f.expect(variant); known {
				held = append(held, expected.against(runs))
			}
		}
	}
	if others == 0 {
		return nil
	}
	check := &v1alpha1.ModelCheck{Passed: len(held) >= fewestHeldOut}
	for _, h := range held {
		check.Passed = check.Passed && h.near()
		check.HeldOut = append(check.HeldOut, h.HeldOut)
	}
	check.Message = describe(held, check.Passed)
	return check
}

// heldOut is a held-out variant with its prediction and its measurement.
type heldOut struct {
	v1alpha1.HeldOut
	// measuredCapacity is nil if no rate met the objective, measuredP95 if no load was driven.
	measuredCapacity, measuredP95 *int64
}

// against compares what is expected of a variant with its repetitions.
func (e expectation) against(runs repetitions) heldOut {
	held := heldOut{HeldOut: v1alpha1.HeldOut{Variant: e.spec.Variant.Name}, measuredCapacity: runs.capacity()}
	if capacity := e.capacity(e.outlook(), 1, 1); capacity > 0 {
		held.PredictedCapacityMilliPerSecond = &capacity
	}
	held.CapacityPerMille = apart(held.PredictedCapacityMilliPerSecond, held.measuredCapacity)
	if trial := runs.typical(); trial != nil {
		held.measuredP95 = trial.Status.Result.P95Microseconds
		held.PredictedP95Microseconds = e.p95Of(trial)
		held.P95PerMille = apart(held.PredictedP95Microseconds, held.measuredP95)
	}
	return held
}

// near reports whether a variant was predicted closely enough.
func (h heldOut) near() bool {
	return agree(h.PredictedCapacityMilliPerSecond, h.measuredCapacity, h.CapacityPerMille, capacityWithin) &&
		agree(h.PredictedP95Microseconds, h.measuredP95, h.P95PerMille, p95Within)
}

// agree reports whether a prediction and a measurement are close enough, or both are missing.
func agree(predicted, measured, perMille *int64, most int64) bool {
	if perMille == nil {
		return predicted == nil && measured == nil
	}
	return magnitude(*perMille) <= most
}

// apart returns (predicted − measured) ÷ measured, in thousandths, or nil if one is missing.
func apart(predicted, measured *int64) *int64 {
	if predicted == nil || measured == nil || *measured <= 0 {
		return nil
	}
	perMille := int64(math.Round(1000 * (float64(*predicted)/float64(*measured) - 1)))
	return &perMille
}

func magnitude(x int64) int64 { return max(x, -x) }

// describe returns the result of the check in a sentence.
func describe(held []heldOut, passed bool) string {
	if len(held) < fewestHeldOut {
		return fmt.Sprintf("The model can't be checked: the number of held-out variants that are Valid and can be predicted is %d, and the check needs %d", len(held), fewestHeldOut)
	}
	predicts := "predicts"
	if !passed {
		predicts = "does not predict"
	}
	message := fmt.Sprintf("Calibrated with only the corners of the matrix, the model %s each of %d other variants within %d %% in capacity and %d %% in p95",
		predicts, len(held), capacityWithin/10, p95Within/10)
	message += farthest(held, "capacity", func(h heldOut) *int64 { return h.CapacityPerMille })
	message += farthest(held, "p95", func(h heldOut) *int64 { return h.P95PerMille })
	if !passed {
		message += ". Measure every variant that you rely on"
	}
	return message
}

// farthest names the variant with the largest error in a number. It returns "" if no variant
// has the number.
func farthest(held []heldOut, what string, figure func(heldOut) *int64) string {
	var worst *heldOut
	for i := range held {
		if off := figure(held[i]); off != nil && (worst == nil || magnitude(*off) > magnitude(*figure(*worst))) {
			worst = &held[i]
		}
	}
	if worst == nil {
		return ""
	}
	return fmt.Sprintf("; the largest error in %s is that of %s, %s", what, worst.Variant, units.Difference(figure(*worst)))
}
