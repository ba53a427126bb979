//go:build integration

package integration

import (
	"fmt"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Refusals of experiments with common mistakes.
const (
	demandUsers     = `spec: demand is a login rate, which load.mode: Users does not measure; use mode Capacity or Rates, or remove demand`
	cornersOnly     = `spec: matrix.measure Corners requires load.mode Capacity, because the other variants are predicted from its results; use mode: Capacity, or measure: All`
	demandCPU       = `spec.demand.maxTotalCPU: demand.maxTotalCPU must be a CPU quantity above 0, such as "8"`
	demandSurvivors = `spec.demand: demand.maxReplicas must be greater than demand.surviveReplicas, so that a replica is left when those are down; raise maxReplicas, or lower surviveReplicas`
	beyondTimeout   = `spec: objective.p95Milliseconds is above load.requestTimeoutSeconds x 1000, and a login that takes longer than the timeout fails; raise requestTimeoutSeconds, or lower p95Milliseconds`
	tailTimeout     = `spec: objective.p99Milliseconds is above load.requestTimeoutSeconds x 1000, and a login that takes longer than the timeout fails; raise requestTimeoutSeconds, or lower p99Milliseconds`
	medianAbove     = `spec.objective: objective.p50Milliseconds is above p95Milliseconds, but the median is never above p95; lower it, or remove it`
	tailBelow       = `spec.objective: objective.p99Milliseconds is below p95Milliseconds, but p99 is never below p95; raise it, or lower p95Milliseconds`
	poolPrices      = `spec: a node pool's perCPUHour is in prices.currency; add prices, such as prices: {currency: USD}, or remove perCPUHour`
	twoAttackers    = `spec.prices: prices.gpuHour is for rented hardware and prices.attackerHardware for owned hardware; remove one of them`
	memoryOfPod     = `spec.service.memoryLimit: service.memoryLimit must be a quantity from 32Mi to 64Gi, such as 128Mi`
	cpuOfLoad       = `spec.generator.cpuLimit: generator.cpuLimit must be a CPU quantity above 0 and at most 64, such as 500m`
	memoryOfLoad    = `spec.generator.memoryLimit: generator.memoryLimit must be a quantity from 16Mi to 64Gi, such as 512Mi`
	nameTooLong     = `<nil>: the experiment's name can have at most 52 characters, because trials are named after it; choose a shorter one`

	// Refusals of pools, which are in different fields of experiments and trials.
	selectorSize    = `a nodeSelector's keys can have at most 316 characters and its values at most 63, like node labels; shorten them`
	tolerationValue = `a toleration with operator: Exists can't have a value; remove the value, or use operator: Equal`
	tolerationKey   = `a toleration without a key requires operator: Exists, to tolerate every taint; set the operator, or set a key`
)

// longKey is one character longer than a node label's key can be.
var longKey = strings.Repeat("k", 317)

// outOfBounds returns the API server's own refusal of a number below ("greater") or above
// ("less") the limits of its field.
func outOfBounds(field, comparison string, bound int) string {
	return fmt.Sprintf("%[1]s: %[1]s in body should be %s than or equal to %d", field, comparison, bound)
}

func TestNamesOfExperiments(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"a name of 52 characters": {change: `{metadata: {name: ` + strings.Repeat("n", 52) + `}}`},
		"a name of 53 characters": {
			change: `{metadata: {name: ` + strings.Repeat("n", 53) + `}}`, refusals: []string{nameTooLong}},
	})
}

func TestNumbersOfAnExperiment(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"the highest of each": {change: `{spec: {repetitions: 10, parallelism: 8, attemptsPerTrial: 5,
			seed: 4294967295, ttlSecondsAfterFinished: 2147483647}}`},
		"the lowest of each": {change: `{spec: {repetitions: 1, parallelism: 1, attemptsPerTrial: 1,
			seed: 0, ttlSecondsAfterFinished: 0}}`},
		"each above its bound": {
			change: `{spec: {repetitions: 11, parallelism: 9, attemptsPerTrial: 6, seed: 4294967296}}`,
			refusals: []string{
				`spec.repetitions: repetitions must be between 1 and 10`,
				`spec.parallelism: parallelism must be between 1 and 8`,
				`spec.attemptsPerTrial: attemptsPerTrial must be between 1 and 5`,
				outOfBounds("spec.seed", "less", 4294967295)}},
		"each below its bound": {
			change: `{spec: {repetitions: 0, parallelism: 0, attemptsPerTrial: 0, seed: -1, ttlSecondsAfterFinished: -1}}`,
			refusals: []string{
				`spec.repetitions: repetitions must be between 1 and 10`,
				`spec.parallelism: parallelism must be between 1 and 8`,
				`spec.attemptsPerTrial: attemptsPerTrial must be between 1 and 5`,
				outOfBounds("spec.seed", "greater", 0),
				outOfBounds("spec.ttlSecondsAfterFinished", "greater", 0)}},
		"an order that does not exist": {
			change:   `{spec: {order: Random}}`,
			refusals: []string{`spec.order: supported values: "Shuffled", "AsWritten"`}},
	})
}

