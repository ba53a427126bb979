package report

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/summary"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Met tells whether the question can be answered with yes. With a demand: a size
// is recommended. Without: a Valid or Suspect variant meets the objective.
func (d Document) Met() bool {
	if answer := d.Experiment.Status.Recommendation; d.Demanded() {
		return answer != nil && answer.Variant != ""
	}
	return summary.Best(d.Experiment.Status.Results) != nil
}

// Answer is the answer in a sentence or two: what to run; without a demand, the
// highest cost that met the objective; while the experiment runs, how far it has
// come; and of one that failed, why.
func (d Document) Answer() string {
	status := &d.Experiment.Status
	switch {
	case meta.IsStatusConditionFalse(status.Conditions, v1alpha1.ConditionAccepted):
		return "The question can't be measured: " + d.condition(v1alpha1.ConditionAccepted)
	case status.Phase == v1alpha1.ExperimentFailed:
		return "The experiment failed. " + d.condition(v1alpha1.ConditionFailed)
	case !status.Phase.Finished():
		return d.standing() + " " + d.soFar()
	case status.Phase == v1alpha1.ExperimentCancelled:
		return fmt.Sprintf("Cancelled after %s. %s", d.trialsDone(), d.found())
	default:
		return d.found()
	}
}

func (d Document) condition(kind string) string {
	condition := meta.FindStatusCondition(d.Experiment.Status.Conditions, kind)
	if condition == nil || condition.Message == "" {
		return "No reason was given."
	}
	return sentence(condition.Message)
}

// sentence ends with a full stop, whatever the message did.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}

// found is the answer at the end.
func (d Document) found() string {
	answer := d.Experiment.Status.Recommendation
	switch {
	case answer == nil || !d.Demanded():
		return d.best()
	case answer.BrokenBound == v1alpha1.BoundCapacityUnknown:
		return fmt.Sprintf("It is not known what can carry %s. %s", d.Demand(), sentence(summary.Recommendation(answer, d.Experiment.Spec.Prices)))
	case answer.Verified == v1alpha1.VerificationFailed:
		return fmt.Sprintf("Nothing was seen to carry %s. %s", d.Demand(), sentence(summary.Recommendation(answer, d.Experiment.Spec.Prices)))
	case answer.Variant == "":
		return fmt.Sprintf("Nothing can carry %s. %s", d.Demand(), sentence(summary.Recommendation(answer, d.Experiment.Spec.Prices)))
	default:
		return d.recommended(answer)
	}
}

// Demand reads 5 logins/s with 30 % to spare; empty without a demand.
func (d Document) Demand() string {
	demand := d.Experiment.Spec.Demand
	if demand == nil {
		return ""
	}
	text := fmt.Sprintf("%d logins/s", demand.LoginsPerSecond)
	if demand.HeadroomPercent != nil && *demand.HeadroomPercent > 0 {
		text += fmt.Sprintf(" with %d %% to spare", *demand.HeadroomPercent)
	}
	if down := ptr.Deref(demand.SurviveReplicas, 0); down > 0 {
		text += fmt.Sprintf(", and with %d of the replicas down", down)
	}
	return text
}

// recommended reads: Run 2 replicas of c10-500m (bcrypt cost 10, 500m CPU each, 1
// in all): they carry 5 logins/s with 30 % to spare …
func (d Document) recommended(answer *v1alpha1.Recommendation) string {
	subject, they, carries := fmt.Sprintf("%d replicas", answer.Replicas), "they", "carry"
	if answer.Replicas == 1 {
		subject, they, carries = "1 replica", "it", "carries"
	}
	text := fmt.Sprintf("Run %s of %s (%s): %s %s %s", subject, answer.Variant, strings.Join(sizeWords(answer.Size), ", "), they, carries, d.Demand())
	if answer.P95Microseconds != nil {
		text += fmt.Sprintf(", p95 at %d/s about %s where the objective is %s", d.Experiment.Spec.Demand.LoginsPerSecond, units.Latency(answer.P95Microseconds), strings.TrimPrefix(d.promise(), "p95 within "))
	}
	if answer.PricePerMonth != "" {
		text += ", for " + d.money(answer.PricePerMonth) + " a month"
	}
	text += "."
	if answer.Confidence != "" {
		text += fmt.Sprintf(" Confidence: %s, %s.", strings.ToLower(string(answer.Confidence)), verifiedWord(answer))
	}
	return text
}

