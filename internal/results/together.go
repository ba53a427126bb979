package results

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// together returns the trials' results, in the trials' order, with the reasons that only all
// trials together show. A trial without a result has nil. The trials are not changed.
func together(trials []v1alpha1.SizingTrial) []*v1alpha1.VariantResult {
	results := make([]*v1alpha1.VariantResult, len(trials))
	for i, reasons := range verdict.Across(trials) {
		own := trials[i].Status.Result
		if own == nil {
			continue
		}
		result := own.DeepCopy()
		for _, reason := range reasons {
			result.Verdict = worse(result.Verdict, reason.Verdict)
			result.Reasons = addReason(result.Reasons, reason)
		}
		results[i] = result
	}
	return results
}

// CostFits returns how the hash time grows with the cost, one line for each node pool with two
// costs or more.
func CostFits(trials []v1alpha1.SizingTrial) []v1alpha1.CostFit {
	var fits []v1alpha1.CostFit
	for _, pool := range model.Of(trials) {
		fits = append(fits, pool.API())
	}
	return fits
}
