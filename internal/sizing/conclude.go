package sizing

import (
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/prediction"
)

// Conclude fills the parts of the status that are known at the end of an experiment: those of Rows,
// the predictions, the check of the model, and the recommendation. The simulation takes seconds for
// a large matrix. Errors are those of Rows.
func Conclude(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, status *v1beta1.SizingExperimentStatus) error {
	t, err := newTable(spec, trials, status.Verifications)
	if err != nil {
		return err
	}
	t.rows(status)
	if t.decides || len(status.Verifications) == 0 {
		// Predictions take seconds to compute and do not depend on verifications. After one, a decision can load more.
		status.Predictions, status.ModelCheck = prediction.Of(spec, t.trials, status.Results, func(predicted []v1beta1.PredictedVariant) bool {
			status.Predictions = predicted
			_, _, more := t.decide(status)
			return more
		})
	}
	t.question.MeasuredOnly = t.decides
	t.recommend(status)
	return nil
}

// recommend writes the recommendation from rows and predictions.
func (t *table) recommend(status *v1beta1.SizingExperimentStatus) {
	candidates := t.candidates(status)
	status.Recommendation = nil
	if t.asked {
		status.Recommendation = Of(t.question, candidates)
	}
}

// candidates returns what can be recommended of the rows and predictions, and writes their sizing and prices.
func (t *table) candidates(status *v1beta1.SizingExperimentStatus) []Candidate {
	var candidates []Candidate
	add := func(c Candidate) {
		if t.question.Admits(c.Variant) {
			candidates = append(candidates, c)
		}
	}
	for i := range status.Results {
		row := &status.Results[i]
		c := t.forRandomArrivals(t.rowCandidate(row))
		row.Sizing, row.Price = t.sizeAndPrice(c, row.CapacityMilliPerSecond)
		add(c)
	}
	for i := range status.Predictions {
		p := &status.Predictions[i]
		c := t.forRandomArrivals(t.predictedCandidate(p, status.ModelCheck))
		p.Sizing, p.Price = t.sizeAndPrice(c, p.CapacityMilliPerSecond)
		add(c)
	}
	return candidates
}
