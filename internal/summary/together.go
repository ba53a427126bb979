package summary

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/costfit"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// together is the trials' results with what only a look at all of them tells,
// in the trials' order; nil where there is none. The trials are left as they are.
func together(trials []v1alpha1.SizingTrial) []*v1alpha1.VariantResult {
	results := make([]*v1alpha1.VariantResult, len(trials))
	for i, found := range verdict.Across(trials) {
		own := trials[i].Status.Result
		if own == nil {
			continue
		}
		result := own.DeepCopy()
		for _, reason := range found {
			result.Verdict = worse(result.Verdict, reason.Verdict)
			result.Reasons = addReason(result.Reasons, reason)
		}
		results[i] = result
	}
	return results
}

// CostFits says how the time of a hash grows with its cost, a line for each
// node pool with two costs or more.
func CostFits(trials []v1alpha1.SizingTrial) []v1alpha1.CostFit {
	var fits []v1alpha1.CostFit
	for _, pool := range costfit.Of(trials) {
		fits = append(fits, pool.API())
	}
	return fits
}
