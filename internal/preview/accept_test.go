package preview

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/test/fixture"
)

// object returns a manifest after a change, with the types of JSON.
func object(t *testing.T, base fixture.Manifest, changes ...string) map[string]any {
	t.Helper()
	text, err := base.With(changes...)
	if err != nil {
		t.Fatal(err)
	}
	var written map[string]any
	if err := json.Unmarshal(text, &written); err != nil {
		t.Fatal(err)
	}
	return written
}

// The cases are those that test/integration sends to an API server, and cover each rule of the definition.
func TestTheRulesOfTheAPIAreAppliedWithoutAnAPIServer(t *testing.T) {
	for group, of := range fixture.Experiments {
		for name, texts := range of.Cases {
			t.Run(group+"/"+name, func(t *testing.T) {
				want := slices.Clone(texts[1:])
				for i := range want {
					want[i] = strings.TrimPrefix(want[i], "<nil>: ")
				}
				var got []string
				for _, refusal := range create(t.Context(), object(t, of.Base, texts[0])) {
					said := refusal.String()
					if at := slices.IndexFunc(want, func(begin string) bool { return strings.HasPrefix(said, begin) }); at >= 0 {
						said = want[at]
					}
					got = append(got, said)
				}
				ordered := cmpopts.SortSlices(func(a, b string) bool { return a < b })
				if diff := cmp.Diff(want, got, ordered, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("the refusals (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Each is accepted by the API server, and refused by one of the operator's checks.
func TestTheChecksOfTheOperatorAreApplied(t *testing.T) {
	own := fixture.Experiments["an own service"].Base
	for name, test := range map[string]struct {
		base   fixture.Manifest
		change string
		want   []string
	}{
		"nothing is wrong":          {fixture.PlainExperiment, ``, nil},
		"a baseline":                {fixture.PlainExperiment, `spec: {matrix: {costs: [8, 10]}, baseline: c10-1000m}`, []string{`baseline "c10-1000m" is not a measured variant; choose one of: c8-1, c10-1`}},
		"a baseline of itself":      {fixture.PlainExperiment, `spec: {baseline: c10-1}`, []string{`baseline "c10-1" has no effect, because c10-1 is the only measured variant`}},
		"too little memory":         {fixture.PlainExperiment, `spec: {matrix: {hashes: [{name: scrypt, scrypt: {}}]}}`, []string{"service.memoryLimit 128Mi is too low"}},
		"a label of a pool":         {fixture.PlainExperiment, `spec: {matrix: {nodePools: [{name: a, nodeSelector: {a b: c}}]}}`, []string{`node pool a has the label "a b"`}},
		"a plan of more than a day": {fixture.PlainExperiment, `spec: {load: {stepSeconds: 1800, capacity: {maxStepSeconds: 1800}}, repetitions: 10}`, []string{"the plan can take"}},
		"a hash without guesses":    {fixture.PlainExperiment, `spec: {matrix: {hashes: [{name: s, scrypt: {memoryKiB: 1024}}]}, demand: {loginsPerSecond: 5, hashes: [scrypt]}}`, []string{"demand.hashes has scrypt, but the guesses per second"}},
		"a variable":                {own, `spec: {service: {own: {args: [$(PORT)]}}}`, []string{"service.own.args[0] refers to $(PORT), which is unknown"}},
		"a cost of another hash":    {own, `spec: {matrix: {costs: null, hashes: [{name: plain, other: {}}]}, service: {own: {args: [$(HASHMARK_COST)]}}}`, []string{"service.own.args[0] refers to $(HASHMARK_COST), which another hash does not have"}},
		"variants of one name": {
			fixture.PlainExperiment, `spec: {matrix: {concurrency: [{mode: WorkerPool}, {mode: WorkerPool, workers: 1}]}}`,
			[]string{"two variants resolve to c10-1-w1"},
		},
		"a spec that is too large": {
			own, `spec: {service: {own: {login: {wrong: {status: [401]}, setup: [` + strings.Repeat(`{path: /a, method: POST, body: "`+strings.Repeat("<", 7_000)+`"},`, 8) + `]},
				args: [` + strings.Repeat(`"`+strings.Repeat("a", 4_000)+`",`, 20) + `]}}}`, []string{"the spec has"},
		},
		"two reasons at once": {
			fixture.PlainExperiment, `spec: {baseline: c8-1, matrix: {hashes: [{name: s, scrypt: {memoryKiB: 1024}}]}, demand: {loginsPerSecond: 5, hashes: [scrypt]}}`,
			[]string{`baseline "c8-1"`, "demand.hashes has scrypt"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, refusals := accept(t.Context(), object(t, test.base, test.change))
			if len(refusals) != len(test.want) {
				t.Fatalf("the refusals are %v, want %q", refusals, test.want)
			}
			for i, refusal := range refusals {
				if !strings.HasPrefix(refusal.String(), test.want[i]) {
					t.Errorf("a refusal is %q, want %q", refusal, test.want[i])
				}
			}
		})
	}
}

func TestAnExperimentHasTheDefaultsOfTheAPI(t *testing.T) {
	experiment, refusals := accept(t.Context(), object(t, fixture.PlainExperiment, `{metadata: {name: null, generateName: a-}, status: {no: field}}`))
	if len(refusals) > 0 {
		t.Fatal(refusals)
	}
	if experiment.Name != "a-xxxxx" || *experiment.Spec.Repetitions != 1 || experiment.Spec.Load.StepSeconds != 10 || experiment.Spec.Service.MemoryLimit.String() != "128Mi" {
		t.Errorf("it is %+v", experiment)
	}
}

func TestTheSamplesAreAccepted(t *testing.T) {
	files, err := filepath.Glob("../../config/samples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found no samples: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		document, err := yaml.YAMLToJSONStrict(text)
		if err != nil {
			t.Fatal(err)
		}
		var written map[string]any
		if err := json.Unmarshal(document, &written); err != nil {
			t.Fatal(err)
		}
		if p, err := Of(t.Context(), written, UsualHashTime()); err != nil || len(p.Refusals) > 0 || p.EstimatedSeconds == 0 {
			t.Errorf("%s: %+v, error %v", file, p, err)
		}
	}
}