// sizeWords are a size's parts as a person lists them.
func sizeWords(size v1alpha1.Size) []string {
	parts := []string{fmt.Sprintf("bcrypt cost %d", size.Cost)}
	if size.Hash != "" {
		parts[0] = size.Hash
	}
	limits, total := size.CPULimit+" CPU", size.TotalCPU+" in all"
	if size.MemoryLimit != "" {
		limits, total = limits+" and "+size.MemoryLimit+" of memory", size.TotalCPU+" CPU in all"
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

// workers says how logins are hashed side by side. The columns' "pool 1" would
// read like a pool of nodes in a sentence.
func workers(c v1alpha1.Concurrency) string {
	switch n := ptr.Deref(c.Workers, 1); {
	case c.Mode == v1alpha1.ConcurrencyUnbounded:
		return "a goroutine for each login"
	case n == 1:
		return "1 worker"
	default:
		return fmt.Sprintf("%d workers", n)
	}
}

// best is the answer without a demand: the highest cost that met the objective;
// of an experiment without costs, the control that held the highest rate.
func (d Document) best() string {
	costs := slices.Clone(d.Experiment.Status.Results)
	if slices.ContainsFunc(costs, func(r v1alpha1.VariantResult) bool { return r.Control == "" }) {
		costs = slices.DeleteFunc(costs, func(r v1alpha1.VariantResult) bool { return r.Control != "" })
	}
	found := summary.Best(costs)
	if found == nil {
		return fmt.Sprintf("No variant holds %s%s.", d.promise(), d.anywhere())
	}
	subject := fmt.Sprintf("Bcrypt cost %d is the highest measured that holds %s:", found.Cost, d.promise())
	if found.Control != "" {
		subject = fmt.Sprintf("Control %s holds %s:", found.Control, d.promise())
	}
	text := subject + " " + d.holds(found) + "."
	if found.Verdict == v1alpha1.VerdictSuspect {
		text += " The result is suspect: " + sentence(strings.Join(reasonTypes(found.Reasons), ", "))
	}
	return text
}

// holds reads c10-500m up to 5.5/s, or c10-500m with 30 users.
func (d Document) holds(found *v1alpha1.VariantResult) string {
	text := found.Variant
	switch row := d.Row(found.Variant); {
	case found.CapacityMilliPerSecond != nil && found.CapacityIsLowerBound != nil && *found.CapacityIsLowerBound:
		return text + " up to " + units.Rate(found.CapacityMilliPerSecond) + " at least"
	case found.CapacityMilliPerSecond != nil && found.CapacityMethod == v1alpha1.CapacityPredicted:
		return text + " up to about " + units.Rate(found.CapacityMilliPerSecond)
	case found.CapacityMilliPerSecond != nil:
		return text + " up to " + units.Rate(found.CapacityMilliPerSecond)
	case row != nil && row.mostUsers() > 0:
		return fmt.Sprintf("%s with %d users", text, row.mostUsers())
	default:
		return text
	}
}

// mostUsers is the greatest number of users with which a step met the objective.
func (r Row) mostUsers() int32 {
	var most int32
	if r.Shown != nil {
		for _, step := range r.Shown.Status.Steps {
			if step.Kind == v1alpha1.StepClosed && step.Outcome == v1alpha1.StepMet && step.Users != nil {
				most = max(most, *step.Users)
			}
		}
	}
	return most
}

// promise reads p95 within 1s, or p50 within 300ms, p95 within 1s and p99 within 2s.
func (d Document) promise() string {
	var held []string
	o := d.Experiment.Spec.Objective
	for _, p := range []struct {
		name         string
		milliseconds int32
	}{{"p50", o.P50Milliseconds}, {"p95", o.P95Milliseconds}, {"p99", o.P99Milliseconds}} {
		if limit := int64(p.milliseconds) * 1000; limit > 0 {
			held = append(held, p.name+" within "+units.Latency(&limit))
		}
	}
	if last := len(held) - 1; last > 1 {
		held = []string{strings.Join(held[:last], ", "), held[last]}
	}
	return strings.Join(held, " and ")
}

// anywhere is where the load looked for the objective to be met.
func (d Document) anywhere() string {
	switch d.Experiment.Spec.Load.Mode {
	case v1alpha1.LoadUsers:
		return " with any of the numbers of users"
	case v1alpha1.LoadRates:
		return " at any of the rates that were offered"
	default:
		return " at any rate"
	}
}

func reasonTypes(reasons []v1alpha1.Reason) []string {
	var types []string
	for _, reason := range reasons {
		types = append(types, reason.Type)
	}
	return types
}

// verifiedWord says whether the size was seen to hold the objective.
func verifiedWord(answer *v1alpha1.Recommendation) string {
	if answer.Verified == v1alpha1.VerificationMet {
		return "verified"
	}
	return "not verified"
}
