package telemetry

import (
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

var ofExperiment = []string{"namespace", "experiment"}

var (
	experimentPhase = define("experiment_phase", "The phase of the experiment; always 1.", ofExperiment, "phase")
	experimentEnd   = define("experiment_end", "The reason why the experiment finished; always 1.", ofExperiment, "reason")
	queuePosition   = define("experiment_queue_position", "The experiment's position in the queue; 1 is next.", ofExperiment)
)

var experimentReadings = []reading[v1beta1.SizingExperiment]{
	{define("experiment_objective_p95_seconds", "The p95 latency of the experiment's objective.", ofExperiment),
		func(e *v1beta1.SizingExperiment) (float64, bool) {
			return float64(e.Spec.Objective.P95Milliseconds) / 1000, true
		}},
	{define("experiment_objective_p50_seconds", "The median latency of the experiment's objective, if set.", ofExperiment),
		func(e *v1beta1.SizingExperiment) (float64, bool) {
			return float64(ptr.Deref(e.Spec.Objective.P50Milliseconds, 0)) / 1000, e.Spec.Objective.P50Milliseconds != nil
		}},
	{define("experiment_objective_p99_seconds", "The p99 latency of the experiment's objective, if set.", ofExperiment),
		func(e *v1beta1.SizingExperiment) (float64, bool) {
			return float64(ptr.Deref(e.Spec.Objective.P99Milliseconds, 0)) / 1000, e.Spec.Objective.P99Milliseconds != nil
		}},
	{define("experiment_start_timestamp_seconds", "Start time of the experiment's first trial.", ofExperiment),
		func(e *v1beta1.SizingExperiment) (float64, bool) { return unix(e.Status.StartTime) }},
	{define("experiment_completion_timestamp_seconds", "Time when the experiment finished.", ofExperiment),
		func(e *v1beta1.SizingExperiment) (float64, bool) { return unix(e.Status.CompletionTime) }},
}

var progressReadings = []reading[v1beta1.Progress]{
	{define("experiment_trials_planned", "Planned trials of the experiment.", ofExperiment),
		func(p *v1beta1.Progress) (float64, bool) { return float64(p.Trials), true }},
	{define("experiment_trials_finished", "Finished trials of the experiment, whatever their outcome.", ofExperiment),
		func(p *v1beta1.Progress) (float64, bool) { return float64(p.Finished), true }},
	{define("experiment_estimated_end_timestamp_seconds", "Estimated time when the experiment finishes.", ofExperiment),
		func(p *v1beta1.Progress) (float64, bool) { return unix(p.EstimatedEndTime) }},
}

func (g *gathering) experiment(e *v1beta1.SizingExperiment, positions map[types.UID]int32) {
	values := []string{e.Namespace, e.Name}
	g.add(experimentPhase, 1, with(values, string(phaseOf(e)))...)
	finished := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionFinished)
	if e.Status.Phase.Finished() && finished != nil {
		g.add(experimentEnd, 1, with(values, orNone(finished.Reason))...)
	}
	if position, waits := positions[e.UID]; waits {
		g.add(queuePosition, float64(position), values...)
	}
	read(g, experimentReadings, e, values)
	read(g, progressReadings, e.Status.Progress, values)
}

var (
	demanded = define("experiment_demand_logins_per_second", "The login rate of the experiment's demand, without headroom.", ofExperiment)

	recommended = define("experiment_recommendation", "The size that the experiment recommends; always 1.", ofExperiment,
		"variant", "cost", "cpu_limit", "concurrency", "pool", "confidence", "verified", "basis")
	notRecommended = define("experiment_no_recommendation", "The limit that no size meets, if no size is recommended; always 1.", ofExperiment, "bound")
)

