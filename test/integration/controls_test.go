//go:build integration

package integration

import "testing"

// Refusals of controls with common mistakes.
const (
	controlUnbounded = `spec.matrix: a control with Argon2id or Scrypt requires mode: WorkerPool, because mode: Unbounded does not limit how many hashes take memory at once; use WorkerPool, or measure the control in a separate experiment`
	controlTwice     = `spec.matrix.controls: two controls have the same name; rename one of them`

	// Refusals of one control, which is the first of the list in every case.
	controlLikeCost    = `spec.matrix.controls[0]: a control's name can't begin like the name of a cost, such as c8; choose another name`
	controlCost        = `spec.matrix.controls[0]: Bcrypt requires a cost, and no other algorithm has one; set a cost from 4 to 16, or remove it`
	controlMemoryOnly  = `spec.matrix.controls[0]: memoryKiB is for Argon2id and Scrypt only; remove it, or change the algorithm`
	controlLanesOnly   = `spec.matrix.controls[0]: parallelism is for Argon2id and Scrypt only; remove it, or change the algorithm`
	controlIterations  = `spec.matrix.controls[0]: ` + iterationsOf
	controlPowerOfTwo  = `spec.matrix.controls[0]: ` + powerOfTwo
	controlMemoryLanes = `spec.matrix.controls[0]: ` + memoryOfLanes

	// Refusals of controls and of trials, which have them in different fields.
	iterationsOf  = `iterations is for Argon2id (1 to 64) and PBKDF2 (1,000 to 10,000,000) only; change it, or remove it`
	powerOfTwo    = `memoryKiB must be a power of two with Scrypt, such as 65536 or 131072`
	memoryOfLanes = `Argon2id needs 8 KiB of memory for each lane; raise memoryKiB, or lower parallelism`
)

