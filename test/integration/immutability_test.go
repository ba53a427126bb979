//go:build integration

package integration

import "testing"

// unchangeable returns the refusal of an edit of an immutable field.
func unchangeable(field string) []string {
	return []string{"spec: " + field + " can't be changed once the experiment exists; create a new experiment"}
}

var (
	matrixStands  = unchangeable("matrix")
	cancelStands  = []string{`spec: a cancelled experiment stays cancelled; create a new experiment`}
	trialStands   = []string{`spec: a trial's plan can't be changed; create a new experiment`}
	loaderOfTrial = []string{`spec: a trial's generator can't be changed; create a new experiment`}
)

func TestTheMatrixIsImmutable(t *testing.T) {
	pooled := `{spec: {prices: {}, matrix: {concurrency: [{mode: Unbounded}], nodePools: [{name: a}]}}}`
	checkUpdates(t, plainExperiment, map[string]edit{
		"nothing is changed":     {},
		"a cost is edited":       {change: `{spec: {matrix: {costs: [12]}}}`, refusals: matrixStands},
		"a cost is added":        {change: `{spec: {matrix: {costs: [10, 12]}}}`, refusals: matrixStands},
		"a cost is removed":      {from: `{spec: {matrix: {costs: [10, 12]}}}`, change: `{spec: {matrix: {costs: [10]}}}`, refusals: matrixStands},
		"the costs change place": {from: `{spec: {matrix: {costs: [10, 12]}}}`, change: `{spec: {matrix: {costs: [12, 10]}}}`, refusals: matrixStands},
		"a limit is written in another way": {
			change: `{spec: {matrix: {cpuLimits: ["1000m"]}}}`, refusals: matrixStands},
		"a concurrency is added": {
			change: `{spec: {matrix: {concurrency: [{mode: Unbounded}]}}}`, refusals: matrixStands},
		"the concurrency is removed": {
			from: pooled, change: `{spec: {matrix: {concurrency: null}}}`, refusals: matrixStands},
		"a pool is added": {
			change: `{spec: {matrix: {nodePools: [{name: a}]}}}`, refusals: matrixStands},
		"the pools are removed": {
			from: pooled, change: `{spec: {matrix: {nodePools: null}}}`, refusals: matrixStands},
		"measure is changed to Corners": {
			change: `{spec: {matrix: {measure: Corners}}}`, refusals: matrixStands},
		"a price is added to a pool": {
			from: pooled, change: `{spec: {matrix: {nodePools: [{name: a, perCPUHour: "1"}]}}}`, refusals: matrixStands},
	})
}

// Each field is edited, added if it was absent, and removed if it was present: a rule on the
// field alone would only see the first of the three.
func TestTheQuestionOfAnExperimentStands(t *testing.T) {
	demand, otherDemand := `{spec: {demand: {loginsPerSecond: 60}}}`, `{spec: {demand: {loginsPerSecond: 61}}}`
	prices, otherPrices := `{spec: {prices: {currency: USD}}}`, `{spec: {prices: {currency: EUR}}}`
	generator, otherGenerator := `{spec: {generator: {cpuLimit: 500m}}}`, `{spec: {generator: {cpuLimit: "1"}}}`
	checkUpdates(t, plainExperiment, map[string]edit{
		"the service is edited":  {change: `{spec: {service: {replicas: 2}}}`, refusals: unchangeable("service")},
		"the service is removed": {from: `{spec: {service: {replicas: 2}}}`, change: `{spec: {service: null}}`, refusals: unchangeable("service")},

		"the generator is edited":    {from: generator, change: otherGenerator, refusals: unchangeable("generator")},
		"the generator is added":     {change: generator, refusals: unchangeable("generator")},
		"the generator is removed":   {from: generator, change: `{spec: {generator: null}}`, refusals: unchangeable("generator")},
		"the generator loses a part": {from: generator, change: `{spec: {generator: {cpuLimit: null}}}`, refusals: unchangeable("generator")},

		"the load is edited":            {change: `{spec: {load: {stepSeconds: 11}}}`, refusals: unchangeable("load")},
		"the load's arrivals are added": {change: `{spec: {load: {arrivals: Poisson}}}`, refusals: unchangeable("load")},
		"the load is removed":           {from: `{spec: {load: {stepSeconds: 11}}}`, change: `{spec: {load: null}}`, refusals: unchangeable("load")},

		"the objective is edited":            {change: `{spec: {objective: {p95Milliseconds: 999}}}`, refusals: unchangeable("objective")},
		"the objective's default is changed": {change: `{spec: {objective: {maxErrorPerMille: 2}}}`, refusals: unchangeable("objective")},

		"the demand's default is changed": {from: demand, change: `{spec: {demand: {headroomPercent: 0}}}`, refusals: unchangeable("demand")},
		"the prices' default is changed":  {from: prices, change: `{spec: {prices: {guessesPerSecondPerGPUAtCost10: 1}}}`, refusals: unchangeable("prices")},

		"the demand is edited":  {from: demand, change: otherDemand, refusals: unchangeable("demand")},
		"the demand is added":   {change: demand, refusals: unchangeable("demand")},
		"the demand is removed": {from: demand, change: `{spec: {demand: null}}`, refusals: unchangeable("demand")},

		"the attacker's hardware is edited": {from: `{spec: {prices: {attackerHardware: {price: "2000", watts: 575, perKilowattHour: "0.15", years: 3}}}}`,
			change: `{spec: {prices: {attackerHardware: {years: 4}}}}`, refusals: unchangeable("prices")},
		"the prices are edited":  {from: prices, change: otherPrices, refusals: unchangeable("prices")},
		"the prices are added":   {change: prices, refusals: unchangeable("prices")},
		"the prices are removed": {from: prices, change: `{spec: {prices: null}}`, refusals: unchangeable("prices")},

		"the baseline is edited":  {from: `{spec: {baseline: c10-1}}`, change: `{spec: {baseline: c8-1}}`, refusals: unchangeable("baseline")},
		"the baseline is added":   {change: `{spec: {baseline: c10-1}}`, refusals: unchangeable("baseline")},
		"the baseline is removed": {from: `{spec: {baseline: c10-1}}`, change: `{spec: {baseline: null}}`, refusals: unchangeable("baseline")},

		"the seed is edited":  {from: `{spec: {seed: 7}}`, change: `{spec: {seed: 8}}`, refusals: unchangeable("seed")},
		"the seed is added":   {change: `{spec: {seed: 7}}`, refusals: unchangeable("seed")},
		"the seed is removed": {from: `{spec: {seed: 7}}`, change: `{spec: {seed: null}}`, refusals: unchangeable("seed")},

		"the repetitions are edited":  {change: `{spec: {repetitions: 2}}`, refusals: unchangeable("repetitions")},
		"the repetitions are removed": {from: `{spec: {repetitions: 2}}`, change: `{spec: {repetitions: null}}`, refusals: unchangeable("repetitions")},
		"the order is edited":         {change: `{spec: {order: AsWritten}}`, refusals: unchangeable("order")},
		"the order is removed":        {from: `{spec: {order: AsWritten}}`, change: `{spec: {order: null}}`, refusals: unchangeable("order")},
		"the parallelism is edited":   {change: `{spec: {parallelism: 2}}`, refusals: unchangeable("parallelism")},
		"the parallelism is removed":  {from: `{spec: {parallelism: 2}}`, change: `{spec: {parallelism: null}}`, refusals: unchangeable("parallelism")},
		"the attempts are edited":     {change: `{spec: {attemptsPerTrial: 2}}`, refusals: unchangeable("attemptsPerTrial")},
		"the attempts are removed":    {from: `{spec: {attemptsPerTrial: 2}}`, change: `{spec: {attemptsPerTrial: null}}`, refusals: unchangeable("attemptsPerTrial")},
	})
}

