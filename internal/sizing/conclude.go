package sizing

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// Conclude fills the parts of the status that are known at the end of an experiment: the
// predictions, the check of the model, and the recommendation. It uses the rows that Rows
// wrote into the status. The simulation takes seconds for a large matrix. Errors are those
// of Rows.
func Conclude(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial, status *v1alpha1.SizingExperimentStatus) error {
	t, err := newTable(spec, trials, status.Verifications)
	if err != nil {
		return err
	}
	if len(status.Verifications) == 0 {
		// Predictions take seconds to compute and do not depend on verifications.
		status.Predictions, status.ModelCheck = prediction.Of(spec, t.trials)
	}
	t.recommend(status)
	return nil
}

// recommend writes the recommendation from rows and predictions, and the sizing and prices
// of the predictions.
func (t *table) recommend(status *v1alpha1.SizingExperimentStatus) {
	candidates := t.measuredCandidates(status.Results)
	for i := range status.Predictions {
		p := &status.Predictions[i]
		c := t.predictedCandidate(p, status.ModelCheck)
		if t.respaced() {
			t.respace(&c)
		}
		t.sizePrediction(p, c)
		if t.question.Admits(c.Variant) {
			candidates = append(candidates, c)
		}
	}
	status.Recommendation = nil
	if t.asked {
		status.Recommendation = Of(t.question, candidates)
	}
}

// measuredCandidates returns the rows that the question admits as candidates. Rows that were
// measured with evenly spaced logins get their sizing here.
func (t *table) measuredCandidates(rows []v1alpha1.VariantResult) []Candidate {
	var candidates []Candidate
	for i := range rows {
		if !t.question.Admits(t.variant(rows[i].Variant)) {
			continue
		}
		c := t.rowCandidate(&rows[i])
		if t.asked && t.respaced() && c.Trust != Invalid {
			t.respace(&c)
			t.size(&rows[i], c)
		}
		candidates = append(candidates, c)
	}
	return candidates
}

// sizePrediction adds the sizing and the prices of a predicted variant.
func (t *table) sizePrediction(p *v1alpha1.PredictedVariant, c Candidate) {
	price := v1alpha1.Price{AttackerPerBillionGuesses: pricing.Text(t.tariff.PerBillionGuesses(c.Variant))}
	if c.MilliCPU > 0 && p.CapacityMilliPerSecond != nil {
		price.PerMillionLogins = pricing.Text(t.tariff.PerMillionLogins(p.NodePool, c.Resources(t.replicas()), *p.CapacityMilliPerSecond))
	}
	p.Price = unlessEmpty(price)
	if t.asked && t.question.Admits(c.Variant) {
		p.Sizing = t.question.Sizing(c)
		p.Price = withMonth(p.Price, t.question.PerMonth(c))
	}
}
