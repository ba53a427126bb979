//go:build integration

package integration

// Refusals that several cases have.
const (
	variantCost   = "spec.variant: cost must be between 4 and 16"
	variantLimit  = "spec.variant: cpuLimit must be a CPU quantity of at least 10m and at most 64"
	parameters    = "spec.variant: Argon2id requires memoryKiB, iterations and parallelism"
	memoryOfTrial = "spec: Argon2id and Scrypt require mode: WorkerPool with workers, and a service.memoryLimit of at least 64Mi"
)

// ofTrial has the limits of experiments, so that nobody can bypass them by writing a trial by hand.
var ofTrial = cases{
	"as the operator plans it": {``},
	"a pool of nodes":          {`spec: {variant: {nodePool: {name: small, nodeSelector: {pool: small}}}}`},
	"the lowest cost":          {`spec: {variant: {cost: 4}}`},
	"the highest cost":         {`spec: {variant: {cost: 16}}`},
	"cost 17":                  {`spec: {variant: {cost: 17}}`, variantCost},
	"cost 3":                   {`spec: {variant: {cost: 3}}`, variantCost},
	"no limit":                 {`spec: {variant: {cpuLimit: "0"}}`, variantLimit},
	"65 CPUs":                  {`spec: {variant: {cpuLimit: "65"}}`, variantLimit},
	"a limit that is a word":   {`spec: {variant: {cpuLimit: half}}`, variantLimit},
	"workers without a pool": {`spec: {variant: {concurrency: {mode: Unbounded, workers: 2}}}`,
		"spec.variant.concurrency: workers and queueLength are for mode: WorkerPool only"},
	"a rate of 0": {`spec: {load: {rates: {perSecond: [0]}}}`, rateRange},

	"Argon2id": {`spec: {variant: {algorithm: Argon2id, cost: null, control: argon2id, memoryKiB: 19456,
		iterations: 2, parallelism: 1, concurrency: {mode: WorkerPool, workers: 1}}}`},
	"a cheap hash with sessions":   {`spec: {variant: {algorithm: SHA256, cost: null, control: cheap, sessions: true}}`},
	"a cheap hash with a cost":     {`spec: {variant: {algorithm: SHA256}}`, "spec.variant: cost is for Bcrypt only"},
	"bcrypt without a cost":        {`spec: {variant: {cost: null}}`, variantCost},
	"PBKDF2 without iterations":    {`spec: {variant: {algorithm: PBKDF2, cost: null}}`, parameters},
	"bcrypt with another's memory": {`spec: {variant: {memoryKiB: 1024, parallelism: 1}}`, parameters},
	"too few iterations": {`spec: {variant: {algorithm: PBKDF2, cost: null, iterations: 1}}`,
		"spec.variant: iterations is for Argon2id (1 to 64) and PBKDF2 (1,000 to 10,000,000) only"},
	"too little memory for its lanes": {`spec: {variant: {
		algorithm: Argon2id, cost: null, memoryKiB: 8, iterations: 1, parallelism: 2, concurrency: {mode: WorkerPool, workers: 1}}}`,
		"spec.variant: Argon2id needs 8 KiB of memory for each lane"},
	"memory that is not a power of two": {`spec: {variant: {
		algorithm: Scrypt, cost: null, memoryKiB: 1000, parallelism: 1, concurrency: {mode: WorkerPool, workers: 1}}}`,
		"spec.variant: memoryKiB must be a power of two with Scrypt"},
	"more memory than the service has": {`spec: {variant: {
		algorithm: Scrypt, cost: null, memoryKiB: 131072,
		parallelism: 1, concurrency: {mode: WorkerPool, workers: 1}}}`,
		memoryOfTrial},
	"memory for any number of workers": {`spec: {variant: {
		algorithm: Scrypt, cost: null, memoryKiB: 1024,
		parallelism: 1, concurrency: {mode: Unbounded}}}`,
		memoryOfTrial},
}
