//go:build integration

package integration

import (
	"fmt"
	"strings"
)

// Refusals that several cases have.
const (
	emptyMatrix    = "spec.matrix: the matrix is empty"
	tooMany        = "spec.matrix: the matrix has more than 64 variants"
	costRange      = "spec.matrix.costs: each cost must be between 4 and 16"
	limitRange     = "spec.matrix.cpuLimits: each CPU limit must be at least 10m and at most 64 CPUs"
	poolOnly       = "spec.matrix.concurrency[0]: workers and queueLength are for mode: WorkerPool only"
	likeCost       = "spec.matrix.controls[0]: a control's name can't begin like the name of a cost"
	bcryptCost     = "spec.matrix.controls[0]: Bcrypt requires a cost, and no other algorithm has one"
	withIterations = "spec.matrix.controls[0]: iterations is for Argon2id (1 to 64) and PBKDF2 (1,000 to 10,000,000) only"
)

var ofMatrix = cases{
	"one cost and one limit":          {``},
	"the lowest and the highest cost": {`spec: {matrix: {costs: [4, 16]}}`},
	"a cost of 3":                     {`spec: {matrix: {costs: [3]}}`, costRange},
	"a cost of 17":                    {`spec: {matrix: {costs: [17]}}`, costRange},
	"a cost beyond 32 bits, which no client can read": {`spec: {matrix: {costs: [3000000000]}}`, costRange},
	"a cost twice": {`spec: {matrix: {costs: [10, 10]}}`, "spec.matrix.costs: costs contains a cost twice"},
	"nine costs": {`spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11, 12]}}`,
		"spec.matrix.costs: costs has more than 8 entries"},

	"limits in thousandths and as a decimal, the least and the most": {`spec: {matrix: {cpuLimits: ["250m", "0.5", "10m", "64"]}}`},
	"a limit that a kubelet would raise":                             {`spec: {matrix: {cpuLimits: ["9m"]}}`, limitRange},
	"a limit above 64 CPUs":                                          {`spec: {matrix: {cpuLimits: ["64001m"]}}`, limitRange},
	"one limit written in two ways": {`spec: {matrix: {cpuLimits: ["1", "1000m"]}}`,
		"spec.matrix.cpuLimits: two CPU limits have the same value"},
	"a limit that is not a quantity": {`spec: {matrix: {cpuLimits: ["half"]}}`,
		"spec.matrix.cpuLimits: each CPU limit must be a Kubernetes CPU quantity"},
	"nine limits": {`spec: {matrix: {cpuLimits: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}}`,
		"spec.matrix.cpuLimits: cpuLimits has more than 8 entries"},

	"no costs and no controls":                {`spec: {matrix: {costs: [], controls: []}}`, emptyMatrix},
	"no limits":                               {`spec: {matrix: {cpuLimits: null}}`, emptyMatrix},
	"empty lists of concurrency and of pools": {`spec: {matrix: {concurrency: [], nodePools: []}}`},
	"64 variants of costs and limits": {`spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11],
		cpuLimits: ["1", "2", "3", "4", "5", "6", "7", "8"]}}`},
	"64 variants of controls and limits": {`spec: {matrix: {costs: null, cpuLimits: ["1", "2", "3", "4", "5", "6", "7", "8"],
		controls: [` + cheap(8) + `]}}`},
	"64 variants of all lists": {`spec: {matrix: {costs: [4, 5], controls: [{name: a, cost: 4}, {name: b, cost: 4}],
		cpuLimits: ["1", "2"], concurrency: [{mode: Unbounded}, {mode: WorkerPool}], nodePools: [{name: a}, {name: b},
		{name: c}, {name: d}]}}`},
	"70 variants, by their concurrency and pools": {`spec: {matrix: {costs: [4, 5, 6, 7, 8],
		concurrency: [{mode: Unbounded}, {mode: WorkerPool}], nodePools: [{name: a}, {name: b}, {name: c}, {name: d},
		{name: e}, {name: f}, {name: g}]}}`,
		tooMany},
	"65 variants, of costs and controls": {`spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11],
		cpuLimits: ["1", "2", "3", "4", "5"], controls: [` + cheap(5) + `]}}`,
		tooMany},
	"unbounded, and pools with and without numbers": {`spec: {matrix: {concurrency: [{mode: Unbounded},
		{mode: WorkerPool}, {mode: WorkerPool, workers: 64, queueLength: 10000}]}}`},
	"workers without a pool": {`spec: {matrix: {concurrency: [{mode: Unbounded, workers: 1}]}}`, poolOnly},
	"a queue without a pool": {`spec: {matrix: {concurrency: [{mode: Unbounded, queueLength: 1}]}}`, poolOnly},
	"the corners":            {`spec: {matrix: {measure: Corners}}`},
	"the corners, with a load that finds no capacity": {`spec: {matrix: {measure: Corners}, load: {users: {counts: [15]}}}`,
		"spec: matrix.measure Corners requires load.capacity"},

	"two node pools with labels, taints and a price": {`spec: {prices: {}, matrix: {nodePools: [
		{name: small, nodeSelector: {` + strings.Repeat("k", 316) + `: small}, perCPUHour: "0.0525"},
		{name: large-2, tolerations: [{key: example.com/pool, value: large, effect: NoSchedule}, {operator: Exists}]}]}}`},
	"the price of a pool without a currency": {`spec: {matrix: {nodePools: [{name: large}, {name: small, perCPUHour: "0.0525"}]}}`,
		"spec: a node pool's perCPUHour is in prices.currency"},
	"two node pools with one name": {`spec: {matrix: {nodePools: [{name: small}, {name: small}]}}`,
		"spec.matrix.nodePools: two node pools have the same name"},
	"pools and controls with names that no variant can have": {`spec: {matrix: {
		nodePools: [{name: Small}, {name: small-}, {name: 2nd}], controls: [{name: Cheap, algorithm: SHA256}]}}`,
		"spec.matrix.nodePools[0].name: spec.matrix.nodePools[0].name in body should match",
		"spec.matrix.nodePools[1].name: spec.matrix.nodePools[1].name in body should match",
		"spec.matrix.nodePools[2].name: spec.matrix.nodePools[2].name in body should match",
		"spec.matrix.controls[0].name: spec.matrix.controls[0].name in body should match"},
	"a label that no node can have": {`spec: {matrix: {nodePools: [{name: small, nodeSelector: {pool: "a b"}}]}}`,
		"spec.matrix.nodePools[0].nodeSelector.pool: spec.matrix.nodePools[0].nodeSelector.pool in body should match"},
	"a label with a key that is too long": {`spec: {matrix: {nodePools: [
		{name: small, nodeSelector: {` + strings.Repeat("k", 317) + `: a}}]}}`,
		"spec.matrix.nodePools[0].nodeSelector: a nodeSelector's keys can have at most 316 characters"},
	"a toleration with operator Exists and a value": {`spec: {matrix: {nodePools: [
		{name: small, tolerations: [{key: a, operator: Exists, value: b}]}]}}`,
		"spec.matrix.nodePools[0].tolerations[0]: a toleration with operator: Exists can't have a value"},
	"a toleration without a key and without operator Exists": {`spec: {matrix: {nodePools: [
		{name: small, tolerations: [{effect: NoSchedule}]}]}}`,
		"spec.matrix.nodePools[0].tolerations[0]: a toleration without a key requires operator: Exists"},
}

