package results_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

func TestDifference(t *testing.T) {
	differs := func(perMille, chance int64) *v1beta1.Difference {
		return &v1beta1.Difference{PerMille: perMille, ChancePerMille: &chance}
	}
	tests := map[string]struct {
		these, others []int64
		want          *v1beta1.Difference
	}{
		"two and two may differ by chance":               {[]int64{120, 121}, []int64{100, 101}, differs(200, 333)},
		"the order of the repetitions has no effect":     {[]int64{110, 130, 120}, []int64{100, 90, 95}, differs(263, 100)},
		"the chance is the same for a lower set":         {[]int64{101, 100, 99, 102, 98}, []int64{111, 110, 112, 113, 114}, differs(-107, 8)},
		"equal sets have a chance of 1":                  {[]int64{100, 100, 100}, []int64{100, 100, 100}, differs(0, 1000)},
		"the chance of ten and ten is not 0":             {tenFrom(200), tenFrom(100), differs(962, 1)},
		"a drop to 0 is a difference of −1000":           {[]int64{0, 0}, []int64{100, 101}, differs(-1000, 333)},
		"a single repetition has no chance":              {[]int64{120}, []int64{100, 101, 102}, &v1beta1.Difference{PerMille: 188}},
		"a comparison with a single repetition has none": {[]int64{120, 121, 122}, []int64{100}, &v1beta1.Difference{PerMille: 210}},
		"no difference from an empty set":                {[]int64{120}, nil, nil},
		"no difference of an empty set":                  {nil, []int64{100}, nil},
		"no difference from a median of 0":               {[]int64{120, 121}, []int64{0, 0}, nil},
		"no difference of two empty sets":                {nil, nil, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := slices.Clone(test.these)
			if diff := cmp.Diff(test.want, results.CapacityRate.Difference(test.these, test.others)); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
			if !slices.Equal(before, test.these) {
				t.Errorf("the caller's numbers were sorted: %v", test.these)
			}
		})
	}
}

func tenFrom(first int64) []int64 {
	var numbers []int64
	for i := range int64(10) {
		numbers = append(numbers, first+i)
	}
	return numbers
}