func TestObjectivesOfAnExperiment(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"the strictest objective": {change: `{spec: {objective: {p95Milliseconds: 1, maxErrorPerMille: 0}}}`},
		"the laxest objective": {
			change: `{spec: {objective: {p95Milliseconds: 60000, maxErrorPerMille: 50}, load: {requestTimeoutSeconds: 60}}}`},
		"a latency as long as the timeout": {
			change: `{spec: {objective: {p95Milliseconds: 1000}, load: {requestTimeoutSeconds: 1}}}`},
		"a latency above the timeout": {
			change:   `{spec: {objective: {p95Milliseconds: 1001}, load: {requestTimeoutSeconds: 1}}}`,
			refusals: []string{beyondTimeout}},
		"a latency above the default timeout": {
			change:   `{spec: {objective: {p95Milliseconds: 10001}}}`,
			refusals: []string{beyondTimeout}},
		"three percentiles": {
			change: `{spec: {objective: {p50Milliseconds: 300, p95Milliseconds: 1000, p99Milliseconds: 2000}}}`},
		"three percentiles that are the same": {
			change: `{spec: {objective: {p50Milliseconds: 1000, p95Milliseconds: 1000, p99Milliseconds: 1000}}}`},
		"a median above p95": {
			change:   `{spec: {objective: {p50Milliseconds: 1001, p95Milliseconds: 1000}}}`,
			refusals: []string{medianAbove}},
		"a p99 below p95": {
			change:   `{spec: {objective: {p95Milliseconds: 1000, p99Milliseconds: 999}}}`,
			refusals: []string{tailBelow}},
		"a p99 above the timeout": {
			change:   `{spec: {objective: {p95Milliseconds: 1000, p99Milliseconds: 1001}, load: {requestTimeoutSeconds: 1}}}`,
			refusals: []string{tailTimeout}},
		"percentiles below what is possible": {
			change: `{spec: {objective: {p50Milliseconds: -1, p99Milliseconds: 60001}}}`,
			refusals: []string{
				outOfBounds("spec.objective.p50Milliseconds", "greater", 1),
				outOfBounds("spec.objective.p99Milliseconds", "less", 60000)}},
		"no objective": {
			change: `{spec: {objective: null}}`, refusals: []string{`spec.objective: Required value`}},
		"an objective without a latency": {
			change:   `{spec: {objective: {p95Milliseconds: null}}}`,
			refusals: []string{`spec.objective.p95Milliseconds: Required value`}},
		"an objective above what is possible": {
			change: `{spec: {objective: {p95Milliseconds: 60001, maxErrorPerMille: 51}}}`,
			refusals: []string{
				outOfBounds("spec.objective.p95Milliseconds", "less", 60000),
				outOfBounds("spec.objective.maxErrorPerMille", "less", 50)}},
		"an objective below what is possible": {
			change: `{spec: {objective: {p95Milliseconds: 0, maxErrorPerMille: -1}}}`,
			refusals: []string{
				outOfBounds("spec.objective.p95Milliseconds", "greater", 1),
				outOfBounds("spec.objective.maxErrorPerMille", "greater", 0)}},
	})
}

func TestPodsOfAnExperiment(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"the smallest pods": {change: `{spec: {service: {replicas: 1, memoryLimit: 32Mi}, generator: {cpuLimit: 1m, memoryLimit: 16Mi}}}`},
		"the largest pods":  {change: `{spec: {service: {replicas: 10, memoryLimit: 64Gi}, generator: {cpuLimit: "64", memoryLimit: 64Gi}}}`},
		"pods that are too small": {
			change: `{spec: {service: {replicas: 0, memoryLimit: 31Mi}, generator: {cpuLimit: "0", memoryLimit: 15Mi}}}`,
			refusals: []string{outOfBounds("spec.service.replicas", "greater", 1),
				memoryOfPod, cpuOfLoad, memoryOfLoad}},
		"pods that are too large": {
			change: `{spec: {service: {replicas: 11, memoryLimit: 65Gi}, generator: {cpuLimit: "65", memoryLimit: 65Gi}}}`,
			refusals: []string{outOfBounds("spec.service.replicas", "less", 10),
				memoryOfPod, cpuOfLoad, memoryOfLoad}},
		"amounts that are not quantities": {
			change:   `{spec: {service: {memoryLimit: much}, generator: {cpuLimit: half, memoryLimit: 1 Gi}}}`,
			refusals: []string{memoryOfPod, cpuOfLoad, memoryOfLoad}},
	})
}

