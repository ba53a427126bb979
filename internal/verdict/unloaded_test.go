package verdict_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// unloaded is a variant at cost 12 on a quarter of a CPU: a hash takes 226 ms of
// CPU time, an idle service at least 0.8 s.
func unloaded(changes ...func(*v1alpha1.SizingTrialSpec, *v1alpha1.TrialCalibration)) verdict.Judgement {
	spec := v1alpha1.SizingTrialSpec{
		Variant: v1alpha1.Variant{
			Name: "c12-250m", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 12, CPULimit: "250m",
			Concurrency: v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)},
		},
		Service:   v1alpha1.Service{Replicas: 1},
		Objective: v1alpha1.Objective{P95Milliseconds: 500},
		Load:      v1alpha1.Load{Mode: v1alpha1.LoadCapacity, RequestTimeoutSeconds: 10},
	}
	cal := v1alpha1.TrialCalibration{
		CalibrationResult: v1alpha1.CalibrationResult{HashMicroseconds: 226_000, Samples: 13},
		GoMaxProcs:        1, Cpuset: "0", QuotaMilliCPU: ptr.To[int64](250),
	}
	for _, change := range changes {
		change(&spec, &cal)
	}
	return verdict.Unloaded(spec, cal, prediction.Before(spec, cal))
}

func TestAnInfeasibleVariantIsToldWithoutLoad(t *testing.T) {
	judged := unloaded()
	want := v1alpha1.VariantResult{
		Variant: "c12-250m", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 12, CPULimit: "250m",
		Calibration:         &v1alpha1.CalibrationResult{HashMicroseconds: 226_000, Samples: 13},
		BoundMilliPerSecond: ptr.To[int64](1_106),
		ObjectiveMet:        ptr.To(false),
		Verdict:             v1alpha1.VerdictValid,
		Reasons:             []v1alpha1.Reason{{Type: verdict.Infeasible, Message: judged.Capacity.Message}},
		Trials:              1,
	}
	if diff := cmp.Diff(want, judged.Result); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
	if c := judged.Capacity; c.Method != v1alpha1.CapacityPredicted || c.MilliPerSecond != nil || c.Interval != nil {
		t.Errorf("capacity is %+v", c)
	}
}

func TestAnInfeasibleVariantSaysWhatWouldHelp(t *testing.T) {
	tests := map[string]struct {
		change func(*v1alpha1.SizingTrialSpec, *v1alpha1.TrialCalibration)
		says   []string
	}{
		"a higher limit": {
			func(*v1alpha1.SizingTrialSpec, *v1alpha1.TrialCalibration) {},
			[]string{"above the objective of 500 ms", "raise the CPU limit (from about 450m)"},
		},
		"no limit where one hash takes too long already": {
			func(_ *v1alpha1.SizingTrialSpec, c *v1alpha1.TrialCalibration) { c.HashMicroseconds = 501_000 },
			[]string{"lower the cost: no CPU limit"},
		},
		"no limit where none is what holds it up": {
			func(_ *v1alpha1.SizingTrialSpec, c *v1alpha1.TrialCalibration) {
				c.HashMicroseconds, c.QuotaMilliCPU = 600_000, nil
			},
			[]string{"takes 600ms at p95", "lower the cost: no CPU limit"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			message := unloaded(test.change).Result.Reasons[0].Message
			for _, words := range test.says {
				if !strings.Contains(message, words) {
					t.Errorf("it says %q, which does not contain %q", message, words)
				}
			}
		})
	}
}
