package crd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// The defaults inside a load are those of its methods, which the compiler can't compare with
// descriptions and rules.
func TestTheSchemaStatesTheDefaultsOfALoad(t *testing.T) {
	load := &v1beta1.Load{}
	stated := map[string]string{
		".load.capacity.minSamples":     fmt.Sprintf("When absent: %d.", load.MinSamples()),
		".load.capacity.maxStepSeconds": fmt.Sprintf("When absent: %d.", load.MaxStepSeconds()),
		".load.capacity.arrivals":       fmt.Sprintf("When absent: %s.", load.Arrivals()),
		".load.rates.arrivals":          fmt.Sprintf("When absent: %s.", load.Arrivals()),
	}
	found := 0
	for _, field := range schemas(t) {
		for end, want := range stated {
			if !strings.HasSuffix(field.path, ".spec"+end) {
				continue
			}
			found++
			if !strings.Contains(strings.Join(strings.Fields(field.Description), " "), want) {
				t.Errorf("%s does not say %q", field.path, want)
			}
		}
		if strings.HasSuffix(field.path, ".spec.load") {
			found++
			if fault := limitsSteps(field, load.MaxStepSeconds()); fault != "" {
				t.Errorf("%s %s", field.path, fault)
			}
		}
	}
	if want := 2 * (len(stated) + 1); found != want {
		t.Errorf("found %d fields, want %d", found, want)
	}
}

// limitsSteps requires a rule that uses the default for a load that does not say how long its steps can be.
func limitsSteps(load schema, longest int32) string {
	for _, rule := range load.XValidations {
		if strings.Contains(rule.Rule, fmt.Sprintf(": %d)", longest)) && strings.Contains(rule.Message, fmt.Sprintf("is %d by default", longest)) {
			return ""
		}
	}
	return fmt.Sprintf("has no rule that limits stepSeconds to %d by default", longest)
}
