//go:build integration

package integration

import "testing"

// Refusals of loads with common mistakes.
const (
	ratesMode    = `spec.load: ratesPerSecond is required with mode: Rates and not allowed with other modes; set mode: Rates and at least one rate, or remove ratesPerSecond`
	usersMode    = `spec.load: users is required with mode: Users and not allowed with other modes; set mode: Users and at least one number of users, or remove users`
	usersArrive  = `spec.load: arrivals has no effect with mode: Users, because each user logs in again as soon as the last login is answered; remove arrivals`
	stepsTooLong = `spec.load: stepSeconds is above maxStepSeconds; lower stepSeconds or raise maxStepSeconds`
	rateCallers  = `spec.load: a rate times requestTimeoutSeconds must be at most 2,000 callers; lower the rate or the timeout`
	rateNoLogin  = `spec.load: a rate times stepSeconds must be at least one login; raise the rate or stepSeconds`
	rateKind     = `spec.load.ratesPerSecond: each rate must be a whole number or a string with up to three decimals, such as "0.5"`
	rateRange    = `spec.load.ratesPerSecond: each rate must be above 0 and at most 2,000 logins per second`
	rateOrder    = `spec.load.ratesPerSecond: ratesPerSecond must be in ascending order; sort it and remove duplicates`
	usersRange   = `spec.load.users: each number of users must be between 1 and 2,000`
	usersOrder   = `spec.load.users: users must be in ascending order; sort it and remove duplicates`
)

func TestModesOfLoad(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"no load":                             {},
		"an empty load":                       {change: `{spec: {load: {}}}`},
		"each kind of arrivals with Capacity": {change: `{spec: {load: {mode: Capacity, arrivals: Uniform}}}`},
		"rates in Rates":                      {change: `{spec: {load: {mode: Rates, ratesPerSecond: [20, 40], arrivals: Poisson}}}`},
		"users in Users":                      {change: `{spec: {load: {mode: Users, users: [15, 30]}}}`},
		"rates in Capacity, which finds its own": {
			change: `{spec: {load: {mode: Capacity, ratesPerSecond: [20]}}}`, refusals: []string{ratesMode}},
		"rates and no mode, which is Capacity": {
			change: `{spec: {load: {ratesPerSecond: [20]}}}`, refusals: []string{ratesMode}},
		"no rates in Rates": {
			change: `{spec: {load: {mode: Rates}}}`, refusals: []string{ratesMode}},
		"an empty list of rates in Rates": {
			change: `{spec: {load: {mode: Rates, ratesPerSecond: []}}}`, refusals: []string{ratesMode}},
		"users in Capacity": {
			change: `{spec: {load: {users: [15]}}}`, refusals: []string{usersMode}},
		"no users in Users": {
			change: `{spec: {load: {mode: Users}}}`, refusals: []string{usersMode}},
		"rates and users at once": {
			change:   `{spec: {load: {mode: Users, users: [15], ratesPerSecond: [20]}}}`,
			refusals: []string{ratesMode}},
		"arrivals in Users": {
			change:   `{spec: {load: {mode: Users, users: [15], arrivals: Poisson}}}`,
			refusals: []string{usersArrive}},
		"a mode that does not exist": {
			change:   `{spec: {load: {mode: Open}}}`,
			refusals: []string{`spec.load.mode: supported values: "Capacity", "Rates", "Users"`}},
		"arrivals that do not exist": {
			change:   `{spec: {load: {arrivals: Even}}}`,
			refusals: []string{`spec.load.arrivals: supported values: "Poisson", "Uniform"`}},
	})
}

