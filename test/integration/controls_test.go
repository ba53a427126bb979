//go:build integration

package integration

import "testing"

// The API's messages for common mistakes in controls.
const (
	controlUnbounded = `spec.matrix: service.memoryLimit must hold 64Mi + memoryKiB x workers for a control with Argon2id or Scrypt, and mode: Unbounded has no bound on its workers; use WorkerPool, or measure that control in an experiment of its own`
	controlMemory    = `spec: service.memoryLimit must hold 64Mi + memoryKiB x workers for a control with Argon2id (by default 19456 KiB) or Scrypt (by default 131072 KiB), where workers is by default the CPU limit rounded up; raise service.memoryLimit, or lower memoryKiB, workers or the CPU limit`
	controlTwice     = `spec.matrix.controls: two controls have the same name; rename one of them`

	// Of one control, which is the first in the list in every case.
	controlLikeCost    = `spec.matrix.controls[0]: a control's name can't begin as a cost's does, such as c8; choose another name`
	controlCost        = `spec.matrix.controls[0]: Bcrypt needs a cost, and no other algorithm has one; name a cost from 4 to 16, or remove it`
	controlMemoryOnly  = `spec.matrix.controls[0]: memoryKiB goes with Argon2id and Scrypt only; remove it, or change the algorithm`
	controlLanesOnly   = `spec.matrix.controls[0]: parallelism goes with Argon2id and Scrypt only; remove it, or change the algorithm`
	controlIterations  = `spec.matrix.controls[0]: ` + iterationsOf
	controlPowerOfTwo  = `spec.matrix.controls[0]: ` + powerOfTwo
	controlMemoryLanes = `spec.matrix.controls[0]: ` + memoryOfLanes

	// Of controls and trials, at different paths.
	iterationsOf  = `iterations goes with Argon2id, where it is 1 to 64, and with PBKDF2, where it is 1,000 to 10,000,000; change it, or remove it`
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
		"controls in the place of costs": {change: `{spec: {matrix: {costs: null, controls: [{name: cheap, algorithm: SHA256}]}}}`},
		"a name that begins with c":      {change: `{spec: {matrix: {controls: [{name: cheap8, algorithm: SHA256}]}}}`},
		"a name like a cost's": {
			change: `{spec: {matrix: {controls: [{name: c8, cost: 8}]}}}`, refusals: []string{controlLikeCost}},
		"a name that begins like a cost's": {
			change: `{spec: {matrix: {controls: [{name: c8-500m, cost: 8}]}}}`, refusals: []string{controlLikeCost}},
		"two controls of one name": {
			change:   `{spec: {matrix: {controls: [{name: again, cost: 8}, {name: again, cost: 8}]}}}`,
			refusals: []string{controlTwice}},
		"neither costs nor controls": {
			change: `{spec: {matrix: {costs: null, controls: []}}}`, refusals: []string{emptyMatrix}},
		"bcrypt without a cost": {
			change: `{spec: {matrix: {controls: [{name: session, sessions: true}]}}}`, refusals: []string{controlCost}},
		"a cost of another algorithm": {
			change:   `{spec: {matrix: {controls: [{name: cheap, algorithm: SHA256, cost: 8}]}}}`,
			refusals: []string{controlCost}},
		"a cost out of bounds": {
			change:   `{spec: {matrix: {controls: [{name: slow, cost: 17}]}}}`,
			refusals: []string{outOfBounds("spec.matrix.controls[0].cost", "less", 16)}},
		"an algorithm that does not exist": {
			change:   `{spec: {matrix: {controls: [{name: old, algorithm: MD5}]}}}`,
			refusals: []string{`spec.matrix.controls[0].algorithm: supported values: "Bcrypt", "Argon2id", "Scrypt", "PBKDF2", "SHA256"`}},
		"memory of an algorithm without": {
			change:   `{spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2, memoryKiB: 1024}]}}}`,
			refusals: []string{controlMemoryOnly}},
		"lanes of an algorithm without": {
			change:   `{spec: {matrix: {controls: [{name: cheap, algorithm: SHA256, parallelism: 1}]}}}`,
			refusals: []string{controlLanesOnly}},
		"iterations of an algorithm without": {
			change:   `{spec: {matrix: {controls: [{name: scrypt, algorithm: Scrypt, memoryKiB: 1024, iterations: 2000}]}}}`,
			refusals: []string{controlIterations}},
		"too many iterations of Argon2id": {
			change:   `{spec: {matrix: {controls: [{name: argon2id, algorithm: Argon2id, iterations: 65}]}}}`,
			refusals: []string{controlIterations}},
		"too few iterations of PBKDF2": {
			change:   `{spec: {matrix: {controls: [{name: pbkdf2, algorithm: PBKDF2, iterations: 999}]}}}`,
			refusals: []string{controlIterations}},
		"memory of scrypt that is no power of two": {
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
		"a name that can't become part of another": {
			change:   `{spec: {matrix: {controls: [{name: Cheap, algorithm: SHA256}]}}}`,
			refusals: []string{`spec.matrix.controls[0].name: spec.matrix.controls[0].name in body should match '^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$'`}},
	})
}

