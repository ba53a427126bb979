package v1beta1_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestALoadIsItsMember(t *testing.T) {
	type wants struct {
		mode     v1beta1.LoadMode
		arrivals v1beta1.Arrivals
		samples  int32
		longest  int32
	}
	uniform := new(v1beta1.ArrivalsUniform)
	for name, test := range map[string]struct {
		load v1beta1.Load
		want wants
	}{
		"none": {v1beta1.Load{}, wants{v1beta1.LoadCapacity, v1beta1.ArrivalsPoisson, 100, 120}},
		"capacity without fields": {v1beta1.Load{Capacity: &v1beta1.CapacityLoad{}},
			wants{v1beta1.LoadCapacity, v1beta1.ArrivalsPoisson, 100, 120}},
		"capacity": {v1beta1.Load{Capacity: &v1beta1.CapacityLoad{MinSamples: new(int32(20)), MaxStepSeconds: new(int32(30)), Arrivals: uniform}},
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