func TestControlsOfTheMatrix(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"each algorithm with its defaults": {change: `{spec: {service: {memoryLimit: 192Mi}, matrix: {controls: [
			{name: session, cost: 10, sessions: true}, {name: argon2id, algorithm: Argon2id}, {name: scrypt, algorithm: Scrypt},
			{name: pbkdf2, algorithm: PBKDF2}, {name: cheap, algorithm: SHA256}]}}}`},
		"each number at its highest": {change: `{spec: {service: {memoryLimit: 64Gi}, matrix: {controls: [
			{name: again, cost: 16}, {name: pbkdf2, algorithm: PBKDF2, iterations: 10000000},
			{name: argon2id, algorithm: Argon2id, memoryKiB: 4194304, iterations: 64, parallelism: 64},
			{name: scrypt, algorithm: Scrypt, memoryKiB: 4194304, parallelism: 64}]}}}`},
		"each number at its lowest": {change: `{spec: {matrix: {controls: [
			{name: again, cost: 4}, {name: pbkdf2, algorithm: PBKDF2, iterations: 1000},
			{name: argon2id, algorithm: Argon2id, memoryKiB: 8, iterations: 1, parallelism: 1},
			{name: scrypt, algorithm: Scrypt, memoryKiB: 8, parallelism: 1}]}}}`},
		"controls instead of costs": {change: `{spec: {matrix: {costs: null, controls: [{name: cheap, algorithm: SHA256}]}}}`},
		"a name that begins with c": {change: `{spec: {matrix: {controls: [{name: cheap8, algorithm: SHA256}]}}}`},
		"a name like a cost's": {
			change: `{spec: {matrix: {controls: [{name: c8, cost: 8}]}}}`, refusals: []string{controlLikeCost}},
		"a name that begins like a cost's": {
			change: `{spec: {matrix: {controls: [{name: c8-500m, cost: 8}]}}}`, refusals: []string{controlLikeCost}},
		"two controls with the same name": {
			change:   `{spec: {matrix: {controls: [{name: again, cost: 8}, {name: again, cost: 8}]}}}`,
			refusals: []string{controlTwice}},
		"neither costs nor controls": {
			change: `{spec: {matrix: {costs: null, controls: []}}}`, refusals: []string{emptyMatrix}},
		"bcrypt without a cost": {
			change: `{spec: {matrix: {controls: [{name: session, sessions: true}]}}}`, refusals: []string{controlCost}},
		"a cost with another algorithm": {
			change:   `{spec: {matrix: {controls: [{name: cheap, algorithm: SHA256, cost: 8}]}}}`,
			refusals: []string{controlCost}},
		"a cost out of bounds": {
			change:   `{spec: {matrix: {controls: [{name: slow, cost: 17}]}}}`,
			refusals: []string{outOfBounds("spec.matrix.controls[0].cost", "less", 16)}},
		"an algorithm that does not exist": {
			change:   `{spec: {matrix: {controls: [{name: old, algorithm: MD5}]}}}`,
			refusals: []string{`spec.matrix.controls[0].algorithm: supported values: "Bcrypt", "Argon2id", "Scrypt", "PBKDF2", "SHA256"`}},
		"memory with an algorithm that has none": {
			change:   `{spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2, memoryKiB: 1024}]}}}`,
			refusals: []string{controlMemoryOnly}},
		"lanes with an algorithm that has none": {
			change:   `{spec: {matrix: {controls: [{name: cheap, algorithm: SHA256, parallelism: 1}]}}}`,
			refusals: []string{controlLanesOnly}},
		"iterations with an algorithm that has none": {
			change:   `{spec: {matrix: {controls: [{name: scrypt, algorithm: Scrypt, memoryKiB: 1024, iterations: 2000}]}}}`,
			refusals: []string{controlIterations}},
		"too many iterations of Argon2id": {
			change:   `{spec: {matrix: {controls: [{name: argon2id, algorithm: Argon2id, iterations: 65}]}}}`,
			refusals: []string{controlIterations}},
		"too few iterations of PBKDF2": {
			change:   `{spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2, iterations: 999}]}}}`,
			refusals: []string{controlIterations}},
		"memory of scrypt that is not a power of two": {
			change:   `{spec: {matrix: {controls: [{name: scrypt, algorithm: Scrypt, memoryKiB: 19456}]}}}`,
			refusals: []string{controlPowerOfTwo}},
		"too little memory for the lanes of Argon2id": {
			change:   `{spec: {matrix: {controls: [{name: argon2id, algorithm: Argon2id, memoryKiB: 31, parallelism: 4}]}}}`,
			refusals: []string{controlMemoryLanes}},
		"numbers out of bounds": {
			change: `{spec: {matrix: {controls: [{name: argon2id, algorithm: Argon2id, memoryKiB: 7, iterations: 0, parallelism: 0}]}}}`,
			refusals: []string{
				outOfBounds("spec.matrix.controls[0].memoryKiB", "greater", 8),
				outOfBounds("spec.matrix.controls[0].iterations", "greater", 1),
				outOfBounds("spec.matrix.controls[0].parallelism", "greater", 1)}},
		"a name of 17 characters": {
			change:   `{spec: {matrix: {controls: [{name: a-name-of-17-char, algorithm: SHA256}]}}}`,
			refusals: []string{`spec.matrix.controls[0].name: Too long: may not be more than 16 bytes`}},
		"a name that can't be part of a variant's name": {
			change:   `{spec: {matrix: {controls: [{name: Cheap, algorithm: SHA256}]}}}`,
			refusals: []string{`spec.matrix.controls[0].name: spec.matrix.controls[0].name in body should match '^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$'`}},
	})
}

func TestMemoryHardHashesRequireAPool(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"Unbounded with a memory-hard hash": {
			change: `{spec: {matrix: {controls: [{name: argon2id, algorithm: Argon2id}],
				concurrency: [{mode: WorkerPool}, {mode: Unbounded}]}}}`,
			refusals: []string{controlUnbounded}},
		"Unbounded with a hash that is not memory-hard": {
			change: `{spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2}], concurrency: [{mode: Unbounded}]}}}`},
	})
}

