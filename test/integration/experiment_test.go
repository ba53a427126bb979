//go:build integration

package integration

import "strings"

// Refusals that several cases have.
const (
	tooHigh       = "spec: demand.minimumCost, by default 10, is above every cost of the matrix"
	kindMissing   = "spec: demand.hashes names a kind of hash that the matrix doesn't have without sessions"
	oneLoad       = "spec.load: a load is one of capacity, rates and users"
	longStep      = "spec.load: stepSeconds is above capacity.maxStepSeconds"
	rateKind      = "spec.load.rates.perSecond: each rate must be a whole number or a string with up to three decimals"
	rateRange     = "spec.load.rates.perSecond: each rate must be above 0 and at most 2,000 logins per second"
	rateOrder     = "spec.load.rates.perSecond: rates must be in ascending order"
	rateCallers   = "spec.load: a rate times requestTimeoutSeconds must be at most 2,000 callers"
	usersOrder    = "spec.load.users.counts: numbers of users must be in ascending order"
	beyondTimeout = "spec: objective.p95Milliseconds is above load.requestTimeoutSeconds x 1000"
	memoryOfPod   = "spec.service.memoryLimit: service.memoryLimit must be a quantity from 32Mi to 64Gi"
	cpuOfLoad     = "spec.generator.cpuLimit: generator.cpuLimit must be a CPU quantity above 0 and at most 64"
	demandCPU     = "spec.demand.maxTotalCPU: demand.maxTotalCPU must be a CPU quantity above 0"
	demandKind    = "spec.demand.loginsPerSecond: demand.loginsPerSecond must be a whole number or a string with up to three decimals"
	demandRange   = "spec.demand.loginsPerSecond: demand.loginsPerSecond must be above 0 and at most 1,000,000"
	cpuPrice      = "spec.prices.perCPUHour: prices.perCPUHour must be 0 or more"
	memoryPrice   = "spec.prices.perGiBHour: prices.perGiBHour must be 0 or more"
	gpuPrice      = "spec.prices.gpuHour: prices.gpuHour must be 0 or more"
)

