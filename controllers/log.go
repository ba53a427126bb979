package controllers

import (
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// unchanged is the message of a pass that changed nothing, which is logged at V(1).
const unchanged = "Nothing changed"

// log writes one line for a pass over a trial that changed something: what was done, in which
// attempt, and why. Once the trial has a result, the line has its verdict.
func (d done) log(log logr.Logger, before, after *v1alpha1.SizingTrial) {
	status := &after.Status
	log = log.WithValues("variant", after.Spec.Variant.Name, "action", d.Action)
	if n := len(status.Attempts); n > 0 {
		log = log.WithValues("attempt", status.Attempts[n-1].Number)
	}
	if equality.Semantic.DeepEqual(before.Status, after.Status) {
		log.V(1).Info(unchanged, "reason", d.Reason)
		return
	}
	reason, message := d.Reason, d.Message
	if n := len(d.events); n > 0 {
		reason, message = d.events[n-1].reason, d.events[n-1].note
	}
	if result := status.Result; result != nil {
		log = log.WithValues("verdict", result.Verdict, "verdictReasons", results.ReasonTypes(result.Reasons))
	}
	log.Info(truncate(message), "reason", reason)
}

// log writes one line for each decision of a pass over an experiment. Turns have a line of
// their own, because they are given even if the status can't be written afterwards.
func (p *experimentPass) log(log logr.Logger, before *v1alpha1.SizingExperiment) {
	status := &p.experiment.Status
	if equality.Semantic.DeepEqual(before.Status, *status) {
		log.V(1).Info(unchanged, "phase", status.Phase)
	}
	for _, e := range p.events {
		if e.action == giveTurn {
			continue
		}
		values := []any{"action", e.action, "reason", e.reason, "phase", status.Phase}
		if r := status.Recommendation; r != nil && status.Phase.Finished() {
			values = append(values, "recommended", status.Display.Recommended, "verified", status.Display.Verified, "confidence", r.Confidence)
		}
		log.Info(truncate(e.note), values...)
	}
}
