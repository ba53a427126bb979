package answer

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/forecast"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	"github.com/hashmark-dev/hashmark/internal/recommendation"
)

// Conclude fills what is told from the end of an experiment on: predictions, how
// good they are, and the recommendation. It takes the rows as Rows left them in
// the status, and spends simulation time: seconds for a large matrix. Errors are
// those of Rows.
func Conclude(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial, status *v1alpha1.SizingExperimentStatus) error {
	t, err := newTable(spec, trials, status.Verifications)
	if err != nil {
		return err
	}
	if len(status.Verifications) == 0 {
		// Predictions do not depend on verifications, and take seconds to compute.
		status.Predictions, status.ModelCheck = forecast.Of(spec, t.trials)
	}
	t.recommend(status)
	return nil
}

// recommend chooses from rows and predictions, and sizes the latter on the way.
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
		status.Recommendation = recommendation.Of(t.question, candidates)
	}
}

// measuredCandidates are the rows that the question admits. Those measured with evenly spaced
// logins get their sizing here.
func (t *table) measuredCandidates(rows []v1alpha1.VariantResult) []recommendation.Candidate {
	var candidates []recommendation.Candidate
	for i := range rows {
		if !t.question.Admits(t.variant(rows[i].Variant)) {
			continue
		}
		c := t.rowCandidate(&rows[i])
		if t.asked && t.respaced() && c.Standing != recommendation.Unusable {
			t.respace(&c)
			t.size(&rows[i], c)
		}
		candidates = append(candidates, c)
	}
	return candidates
}

// sizePrediction adds what a predicted variant takes, and what it costs.
func (t *table) sizePrediction(p *v1alpha1.PredictedVariant, c recommendation.Candidate) {
	price := v1alpha1.Price{AttackerPerBillionGuesses: pricing.Text(t.tariff.PerBillionGuesses(c.Variant))}
	if c.MilliCPU > 0 && p.CapacityMilliPerSecond != nil {
		price.PerMillionLogins = pricing.Text(t.tariff.PerMillionLogins(p.NodePool, c.Resources(t.replicas()), *p.CapacityMilliPerSecond))
	}
	p.Price = told(price)
	if t.asked && t.question.Admits(c.Variant) {
		p.Sizing = t.question.Sizing(c)
		p.Price = withMonth(p.Price, t.question.PerMonth(c))
	}
}
