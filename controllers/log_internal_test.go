package controllers

import (
	"testing"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// A pass over a trial has one line, which says what was done and why, or at V(1) that nothing
// changed.
func TestEachPassOverATrialIsOneLine(t *testing.T) {
	running := v1beta1.SizingTrial{Spec: v1beta1.SizingTrialSpec{Variant: v1beta1.Variant{Name: "c10-1"}}}
	running.Status = v1beta1.SizingTrialStatus{Phase: v1beta1.TrialRunning, Attempts: []v1beta1.Attempt{{Number: 2}}}
	waiting := running.DeepCopy()
	waiting.Status.Reason = v1beta1.ReasonUnschedulable
	judged := running.DeepCopy()
	judged.Status.Result = &v1beta1.VariantResult{
		Verdict: v1beta1.VerdictSuspect, Reasons: []v1beta1.Reason{{Type: v1beta1.ReasonSharedNode}},
	}
	wait := done{Decision: lifecycle.Decision{Action: lifecycle.Wait, Reason: v1beta1.ReasonUnschedulable, Message: "no node has 8 CPUs"}}
	harvest := done{Decision: lifecycle.Decision{Action: lifecycle.Harvest, Reason: v1beta1.ReasonUnderLoad}}
	for name, test := range map[string]struct {
		did           done
		before, after *v1beta1.SizingTrial
		want          string
	}{
		"what it waits for": {wait, &running, waiting,
			`"level"=0 "msg"="no node has 8 CPUs" "variant"="c10-1" "action"="Wait" "attempt"=2 "reason"="Unschedulable"`},
		"the event's reason and a verdict": {harvest.with(normal, v1beta1.ReasonMeasured, "The result was read"), &running, judged,
			`"level"=0 "msg"="The result was read" "variant"="c10-1" "action"="Harvest" "attempt"=2 "verdict"="Suspect" "verdictReasons"=["SharedNode"] "reason"="Measured"`},
		"no change": {wait, waiting, waiting,
			`"level"=1 "msg"="Nothing changed" "variant"="c10-1" "action"="Wait" "attempt"=2 "reason"="Unschedulable"`},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []string
			log := funcr.New(func(_, line string) { lines = append(lines, line) }, funcr.Options{Verbosity: 1})
			test.did.log(log, test.before, test.after)
			if diff := cmp.Diff([]string{test.want}, lines); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}
