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
	likeCost       = "spec.matrix.hashes[0]: a hash's name can't begin like the name of a cost"
	oneOf          = "spec.matrix.hashes[0]: a hash must have exactly one of bcrypt, argon2id, scrypt, pbkdf2, sha256 and other"
	guessesOfOther = "spec.matrix.hashes[0]: guessesPerSecond is for argon2id, scrypt, pbkdf2 and sha256"
)

var ofMatrix = cases{
	"one cost and one limit":          {``},
	"the lowest and the highest cost": {`spec: {matrix: {costs: [4, 16]}}`},
	"a cost of 3":                     {`spec: {matrix: {costs: [3]}}`, costRange},
	"a cost of 17":                    {`spec: {matrix: {costs: [17]}}`, costRange},
	"a cost beyond 32 bits, which no client can read": {`spec: {matrix: {costs: [3000000000]}}`, costRange},
	"a cost twice": {`spec: {matrix: {costs: [10, 10]}}`, "spec.matrix.costs: costs contains a cost twice"},
	"nine costs": {`spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11, 12]}}`,
		"spec.matrix.costs: Too many: 9: must have at most 8 items"},

	"limits in thousandths and as a decimal, the least and the most": {`spec: {matrix: {cpuLimits: ["250m", "0.5", "10m", "64"]}}`},
	"a limit that a kubelet would raise":                             {`spec: {matrix: {cpuLimits: ["9m"]}}`, limitRange},
	"a limit above 64 CPUs":                                          {`spec: {matrix: {cpuLimits: ["64001m"]}}`, limitRange},
	"one limit written in two ways": {`spec: {matrix: {cpuLimits: ["1", "1000m"]}}`,
		"spec.matrix.cpuLimits: two CPU limits have the same value"},
	"a limit that is not a quantity": {`spec: {matrix: {cpuLimits: ["half"]}}`,
		"spec.matrix.cpuLimits: each CPU limit must be a Kubernetes CPU quantity"},
	"nine limits": {`spec: {matrix: {cpuLimits: ["1", "2", "3", "4", "5", "6", "7", "8", "9"]}}`,
		"spec.matrix.cpuLimits: Too many: 9: must have at most 8 items"},
	"whole numbers among the limits": {`spec: {matrix: {cpuLimits: [1, 500m, 64]}}`},
	"a limit of 0, as a number":      {`spec: {matrix: {cpuLimits: [0]}}`, limitRange},
	"a limit beyond 32 bits":         {`spec: {matrix: {cpuLimits: [3000000000]}}`, limitRange},
	"one limit as a number and as a text": {`spec: {matrix: {cpuLimits: [1, "1"]}}`,
		"spec.matrix.cpuLimits: two CPU limits have the same value"},

	"no costs and no hashes": {`spec: {matrix: {costs: [], hashes: []}}`, emptyMatrix},
	"no limits":              {`spec: {matrix: {cpuLimits: null}}`, emptyMatrix},
	"empty lists of concurrency and of pools": {`spec: {matrix: {concurrency: [], nodePools: []}}`},
	"64 variants of costs and limits": {`spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11],
		cpuLimits: ["1", "2", "3", "4", "5", "6", "7", "8"]}}`},
	"64 variants of hashes and limits": {`spec: {matrix: {costs: null, cpuLimits: ["1", "2", "3", "4", "5", "6", "7", "8"],
		hashes: [` + cheap(8) + `]}}`},
	"64 variants of all lists": {`spec: {matrix: {costs: [4, 5], hashes: [{name: a, bcrypt: {cost: 4}}, {name: b, bcrypt: {cost: 4}}],
		cpuLimits: ["1", "2"], concurrency: [{mode: Unbounded}, {mode: WorkerPool}], nodePools: [{name: a}, {name: b},
		{name: c}, {name: d}]}}`},
	"70 variants, by their concurrency and pools": {`spec: {matrix: {costs: [4, 5, 6, 7, 8],
		concurrency: [{mode: Unbounded}, {mode: WorkerPool}], nodePools: [{name: a}, {name: b}, {name: c}, {name: d},
		{name: e}, {name: f}, {name: g}]}}`,
		tooMany},
	"65 variants, of costs and hashes": {`spec: {matrix: {costs: [4, 5, 6, 7, 8, 9, 10, 11],
		cpuLimits: ["1", "2", "3", "4", "5"], hashes: [` + cheap(5) + `]}}`,
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
		"spec.matrix.nodePools[1]: Duplicate value: "},
	"the price of a pool, as a number": {`spec: {prices: {}, matrix: {nodePools: [{name: small, perCPUHour: 1}]}}`},
	"the price of a pool that is no decimal": {`spec: {prices: {}, matrix: {nodePools: [{name: small, perCPUHour: -1}]}}`,
		"spec.matrix.nodePools[0].perCPUHour: a node pool's perCPUHour must be 0 or more"},
	"pools and hashes with names that no variant can have": {`spec: {matrix: {
		nodePools: [{name: Small}, {name: small-}, {name: 2nd}], hashes: [{name: Cheap, sha256: {}}]}}`,
		"spec.matrix.nodePools[0].name: spec.matrix.nodePools[0].name in body should match",
		"spec.matrix.nodePools[1].name: spec.matrix.nodePools[1].name in body should match",
		"spec.matrix.nodePools[2].name: spec.matrix.nodePools[2].name in body should match",
		"spec.matrix.hashes[0].name: spec.matrix.hashes[0].name in body should match"},
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

// cheap returns a list of hashes, without its brackets.
func cheap(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("{name: a%d, sha256: {}}", i))
	}
	return strings.Join(list, ", ")
}

