//go:build integration

package integration

import "testing"

// Refusals of matrices with common mistakes.
const (
	emptyMatrix = `spec.matrix: the matrix is empty: name at least one cost or control and one CPU limit, for example costs: [10] and cpuLimits: ["1"]`
	costRange   = `spec.matrix.costs: each cost must be between 4 and 16: each increment doubles the time of a hash, and one hash at cost 31 takes a day and a half`
	costTwice   = `spec.matrix.costs: costs contains a cost twice; remove the duplicate`
	costsMany   = `spec.matrix.costs: costs has more than 8 entries; split the matrix into several experiments`
	limitKind   = `spec.matrix.cpuLimits: each CPU limit must be a Kubernetes CPU quantity, such as "250m" or "1"`
	limitRange  = `spec.matrix.cpuLimits: each CPU limit must be at least 10m and at most 64 CPUs`
	limitTwice  = `spec.matrix.cpuLimits: two CPU limits have the same value, such as "1" and "1000m"; remove one of them`
	limitsMany  = `spec.matrix.cpuLimits: cpuLimits has more than 8 entries; split the matrix into several experiments`
	variants    = `spec.matrix: the matrix has more than 64 variants ((costs + controls) x cpuLimits x concurrency x nodePools); split it into several experiments`
	poolOnly    = `spec.matrix.concurrency[0]: workers and queueLength are for mode: WorkerPool only; remove them, or change the mode`
)

// eightByEight has 64 variants, whose plan fits into a day.
const eightByEight manifest = `
apiVersion: hashmark.dev/v1alpha1
kind: SizingExperiment
metadata: {name: large, namespace: default}
spec:
  matrix:
    costs: [4, 5, 6, 7, 8, 9, 10, 11]
    cpuLimits: [100m, 200m, 300m, 400m, 500m, 600m, 700m, 800m]
  load: {maxStepSeconds: 10}
  objective: {p95Milliseconds: 1000}
`

func TestCostsThatTheMatrixMayName(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"one cost and one limit are enough": {},
		"the lowest and the highest cost":   {change: `{spec: {matrix: {costs: [4, 16]}}}`},
		"a cost of 3 is below bcrypt's minimum": {
			change: `{spec: {matrix: {costs: [3]}}}`, refusals: []string{costRange}},
		"a cost of 17 is above the bound": {
			change: `{spec: {matrix: {costs: [17]}}}`, refusals: []string{costRange}},
		"a cost of 31 would take a day and a half a hash": {
			change: `{spec: {matrix: {costs: [31]}}}`, refusals: []string{costRange}},
		"a cost beyond 32 bits would break every client that lists experiments": {
			change:   `{spec: {matrix: {costs: [3000000000]}}}`,
			refusals: []string{costRange}},
		"a cost named twice": {
			change: `{spec: {matrix: {costs: [10, 10]}}}`, refusals: []string{costTwice}},
		"nine costs": {
			change: `{spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11, 12]}}}`, refusals: []string{costsMany}},
		"a cost that is a string": {
			change:   `{spec: {matrix: {costs: ["10"]}}}`,
			refusals: []string{`spec.matrix.costs[0]: spec.matrix.costs[0] in body`}},
		"a cost with a fraction": {
			change: `{spec: {matrix: {costs: [10.5]}}}`,
			refusals: []string{
				`spec.matrix.costs[0]: spec.matrix.costs[0] in body`}},
	})
}

func TestCPULimitsThatTheMatrixMayName(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"a limit in thousandths, as a decimal and of 64 CPUs": {change: `{spec: {matrix: {cpuLimits: ["250m", "0.5", "64"]}}}`},
		"a limit of 0 would be no limit": {
			change: `{spec: {matrix: {cpuLimits: ["0"]}}}`, refusals: []string{limitRange}},
		"a limit of 0 written in another way": {
			change: `{spec: {matrix: {cpuLimits: ["0m"]}}}`, refusals: []string{limitRange}},
		"the smallest limit": {change: `{spec: {matrix: {cpuLimits: ["10m"]}}}`},
		"a limit that a kubelet would raise": {
			change: `{spec: {matrix: {cpuLimits: ["9m"]}}}`, refusals: []string{limitRange}},
		"a limit below 0": {
			change: `{spec: {matrix: {cpuLimits: ["-1"]}}}`, refusals: []string{limitRange}},
		"a limit above 64 CPUs": {
			change: `{spec: {matrix: {cpuLimits: ["64001m"]}}}`, refusals: []string{limitRange}},
		"one limit written in two ways": {
			change: `{spec: {matrix: {cpuLimits: ["1", "1000m"]}}}`, refusals: []string{limitTwice}},
		"a limit that is not a quantity": {
			change: `{spec: {matrix: {cpuLimits: ["half"]}}}`, refusals: []string{limitKind}},
		"an empty limit": {
			change: `{spec: {matrix: {cpuLimits: [""]}}}`, refusals: []string{limitKind}},
		"nine limits": {
			change:   `{spec: {matrix: {cpuLimits: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}}}`,
			refusals: []string{limitsMany}},
		"a limit without quotes, which YAML takes for a number": {
			change:   `{spec: {matrix: {cpuLimits: [1]}}}`,
			refusals: []string{`spec.matrix.cpuLimits[0]: spec.matrix.cpuLimits[0] in body`}},
		"a limit longer than any quantity needs": {
			change:   `{spec: {matrix: {cpuLimits: ["0.50000000000000000"]}}}`,
			refusals: []string{`spec.matrix.cpuLimits[0]: Too long: may not be more than 16 bytes`}},
	})
}

