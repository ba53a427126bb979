//go:build integration

package integration

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unchangeable returns the refusal of an edit of an immutable field.
func unchangeable(field string) []string {
	return []string{"spec: " + field + " can't be changed once the experiment exists"}
}

var (
	cancelStands    = []string{"spec: a cancelled experiment stays cancelled"}
	trialStands     = []string{"spec: a trial's plan can't be changed"}
	generatorStands = []string{"spec: a trial's generator can't be changed"}
)

// changes are two values of each immutable field of an experiment that its default is not.
var changes = map[string][2]string{
	"matrix":           {`{nodePools: [{name: a}]}`, `{nodePools: [{name: b}]}`},
	"service":          {`{replicas: 2}`, `{replicas: 3}`},
	"generator":        {`{cpuLimit: 500m}`, `{cpuLimit: "1"}`},
	"load":             {`{stepSeconds: 11}`, `{stepSeconds: 12}`},
	"objective":        {`{maxErrorPerMille: 2}`, `{maxErrorPerMille: 3}`},
	"demand":           {`{loginsPerSecond: 60}`, `{loginsPerSecond: 61}`},
	"prices":           {`{currency: EUR}`, `{currency: GBP}`},
	"baseline":         {`c10-1`, `c8-1`},
	"seed":             {`7`, `8`},
	"repetitions":      {`2`, `3`},
	"order":            {`AsWritten`, `Shuffled`},
	"parallelism":      {`2`, `3`},
	"attemptsPerTrial": {`2`, `1`},
}

// A rule on the field alone would only see the edit.
func TestTheQuestionOfAnExperimentCanNotBeChanged(t *testing.T) {
	for field, values := range changes {
		with := func(value string) string { return "spec: {" + field + ": " + value + "}" }
		for name, edit := range map[string]edit{
			"added":   {change: with(values[0])},
			"edited":  {from: with(values[0]), change: with(values[1])},
			"removed": {from: with(values[0]), change: with("null")},
		} {
			if name == "removed" && (field == "matrix" || field == "objective") {
				continue // it is required
			}
			edit.refusals = unchangeable(field)
			t.Run(field+" is "+name, func(t *testing.T) { edit.check(t, plainExperiment) })
		}
	}
}

func TestOtherChangesOfAnExperiment(t *testing.T) {
	for name, edit := range map[string]edit{
		"nothing is changed":         {},
		"it is suspended":            {change: `spec: {suspend: true}`},
		"it is resumed":              {from: `spec: {suspend: true}`, change: `spec: {suspend: false}`},
		"it is cancelled":            {change: `spec: {cancel: true}`},
		"it is suspended afterwards": {from: `spec: {cancel: true}`, change: `spec: {suspend: true}`},
		"its ttl is added":           {change: `spec: {ttlSecondsAfterFinished: 60}`},
		"its ttl is edited":          {from: `spec: {ttlSecondsAfterFinished: 60}`, change: `spec: {ttlSecondsAfterFinished: 0}`},
		"its ttl is removed":         {from: `spec: {ttlSecondsAfterFinished: 60}`, change: `spec: {ttlSecondsAfterFinished: null}`},
		"a default is written out":   {change: `spec: {repetitions: 1, order: Shuffled, load: {stepSeconds: 10}, service: {replicas: 1}}`},
		"a label is added":           {change: `metadata: {labels: {team: login}}`},
		"cancel is taken back":       {from: `spec: {cancel: true}`, change: `spec: {cancel: false}`, refusals: cancelStands},
		"cancel is removed":          {from: `spec: {cancel: true}`, change: `spec: {cancel: null}`, refusals: cancelStands},
		"the costs change place":     {from: `spec: {matrix: {costs: [10, 12]}}`, change: `spec: {matrix: {costs: [12, 10]}}`, refusals: unchangeable("matrix")},
		"a limit is written anew":    {change: `spec: {matrix: {cpuLimits: ["1000m"]}}`, refusals: unchangeable("matrix")},
	} {
		t.Run(name, func(t *testing.T) { edit.check(t, plainExperiment) })
	}
}

func TestThePlanOfATrialCanNotBeChanged(t *testing.T) {
	generator := `spec: {generator: {cpuLimit: 500m}}`
	for name, edit := range map[string]edit{
		"it is its turn":           {change: `spec: {suspend: false}`},
		"the role is edited":       {change: `spec: {role: Verification}`, refusals: trialStands},
		"the variant is edited":    {change: `spec: {variant: {cost: 4}}`, refusals: trialStands},
		"a pool is added":          {change: `spec: {variant: {nodePool: {name: a}}}`, refusals: trialStands},
		"the repetition is edited": {change: `spec: {repetition: 2}`, refusals: trialStands},
		"the sequence is edited":   {change: `spec: {sequence: 2}`, refusals: trialStands},
		"the load is edited":       {change: `spec: {load: {stepSeconds: 11}}`, refusals: trialStands},
		"the objective is edited":  {change: `spec: {objective: {p95Milliseconds: 1}}`, refusals: trialStands},
		"the service is edited":    {change: `spec: {service: {replicas: 2}}`, refusals: trialStands},
		"the seed is edited":       {change: `spec: {seed: 8}`, refusals: trialStands},
		"the attempts are edited":  {change: `spec: {attempts: 5}`, refusals: trialStands},
		"the generator is added":   {change: generator, refusals: generatorStands},
		"the generator is edited":  {from: generator, change: `spec: {generator: {cpuLimit: "1"}}`, refusals: generatorStands},
		"the generator is removed": {from: generator, change: `spec: {generator: null}`, refusals: generatorStands},
	} {
		t.Run(name, func(t *testing.T) { edit.check(t, plainTrial) })
	}
}

// edit is one case of what may be changed in an object that exists.
type edit struct {
	// from is applied to a valid object before it is created, and change afterwards.
	from, change string
	// refusals are all refusals of the change, as in cases; if empty, it is accepted.
	refusals []string
}

// check creates the object, updates it as a dry run, and compares the refusals.
func (e edit) check(t *testing.T, base manifest) {
	t.Helper()
	created := create(t, base, e.from)
	edited := base.with(t, e.from, e.change)
	edited.SetName(created.GetName())
	edited.SetResourceVersion(created.GetResourceVersion())
	checkRefusals(t, e.refusals, strictly().Update(t.Context(), edited, client.DryRunAll))
}
