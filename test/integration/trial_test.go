//go:build integration

package integration

// Refusals that several cases have.
const (
	variantLimit  = "spec.variant: cpuLimit must be a CPU quantity of at least 10m and at most 64"
	memoryOfTrial = "spec: argon2id and scrypt require mode: WorkerPool with workers, and a service.memoryLimit of at least 64Mi"
)

// ofTrial has the limits of experiments, so that nobody can bypass them by writing a trial by hand.
var ofTrial = cases{
	"as the operator plans it": {``},
	"a pool of nodes":          {`spec: {variant: {nodePool: {name: small, nodeSelector: {pool: small}}}}`},
	"no limit":                 {`spec: {variant: {cpuLimit: "0"}}`, variantLimit},
	"65 CPUs":                  {`spec: {variant: {cpuLimit: "65"}}`, variantLimit},
	"a limit that is a word":   {`spec: {variant: {cpuLimit: half}}`, variantLimit},
	"workers without a pool": {`spec: {variant: {concurrency: {mode: Unbounded, workers: 2}}}`,
		"spec.variant.concurrency: workers and queueLength are for mode: WorkerPool only"},
	"a rate of 0": {`spec: {load: {rates: {perSecond: [0]}}}`, rateRange},

	"Argon2id":                   {`spec: {variant: {hash: {name: argon2id, bcrypt: null, argon2id: {}}, concurrency: {mode: WorkerPool, workers: 1}}}`},
	"a cheap hash with sessions": {`spec: {variant: {hash: {name: cheap, bcrypt: null, sha256: {}, sessions: true}}}`},
	"no hash": {`spec: {variant: {hash: {bcrypt: null}}}`,
		"spec.variant.hash: a hash must have exactly one of bcrypt, argon2id, scrypt, pbkdf2, sha256 and other"},
	"more memory than the service has": {`spec: {variant: {hash: {bcrypt: null, scrypt: {memoryKiB: 131072}},
		concurrency: {mode: WorkerPool, workers: 1}}}`,
		memoryOfTrial},
	"memory for any number of workers": {`spec: {variant: {hash: {bcrypt: null, argon2id: {memoryKiB: 1024}},
		concurrency: {mode: Unbounded}}}`,
		memoryOfTrial},
}
