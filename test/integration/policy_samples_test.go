//go:build integration

package integration

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestSamplePolicies tests what the policies of config/samples/policies refuse.
func TestSamplePolicies(t *testing.T) {
	grantRights(t)
	const (
		tooMany = "the experiment has 27 trials, and 24 are allowed here; shorten the lists of spec.matrix, or lower spec.repetitions"
		tooBig  = "a login service can have 4 CPUs here, counted over its replicas"
		tooWeak = "a cost below 10 may not be recommended here"
	)
	for file, test := range map[string]struct {
		refused, allowed []string
		reason           string
	}{
		"largest-plan.yaml": {
			reason: tooMany,
			refused: []string{
				`spec: {matrix: {costs: [10, 11, 12], cpuLimits: ["1", "2", "3"], concurrency: [{mode: Unbounded}, {mode: WorkerPool, workers: 1}, {mode: WorkerPool, workers: 2}]}}`,
				`spec: {repetitions: 3, matrix: {costs: [10, 11, 12], cpuLimits: ["1"],
					nodePools: [{name: a, nodeSelector: {pool: a}}, {name: b, nodeSelector: {pool: b}}, {name: c, nodeSelector: {pool: c}}]}}`,
			},
			allowed: []string{`{}`, `spec: {repetitions: 8, matrix: {costs: [10, 11, 12]}}`},
		},
		"most-cpu.yaml": {
			reason: tooBig,
			refused: []string{
				`spec: {matrix: {cpuLimits: ["1", "4100m"]}}`,
				`spec: {matrix: {cpuLimits: ["2"]}, service: {replicas: 3}}`,
			},
			allowed: []string{`{}`, `spec: {matrix: {cpuLimits: ["4", "3500m"]}}`, `spec: {matrix: {cpuLimits: ["2"]}, service: {replicas: 2}}`},
		},
		"lowest-cost.yaml": {
			reason:  tooWeak,
			refused: []string{`spec: {matrix: {costs: [9, 10]}}`, `spec: {matrix: {costs: [9, 10]}, demand: {loginsPerSecond: 5, minimumCost: 9}}`},
			allowed: []string{`{}`, `spec: {matrix: {costs: [9, 10]}, demand: {loginsPerSecond: 5, minimumCost: 10}}`},
		},
	} {
		t.Run(file, func(t *testing.T) {
			install(t, "samples/policies/"+file)
			for _, change := range test.refused {
				waitUntilInForce(t, plainExperiment.with(t, change), test.reason)
			}
			for _, change := range test.allowed {
				checkAnswer(t, as(t, editor).Create(t.Context(), plainExperiment.with(t, change), client.DryRunAll), "")
			}
		})
	}
}
