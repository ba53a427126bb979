package v1beta1_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestALoadIsItsMember(t *testing.T) {
	type wants struct {
		mode     v1beta1.LoadMode
		arrivals v1beta1.Arrivals
		samples  int32
		longest  int32
	}
	uniform := ptr.To(v1beta1.ArrivalsUniform)
	for name, test := range map[string]struct {
		load v1beta1.Load
		want wants
	}{
		"none": {v1beta1.Load{}, wants{v1beta1.LoadCapacity, v1beta1.ArrivalsPoisson, 100, 120}},
		"capacity without fields": {v1beta1.Load{Capacity: &v1beta1.CapacityLoad{}},
			wants{v1beta1.LoadCapacity, v1beta1.ArrivalsPoisson, 100, 120}},
		"capacity": {v1beta1.Load{Capacity: &v1beta1.CapacityLoad{MinSamples: ptr.To[int32](20), MaxStepSeconds: ptr.To[int32](30), Arrivals: uniform}},
			wants{v1beta1.LoadCapacity, v1beta1.ArrivalsUniform, 20, 30}},
		"rates": {v1beta1.Load{Rates: &v1beta1.RatesLoad{PerSecond: []intstr.IntOrString{intstr.FromInt32(1)}}},
			wants{v1beta1.LoadRates, v1beta1.ArrivalsPoisson, 100, 120}},
		"evenly spaced rates": {v1beta1.Load{Rates: &v1beta1.RatesLoad{Arrivals: uniform}},
			wants{v1beta1.LoadRates, v1beta1.ArrivalsUniform, 100, 120}},
		"users": {v1beta1.Load{Users: &v1beta1.UsersLoad{Counts: []int32{1}}},
			wants{v1beta1.LoadUsers, v1beta1.ArrivalsPoisson, 100, 120}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &test.load
			if got := (wants{l.Mode(), l.Arrivals(), l.MinSamples(), l.MaxStepSeconds()}); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

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