func TestSizesOfTheMatrix(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"a matrix without lists": {
			change: `{spec: {matrix: {costs: null, cpuLimits: null}}}`, refusals: []string{emptyMatrix}},
		"a matrix without costs": {
			change: `{spec: {matrix: {costs: null}}}`, refusals: []string{emptyMatrix}},
		"a matrix without limits": {
			change: `{spec: {matrix: {cpuLimits: null}}}`, refusals: []string{emptyMatrix}},
		"a matrix with an empty list of costs": {
			change: `{spec: {matrix: {costs: []}}}`, refusals: []string{emptyMatrix}},
		"a matrix with an empty list of limits": {
			change: `{spec: {matrix: {cpuLimits: []}}}`, refusals: []string{emptyMatrix}},
		"an experiment without a matrix": {
			change: `{spec: {matrix: null}}`, refusals: []string{`spec.matrix: Required value`}},
		"empty lists of concurrency and pools count as absent": {
			change: `{spec: {matrix: {concurrency: [], nodePools: []}}}`},
	})
	checkCreations(t, eightByEight, map[string]admission{
		"64 variants": {},
		"64 variants of all four lists": {change: `{spec: {matrix: {costs: [4, 5, 6, 7], cpuLimits: ["1", "2"],
			concurrency: [{mode: Unbounded}, {mode: WorkerPool}],
			nodePools: [{name: a}, {name: b}, {name: c}, {name: d}]}}}`},
		"65 variants": {
			change: `{spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
				cpuLimits: ["1", "2", "3", "4", "5"]}}}`,
			refusals: []string{variants, costsMany}},
		"65 variants by their concurrency and pools": {
			change: `{spec: {matrix: {costs: [4, 5, 6, 7, 8], cpuLimits: ["1"],
				concurrency: [{mode: Unbounded}, {mode: WorkerPool}],
				nodePools: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}, {name: f}, {name: g}]}}}`,
			refusals: []string{variants}},
	})
}

func TestKindsOfConcurrency(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"unbounded and pools, with and without numbers": {change: `{spec: {matrix: {concurrency: [{mode: Unbounded},
			{mode: WorkerPool}, {mode: WorkerPool, workers: 64, queueLength: 10000}]}}}`},
		"workers without a pool": {
			change: `{spec: {matrix: {concurrency: [{mode: Unbounded, workers: 1}]}}}`, refusals: []string{poolOnly}},
		"a queue without a pool": {
			change: `{spec: {matrix: {concurrency: [{mode: Unbounded, queueLength: 1}]}}}`, refusals: []string{poolOnly}},
		"numbers out of bounds": {
			change: `{spec: {matrix: {concurrency: [{mode: WorkerPool, workers: 65, queueLength: 10001}]}}}`,
			refusals: []string{
				`spec.matrix.concurrency[0].queueLength: spec.matrix.concurrency[0].queueLength in body should be less than or equal to 10000`,
				`spec.matrix.concurrency[0].workers: spec.matrix.concurrency[0].workers in body should be less than or equal to 64`}},
		"a pool without workers and without a queue": {
			change: `{spec: {matrix: {concurrency: [{mode: WorkerPool, workers: 0, queueLength: 0}]}}}`,
			refusals: []string{
				`spec.matrix.concurrency[0].queueLength: spec.matrix.concurrency[0].queueLength in body should be greater than or equal to 1`,
				`spec.matrix.concurrency[0].workers: spec.matrix.concurrency[0].workers in body should be greater than or equal to 1`}},
		"a mode that does not exist": {
			change:   `{spec: {matrix: {concurrency: [{mode: Pool}]}}}`,
			refusals: []string{`spec.matrix.concurrency[0].mode: supported values: "Unbounded", "WorkerPool"`}},
		"no mode": {
			change:   `{spec: {matrix: {concurrency: [{workers: 1}]}}}`,
			refusals: []string{`spec.matrix.concurrency[0].mode: Required value`}},
	})
}