// The default memory of a hash is 19,456 KiB for Argon2id and 131,072 KiB for Scrypt.
func TestControlsThatNeedMemory(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		// 64 Mi + 3 × 19,456 KiB = 123,904 KiB
		"as much as three workers need": {change: `{spec: {service: {memoryLimit: 123904Ki},
			matrix: {controls: [{name: argon2id, algorithm: Argon2id}], concurrency: [{mode: WorkerPool, workers: 3}]}}}`},
		"a KiB less": {
			change: `{spec: {service: {memoryLimit: 123903Ki},
				matrix: {controls: [{name: argon2id, algorithm: Argon2id}], concurrency: [{mode: WorkerPool, workers: 3}]}}}`,
			refusals: []string{controlMemory}},
		"as much as a pool of 2.5 CPUs needs, which has three workers": {change: `{spec: {service: {memoryLimit: 123904Ki},
			matrix: {cpuLimits: ["2500m"], controls: [{name: argon2id, algorithm: Argon2id}]}}}`},
		"a KiB less, with three workers by the CPU limit": {
			change: `{spec: {service: {memoryLimit: 123903Ki},
				matrix: {cpuLimits: ["2500m"], controls: [{name: argon2id, algorithm: Argon2id}]}}}`,
			refusals: []string{controlMemory}},
		"a KiB less, with three workers by the CPU limit of one pool of two": {
			change: `{spec: {service: {memoryLimit: 123903Ki}, matrix: {cpuLimits: ["1", "2500m"],
				controls: [{name: argon2id, algorithm: Argon2id}], concurrency: [{mode: WorkerPool, workers: 1}, {mode: WorkerPool}]}}}`,
			refusals: []string{controlMemory}},
		// 64 Mi + 131,072 KiB = 192 Mi
		"Scrypt in what the service has by default": {
			change:   `{spec: {matrix: {controls: [{name: scrypt, algorithm: Scrypt}]}}}`,
			refusals: []string{controlMemory}},
		"Scrypt with less memory in what the service has by default": {
			change: `{spec: {matrix: {controls: [{name: scrypt, algorithm: Scrypt, memoryKiB: 65536}]}}}`},
		"a service smaller than 64Mi": {
			change:   `{spec: {service: {memoryLimit: 32Mi}, matrix: {controls: [{name: argon2id, algorithm: Argon2id, memoryKiB: 8}]}}}`,
			refusals: []string{controlMemory}},
		"memory in parts of a byte": {
			change:   `{spec: {service: {memoryLimit: "134217728500m"}, matrix: {controls: [{name: argon2id, algorithm: Argon2id}]}}}`,
			refusals: []string{controlMemory}},
		"a goroutine for each login, with what needs memory": {
			change: `{spec: {matrix: {controls: [{name: argon2id, algorithm: Argon2id}],
				concurrency: [{mode: WorkerPool}, {mode: Unbounded}]}}}`,
			refusals: []string{controlUnbounded}},
		"a goroutine for each login, with what needs none": {
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
	checkCreations(t, plainExperiment, map[string]admission{
		// 28 × (60 + 5 + 24 × (120 + 10)) = 89,180
		"28 variants of Capacity as it comes, four of them a control": {
			change: `{spec: {matrix: {costs: [4, 6, 8, 9, 10, 11], cpuLimits: [250m, 500m, "1", "2"],
				controls: [{name: cheap, algorithm: SHA256}]}}}`,
			refusals: []string{planTooLong}},
	})
}

// A trial's variant has its defaults set, and the limits of a control.
func TestTrialsOfControls(t *testing.T) {
	const (
		costOnly = `spec.variant: cost goes with Bcrypt only; remove it, or change the algorithm`
		numbers  = `spec.variant: Argon2id needs memoryKiB, iterations and parallelism, Scrypt memoryKiB and parallelism, PBKDF2 iterations, and others have none of them`
		memory   = `spec: service.memoryLimit must hold 64Mi + memoryKiB x workers with Argon2id and Scrypt, which need a WorkerPool that names its workers`
	)
	checkCreations(t, plainTrial, map[string]admission{
		"Argon2id": {change: `{spec: {variant: {algorithm: Argon2id, cost: null, control: argon2id,
			memoryKiB: 19456, iterations: 2, parallelism: 1, concurrency: {mode: WorkerPool, workers: 1}}}}`},
		"a cheap hash with sessions": {change: `{spec: {variant: {algorithm: SHA256, cost: null, control: cheap, sessions: true}}}`},
		"a cheap hash with a cost": {
			change: `{spec: {variant: {algorithm: SHA256}}}`, refusals: []string{costOnly}},
		"bcrypt without a cost": {
			change: `{spec: {variant: {cost: null}}}`, refusals: []string{variantCost}},
		"an algorithm without its numbers": {
			change: `{spec: {variant: {algorithm: PBKDF2, cost: null}}}`, refusals: []string{numbers}},
		"bcrypt with the numbers of another": {
			change: `{spec: {variant: {memoryKiB: 1024, parallelism: 1}}}`, refusals: []string{numbers}},
		"too few iterations": {
			change:   `{spec: {variant: {algorithm: PBKDF2, cost: null, iterations: 1}}}`,
			refusals: []string{`spec.variant: ` + iterationsOf}},
		"too little memory for its lanes": {
			change: `{spec: {variant: {algorithm: Argon2id, cost: null, memoryKiB: 8, iterations: 1, parallelism: 2,
				concurrency: {mode: WorkerPool, workers: 1}}}}`,
			refusals: []string{`spec.variant: ` + memoryOfLanes}},
		"memory that is no power of two": {
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
