//go:build integration

package integration

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// unchangeable returns the refusal of an edit of a field that is too late.
func unchangeable(field string) []string {
	return []string{"spec: " + field + " can't be changed once the first trial has begun or the experiment is cancelled, " +
		"only suspend, cancel, alsoMeasure and ttlSecondsAfterFinished can; create a new experiment"}
}

var (
	cancelStands    = []string{"spec: a cancelled experiment stays cancelled"}
	trialStands     = []string{"spec: a trial's plan can't be changed"}
	generatorStands = []string{"spec: a trial's generator can't be changed"}
)

// changeable are the fields that can be changed at any time.
var changeable = []string{"suspend", "cancel", "alsoMeasure", "ttlSecondsAfterFinished"}

// changes are two values of each other field of an experiment that its default is not.
var changes = map[string][2]string{
	"matrix":           {`{nodePools: [{name: a}]}`, `{nodePools: [{name: b}]}`},
	"service":          {`{replicas: 2}`, `{replicas: 3}`},
	"generator":        {`{cpuLimit: 1}`, `{cpuLimit: "1"}`},
	"load":             {`{stepSeconds: 11}`, `{stepSeconds: 12}`},
	"objective":        {`{maxErrorPerMille: 2}`, `{maxErrorPerMille: 3}`},
	"demand":           {`{loginsPerSecond: 60}`, `{loginsPerSecond: 61}`},
	"prices":           {`{currency: EUR}`, `{currency: GBP}`},
	"baseline":         {`c10-1`, `c8-1`},
	"seed":             {`7`, `8`},
	"repetitions":      {`2`, `3`},
	"parallelism":      {`2`, `3`},
	"attemptsPerTrial": {`2`, `1`},
}

// The schema says which fields there are, so that a new one is not forgotten in the rule.
func TestAllFieldsOfAnExperimentHaveChanges(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(crdFolder, "hashmark.dev_sizingexperiments.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	definition := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, definition); err != nil {
		t.Fatal(err)
	}
	fields := slices.Sorted(maps.Keys(definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties))
	tested := slices.Sorted(slices.Values(slices.AppendSeq(slices.Clone(changeable), maps.Keys(changes))))
	if diff := cmp.Diff(fields, tested); diff != "" {
		t.Errorf("the fields of the schema, and those that have changes here (-schema +here):\n%s", diff)
	}
}

// A rule on the field alone would only see the edit.
func TestTheQuestionOfAnExperimentCanBeChangedUntilItBegins(t *testing.T) {
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
			t.Run(field+" is "+name, func(t *testing.T) { edit.check(t, plainExperiment) })
			edit.refusals = unchangeable(field)
			begun, cancelled := edit, edit
			begun.status = `{"status":{"startTime":"2026-11-21T09:00:00Z"}}`
			cancelled.cancelled = true
			t.Run(field+" is "+name+" once a trial has begun", func(t *testing.T) { begun.check(t, plainExperiment) })
			t.Run(field+" is "+name+" once it is cancelled", func(t *testing.T) { cancelled.check(t, plainExperiment) })
		}
	}
}

