//go:build integration

package integration

import "testing"

// Refusals of trials that are outside the experiments' limits.
const (
	variantCost  = `spec.variant: cost must be between 4 and 16: each increment doubles the time of a hash, and one hash at cost 31 takes a day and a half`
	variantLimit = `spec.variant: cpuLimit must be a CPU quantity of at least 10m and at most 64, such as 250m or 1`
)

// Only the operator writes trials. They have the experiments' limits nevertheless, so that
// nobody can bypass the limits by writing a trial by hand.
func TestTrialsHaveTheBoundsOfExperiments(t *testing.T) {
	checkCreations(t, plainTrial, map[string]admission{
		"a trial as the operator plans it": {},
		"a trial on a pool of nodes":       {change: `{spec: {variant: {nodePool: {name: small, nodeSelector: {pool: small}}}}}`},
		"a trial at cost 31":               {change: `{spec: {variant: {cost: 31}}}`, refusals: []string{variantCost}},
		"a trial at cost 3":                {change: `{spec: {variant: {cost: 3}}}`, refusals: []string{variantCost}},
		"a trial without a limit":          {change: `{spec: {variant: {cpuLimit: "0"}}}`, refusals: []string{variantLimit}},
		"a trial at 65 CPUs":               {change: `{spec: {variant: {cpuLimit: "65"}}}`, refusals: []string{variantLimit}},
		"a trial at a limit that is a word": {
			change: `{spec: {variant: {cpuLimit: half}}}`, refusals: []string{variantLimit}},
		"workers without a pool": {
			change:   `{spec: {variant: {concurrency: {mode: Unbounded, workers: 2}}}}`,
			refusals: []string{`spec.variant.concurrency: workers and queueLength are for mode: WorkerPool only; remove them, or change the mode`}},
		"a pool that no pod could run on": {
			change: `{spec: {variant: {nodePool: {name: small, nodeSelector: {` + longKey + `: a},
				tolerations: [{key: a, operator: Exists, value: b}, {effect: NoSchedule}]}}}}`,
			refusals: []string{
				`spec.variant.nodePool.nodeSelector: ` + selectorSize,
				`spec.variant.nodePool.tolerations[0]: ` + tolerationValue,
				`spec.variant.nodePool.tolerations[1]: ` + tolerationKey}},
		"a hash that does not exist": {
			change:   `{spec: {variant: {algorithm: MD5}}}`,
			refusals: []string{`spec.variant.algorithm: supported values: "Bcrypt", "Argon2id", "Scrypt", "PBKDF2", "SHA256"`}},
		"a rate of 0": {
			change: `{spec: {load: {mode: Rates, ratesPerSecond: [0]}}}`, refusals: []string{rateRange}},
		"more callers than a generator has": {
			change:   `{spec: {load: {mode: Rates, ratesPerSecond: [2000]}}}`,
			refusals: []string{rateCallers}},
		"too many replicas": {
			change:   `{spec: {service: {replicas: 11}}}`,
			refusals: []string{outOfBounds("spec.service.replicas", "less", 10)}},
		"numbers above their bounds": {
			change: `{spec: {repetition: 11, sequence: 643, attempts: 6, seed: 4294967296}}`,
			refusals: []string{
				outOfBounds("spec.repetition", "less", 10),
				outOfBounds("spec.sequence", "less", 642),
				outOfBounds("spec.attempts", "less", 5),
				outOfBounds("spec.seed", "less", 4294967295)}},
		"numbers below their bounds": {
			change: `{spec: {repetition: 0, sequence: 0, attempts: 0, seed: -1}}`,
			refusals: []string{
				outOfBounds("spec.repetition", "greater", 1),
				outOfBounds("spec.sequence", "greater", 1),
				outOfBounds("spec.attempts", "greater", 1),
				outOfBounds("spec.seed", "greater", 0)}},
		"nothing but a name": {
			change: `{spec: null}`, refusals: []string{`spec: Required value`}},
	})
}
