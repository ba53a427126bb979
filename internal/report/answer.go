package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Met reports whether the objective can be met. With a demand: a size is recommended.
// Without: a Valid or Suspect variant meets the objective.
func (d Document) Met() bool {
	if recommendation := d.Experiment.Status.Recommendation; d.HasDemand() {
		return recommendation != nil && recommendation.Variant != ""
	}
	return d.highest() != nil
}

// Answer returns the result in a sentence or two: what to run; without a demand, the
// highest cost that met the objective; while the experiment runs, its progress; if it
// failed, the reason.
func (d Document) Answer() string {
	status := &d.Experiment.Status
	switch {
	case meta.IsStatusConditionFalse(status.Conditions, v1beta1.ConditionAccepted):
		return "The experiment is invalid: " + d.condition(v1beta1.ConditionAccepted)
	case status.Phase == v1beta1.ExperimentFailed:
		return "The experiment failed. " + d.condition(v1beta1.ConditionFinished)
	case !status.Phase.Finished():
		return d.progress() + " " + d.soFar()
	case status.Phase == v1beta1.ExperimentCancelled:
		return fmt.Sprintf("Cancelled after %s. %s", d.trialsDone(), d.result())
	default:
		return d.result()
	}
}

func (d Document) condition(kind string) string {
	condition := meta.FindStatusCondition(d.Experiment.Status.Conditions, kind)
	if condition == nil || condition.Message == "" {
		return "No reason was given."
	}
	return sentence(condition.Message)
}

// sentence returns the text with a full stop at its end, unless it has one.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

func (d Document) result() string {
	recommendation := d.Experiment.Status.Recommendation
	if recommendation == nil || !d.HasDemand() {
		return d.best()
	}
	if recommendation.Variant == "" {
		return sentence(recommendation.Reason)
	}
	return d.recommended(recommendation)
}

// Demand returns the demand as text: 5 logins/s with 30 % headroom. It is empty without a
// demand.
func (d Document) Demand() string {
	demand := d.Experiment.Spec.Demand
	if demand == nil {
		return ""
	}
	text := demand.LoginsPerSecond.String() + " logins/s"
	if demand.LoginsPerSecond.String() == "1" {
		text = "1 login/s"
	}
	if demand.HeadroomPercent != nil && *demand.HeadroomPercent > 0 {
		text += fmt.Sprintf(" with %d %% headroom", *demand.HeadroomPercent)
	}
	if down := ptr.Deref(demand.SurviveReplicas, 0); down > 0 {
		text += fmt.Sprintf(", even with %d of the replicas down", down)
	}
	return text
}

func (d Document) recommended(recommendation *v1beta1.Recommendation) string {
	subject, verb := fmt.Sprintf("%d replicas", recommendation.Replicas), "they serve"
	if recommendation.Replicas == 1 {
		subject, verb = "1 replica", "it serves"
	}
	text := fmt.Sprintf("Run %s of %s (%s): %s %s", subject, recommendation.Variant, strings.Join(sizeWords(recommendation.Size), ", "), verb, d.Demand())
	if recommendation.P95Microseconds != nil {
		text += fmt.Sprintf(", p95 at %s/s about %s (objective: %s)", d.Experiment.Spec.Demand.LoginsPerSecond.String(), units.Latency(recommendation.P95Microseconds), strings.TrimPrefix(d.objective(), "p95 within "))
	}
	if recommendation.PricePerMonth != "" {
		text += ", for " + d.money(recommendation.PricePerMonth) + " per month"
	}
	text += "."
	if recommendation.Confidence != "" {
		text += fmt.Sprintf(" Confidence: %s, %s.", strings.ToLower(string(recommendation.Confidence)), verifiedWord(recommendation))
	}
	return text
}

func sizeWords(size v1beta1.Size) []string {
	parts := []string{hashOf(size)}
	limits, total := size.CPULimit+" CPU", size.TotalCPU+" in total"
	if size.MemoryLimit != "" {
		limits, total = limits+" and "+size.MemoryLimit+" of memory", size.TotalCPU+" CPU in total"
	}
	if size.Replicas == 1 {
		parts = append(parts, limits)
	} else {
		parts = append(parts, limits+" each", total)
	}
	if size.Concurrency != nil {
		parts = append(parts, workers(*size.Concurrency))
	}
	if size.NodePool != "" {
		parts = append(parts, "node pool "+size.NodePool)
	}
	if size.Predicted {
		parts = append(parts, "predicted, not measured")
	}
	return parts
}