func TestWhatMayBeChangedInAnExperiment(t *testing.T) {
	checkUpdates(t, plainExperiment, map[string]edit{
		"it is suspended":            {change: `{spec: {suspend: true}}`},
		"it is resumed":              {from: `{spec: {suspend: true}}`, change: `{spec: {suspend: false}}`},
		"it is cancelled":            {change: `{spec: {cancel: true}}`},
		"it is suspended afterwards": {from: `{spec: {cancel: true}}`, change: `{spec: {suspend: true}}`},
		"its ttl is added":           {change: `{spec: {ttlSecondsAfterFinished: 60}}`},
		"its ttl is edited":          {from: `{spec: {ttlSecondsAfterFinished: 60}}`, change: `{spec: {ttlSecondsAfterFinished: 0}}`},
		"its ttl is removed":         {from: `{spec: {ttlSecondsAfterFinished: 60}}`, change: `{spec: {ttlSecondsAfterFinished: null}}`},
		"a default is written out":   {change: `{spec: {repetitions: 1, order: Shuffled, load: {mode: Capacity}, service: {replicas: 1}}}`},
		"a label is added":           {change: `{metadata: {labels: {team: login}}}`},
		"cancel is taken back": {
			from: `{spec: {cancel: true}}`, change: `{spec: {cancel: false}}`, refusals: cancelStands},
		"cancel is removed": {
			from: `{spec: {cancel: true}}`, change: `{spec: {cancel: null}}`, refusals: cancelStands},
	})
}

func TestThePlanOfATrialIsImmutable(t *testing.T) {
	generator := `{spec: {generator: {cpuLimit: 500m}}}`
	checkUpdates(t, plainTrial, map[string]edit{
		"it is its turn":           {change: `{spec: {suspend: false}}`},
		"the variant is edited":    {change: `{spec: {variant: {cost: 4}}}`, refusals: trialStands},
		"a pool is added":          {change: `{spec: {variant: {nodePool: {name: a}}}}`, refusals: trialStands},
		"a pool is removed":        {from: `{spec: {variant: {nodePool: {name: a}}}}`, change: `{spec: {variant: {nodePool: null}}}`, refusals: trialStands},
		"the repetition is edited": {change: `{spec: {repetition: 2}}`, refusals: trialStands},
		"the sequence is edited":   {change: `{spec: {sequence: 2}}`, refusals: trialStands},
		"the load is edited":       {change: `{spec: {load: {stepSeconds: 11}}}`, refusals: trialStands},
		"the load is removed":      {from: `{spec: {load: {stepSeconds: 11}}}`, change: `{spec: {load: null}}`, refusals: trialStands},
		"the objective is edited":  {change: `{spec: {objective: {p95Milliseconds: 1}}}`, refusals: trialStands},
		"the service is edited":    {change: `{spec: {service: {replicas: 2}}}`, refusals: trialStands},
		"the seed is edited":       {change: `{spec: {seed: 8}}`, refusals: trialStands},
		"the attempts are edited":  {change: `{spec: {attempts: 5}}`, refusals: trialStands},
		"the generator is added":   {change: generator, refusals: loaderOfTrial},
		"the generator is edited":  {from: generator, change: `{spec: {generator: {cpuLimit: "1"}}}`, refusals: loaderOfTrial},
		"the generator is removed": {from: generator, change: `{spec: {generator: null}}`, refusals: loaderOfTrial},
	})
}
