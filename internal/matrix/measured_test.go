package matrix_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestMeasuredLeavesOutWhatTheCornersTell(t *testing.T) {
	tests := map[string]struct {
		matrix v1beta1.Matrix
		want   []string
	}{
		"all variants with measure: All": {
			v1beta1.Matrix{Costs: []int32{8, 9, 10}, CPULimits: fixture.Limits("250m", "1"), Measure: v1beta1.MeasureAll},
			[]string{"c8-250m", "c8-1", "c9-250m", "c9-1", "c10-250m", "c10-1"},
		},
		"four corners, the middle, and the place farthest from it": {
			v1beta1.Matrix{Costs: []int32{8, 10, 12}, CPULimits: fixture.Limits("250m", "500m", "1")},
			[]string{"c8-250m", "c8-500m", "c8-1", "c10-500m", "c12-250m", "c12-1"},
		},
		"limits are ordered by value, and other hashes are all measured": {
			v1beta1.Matrix{
				Costs: []int32{10, 8}, CPULimits: fixture.Limits("1", "4", "250m", "1500m"),
				Hashes: []v1beta1.Hash{{Name: "cheap", SHA256: &v1beta1.SHA256{}}},
			},
			[]string{"c10-1", "c10-4", "c10-250m", "c8-4", "c8-250m", "c8-1500m", "cheap-1", "cheap-4", "cheap-250m", "cheap-1500m"},
		},
		"a cost in hashes is a place like that of a cost in costs, and an A/A pair is measured together": {
			v1beta1.Matrix{
				Costs: []int32{8, 10}, CPULimits: fixture.Limits("250m", "500m", "1"),
				Hashes: []v1beta1.Hash{{Name: "again", Bcrypt: &v1beta1.Bcrypt{Cost: 8}}, {Name: "twelve", Bcrypt: &v1beta1.Bcrypt{Cost: 12}}},
			},
			[]string{"c8-250m", "c8-500m", "c8-1", "c10-500m", "again-250m", "again-500m", "again-1", "twelve-250m", "twelve-1"},
		},
		"both others, if there are only two besides the corners": {
			v1beta1.Matrix{Costs: []int32{8, 10}, CPULimits: fixture.Limits("250m", "500m", "1")},
			[]string{"c8-250m", "c8-500m", "c8-1", "c10-250m", "c10-500m", "c10-1"},
		},
		"with a single cost, the ends and two between": {
			v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("250m", "500m", "750m", "1", "2")},
			[]string{"c10-250m", "c10-500m", "c10-750m", "c10-2"},
		},
		"the same for each kind of concurrency": {
			v1beta1.Matrix{
				Costs: []int32{8, 9, 10, 11}, CPULimits: fixture.Limits("1"),
				Concurrency: []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyUnbounded}, {Mode: v1beta1.ConcurrencyWorkerPool}},
			},
			[]string{"c8-1-u", "c8-1-w1", "c9-1-u", "c9-1-w1", "c10-1-u", "c10-1-w1", "c11-1-u", "c11-1-w1"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.matrix.Measure == "" {
				test.matrix.Measure = v1beta1.MeasureCorners
			}
			measured, err := matrix.Measured(v1beta1.SizingExperimentSpec{Matrix: test.matrix}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, namesOf(measured)); diff != "" {
				t.Errorf("measured (-want +got):\n%s", diff)
			}
		})
	}
}

// For every matrix the corners are measured, with at most two more in each group, in the
// order of the matrix.
func TestCornersAreMeasuredOfEveryMatrix(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	limits := fixture.Limits("4", "100m", "2", "250m", "1", "750m", "500m", "1500m")
	for range 300 {
		m := v1beta1.Matrix{CPULimits: limits[:1+source.IntN(8)], Measure: v1beta1.MeasureCorners}
		for _, cost := range source.Perm(13)[:1+source.IntN(8)] {
			m.Costs = append(m.Costs, int32(cost+4))
		}
		all, err := matrix.Variants(m)
		if err != nil {
			t.Fatal(err)
		}
		measured, err := matrix.Measured(v1beta1.SizingExperimentSpec{Matrix: m}, nil)
		if err != nil {
			t.Fatal(err)
		}
		corners := namesOf(matrix.Corners(all))
		if most := min(len(all), len(corners)+2); len(measured) != most || len(corners) > 4 {
			t.Errorf("%v × %v: %d corners, %d measured, want %d", m.Costs, m.CPULimits, len(corners), len(measured), most)
		}
		if !subsequence(namesOf(measured), namesOf(all)) || !subsequence(corners, namesOf(measured)) {
			t.Errorf("%v × %v: corners %v, measured %v", m.Costs, m.CPULimits, corners, namesOf(measured))
		}
	}
}

func TestOnlyWhatIsMeasuredIsPlanned(t *testing.T) {
	exp := &v1beta1.SizingExperiment{}
	exp.Name, exp.Spec.Repetitions = "sizing", ptr.To[int32](2)
	exp.Spec.Matrix = v1beta1.Matrix{Costs: []int32{8, 9, 10, 11, 12}, CPULimits: fixture.Limits("1"), Measure: v1beta1.MeasureCorners}
	plan, err := matrix.Plan(exp, 7)
	if err != nil {
		t.Fatal(err)
	}
	planned := map[string]int{}
	for _, trial := range plan {
		planned[trial.Spec.Variant.Name]++
	}
	if diff := cmp.Diff(map[string]int{"c8-1": 2, "c9-1": 2, "c10-1": 2, "c12-1": 2}, planned); diff != "" {
		t.Errorf("planned (-want +got):\n%s", diff)
	}
}

func namesOf(variants []v1beta1.Variant) []string {
	var names []string
	for _, v := range variants {
		names = append(names, v.Name)
	}
	return names
}

// subsequence reports whether whole contains all of part, in the same order.
func subsequence(part, whole []string) bool {
	for _, name := range whole {
		if len(part) > 0 && part[0] == name {
			part = part[1:]
		}
	}
	return len(part) == 0
}