func TestRatesThatMayBeHeld(t *testing.T) {
	inRates := plainExperiment + "  load: {mode: Rates, ratesPerSecond: [1]}\n"
	checkCreations(t, inRates, map[string]admission{
		"whole numbers and decimals, rising": {change: `{spec: {load: {ratesPerSecond: ["0.5", 1, "1.125", 20]}}}`},
		"the highest rate that one second of timeout allows": {
			change: `{spec: {load: {ratesPerSecond: [2000], requestTimeoutSeconds: 1}}}`},
		"a rate of 0": {
			change: `{spec: {load: {ratesPerSecond: [0, 20]}}}`, refusals: []string{rateRange}},
		"a rate of 0 with decimals": {
			change: `{spec: {load: {ratesPerSecond: ["0.000"]}}}`, refusals: []string{rateRange}},
		"a rate below 0": {
			change: `{spec: {load: {ratesPerSecond: [-1]}}}`, refusals: []string{rateRange}},
		"a rate above 2,000": {
			change: `{spec: {load: {ratesPerSecond: ["2000.001"]}}}`, refusals: []string{rateRange}},
		"a rate beyond 32 bits": {
			change: `{spec: {load: {ratesPerSecond: [3000000000]}}}`, refusals: []string{rateRange}},
		"a rate that is a word": {
			change: `{spec: {load: {ratesPerSecond: [fast]}}}`, refusals: []string{rateKind}},
		"an empty rate": {
			change: `{spec: {load: {ratesPerSecond: [""]}}}`, refusals: []string{rateKind}},
		"a rate with a sign": {
			change: `{spec: {load: {ratesPerSecond: ["-0.5"]}}}`, refusals: []string{rateKind}},
		"a rate with four decimals": {
			change: `{spec: {load: {ratesPerSecond: ["0.1234"]}}}`, refusals: []string{rateKind}},
		"a rate with an exponent": {
			change: `{spec: {load: {ratesPerSecond: ["1e2"]}}}`, refusals: []string{rateKind}},
		"a decimal without quotes, which YAML takes for a number": {
			change: `{spec: {load: {ratesPerSecond: [0.5]}}}`,
			refusals: []string{
				`spec.load.ratesPerSecond[0]: spec.load.ratesPerSecond[0] in body`,
				`spec.load.ratesPerSecond[0]: spec.load.ratesPerSecond[0] in body`,
				`<nil>: "spec.load.ratesPerSecond[0]" must validate at least one schema (anyOf)`}},
		"a rate longer than any needs": {
			change:   `{spec: {load: {ratesPerSecond: ["000000001"]}}}`,
			refusals: []string{`spec.load.ratesPerSecond[0]: Too long: may not be more than 8 bytes`}},
		"rates that fall": {
			change: `{spec: {load: {ratesPerSecond: [40, 20]}}}`, refusals: []string{rateOrder}},
		"rates that rise as words but fall as numbers": {
			change: `{spec: {load: {ratesPerSecond: ["10.5", "9.5"]}}}`, refusals: []string{rateOrder}},
		"one rate written in two ways": {
			change: `{spec: {load: {ratesPerSecond: [1, "1.0"]}}}`, refusals: []string{rateOrder}},
		"21 rates": {
			change:   `{spec: {load: {ratesPerSecond: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]}}}`,
			refusals: []string{`spec.load.ratesPerSecond: Too many: 21: must have at most 20 items`}},
		"2,000 callers at a rate and its timeout": {
			change: `{spec: {load: {ratesPerSecond: [200], requestTimeoutSeconds: 10}}}`},
		"one caller more than that": {
			change:   `{spec: {load: {ratesPerSecond: ["200.1"], requestTimeoutSeconds: 10}}}`,
			refusals: []string{rateCallers}},
		"one login in a step":           {change: `{spec: {load: {ratesPerSecond: ["0.1"], stepSeconds: 10}}}`},
		"less than one login in a step": {change: `{spec: {load: {ratesPerSecond: ["0.099"], stepSeconds: 10}}}`, refusals: []string{rateNoLogin}},
	})
}

func TestUsersThatMayBeHeld(t *testing.T) {
	checkCreations(t, plainExperiment+"  load: {mode: Users, users: [1]}\n", map[string]admission{
		"one user and 2,000": {change: `{spec: {load: {users: [1, 2000]}}}`},
		"no user":            {change: `{spec: {load: {users: [0]}}}`, refusals: []string{usersRange}},
		"2,001 users":        {change: `{spec: {load: {users: [2001]}}}`, refusals: []string{usersRange}},
		"users that fall":    {change: `{spec: {load: {users: [30, 15]}}}`, refusals: []string{usersOrder}},
		"a number twice":     {change: `{spec: {load: {users: [15, 15]}}}`, refusals: []string{usersOrder}},
		"21 numbers": {
			change:   `{spec: {load: {users: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21]}}}`,
			refusals: []string{`spec.load.users: Too many: 21: must have at most 20 items`}},
	})
}

func TestTimesOfALoad(t *testing.T) {
	checkCreations(t, plainExperiment, map[string]admission{
		"the shortest times": {change: `{spec: {load: {stepSeconds: 1, maxStepSeconds: 1, minSamples: 20, warmupSeconds: 0, requestTimeoutSeconds: 1}}}`},
		"the longest times":  {change: `{spec: {load: {stepSeconds: 1800, maxStepSeconds: 1800, minSamples: 100000, warmupSeconds: 600, requestTimeoutSeconds: 60}}}`},
		"times below the shortest": {
			change: `{spec: {load: {stepSeconds: 0, maxStepSeconds: 0, minSamples: 19, warmupSeconds: -1, requestTimeoutSeconds: 0}}}`,
			refusals: []string{
				outOfBounds("spec.load.stepSeconds", "greater", 1),
				outOfBounds("spec.load.maxStepSeconds", "greater", 1),
				outOfBounds("spec.load.minSamples", "greater", 20),
				outOfBounds("spec.load.warmupSeconds", "greater", 0),
				outOfBounds("spec.load.requestTimeoutSeconds", "greater", 1)}},
		"times above the longest": {
			change: `{spec: {load: {stepSeconds: 1801, maxStepSeconds: 1801, minSamples: 100001, warmupSeconds: 601, requestTimeoutSeconds: 61}}}`,
			refusals: []string{
				outOfBounds("spec.load.stepSeconds", "less", 1800),
				outOfBounds("spec.load.maxStepSeconds", "less", 1800),
				outOfBounds("spec.load.minSamples", "less", 100000),
				outOfBounds("spec.load.warmupSeconds", "less", 600),
				outOfBounds("spec.load.requestTimeoutSeconds", "less", 60)}},
		"a step of Capacity that begins longer than it may grow": {
			change: `{spec: {load: {stepSeconds: 121}}}`, refusals: []string{stepsTooLong}},
		"a step of Rates does not grow": {
			change: `{spec: {load: {mode: Rates, ratesPerSecond: [20], stepSeconds: 121}}}`},
	})
}