func TestDemandPricesAndBaseline(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"all of them": {change: `{spec: {baseline: c10-1,
			demand: {loginsPerSecond: 60, headroomPercent: 30, minimumCost: 10, maxTotalCPU: "8", maxReplicas: 20, surviveReplicas: 3},
			prices: {currency: USD, perCPUHour: "0.04", gpuHour: "3", guessesPerSecondPerGPUAtCost10: 10000}}}`},
		"other hashes, and what memory and guesses at them cost": {change: `{spec: {matrix: {controls: [{name: argon, algorithm: Argon2id}]},
			demand: {loginsPerSecond: 60, hashes: [Bcrypt, Argon2id, Scrypt, PBKDF2]},
			prices: {perGiBHour: "0.005", attackerRates: [{control: argon, guessesPerSecond: 1000000000000}]}}}`},
		"SHA256 as a hash of the demand": {
			change:   `{spec: {demand: {loginsPerSecond: 60, hashes: [SHA256]}}}`,
			refusals: []string{`spec.demand.hashes: SHA256 is deliberately cheap and is never recommended; remove it from demand.hashes`}},
		"no hash at all": {
			change:   `{spec: {demand: {loginsPerSecond: 60, hashes: []}}}`,
			refusals: []string{`spec.demand.hashes: spec.demand.hashes in body should have at least 1 items`}},
		"a hash twice": {
			change:   `{spec: {demand: {loginsPerSecond: 60, hashes: [Bcrypt, Bcrypt]}}}`,
			refusals: []string{`spec.demand.hashes[1]: Duplicate value: "Bcrypt"`}},
		"rates out of bounds": {
			change: `{spec: {prices: {attackerRates: [{control: a, guessesPerSecond: 0}, {control: b, guessesPerSecond: 1000000000001}]}}}`,
			refusals: []string{
				outOfBounds("spec.prices.attackerRates[0].guessesPerSecond", "greater", 1),
				outOfBounds("spec.prices.attackerRates[1].guessesPerSecond", "less", 1000000000000)}},
		"a demand with Rates": {change: `{spec: {demand: {loginsPerSecond: 60}, load: {mode: Rates, ratesPerSecond: [20]}}}`},
		"a demand with Users, which measures no rate": {
			change:   `{spec: {demand: {loginsPerSecond: 60}, load: {mode: Users, users: [15]}}}`,
			refusals: []string{demandUsers}},
		"an empty demand": {
			change:   `{spec: {demand: {}}}`,
			refusals: []string{`spec.demand.loginsPerSecond: Required value`}},
		"a demand below its bounds": {
			change: `{spec: {demand: {loginsPerSecond: 0, headroomPercent: -1, minimumCost: 3, maxTotalCPU: "0", maxReplicas: 0, surviveReplicas: -1}}}`,
			refusals: []string{
				outOfBounds("spec.demand.loginsPerSecond", "greater", 1),
				outOfBounds("spec.demand.headroomPercent", "greater", 0),
				outOfBounds("spec.demand.minimumCost", "greater", 4),
				outOfBounds("spec.demand.maxReplicas", "greater", 1),
				outOfBounds("spec.demand.surviveReplicas", "greater", 0),
				demandCPU}},
		"a demand above its bounds": {
			change: `{spec: {demand: {loginsPerSecond: 1000001, headroomPercent: 401, minimumCost: 17, maxTotalCPU: all, maxReplicas: 10001, surviveReplicas: 4}}}`,
			refusals: []string{
				outOfBounds("spec.demand.loginsPerSecond", "less", 1000000),
				outOfBounds("spec.demand.headroomPercent", "less", 400),
				outOfBounds("spec.demand.minimumCost", "less", 16),
				outOfBounds("spec.demand.maxReplicas", "less", 10000),
				outOfBounds("spec.demand.surviveReplicas", "less", 3),
				demandCPU}},
		"no replica left if surviveReplicas are down": {
			change:   `{spec: {demand: {loginsPerSecond: 60, maxReplicas: 2, surviveReplicas: 2}}}`,
			refusals: []string{demandSurvivors}},
		"prices in all spellings of a decimal": {
			change: `{spec: {prices: {currency: EUR, perCPUHour: "0", gpuHour: "007.2500", guessesPerSecondPerGPUAtCost10: 1000000000000}}}`},
		"prices with only a currency":       {change: `{spec: {prices: {}}}`},
		"the least hardware of an attacker": {change: `{spec: {prices: {attackerHardware: {price: "0", watts: 1, perKilowattHour: "0", years: 1}}}}`},
		"the most, in another currency": {change: `{spec: {prices: {currency: EUR, guessesPerSecondPerGPUAtCost10: 80000,
			attackerHardware: {price: "9999999999999.99", watts: 100000, perKilowattHour: "0.1875", years: 20}}}}`},
		"a GPU that is both rented and owned": {
			change:   `{spec: {prices: {gpuHour: "0.80", attackerHardware: {price: "2000", watts: 575, perKilowattHour: "0.15", years: 3}}}}`,
			refusals: []string{twoAttackers}},
		"empty hardware": {
			change: `{spec: {prices: {attackerHardware: {}}}}`,
			refusals: []string{
				`spec.prices.attackerHardware.price: Required value`, `spec.prices.attackerHardware.watts: Required value`,
				`spec.prices.attackerHardware.perKilowattHour: Required value`, `spec.prices.attackerHardware.years: Required value`}},
		"hardware below its bounds": {
			change: `{spec: {prices: {attackerHardware: {price: "-1", watts: 0, perKilowattHour: ".15", years: 0}}}}`,
			refusals: []string{
				`spec.prices.attackerHardware.price: spec.prices.attackerHardware.price in body should match '^[0-9]+(\.[0-9]+)?$'`,
				outOfBounds("spec.prices.attackerHardware.watts", "greater", 1),
				`spec.prices.attackerHardware.perKilowattHour: spec.prices.attackerHardware.perKilowattHour in body should match '^[0-9]+(\.[0-9]+)?$'`,
				outOfBounds("spec.prices.attackerHardware.years", "greater", 1)}},
		"hardware above its bounds": {
			change: `{spec: {prices: {attackerHardware: {price: "99999999999999.99", watts: 100001, perKilowattHour: "0.000000000000001", years: 21}}}}`,
			refusals: []string{
				`spec.prices.attackerHardware.price: Too long: may not be more than 16 bytes`,
				outOfBounds("spec.prices.attackerHardware.watts", "less", 100000),
				`spec.prices.attackerHardware.perKilowattHour: Too long: may not be more than 16 bytes`,
				outOfBounds("spec.prices.attackerHardware.years", "less", 20)}},
		"invalid decimals": {
			change: `{spec: {prices: {perCPUHour: ".5", gpuHour: "1e3"}}}`,
			refusals: []string{
				`spec.prices.perCPUHour: spec.prices.perCPUHour in body should match '^[0-9]+(\.[0-9]+)?$'`,
				`spec.prices.gpuHour: spec.prices.gpuHour in body should match '^[0-9]+(\.[0-9]+)?$'`}},
		"a decimal with a comma, and one that ends in a point": {
			change: `{spec: {prices: {perCPUHour: "0,04", gpuHour: "3."}}}`,
			refusals: []string{
				`spec.prices.perCPUHour: spec.prices.perCPUHour in body should match '^[0-9]+(\.[0-9]+)?$'`,
				`spec.prices.gpuHour: spec.prices.gpuHour in body should match '^[0-9]+(\.[0-9]+)?$'`}},
		"a decimal longer than any price": {
			change:   `{spec: {prices: {perCPUHour: "0.000000000000001"}}}`,
			refusals: []string{`spec.prices.perCPUHour: Too long: may not be more than 16 bytes`}},
		"invalid prices": {
			change: `{spec: {prices: {currency: usd, perCPUHour: "4c", gpuHour: "-3", guessesPerSecondPerGPUAtCost10: 0}}}`,
			refusals: []string{
				`spec.prices.currency: spec.prices.currency in body should match '^[A-Z]{3}$'`,
				`spec.prices.perCPUHour: spec.prices.perCPUHour in body should match '^[0-9]+(\.[0-9]+)?$'`,
				`spec.prices.gpuHour: spec.prices.gpuHour in body should match '^[0-9]+(\.[0-9]+)?$'`,
				outOfBounds("spec.prices.guessesPerSecondPerGPUAtCost10", "greater", 1)}},
	})
}