// cheap returns a list of controls, without its brackets.
func cheap(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("{name: a%d, algorithm: SHA256}", i))
	}
	return strings.Join(list, ", ")
}

var ofControls = cases{
	"each algorithm with its defaults": {`spec: {service: {memoryLimit: 192Mi}, matrix: {controls: [
		{name: session, cost: 10, sessions: true}, {name: argon2id, algorithm: Argon2id},
		{name: scrypt, algorithm: Scrypt}, {name: pbkdf2, algorithm: PBKDF2}, {name: cheap8, algorithm: SHA256}]}}`},
	"each number at its highest": {`spec: {service: {memoryLimit: 64Gi}, matrix: {controls: [
		{name: again, cost: 16}, {name: pbkdf2, algorithm: PBKDF2, iterations: 10000000},
		{name: argon2id, algorithm: Argon2id, memoryKiB: 4194304, iterations: 64, parallelism: 64},
		{name: scrypt, algorithm: Scrypt, memoryKiB: 4194304, parallelism: 64}]}}`},
	"each number at its lowest": {`spec: {matrix: {controls: [
		{name: again, cost: 4}, {name: pbkdf2, algorithm: PBKDF2, iterations: 1000},
		{name: argon2id, algorithm: Argon2id, memoryKiB: 8, iterations: 1, parallelism: 1},
		{name: scrypt, algorithm: Scrypt, memoryKiB: 8, parallelism: 1}]}}`},
	"controls instead of costs":        {`spec: {matrix: {costs: null, controls: [{name: cheap, algorithm: SHA256}]}}`},
	"a name like a cost's":             {`spec: {matrix: {controls: [{name: c8, cost: 8}]}}`, likeCost},
	"a name that begins like a cost's": {`spec: {matrix: {controls: [{name: c8-500m, cost: 8}]}}`, likeCost},
	"two controls with one name": {`spec: {matrix: {controls: [{name: again, cost: 8}, {name: again, cost: 8}]}}`,
		"spec.matrix.controls: two controls have the same name"},
	"bcrypt without a cost": {`spec: {matrix: {controls: [{name: session, sessions: true}]}}`, bcryptCost},
	"a cost with another algorithm": {`spec: {matrix: {controls: [{name: cheap, algorithm: SHA256, cost: 8}]}}`,
		bcryptCost},
	"memory with an algorithm that has none": {`spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2, memoryKiB: 1024}]}}`,
		"spec.matrix.controls[0]: memoryKiB is for Argon2id and Scrypt only"},
	"lanes with an algorithm that has none": {`spec: {matrix: {controls: [{name: cheap, algorithm: SHA256, parallelism: 1}]}}`,
		"spec.matrix.controls[0]: parallelism is for Argon2id and Scrypt only"},
	"iterations with an algorithm that has none": {`spec: {matrix: {controls: [{name: scrypt, algorithm: Scrypt,
		memoryKiB: 1024, iterations: 2000}]}}`,
		withIterations},
	"too many iterations of Argon2id": {`spec: {matrix: {controls: [{name: argon2id, algorithm: Argon2id,
		iterations: 65}]}}`,
		withIterations},
	"too few iterations of PBKDF2": {`spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2, iterations: 999}]}}`,
		withIterations},
	"memory of scrypt that is not a power of two": {`spec: {matrix: {controls: [{name: scrypt, algorithm: Scrypt, memoryKiB: 19456}]}}`,
		"spec.matrix.controls[0]: memoryKiB must be a power of two with Scrypt"},
	"too little memory for the lanes of Argon2id": {`spec: {matrix: {controls: [
		{name: argon2id, algorithm: Argon2id, memoryKiB: 31, parallelism: 4}]}}`,
		"spec.matrix.controls[0]: Argon2id needs 8 KiB of memory for each lane"},
	"memory without a limit of workers": {`spec: {matrix: {
		controls: [{name: argon2id, algorithm: Argon2id}], concurrency: [{mode: WorkerPool}, {mode: Unbounded}]}}`,
		"spec.matrix: a control with Argon2id or Scrypt requires mode: WorkerPool"},
	"little memory without a limit of workers": {`spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2,
		iterations: 1000}], concurrency: [{mode: Unbounded}]}}`},
}