var ofHashes = cases{
	"each kind with its defaults": {`spec: {service: {memoryLimit: 192Mi}, matrix: {hashes: [
		{name: session, bcrypt: {cost: 10}, sessions: true}, {name: argon2id, argon2id: {}},
		{name: scrypt, scrypt: {}}, {name: pbkdf2, pbkdf2: {}}, {name: cheap8, sha256: {}}]}}`},
	"each number at its highest": {`spec: {service: {memoryLimit: 64Gi}, matrix: {hashes: [
		{name: again, bcrypt: {cost: 16}}, {name: pbkdf2, pbkdf2: {digest: SHA-512, iterations: 10000000}},
		{name: argon2id, argon2id: {memoryKiB: 4194304, iterations: 64, parallelism: 64}, guessesPerSecond: 1000000000000},
		{name: scrypt, scrypt: {memoryKiB: 4194304, parallelism: 64}}]}}`},
	"each number at its lowest": {`spec: {matrix: {hashes: [
		{name: again, bcrypt: {cost: 4}}, {name: pbkdf2, pbkdf2: {digest: SHA-256, iterations: 1000}},
		{name: argon2id, argon2id: {memoryKiB: 8, iterations: 1, parallelism: 1}, guessesPerSecond: 1},
		{name: scrypt, scrypt: {memoryKiB: 8, parallelism: 1}}]}}`},
	"hashes instead of costs":          {`spec: {matrix: {costs: null, hashes: [{name: cheap, sha256: {}}]}}`},
	"a hash without a name":            {`spec: {matrix: {hashes: [{argon2id: {}}]}}`, "spec.matrix.hashes: each hash of matrix.hashes must have a name"},
	"a name like a cost's":             {`spec: {matrix: {hashes: [{name: c8, bcrypt: {cost: 8}}]}}`, likeCost},
	"a name that begins like a cost's": {`spec: {matrix: {hashes: [{name: c8-500m, bcrypt: {cost: 8}}]}}`, likeCost},
	"two hashes with one name": {`spec: {matrix: {hashes: [{name: again, bcrypt: {cost: 8}}, {name: again, bcrypt: {cost: 8}}]}}`,
		"spec.matrix.hashes[1]: Duplicate value"},
	"no kind":            {`spec: {matrix: {hashes: [{name: session, sessions: true}]}}`, oneOf},
	"two kinds":          {`spec: {matrix: {hashes: [{name: cheap, sha256: {}, bcrypt: {cost: 8}}]}}`, oneOf},
	"guesses at bcrypt":  {`spec: {matrix: {hashes: [{name: again, bcrypt: {cost: 8}, guessesPerSecond: 12000}]}}`, guessesOfOther},
	"a cost of 3":        {`spec: {matrix: {hashes: [{name: again, bcrypt: {cost: 3}}]}}`, inBody("bcrypt.cost", "greater than or equal to 4")},
	"a cost of 17":       {`spec: {matrix: {hashes: [{name: again, bcrypt: {cost: 17}}]}}`, inBody("bcrypt.cost", "less than or equal to 16")},
	"65 passes":          {`spec: {matrix: {hashes: [{name: a, argon2id: {iterations: 65}}]}}`, inBody("argon2id.iterations", "less than or equal to 64")},
	"too few iterations": {`spec: {matrix: {hashes: [{name: p, pbkdf2: {iterations: 999}}]}}`, inBody("pbkdf2.iterations", "greater than or equal to 1000")},
	"memory of scrypt that is not a power of two": {`spec: {matrix: {hashes: [{name: scrypt, scrypt: {memoryKiB: 19456}}]}}`,
		"spec.matrix.hashes[0].scrypt: memoryKiB must be a power of two with scrypt"},
	"too little memory for the lanes of Argon2id": {`spec: {matrix: {hashes: [{name: argon2id, argon2id: {memoryKiB: 31, parallelism: 4}}]}}`,
		"spec.matrix.hashes[0].argon2id: argon2id needs 8 KiB of memory for each lane"},
	"memory without a limit of workers": {`spec: {matrix: {
		hashes: [{name: argon2id, argon2id: {}}], concurrency: [{mode: WorkerPool}, {mode: Unbounded}]}}`,
		"spec.matrix: argon2id and scrypt require mode: WorkerPool"},
	"little memory without a limit of workers": {`spec: {matrix: {hashes: [{name: pbkdf2, pbkdf2: {}}], concurrency: [{mode: Unbounded}]}}`},
	"another hash of no service": {`spec: {matrix: {hashes: [{name: plain, other: {}}]}}`,
		"spec: a hash with other is what service.own computes"},
}

// inBody is the refusal of a number of the first hash by its bounds.
func inBody(field, bound string) string {
	field = "spec.matrix.hashes[0]." + field
	return field + ": " + field + " in body should be " + bound
}