func hashOf(size v1beta1.Size) string {
	return cmp.Or(size.Hash, fmt.Sprintf("bcrypt cost %d", size.Cost))
}

// workers returns the concurrency as text for a sentence. There, "pool 1" as in the tables
// would look like a node pool.
func workers(c v1beta1.Concurrency) string {
	switch n := ptr.Deref(c.Workers, 1); {
	case c.Mode == v1beta1.ConcurrencyUnbounded:
		return "unbounded concurrency"
	case n == 1:
		return "1 worker"
	default:
		return fmt.Sprintf("%d workers", n)
	}
}

// highest returns the row of the highest cost that met the objective, or of the hash that met
// it at the highest rate if the experiment has no costs. It returns nil if no row met the objective.
func (d Document) highest() *v1beta1.VariantResult {
	costs := slices.Clone(d.Experiment.Status.Results)
	if slices.ContainsFunc(costs, func(r v1beta1.VariantResult) bool { return r.Hash.IsCost() }) {
		costs = slices.DeleteFunc(costs, func(r v1beta1.VariantResult) bool { return !r.Hash.IsCost() })
	}
	return results.Best(costs)
}

func (d Document) best() string {
	best := d.highest()
	if best == nil {
		return fmt.Sprintf("No variant meets the objective (%s)%s.", d.objective(), d.anywhere())
	}
	subject := fmt.Sprintf("Bcrypt cost %d is the highest measured cost that meets the objective (%s):", best.Hash.Cost(), d.objective())
	if !best.Hash.IsCost() {
		subject = fmt.Sprintf("Hash %s meets the objective (%s):", best.Hash.Name, d.objective())
	}
	text := subject + " " + d.upTo(best) + "."
	if best.Verdict == v1beta1.VerdictSuspect {
		text += " The result is suspect: " + sentence(strings.Join(results.Causes(best.Reasons), ", "))
	}
	return text
}

// upTo returns how much load a variant handles, as text: c10-500m up to 5.5/s, or c10-500m
// with 30 users.
func (d Document) upTo(result *v1beta1.VariantResult) string {
	text, capacity := result.Variant, units.Rate(result.CapacityMilliPerSecond)
	switch row := d.Row(result.Variant); {
	case capacity != "" && ptr.Deref(result.CapacityIsLowerBound, false):
		return text + " up to at least " + capacity
	case capacity != "" && result.CapacityMethod == v1beta1.CapacityPredicted:
		return text + " up to about " + capacity
	case capacity != "":
		return text + " up to " + capacity
	case row != nil && row.mostUsers() > 0:
		return fmt.Sprintf("%s with %d users", text, row.mostUsers())
	default:
		return text
	}
}

func (r Row) mostUsers() int32 {
	var most int32
	if r.Shown != nil {
		for _, step := range r.Shown.Status.Steps {
			if step.Kind == v1beta1.StepClosed && step.Outcome == v1beta1.StepMet && step.Users != nil {
				most = max(most, *step.Users)
			}
		}
	}
	return most
}

// objective returns the latencies of the objective as text: p95 within 1s, or p50 within
// 300ms, p95 within 1s and p99 within 2s.
func (d Document) objective() string {
	var parts []string
	o := d.Experiment.Spec.Objective
	for _, p := range []struct {
		name         string
		milliseconds *int32
	}{{"p50", o.P50Milliseconds}, {"p95", &o.P95Milliseconds}, {"p99", o.P99Milliseconds}} {
		if limit := int64(ptr.Deref(p.milliseconds, 0)) * 1000; limit > 0 {
			parts = append(parts, p.name+" within "+units.Latency(&limit))
		}
	}
	if last := len(parts) - 1; last > 1 {
		parts = []string{strings.Join(parts[:last], ", "), parts[last]}
	}
	return strings.Join(parts, " and ")
}

func (d Document) anywhere() string {
	switch d.Experiment.Spec.Load.Mode() {
	case v1beta1.LoadUsers:
		return " with any of the tested user counts"
	case v1beta1.LoadRates:
		return " at any of the offered rates"
	default:
		return " at any rate"
	}
}

func verifiedWord(recommendation *v1beta1.Recommendation) string {
	if recommendation.Verified == v1beta1.VerificationMet {
		return "verified"
	}
	return "not verified"
}
