package prediction

import (
	"fmt"
	"math"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// fewestHeldOut is the smallest number of variants that can confirm the model.
	fewestHeldOut = 2
	// capacityWithin and p95Within are the largest errors of a prediction that passes, in
	// thousandths.
	capacityWithin, p95Within = 100, 200
)

// check predicts each measured variant that is not a corner, and compares it with its row. Only
// Valid ones count, because a disturbance would look like an error of the model.
func (f *predictor) check(rows []v1beta1.VariantResult) *v1beta1.ModelCheck {
	others, near := 0, true
	check := &v1beta1.ModelCheck{}
	for _, variant := range f.measured {
		if f.corners[variant.Name] || !variant.Hash.IsCost() {
			continue
		}
		others++
		i := slices.IndexFunc(rows, func(r v1beta1.VariantResult) bool {
			return r.Variant == variant.Name && r.Verdict == v1beta1.VerdictValid
		})
		if expected, known := f.expect(variant); known && i >= 0 {
			held := expected.against(rows[i], f.trials)
			check.HeldOut = append(check.HeldOut, held)
			near = near &&
				agree(held.PredictedCapacityMilliPerSecond, rows[i].CapacityMilliPerSecond, held.CapacityPerMille, capacityWithin) &&
				agree(held.PredictedP95Microseconds, rows[i].P95Microseconds, held.P95PerMille, p95Within)
		}
	}
	if others == 0 {
		return nil
	}
	check.Passed = near && len(check.HeldOut) >= fewestHeldOut
	check.Message = describe(check.HeldOut, check.Passed)
	return check
}

// against compares what is expected of a variant with its row, and with the trial that has the
// row's p95.
func (e expectation) against(row v1beta1.VariantResult, trials []v1beta1.SizingTrial) v1beta1.HeldOut {
	held := v1beta1.HeldOut{Variant: row.Variant}
	if capacity := e.capacity(e.outlook(), 1, 1); capacity > 0 {
		held.PredictedCapacityMilliPerSecond = &capacity
	}
	held.CapacityPerMille = apart(held.PredictedCapacityMilliPerSecond, row.CapacityMilliPerSecond)
	reported := slices.IndexFunc(trials, func(t v1beta1.SizingTrial) bool { return t.Name == row.TrialName && t.Status.Calibration != nil })
	if row.P95Microseconds != nil && reported >= 0 {
		held.PredictedP95Microseconds = e.p95Of(&trials[reported])
		held.P95PerMille = apart(held.PredictedP95Microseconds, row.P95Microseconds)
	}
	return held
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

func describe(held []v1beta1.HeldOut, passed bool) string {
	if len(held) < fewestHeldOut {
		return fmt.Sprintf("The model can't be checked: the number of held-out variants that are Valid and can be predicted is %d, and the check needs %d", len(held), fewestHeldOut)
	}
	predicts := "predicts"
	if !passed {
		predicts = "does not predict"
	}
	message := fmt.Sprintf("Calibrated with only the corners of the matrix, the model %s each of %d other variants within %d %% in capacity and %d %% in p95",
		predicts, len(held), capacityWithin/10, p95Within/10)
	message += farthest(held, "capacity", func(h v1beta1.HeldOut) *int64 { return h.CapacityPerMille })
	message += farthest(held, "p95", func(h v1beta1.HeldOut) *int64 { return h.P95PerMille })
	if !passed {
		message += ". Measure every variant that you rely on"
	}
	return message
}

func farthest(held []v1beta1.HeldOut, what string, figure func(v1beta1.HeldOut) *int64) string {
	var worst *v1beta1.HeldOut
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