func TestControlsCountAsVariants(t *testing.T) {
	checkCreations(t, eightByEight, map[string]admission{
		"64 variants, half of them controls": {change: `{spec: {matrix: {costs: [4, 5, 6, 7], controls: [
			{name: a, cost: 4}, {name: b, cost: 4}, {name: d, cost: 4}, {name: e, cost: 4}]}}}`},
		"72 variants, eight of them a control": {
			change: `{spec: {matrix: {controls: [{name: a, cost: 4}]}}}`, refusals: []string{variants}},
	})
}

// A trial's variant has its defaults filled in, and the bounds of a control.
func TestTrialsOfControls(t *testing.T) {
	const (
		costOnly = `spec.variant: cost is for Bcrypt only; remove it, or change the algorithm`
		numbers  = `spec.variant: Argon2id requires memoryKiB, iterations and parallelism; Scrypt requires memoryKiB and parallelism; PBKDF2 requires iterations; other algorithms allow none of them`
		memory   = `spec: Argon2id and Scrypt require mode: WorkerPool with workers, and a service.memoryLimit of at least 64Mi + memoryKiB x workers`
	)
	checkCreations(t, plainTrial, map[string]admission{
		"Argon2id": {change: `{spec: {variant: {algorithm: Argon2id, cost: null, control: argon2id,
			memoryKiB: 19456, iterations: 2, parallelism: 1, concurrency: {mode: WorkerPool, workers: 1}}}}`},
		"a cheap hash with sessions": {change: `{spec: {variant: {algorithm: SHA256, cost: null, control: cheap, sessions: true}}}`},
		"a cheap hash with a cost": {
			change: `{spec: {variant: {algorithm: SHA256}}}`, refusals: []string{costOnly}},
		"bcrypt without a cost": {
			change: `{spec: {variant: {cost: null}}}`, refusals: []string{variantCost}},
		"an algorithm without its parameters": {
			change: `{spec: {variant: {algorithm: PBKDF2, cost: null}}}`, refusals: []string{numbers}},
		"bcrypt with the parameters of another algorithm": {
			change: `{spec: {variant: {memoryKiB: 1024, parallelism: 1}}}`, refusals: []string{numbers}},
		"too few iterations": {
			change:   `{spec: {variant: {algorithm: PBKDF2, cost: null, iterations: 1}}}`,
			refusals: []string{`spec.variant: ` + iterationsOf}},
		"too little memory for its lanes": {
			change: `{spec: {variant: {algorithm: Argon2id, cost: null, memoryKiB: 8, iterations: 1, parallelism: 2,
				concurrency: {mode: WorkerPool, workers: 1}}}}`,
			refusals: []string{`spec.variant: ` + memoryOfLanes}},
		"memory that is not a power of two": {
			change: `{spec: {variant: {algorithm: Scrypt, cost: null, memoryKiB: 1000, parallelism: 1,
				concurrency: {mode: WorkerPool, workers: 1}}}}`,
			refusals: []string{`spec.variant: ` + powerOfTwo}},
		"more memory than the service has": {
			change: `{spec: {variant: {algorithm: Scrypt, cost: null, memoryKiB: 131072, parallelism: 1,
				concurrency: {mode: WorkerPool, workers: 1}}}}`,
			refusals: []string{memory}},
		"memory for any number of workers": {
			change: `{spec: {variant: {algorithm: Scrypt, cost: null, memoryKiB: 1024, parallelism: 1,
				concurrency: {mode: Unbounded}}}}`,
			refusals: []string{memory}},
		"numbers out of bounds": {
			change: `{spec: {service: {memoryLimit: 64Gi}, variant: {algorithm: Argon2id, cost: null, memoryKiB: 4194305, iterations: 10000001,
				parallelism: 65, concurrency: {mode: WorkerPool, workers: 1}}}}`,
			refusals: []string{
				outOfBounds("spec.variant.memoryKiB", "less", 4194304),
				outOfBounds("spec.variant.iterations", "less", 10000000),
				outOfBounds("spec.variant.parallelism", "less", 64),
				`spec.variant: ` + iterationsOf}},
	})
}