func TestOtherChangesOfAnExperimentThatHasBegun(t *testing.T) {
	for name, edit := range map[string]edit{
		"nothing is changed":         {},
		"it is suspended":            {change: `spec: {suspend: true}`},
		"it is resumed":              {from: `spec: {suspend: true}`, change: `spec: {suspend: false}`},
		"it is cancelled":            {change: `spec: {cancel: true}`},
		"it is suspended afterwards": {from: `spec: {cancel: true}`, change: `spec: {suspend: true}`},
		"its ttl is added":           {change: `spec: {ttlSecondsAfterFinished: 60}`},
		"its ttl is edited":          {from: `spec: {ttlSecondsAfterFinished: 60}`, change: `spec: {ttlSecondsAfterFinished: 0}`},
		"its ttl is removed":         {from: `spec: {ttlSecondsAfterFinished: 60}`, change: `spec: {ttlSecondsAfterFinished: null}`},
		"a default is written out":   {change: `spec: {repetitions: 1, load: {stepSeconds: 10}, service: {replicas: 1}}`},
		"a label is added":           {change: `metadata: {labels: {team: login}}`},
		"cancel is taken back":       {from: `spec: {cancel: true}`, change: `spec: {cancel: false}`, refusals: cancelStands},
		"cancel is removed":          {from: `spec: {cancel: true}`, change: `spec: {cancel: null}`, refusals: cancelStands},
		"the costs change place":     {from: `spec: {matrix: {costs: [10, 12]}}`, change: `spec: {matrix: {costs: [12, 10]}}`, refusals: unchangeable("matrix")},
		"a limit is written anew":    {change: `spec: {matrix: {cpuLimits: ["1000m"]}}`, refusals: unchangeable("matrix")},
	} {
		edit.status = `{"status":{"startTime":"2026-11-21T09:00:00Z"}}`
		t.Run(name, func(t *testing.T) { edit.check(t, plainExperiment) })
	}
}

// The rule that keeps the spec also sees writes of the status.
func TestTheStatusOfAnExperimentCanBeWrittenAtAnyTime(t *testing.T) {
	experiment := create(t, plainExperiment)
	for _, status := range []string{
		`{"status":{"observedGeneration":1}}`,
		`{"status":{"startTime":"2026-11-21T09:00:00Z"}}`,
		`{"status":{"phase":"Running"}}`,
		`{"status":{"phase":"Failed","completionTime":"2026-11-21T10:00:00Z"}}`,
	} {
		if err := apiClient.Status().Patch(t.Context(), experiment, client.RawPatch(types.MergePatchType, []byte(status))); err != nil {
			t.Errorf("%s is refused: %v", status, err)
		}
	}
}

// A user who writes the whole object can't pretend that no trial has begun.
func TestAStatusInAnEditDoesNotCount(t *testing.T) {
	edit{
		status:   `{"status":{"startTime":"2026-11-21T09:00:00Z"}}`,
		change:   `{spec: {seed: 8}, status: {observedGeneration: 1}}`,
		refusals: unchangeable("seed"),
	}.check(t, plainExperiment)
}

func TestThePlanOfATrialCanNotBeChanged(t *testing.T) {
	generator := `spec: {generator: {cpuLimit: 500m}}`
	for name, edit := range map[string]edit{
		"it is its turn":           {change: `spec: {suspend: false}`},
		"the role is edited":       {change: `spec: {role: Verification}`, refusals: trialStands},
		"the variant is edited":    {change: `spec: {variant: {hash: {bcrypt: {cost: 4}}}}`, refusals: trialStands},
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
	// status is a JSON merge patch of its status in between, and cancelled cancels it.
	status    string
	cancelled bool
	// refusals are all refusals of the change, as in fixture.Cases; if empty, it is accepted.
	refusals []string
}

// check creates the object, updates it as a dry run, and compares the refusals.
func (e edit) check(t *testing.T, base manifest) {
	t.Helper()
	created, cancel := create(t, base, e.from), ""
	if e.cancelled {
		cancel = "spec: {cancel: true}"
		if err := apiClient.Patch(t.Context(), created, client.RawPatch(types.MergePatchType, asJSON(t, cancel))); err != nil {
			t.Fatalf("cancelling the object: %v", err)
		}
	}
	if e.status != "" {
		if err := apiClient.Status().Patch(t.Context(), created, client.RawPatch(types.MergePatchType, []byte(e.status))); err != nil {
			t.Fatalf("writing the status: %v", err)
		}
	}
	edited := base.with(t, e.from, cancel, e.change)
	edited.SetName(created.GetName())
	edited.SetResourceVersion(created.GetResourceVersion())
	checkRefusals(t, e.refusals, strictly().Update(t.Context(), edited, client.DryRunAll))
}
