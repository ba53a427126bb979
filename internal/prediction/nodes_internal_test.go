package prediction

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestNodesServeALimitAsTheyServedOthers(t *testing.T) {
	none := handover.Calibration{}
	shared := nodes{{limit: 250, cpus: 4, quota: true}, {limit: 2000, cpus: 4, quota: true}}
	exclusive := nodes{{limit: 250, cpus: 2, quota: true}, {limit: 2000, cpus: 2}}
	tests := map[string]struct {
		nodes nodes
		limit int64
		want  handover.Calibration
	}{
		"below two CPUs Go uses two":                       {shared, 500, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 2, QuotaMilliCPU: ptr.To[int64](500)}}},
		"above two, the limit is rounded up":               {shared, 2500, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 3, QuotaMilliCPU: ptr.To[int64](2500)}}},
		"whole CPUs have a quota if others had":            {shared, 4000, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 4, QuotaMilliCPU: ptr.To[int64](4000)}}},
		"more CPUs than pods had are unknown":              {shared, 4500, none},
		"a limit that a pod had gets the same again":       {exclusive, 2000, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 2}}},
		"whole CPUs are exclusive if others were":          {exclusive, 1000, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 1}}},
		"parts of a CPU are not exclusive":                 {exclusive, 1500, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 2, QuotaMilliCPU: ptr.To[int64](1500)}}},
		"more exclusive CPUs than pods had are unknown":    {exclusive, 4000, none},
		"parts of a CPU are unknown if no pod had a quota": {nodes{{limit: 2000, cpus: 2}}, 500, none},
		"on a single CPU Go uses one":                      {nodes{{limit: 250, cpus: 1, quota: true}}, 500, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 1, QuotaMilliCPU: ptr.To[int64](500)}}},
		"if nodes differ, the smallest counts":             {nodes{{limit: 250, cpus: 8, quota: true}, {limit: 500, cpus: 2, quota: true}}, 4000, none},
		"without pods nothing is known":                    {nil, 500, none},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, known := test.nodes.machine(test.limit)
			if diff := cmp.Diff(test.want, got); diff != "" || known != (test.want.GoMaxProcs > 0) {
				t.Errorf("known: %t (-want +got):\n%s", known, diff)
			}
		})
	}
}

func TestWhatIsPredictedComesInTheOrderOfItsWorth(t *testing.T) {
	m := v1beta1.Matrix{
		Costs: []int32{12, 10, 8}, CPULimits: fixture.Limits("2", "500m", "1", "250m"), Measure: v1beta1.MeasureCorners,
		Hashes: []v1beta1.Hash{{Name: "again", Bcrypt: &v1beta1.Bcrypt{Cost: 10}}},
	}
	f := newPredictor(v1beta1.SizingExperimentSpec{Matrix: m}, make([]v1beta1.SizingTrial, 1))
	leftOut, beyond := f.unmeasured()
	var got [2][]string
	for i, variants := range [][]v1beta1.Variant{leftOut, beyond} {
		for _, v := range variants {
			got[i] = append(got[i], v.Name)
		}
	}
	want := [2][]string{
		{"c12-500m", "c12-1", "c10-2", "c10-500m", "c8-500m", "c8-1", "again-2", "again-500m"},
		{
			"c9-2", "c9-500m", "c9-1", "c9-250m", "c11-2", "c11-500m", "c11-1", "c11-250m",
			"c13-2", "c13-500m", "c13-1", "c13-250m", "c12-4", "c10-4", "c8-4",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("left out, and beyond (-want +got):\n%s", diff)
	}
}

func TestLimitsFarApartAreFilledByDoublings(t *testing.T) {
	for name, test := range map[string]struct {
		limits []string
		want   []int64
	}{
		"a factor of two is near enough": {[]string{"250m", "500m"}, []int64{1000}},
		"a factor of eight has two":      {[]string{"250m", "2"}, []int64{500, 1000, 4000}},
		"none":                           {nil, nil},
	} {
		if diff := cmp.Diff(test.want, furtherLimits(fixture.Limits(test.limits...))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if further := furtherCosts([]int32{14, 16}); !cmp.Equal(further, []int32{15}) {
		t.Errorf("further costs of 14 and 16 are: %v", further)
	}
}