var recommendationReadings = []reading[v1beta1.Recommendation]{
	{define("experiment_recommended_replicas", "Replicas of the recommended size.", ofExperiment),
		func(r *v1beta1.Recommendation) (float64, bool) { return float64(r.Replicas), true }},
	{define("experiment_recommended_cpus", "Total CPU limit of the replicas of the recommended size.", ofExperiment),
		func(r *v1beta1.Recommendation) (float64, bool) { return cpus(r.TotalCPU) }},
	{define("experiment_recommended_p95_seconds", "The expected 95th percentile of login latency of the recommended size at the demanded rate.", ofExperiment),
		func(r *v1beta1.Recommendation) (float64, bool) { return seconds(r.P95Microseconds) }},
	{define("experiment_recommended_capacity_logins_per_second", "The highest login rate at which the recommended size meets the objective.", ofExperiment),
		func(r *v1beta1.Recommendation) (float64, bool) { return perSecond(r.CapacityMilliPerSecond) }},
}

var recommendedPriceReadings = []reading[v1beta1.Recommendation]{
	{define("experiment_recommended_price_per_month", "Price of the recommended size for a month of 730 hours.", ofExperiment, currency),
		func(r *v1beta1.Recommendation) (float64, bool) { return decimal(r.PricePerMonth) }},
	{define("experiment_recommended_price_per_million_logins", "Price of a million logins at the demanded rate, with all replicas of the recommended size.", ofExperiment, currency),
		func(r *v1beta1.Recommendation) (float64, bool) { return decimal(r.PricePerMillionLogins) }},
	{define("experiment_recommended_attacker_price_per_billion_guesses", "Price that an attacker pays for a billion guesses at the recommended cost.", ofExperiment, currency),
		func(r *v1beta1.Recommendation) (float64, bool) { return decimal(r.AttackerPricePerBillionGuesses) }},
}

func (g *gathering) recommendation(e *v1beta1.SizingExperiment) {
	values := []string{e.Namespace, e.Name}
	if e.Spec.Demand != nil {
		g.add(demanded, float64(e.Spec.Demand.MilliPerSecond())/1000, values...)
	}
	r := e.Status.Recommendation
	if r == nil {
		return
	}
	if r.Variant == "" {
		g.add(notRecommended, 1, with(values, orNone(string(r.BrokenBound)))...)
		return
	}
	size := sizeValues(&r.Size)
	basis := "Measured"
	if r.Predicted {
		basis = "Predicted"
	}
	g.add(recommended, 1, with(values, append(size, string(r.Confidence), string(r.Verified), basis)...)...)
	read(g, recommendationReadings, r, values)
	read(g, recommendedPriceReadings, r, with(values, currencyOf(e)))
	// A predicted variant has no row.
	if !slices.ContainsFunc(e.Status.Results, func(row v1beta1.VariantResult) bool { return row.Variant == r.Variant }) {
		g.add(variantRecommended, 1, e.Namespace, e.Name, size[0], string(v1beta1.HashBcrypt), size[1], size[2], size[3], size[4])
	}
}

// costLabel returns the label value for a cost. It is empty for a hash without one.
func costLabel(cost int32) string {
	if cost == 0 {
		return ""
	}
	return strconv.Itoa(int(cost))
}

func sizeValues(size *v1beta1.Size) []string {
	concurrency := ""
	if size.Concurrency != nil {
		concurrency = results.Concurrency(*size.Concurrency)
	}
	return []string{size.Variant, costLabel(size.Cost), size.CPULimit, concurrency, size.NodePool}
}

// mostPredictions is the maximum number of predicted variants of an experiment with series.
// It is also the maximum in the status.
const mostPredictions = 64

var modelCheckPassed = define("model_check_passed",
	"1 if the model predicted the held-out variants accurately enough, otherwise 0.", ofExperiment)

