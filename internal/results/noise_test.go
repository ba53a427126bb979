package results_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

func aTwin(of v1alpha1.Variant, name string) v1alpha1.Variant {
	of.Name, of.Control = name, name
	return of
}

func noise(p95, capacity, maximum int64) *v1alpha1.Noise {
	return &v1alpha1.Noise{P95PerMille: &p95, CapacityPerMille: &capacity, MaxThroughputPerMille: &maximum}
}

func TestTheNoiseFloorIsHowFarAPairOfTheSameLiesApart(t *testing.T) {
	variants := []v1alpha1.Variant{aVariant("c10-1", 10), aVariant("c8-1", 8), aTwin(aVariant("", 8), "twin-1")}
	a := []v1alpha1.VariantResult{served(100, 40, 50), served(110, 40, 50)}
	tests := map[string]struct {
		a, b []v1alpha1.VariantResult
		want *v1alpha1.NoiseFloor
	}{
		"the largest within a repetition, and between repetitions": {
			a, []v1alpha1.VariantResult{served(120, 41, 50), served(112, 44, 51)},
			&v1alpha1.NoiseFloor{
				EqualSeeds: noise(182, 95, 20), DifferentSeeds: noise(95, 71, 20),
				Comparison: &v1alpha1.Comparison{
					Against: "c8-1",
					P95:     &v1alpha1.Difference{PerMille: 91, ChancePerMille: ptr.To[int64](333)}, Capacity: &v1alpha1.Difference{PerMille: 25, ChancePerMille: ptr.To[int64](333)},
					MaxThroughput: &v1alpha1.Difference{PerMille: 0, ChancePerMille: ptr.To[int64](1000)},
				},
			}},
		"with a single repetition there are no different seeds": {
			a[:1], []v1alpha1.VariantResult{served(120, 41, 50)},
			&v1alpha1.NoiseFloor{EqualSeeds: noise(182, 25, 0)}},
		"repetitions of one twin still show the effect of different seeds": {
			a, nil, &v1alpha1.NoiseFloor{DifferentSeeds: noise(95, 0, 0)}},
		"invalid trials do not count": {
			a[:1], []v1alpha1.VariantResult{judged(served(120, 41, 50), v1alpha1.VerdictInvalid)}, nil},
		"a number that one of the two does not have is left out": {
			a[:1], []v1alpha1.VariantResult{found(120, 41)},
			&v1alpha1.NoiseFloor{EqualSeeds: &v1alpha1.Noise{P95PerMille: ptr.To[int64](182), CapacityPerMille: ptr.To[int64](25)}}},
		"two capacities of 0 have no difference": {
			[]v1alpha1.VariantResult{served(100, 0, 50)}, []v1alpha1.VariantResult{served(100, 0, 50)},
			&v1alpha1.NoiseFloor{EqualSeeds: &v1alpha1.Noise{P95PerMille: ptr.To[int64](0), MaxThroughputPerMille: ptr.To[int64](0)}}},
		"nothing while nothing is measured": {nil, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.want != nil {
				test.want.Pair = []string{"c8-1", "twin-1"}
			}
			trials := slices.Concat(repeated("c8-1", test.a...), repeated("twin-1", test.b...))
			if diff := cmp.Diff(test.want, results.NoiseFloor(variants, trials)); diff != "" {
				t.Errorf("noise floor (-want +got):\n%s", diff)
			}
		})
	}
}

func TestThePairOfTheNoiseFloor(t *testing.T) {
	c8 := aVariant("c8-1", 8)
	session := aTwin(c8, "session-1")
	session.Sessions = true
	elsewhere := aTwin(c8, "c8-1-small")
	elsewhere.NodePool = &v1alpha1.NodePool{Name: "small"}
	tests := map[string]struct {
		variants []v1alpha1.Variant
		want     []string
	}{
		"a control that equals a cost":       {[]v1alpha1.Variant{c8, aVariant("c10-1", 10), aTwin(c8, "again-1")}, []string{"c8-1", "again-1"}},
		"the first pair in the matrix":       {[]v1alpha1.Variant{aVariant("c10-1", 10), c8, aTwin(c8, "x"), aTwin(aVariant("", 10), "y")}, []string{"c10-1", "y"}},
		"not a control with sessions":        {[]v1alpha1.Variant{c8, session}, nil},
		"not a variant on another node pool": {[]v1alpha1.Variant{c8, elsewhere}, nil},
		"no pair without equal variants":     {[]v1alpha1.Variant{c8, aVariant("c10-1", 10)}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var trials []v1alpha1.SizingTrial
			for _, variant := range test.variants {
				trials = append(trials, repeated(variant.Name, served(100, 40, 50))...)
			}
			var pair []string
			if floor := results.NoiseFloor(test.variants, trials); floor != nil {
				pair = floor.Pair
			}
			if diff := cmp.Diff(test.want, pair); diff != "" {
				t.Errorf("pair (-want +got):\n%s", diff)
			}
		})
	}
}
