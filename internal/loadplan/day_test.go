package loadplan

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// The limit is measured variants × repetitions × (60 + warm-up + steps × (step + timeout))
// ≤ 86,400 seconds.
func TestPlansEndWithinADay(t *testing.T) {
	type spec = v1alpha1.SizingExperimentSpec
	eighteen := func(mode v1alpha1.LoadMode, warmup int32) func(*spec) {
		return func(s *spec) {
			s.Repetitions = 10
			s.Load = v1alpha1.Load{Mode: mode, StepSeconds: 466, MaxStepSeconds: 466, RequestTimeoutSeconds: 10, WarmupSeconds: warmup}
			for n := range int32(18) {
				s.Load.RatesPerSecond, s.Load.Users = append(s.Load.RatesPerSecond, intstr.FromInt32(n+1)), append(s.Load.Users, n+1)
			}
		}
	}
	matrix := func(m v1alpha1.Matrix) func(*spec) { return func(s *spec) { s.Matrix = m } }
	repeated := func(n int32) func(*spec) { return func(s *spec) { s.Repetitions = n } }
	pools := []v1alpha1.NodePool{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	costs := []int32{4, 6, 8, 9, 10, 11, 12}
	cornersAndControls := v1alpha1.Matrix{
		Measure: v1alpha1.MeasureCorners, Costs: []int32{8, 9, 10}, CPULimits: []string{"1", "2", "3"}, NodePools: pools,
		Controls: []v1alpha1.Control{{Name: "cheap", Algorithm: v1alpha1.AlgorithmSHA256}},
	}
	onlyCorners := v1alpha1.Matrix{Measure: v1alpha1.MeasureCorners, Costs: []int32{8, 12}, CPULimits: []string{"1", "2"}}
	for name, test := range map[string]struct {
		changes []func(*spec)
		refused bool
	}{
		// 1 × 10 × (60 + 12 + 18 × (466 + 10)) = 86,400
		"Rates that take exactly 24 hours":       {[]func(*spec){eighteen(v1alpha1.LoadRates, 12)}, false},
		"one more second of warm-up":             {[]func(*spec){eighteen(v1alpha1.LoadRates, 13)}, true},
		"one more second of warm-up, with Users": {[]func(*spec){eighteen(v1alpha1.LoadUsers, 13)}, true},
		// 27 × (60 + 5 + 24 × (120 + 10)) = 85,995
		"27 variants of Capacity with its defaults": {[]func(*spec){matrix(v1alpha1.Matrix{Costs: []int32{8, 10, 12}, CPULimits: []string{"250m", "500m", "1"}, NodePools: pools})}, false},
		"28 variants of Capacity with its defaults": {[]func(*spec){matrix(v1alpha1.Matrix{Costs: costs, CPULimits: []string{"250m", "500m", "1", "2"}})}, true},
		"28 variants of shorter steps": {[]func(*spec){matrix(v1alpha1.Matrix{Costs: costs, CPULimits: []string{"250m", "500m", "1", "2"}}),
			func(s *spec) { s.Load.MaxStepSeconds = 60 }}, false},
		"64 variants of which the corners are measured": {[]func(*spec){matrix(v1alpha1.Matrix{Measure: v1alpha1.MeasureCorners,
			Costs: []int32{4, 5, 6, 7, 8, 9, 10, 11}, CPULimits: []string{"1", "2", "3", "4", "5", "6", "7", "8"}})}, false},
		// (6 + 3) × 3 × (60 + 5 + 24 × (120 + 10)) = 85,995
		"corners and controls on three pools": {[]func(*spec){matrix(cornersAndControls)}, false},
		"eleven more seconds of warm-up":      {[]func(*spec){matrix(cornersAndControls), func(s *spec) { s.Load.WarmupSeconds = 21 }}, true},
		// 4 × 6 × (60 + 5 + 24 × (120 + 10)) = 76,440, and seven times 89,180
		"nothing but corners, six times":   {[]func(*spec){matrix(onlyCorners), repeated(6)}, false},
		"nothing but corners, seven times": {[]func(*spec){matrix(onlyCorners), repeated(7)}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec{
				Matrix:      v1alpha1.Matrix{Costs: []int32{10}, CPULimits: []string{"1"}},
				Load:        v1alpha1.Load{Mode: v1alpha1.LoadCapacity, StepSeconds: 10, MaxStepSeconds: 120, WarmupSeconds: 5, RequestTimeoutSeconds: 10},
				Repetitions: 1,
			}
			for _, change := range test.changes {
				change(&s)
			}
			err := CheckDuration(s)
			if (err != nil) != test.refused || err != nil && !strings.Contains(err.Error(), "at most 24 hours; use fewer variants") {
				t.Errorf("refused with %v", err)
			}
		})
	}
}