var predictionReadings = []reading[v1beta1.PredictedVariant]{
	{define("prediction_capacity_logins_per_second", "The highest login rate that is predicted to meet the objective, for a variant that was not measured.", ofVariant),
		func(p *v1beta1.PredictedVariant) (float64, bool) { return perSecond(p.CapacityMilliPerSecond) }},
	{define("prediction_p95_seconds", "The predicted 95th percentile of login latency at 70 % of the variant's bound.", ofVariant),
		func(p *v1beta1.PredictedVariant) (float64, bool) { return seconds(p.P95Microseconds) }},
}

var predictionPrice = []reading[v1beta1.Price]{
	{define("prediction_price_per_million_logins", "Price of a million logins at the predicted capacity.", ofVariant, currency), perMillionLogins},
}

// predictions adds the predictions of variants that were not measured, and whether the
// model passed its check.
func (g *gathering) predictions(e *v1beta1.SizingExperiment) {
	if check := e.Status.ModelCheck; check != nil {
		passed, _ := truth(&check.Passed)
		g.add(modelCheckPassed, passed, e.Namespace, e.Name)
	}
	predicted := e.Status.Predictions
	for i := range predicted[:min(len(predicted), mostPredictions)] {
		p := &predicted[i]
		values := []string{
			e.Namespace, e.Name, p.Variant, string(v1beta1.HashBcrypt), costLabel(p.Cost), p.CPULimit,
			results.Concurrency(p.Concurrency), p.NodePool,
		}
		read(g, predictionReadings, p, values)
		read(g, predictionPrice, p.Price, with(values, currencyOf(e)))
	}
}

var ofSpeed = []string{"namespace", "experiment", "pool"}

var speedReadings = []reading[v1beta1.PoolSpeed]{
	{define("pool_reference_hash_seconds", "CPU time of a bcrypt hash of cost 8 at the reference speed, to which results are converted.", ofSpeed),
		func(p *v1beta1.PoolSpeed) (float64, bool) { return seconds(&p.HashMicrosecondsAtCost8) }},
	{define("pool_speed_median_ratio", "The median of the hash time during the experiment, divided by the reference.", ofSpeed),
		func(p *v1beta1.PoolSpeed) (float64, bool) { return thousandths(p.MedianPerMille) }},
	{define("pool_speed_low_ratio", "The 10th percentile of the hash time during the experiment, divided by the reference: the fast speed.", ofSpeed),
		func(p *v1beta1.PoolSpeed) (float64, bool) { return thousandths(p.LowPerMille) }},
	{define("pool_speed_high_ratio", "The 90th percentile of the hash time during the experiment, divided by the reference: the slow speed.", ofSpeed),
		func(p *v1beta1.PoolSpeed) (float64, bool) { return thousandths(p.HighPerMille) }},
}

func (g *gathering) speeds(e *v1beta1.SizingExperiment) {
	pools := distinct{}
	for i := range e.Status.Speed {
		if pool := &e.Status.Speed[i]; pools.add(pool.NodePool) {
			read(g, speedReadings, pool, []string{e.Namespace, e.Name, pool.NodePool})
		}
	}
}

var ofPool = []string{"namespace", "experiment", "pool", "cpu_model", "cost", "hash"}

var poolReadings = []reading[v1beta1.HashTime]{
	{define("pool_hash_seconds", "CPU time of one hash on a node pool, independent of the CPU limit.", ofPool),
		func(h *v1beta1.HashTime) (float64, bool) { return seconds(&h.HashMicroseconds) }},
	{define("pool_hash_error_seconds", "Half the width of the 99.9 % interval of the hash time on a node pool.", ofPool),
		func(h *v1beta1.HashTime) (float64, bool) { return seconds(&h.ErrorMicroseconds) }},
}

func (g *gathering) hashTimes(e *v1beta1.SizingExperiment) {
	added := distinct{}
	for i := range e.Status.HashTimes {
		h := &e.Status.HashTimes[i]
		values := []string{e.Namespace, e.Name, h.NodePool, h.CPUModel, costLabel(h.Hash.Cost()), h.Hash.Name}
		if added.add(values...) {
			read(g, poolReadings, h, values)
		}
	}
}
