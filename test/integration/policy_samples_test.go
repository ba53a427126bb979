//go:build integration

package integration

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
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
			refused: []string{`spec: {matrix: {costs: [9, 10]}}`, `spec: {matrix: {hashes: [{name: a, bcrypt: {cost: 9}}]}}`, `spec: {matrix: {costs: [9, 10]}, demand: {loginsPerSecond: 5, minimumCost: 9}}`},
			allowed: []string{`{}`, `spec: {matrix: {costs: [9, 10]}, demand: {loginsPerSecond: 5, minimumCost: 10}}`},
		},
	} {
		t.Run(file, func(t *testing.T) {
			before := create(t, plainExperiment, test.refused[0])
			install(t, "samples/policies/"+file)
			for _, change := range test.refused {
				waitUntilInForce(t, plainExperiment.with(t, change), test.reason)
			}
			for _, change := range test.allowed {
				checkAnswer(t, as(t, editor).Create(t.Context(), plainExperiment.with(t, change), client.DryRunAll), "")
			}
			samplePolicyOnUpdates(t, before, test.refused, test.reason)
		})
	}
}

// samplePolicyOnUpdates edits an experiment that the policy allows, and one from before the policy.
func samplePolicyOnUpdates(t *testing.T, before *unstructured.Unstructured, refused []string, reason string) {
	t.Helper()
	allowed := create(t, plainExperiment)
	edit := func(object *unstructured.Unstructured, change string) error {
		return as(t, editor).Patch(t.Context(), object.DeepCopy(), client.RawPatch(types.MergePatchType, asJSON(t, change)), client.DryRunAll)
	}
	for _, change := range refused {
		checkAnswer(t, edit(allowed, change), reason)
	}
	checkAnswer(t, edit(allowed, `spec: {load: {stepSeconds: 11}}`), "")
	for _, change := range []string{`metadata: {labels: {team: a}}`, `metadata: {finalizers: [example.com/mine]}`, `spec: {suspend: true}`, `spec: {cancel: true}`} {
		checkAnswer(t, edit(before, change), "")
	}
	status := client.RawPatch(types.MergePatchType, []byte(`{"status":{"observedGeneration":1}}`))
	checkAnswer(t, as(t, operator).Status().Patch(t.Context(), before.DeepCopy(), status, client.DryRunAll), "")
}