var ofLoad = cases{
	"an empty load":            {`spec: {load: {}}`},
	"a capacity with defaults": {`spec: {load: {capacity: {}}}`},
	"arrivals with capacity":   {`spec: {load: {capacity: {arrivals: Uniform}}}`},
	"arrivals with rates":      {`spec: {load: {rates: {perSecond: [20, 40], arrivals: Poisson}}}`},
	"capacity and rates":       {`spec: {load: {capacity: {}, rates: {perSecond: [20]}}}`, oneLoad},
	"capacity and users":       {`spec: {load: {capacity: {}, users: {counts: [15]}}}`, oneLoad},
	"rates and users":          {`spec: {load: {rates: {perSecond: [20]}, users: {counts: [15]}}}`, oneLoad},

	"a step as long as it can be":           {`spec: {load: {stepSeconds: 120}}`},
	"a step that is longer":                 {`spec: {load: {stepSeconds: 121}}`, longStep},
	"a longer step, with capacity":          {`spec: {load: {capacity: {minSamples: 20}, stepSeconds: 121}}`, longStep},
	"a longer step with a longer maximum":   {`spec: {load: {capacity: {maxStepSeconds: 121}, stepSeconds: 121}}`},
	"the default step with a lower maximum": {`spec: {load: {capacity: {maxStepSeconds: 9}}}`, longStep},
	"a longer step with rates":              {`spec: {load: {rates: {perSecond: [20]}, stepSeconds: 121}}`},
	"a longer step with users":              {`spec: {load: {users: {counts: [15]}, stepSeconds: 121}}`},

	"whole numbers and decimals, rising":         {`spec: {load: {rates: {perSecond: ["0.5", 1, "1.125", 20]}}}`},
	"the highest rate":                           {`spec: {load: {rates: {perSecond: [2000]}, requestTimeoutSeconds: 1}}`},
	"a rate of 0":                                {`spec: {load: {rates: {perSecond: ["0.000"]}}}`, rateRange},
	"a rate below 0":                             {`spec: {load: {rates: {perSecond: [-1]}}}`, rateRange},
	"a rate above 2,000":                         {`spec: {load: {rates: {perSecond: ["2000.001"]}}}`, rateRange},
	"a rate beyond 32 bits":                      {`spec: {load: {rates: {perSecond: [3000000000]}}}`, rateRange},
	"a rate that is a word":                      {`spec: {load: {rates: {perSecond: [fast]}}}`, rateKind},
	"a rate with a sign":                         {`spec: {load: {rates: {perSecond: ["-0.5"]}}}`, rateKind},
	"a rate with four decimals":                  {`spec: {load: {rates: {perSecond: ["0.1234"]}}}`, rateKind},
	"rates that fall":                            {`spec: {load: {rates: {perSecond: [40, 20]}}}`, rateOrder},
	"rates that rise as texts only":              {`spec: {load: {rates: {perSecond: ["10.5", "9.5"]}}}`, rateOrder},
	"one rate written in two ways":               {`spec: {load: {rates: {perSecond: [1, "1.0"]}}}`, rateOrder},
	"2,000 callers in a timeout":                 {`spec: {load: {rates: {perSecond: [200]}, requestTimeoutSeconds: 10}}`},
	"the highest rate, with the default timeout": {`spec: {load: {rates: {perSecond: [2000]}}}`, rateCallers},
	"2,001 callers in a timeout": {`spec: {load: {rates: {perSecond: ["200.1"]}, requestTimeoutSeconds: 10}}`,
		rateCallers},
	"one login in a step": {`spec: {load: {rates: {perSecond: ["0.1"]}, stepSeconds: 10}}`},
	"less than one login in a step": {`spec: {load: {rates: {perSecond: ["0.099"]}, stepSeconds: 10}}`,
		"spec.load: a rate times stepSeconds must be at least one login"},
	"the lowest and highest number of users": {`spec: {load: {users: {counts: [1, 2000]}}}`},
	"users that fall":                        {`spec: {load: {users: {counts: [30, 15]}}}`, usersOrder},
	"a number of users twice":                {`spec: {load: {users: {counts: [15, 15]}}}`, usersOrder},
}