func TestWhatAMatrixMayLeaveToPrediction(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"all variants are measured":  {change: `{spec: {matrix: {measure: All}}}`},
		"the corners, with Capacity": {change: `{spec: {matrix: {measure: Corners}}}`},
		"the corners, with evenly spaced logins": {
			change: `{spec: {matrix: {measure: Corners}, load: {arrivals: Uniform}}}`},
		"the corners, with Rates": {
			change: `{spec: {matrix: {measure: Corners}, load: {mode: Rates, ratesPerSecond: [20]}}}`, refusals: []string{cornersOnly}},
		"the corners, with Users": {
			change: `{spec: {matrix: {measure: Corners}, load: {mode: Users, users: [15]}}}`, refusals: []string{cornersOnly}},
		"all variants, with Rates": {
			change: `{spec: {matrix: {measure: All}, load: {mode: Rates, ratesPerSecond: [20]}}}`},
		"some of them": {
			change: `{spec: {matrix: {measure: Some}}}`, refusals: []string{`spec.matrix.measure: supported values: "All", "Corners"`}},
	})
}

func TestNodePoolsOfAnExperiment(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"two pools with a label and a taint": {change: `{spec: {prices: {}, matrix: {nodePools: [
			{name: small, nodeSelector: {example.com/pool: small}, perCPUHour: "0.0525"},
			{name: large-2, tolerations: [{key: example.com/pool, value: large, effect: NoSchedule}, {operator: Exists}]}]}}}`},
		"a price without a currency": {
			change:   `{spec: {matrix: {nodePools: [{name: large}, {name: small, perCPUHour: "0.0525"}]}}}`,
			refusals: []string{poolPrices}},
		"two pools with the same name": {
			change:   `{spec: {matrix: {nodePools: [{name: small}, {name: small}]}}}`,
			refusals: []string{`spec.matrix.nodePools: two node pools have the same name; rename one of them`}},
		"names that can't be part of a variant's name": {
			change: `{spec: {matrix: {nodePools: [{name: Small}, {name: small-}, {name: 2nd}]}}}`,
			refusals: []string{
				`spec.matrix.nodePools[0].name: spec.matrix.nodePools[0].name in body should match '^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$'`,
				`spec.matrix.nodePools[1].name: spec.matrix.nodePools[1].name in body should match '^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$'`,
				`spec.matrix.nodePools[2].name: spec.matrix.nodePools[2].name in body should match '^[a-z]([a-z0-9-]{0,14}[a-z0-9])?$'`}},
		"a selector that no node can match": {
			change: `{spec: {matrix: {nodePools: [{name: small, nodeSelector: {pool: "a b"}}]}}}`,
			refusals: []string{
				`spec.matrix.nodePools[0].nodeSelector.pool: spec.matrix.nodePools[0].nodeSelector.pool in body should match '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$'`}},
		"a selector with a key of 317 characters": {
			change:   `{spec: {matrix: {nodePools: [{name: small, nodeSelector: {` + longKey + `: a}}]}}}`,
			refusals: []string{`spec.matrix.nodePools[0].nodeSelector: ` + selectorSize}},
		"a toleration with operator Exists and a value": {
			change:   `{spec: {matrix: {nodePools: [{name: small, tolerations: [{key: a, operator: Exists, value: b}]}]}}}`,
			refusals: []string{`spec.matrix.nodePools[0].tolerations[0]: ` + tolerationValue}},
		"a toleration without a key and without operator Exists": {
			change:   `{spec: {matrix: {nodePools: [{name: small, tolerations: [{effect: NoSchedule}]}]}}}`,
			refusals: []string{`spec.matrix.nodePools[0].tolerations[0]: ` + tolerationKey}},
		"an invalid price": {
			change:   `{spec: {prices: {}, matrix: {nodePools: [{name: small, perCPUHour: cheap}]}}}`,
			refusals: []string{`spec.matrix.nodePools[0].perCPUHour: spec.matrix.nodePools[0].perCPUHour in body should match '^[0-9]+(\.[0-9]+)?$'`}},
	})
}

func TestFieldsThatDoNotExistAreRefused(t *testing.T) {
	for name, change := range map[string]string{
		"an image of one's own":       `{spec: {service: {image: example.com/login}}}`,
		"a misspelt list":             `{spec: {matrix: {cpulimits: ["1"]}}}`,
		"a load on somebody's server": `{spec: {load: {url: "http://example.com"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			err := strictly().Create(t.Context(), plainExperiment.with(t, change), client.DryRunAll)
			if err == nil || !strings.Contains(err.Error(), "unknown field") {
				t.Errorf("the API returned %v, want an error about the unknown field", err)
			}
		})
	}
}
