package telemetry

import (
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// mostPredictions is the maximum number of predicted variants of an experiment with series.
// It is also the maximum in the status.
const mostPredictions = 64

var modelCheckPassed = define("model_check_passed",
	"1 if the model predicted the held-out variants accurately enough, otherwise 0.", ofExperiment)

var predictionReadings = []reading[*v1alpha1.PredictedVariant]{
	{define("prediction_capacity_logins_per_second", "The highest login rate that is predicted to meet the objective, for a variant that was not measured.", ofVariant),
		func(p *v1alpha1.PredictedVariant) (float64, bool) { return perSecond(p.CapacityMilliPerSecond) }},
	{define("prediction_p95_seconds", "The predicted 95th percentile of login latency at 70 % of the variant's bound.", ofVariant),
		func(p *v1alpha1.PredictedVariant) (float64, bool) { return seconds(p.P95Microseconds) }},
}

var predictionPrice = define("prediction_price_per_million_logins",
	"Price of a million logins at the predicted capacity.", ofVariant, currency)

// predictions adds the predictions of variants that were not measured, and whether the
// model passed its check.
func (g *gathering) predictions(e *v1alpha1.SizingExperiment) {
	if check := e.Status.ModelCheck; check != nil {
		passed, _ := truth(&check.Passed)
		g.add(modelCheckPassed, passed, e.Namespace, e.Name)
	}
	predicted := e.Status.Predictions
	for i := range predicted[:min(len(predicted), mostPredictions)] {
		p := &predicted[i]
		values := []string{
			e.Namespace, e.Name, p.Variant, string(v1alpha1.AlgorithmBcrypt), strconv.Itoa(int(p.Cost)), p.CPULimit,
			results.Concurrency(p.Concurrency), p.NodePool,
		}
		read(g, predictionReadings, p, values)
		if p.Price == nil {
			continue
		}
		if price, known := decimal(p.Price.PerMillionLogins); known {
			g.add(predictionPrice, price, with(values, currencyOf(e))...)
		}
	}
}