var ofExperiment = cases{
	"a name of 52 characters": {`metadata: {name: ` + strings.Repeat("n", 52) + `}`},
	"a name of 53 characters": {`metadata: {name: ` + strings.Repeat("n", 53) + `}`,
		"<nil>: the experiment's name can have at most 52 characters"},
	"the highest numbers": {`spec: {repetitions: 10, parallelism: 8, attemptsPerTrial: 5}`},
	"the lowest numbers":  {`spec: {repetitions: 1, parallelism: 1, attemptsPerTrial: 1}`},
	"numbers that are higher": {`spec: {repetitions: 11, parallelism: 9, attemptsPerTrial: 6}`,
		"spec.repetitions: spec.repetitions in body should be less than or equal to 10",
		"spec.parallelism: spec.parallelism in body should be less than or equal to 8",
		"spec.attemptsPerTrial: spec.attemptsPerTrial in body should be less than or equal to 5"},
	"numbers that are lower": {`spec: {repetitions: 0, parallelism: 0, attemptsPerTrial: 0}`,
		"spec.repetitions: spec.repetitions in body should be greater than or equal to 1",
		"spec.parallelism: spec.parallelism in body should be greater than or equal to 1",
		"spec.attemptsPerTrial: spec.attemptsPerTrial in body should be greater than or equal to 1"},

	"a latency as long as the timeout": {`spec: {objective: {p95Milliseconds: 1000}, load: {requestTimeoutSeconds: 1}}`},
	"a latency above the timeout": {`spec: {objective: {p95Milliseconds: 1001}, load: {requestTimeoutSeconds: 1}}`,
		beyondTimeout},
	"a latency above the default timeout": {`spec: {objective: {p95Milliseconds: 10001}}`, beyondTimeout},
	"a latency above its bound, which is the only refusal": {`spec: {objective: {p95Milliseconds: 60001, p99Milliseconds: 60001}}`,
		"spec.objective.p95Milliseconds: spec.objective.p95Milliseconds in body should be less than or equal to 60000",
		"spec.objective.p99Milliseconds: spec.objective.p99Milliseconds in body should be less than or equal to 60000"},
	"a timeout below its bound, which is the only refusal": {`spec: {load: {requestTimeoutSeconds: 0}}`,
		"spec.load.requestTimeoutSeconds: spec.load.requestTimeoutSeconds in body should be greater than or equal to 1"},
	"three percentiles that are the same": {`spec: {objective: {p50Milliseconds: 1000, p95Milliseconds: 1000,
		p99Milliseconds: 1000}}`},
	"a median above p95": {`spec: {objective: {p50Milliseconds: 1001, p95Milliseconds: 1000}}`,
		"spec.objective: objective.p50Milliseconds is above p95Milliseconds"},
	"a p99 below p95": {`spec: {objective: {p95Milliseconds: 1000, p99Milliseconds: 999}}`,
		"spec.objective: objective.p99Milliseconds is below p95Milliseconds"},
	"a p99 above the timeout": {`spec: {objective: {p95Milliseconds: 1000, p99Milliseconds: 1001}, load: {requestTimeoutSeconds: 1}}`,
		"spec: objective.p99Milliseconds is above load.requestTimeoutSeconds x 1000"},

	"TLS with several replicas":          {`spec: {service: {replicas: 2, builtin: {tls: {}}}}`},
	"TLS with a connection for a caller": {`spec: {service: {builtin: {tls: {handshakes: EachCaller}}}}`},
	"TLS with a connection for a caller, and several replicas": {`spec: {service: {replicas: 2, builtin: {tls: {handshakes: EachCaller}}}}`,
		"spec.service: service.builtin.tls.handshakes EachCaller has no effect with several replicas"},
	"the smallest pods":             {`spec: {service: {memoryLimit: 32Mi}, generator: {cpuLimit: 1m}}`},
	"the smallest pods, as numbers": {`spec: {service: {memoryLimit: 33554432}, generator: {cpuLimit: 1}}`},
	"the largest pods":              {`spec: {service: {memoryLimit: 64Gi}, generator: {cpuLimit: 64}}`},
	"pods that are smaller":         {`spec: {service: {memoryLimit: 31Mi}, generator: {cpuLimit: 0}}`, memoryOfPod, cpuOfLoad},
	"pods that are larger":          {`spec: {service: {memoryLimit: 65Gi}, generator: {cpuLimit: "65"}}`, memoryOfPod, cpuOfLoad},
	"pods beyond 32 bits": {`spec: {service: {memoryLimit: 3000000000}, generator: {cpuLimit: 3000000000}}`,
		memoryOfPod, cpuOfLoad},
	"amounts that are not quantities": {`spec: {service: {memoryLimit: much}, generator: {cpuLimit: half}}`,
		memoryOfPod, cpuOfLoad},

	"a demand, prices and a baseline": {`spec: {baseline: c10-1, demand: {loginsPerSecond: 60, maxTotalCPU: "8",
		maxReplicas: 4, surviveReplicas: 3}, prices: {perCPUHour: "0.04", gpuHour: "3"}}`},
	"other hashes, and what memory and guesses at them cost": {`spec: {service: {memoryLimit: 192Mi}, matrix: {hashes: [
		{name: argon, argon2id: {memoryKiB: 65536}, guessesPerSecond: 1000000000000}, {name: s, scrypt: {}}, {name: p, pbkdf2: {}}]},
		demand: {loginsPerSecond: 60, hashes: [bcrypt, argon2id, scrypt, pbkdf2]}, prices: {perGiBHour: "0.005", guessesPerSecondAtCost10: 1}}`},
	"a demand of a hash that is cheap": {`spec: {matrix: {hashes: [{name: cheap, sha256: {}}]}, demand: {loginsPerSecond: 60, hashes: [sha256]}}`,
		"spec.demand.hashes: sha256 is deliberately cheap and is never recommended"},
	"a demand of a hash that the matrix does not have": {`spec: {matrix: {hashes: [{name: s, scrypt: {}}]}, demand: {loginsPerSecond: 60, hashes: [argon2id]}}`,
		kindMissing},
	"a demand of a hash that it has only with sessions": {`spec: {matrix: {hashes: [{name: s, argon2id: {}, sessions: true}]},
		demand: {loginsPerSecond: 60, hashes: [bcrypt, argon2id]}}`, kindMissing},
	"a demand of bcrypt without a cost": {`spec: {matrix: {costs: null, hashes: [{name: s, scrypt: {}}]}, demand: {loginsPerSecond: 60, hashes: [bcrypt, scrypt]}}`,
		kindMissing},
	"a demand above every cost": {`spec: {demand: {loginsPerSecond: 60, minimumCost: 11}}`,
		tooHigh},
	"a demand above every cost but one with sessions": {`spec: {matrix: {costs: [9], hashes: [{name: s, bcrypt: {cost: 10}, sessions: true}]},
		demand: {loginsPerSecond: 60}}`,
		tooHigh},
	"a demand above every cost but one with a name": {`spec: {matrix: {costs: [9], hashes: [{name: s, bcrypt: {cost: 10}}]}, demand: {loginsPerSecond: 60}}`},
	"a demand above every cost but not of another hash": {`spec: {matrix: {costs: [9], hashes: [{name: s, scrypt: {}}]},
		demand: {loginsPerSecond: 60, hashes: [scrypt]}}`},
	"a demand with rates": {`spec: {demand: {loginsPerSecond: 60}, load: {rates: {perSecond: [20]}}}`},
	"a demand with users": {`spec: {demand: {loginsPerSecond: 60}, load: {users: {counts: [15]}}}`,
		"spec: demand is a login rate, which load.users does not measure"},
	"the lowest rate of a demand":     {`spec: {demand: {loginsPerSecond: "0.001"}}`},
	"the highest rate of a demand":    {`spec: {demand: {loginsPerSecond: 1000000}}`},
	"a demand of nothing":             {`spec: {demand: {loginsPerSecond: 0}}`, demandRange},
	"a demand below nothing":          {`spec: {demand: {loginsPerSecond: -1}}`, demandRange},
	"a demand above the highest rate": {`spec: {demand: {loginsPerSecond: "1000000.001"}}`, demandRange},
	"a demand beyond 32 bits":         {`spec: {demand: {loginsPerSecond: 3000000000}}`, demandRange},
	"a demand with four decimals":     {`spec: {demand: {loginsPerSecond: "0.0001"}}`, demandKind},
	"a demand in words":               {`spec: {demand: {loginsPerSecond: many}}`, demandKind},
	"a demand of CPU, as a number":    {`spec: {demand: {loginsPerSecond: 60, maxTotalCPU: 8}}`},
	"a demand of CPU beyond 32 bits":  {`spec: {demand: {loginsPerSecond: 60, maxTotalCPU: 3000000000}}`, demandCPU},
	"a demand without CPU":            {`spec: {demand: {loginsPerSecond: 60, maxTotalCPU: "0"}}`, demandCPU},
	"a demand of CPU in words":        {`spec: {demand: {loginsPerSecond: 60, maxTotalCPU: all}}`, demandCPU},
	"no replica left if surviveReplicas are down": {`spec: {demand: {loginsPerSecond: 60, maxReplicas: 2,
		surviveReplicas: 2}}`,
		"spec.demand: demand.maxReplicas must be greater than demand.surviveReplicas"},
	"prices in all spellings of a decimal": {`spec: {prices: {currency: EUR, perCPUHour: "0", gpuHour: "007.2500"}}`},
	"prices that are not decimals, and an unusual currency": {`spec: {prices: {
		currency: usd, perCPUHour: ".5", gpuHour: "3.", perGiBHour: "1e3"}}`,
		"spec.prices.currency: spec.prices.currency in body should match",
		cpuPrice, gpuPrice, memoryPrice},
	"prices that are whole numbers": {`spec: {prices: {perCPUHour: 1, perGiBHour: 0, gpuHour: 1}}`},
	"prices that no client can read": {`spec: {prices: {perCPUHour: 3000000000, perGiBHour: -1, gpuHour: "0,15"}}`,
		cpuPrice, memoryPrice, gpuPrice},
}
