package matrix

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// The largest plan that the API accepts. Each reconciliation of a trial computes it again.
func BenchmarkPlanOf640Trials(b *testing.B) {
	largest := experiment(func(e *v1beta1.SizingExperiment) {
		e.Spec.Matrix.Costs = []int32{4, 5, 6, 7, 8, 9, 10, 11}
		e.Spec.Matrix.CPULimits = fixture.Limits("1", "2", "3", "4", "5", "6", "7", "8")
		e.Spec.Matrix.Concurrency, e.Spec.Matrix.NodePools = nil, nil
		e.Spec.Repetitions = ptr.To[int32](10)
	})
	for b.Loop() {
		if trials, err := Plan(largest, 7); err != nil || len(trials) != 640 {
			b.Fatalf("%d trials, %v", len(trials), err)
		}
	}
}
