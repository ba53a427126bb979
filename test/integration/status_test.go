//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// conditionIsShort is the refusal of a condition that is too long.
const conditionIsShort = "status.conditions: a condition's message can have at most 1,024 characters"

func TestAConditionHasABound(t *testing.T) {
	experiment := create(t, plainExperiment)
	condition := func(kind, reason, message int) string {
		text := func(letters int) string { return strings.Repeat("a", letters) }
		return fmt.Sprintf(`{status: {conditions: [{type: %s, status: "True", reason: %s, message: %s, lastTransitionTime: "2026-11-21T14:08:35Z"}]}}`,
			text(kind), text(reason), text(message))
	}
	for name, test := range map[string]struct {
		status string
		want   []string
	}{
		"the longest":      {condition(64, 64, 1024), nil},
		"a longer message": {condition(64, 64, 1025), []string{conditionIsShort}},
		"a longer reason":  {condition(64, 65, 1024), []string{conditionIsShort}},
		"a longer type":    {condition(65, 64, 1024), []string{conditionIsShort}},
	} {
		t.Run(name, func(t *testing.T) {
			patch := client.RawPatch("application/merge-patch+json", asJSON(t, test.status))
			checkRefusals(t, test.want, apiClient.Status().Patch(t.Context(), experiment.DeepCopy(), patch, client.DryRunAll))
		})
	}
}

// A later release may have other phases, and be rolled out before its definitions.
func TestAPhaseThatTheDefinitionDoesNotKnow(t *testing.T) {
	setStatus(t, create(t, plainExperiment), `{status: {phase: Pondering}}`)
	setStatus(t, create(t, plainTrial), `{status: {phase: Pondering}}`)
}
