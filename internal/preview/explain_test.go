package preview

import (
	"slices"
	"testing"

	"github.com/hashmark-dev/hashmark/test/fixture"
)

// What an unknown field and a value of a wrong type are refused with says what to write.
func TestRefusalsSayWhatToWrite(t *testing.T) {
	plain, own := fixture.PlainExperiment, fixture.Experiments["an own service"].Base
	for name, test := range map[string]struct {
		base         fixture.Manifest
		change, want string
	}{
		"a field with two letters exchanged":   {plain, `spec: {demnad: {}}`, "spec.demnad: it is unknown; did you mean demand?"},
		"a field in other letters":             {plain, `spec: {objective: {P99milliseconds: 2000}}`, "spec.objective.P99milliseconds: it is unknown; did you mean p99Milliseconds?"},
		"a field at another place":             {plain, `spec: {cpuLimits: ["1"]}`, "spec.cpuLimits: it is unknown here; did you mean spec.matrix.cpuLimits?"},
		"a field that is nowhere":              {plain, `spec: {objective: {xyz: 1}}`, "spec.objective.xyz: it is unknown; spec.objective has the fields maxErrorPerMille, p50Milliseconds, p95Milliseconds, p99Milliseconds"},
		"a field of the metadata":              {plain, `metadata: {labls: {}}`, "metadata.labls: it is unknown; remove it"},
		"a field beside the spec":              {plain, `sepc: {}`, "sepc: it is unknown; did you mean spec?"},
		"a decimal where a text is wanted":     {plain, `spec: {prices: {perCPUHour: 0.04}}`, `spec.prices.perCPUHour: 0.04 must be text; write it in quotes: "0.04"`},
		"a tiny decimal":                       {plain, `spec: {prices: {perCPUHour: 0.0000001}}`, `spec.prices.perCPUHour: 0.0000001 must be text; write it in quotes: "0.0000001"`},
		"a decimal where both are wanted":      {plain, `spec: {load: {rates: {perSecond: [0.5]}}}`, `spec.load.rates.perSecond[0]: 0.5 must be text; write it in quotes: "0.5"`},
		"a boolean where a text is wanted":     {own, `spec: {service: {own: {command: [true]}}}`, `spec.service.own.command[0]: true must be text; write it in quotes: "true"`},
		"a list where a text is wanted":        {plain, `spec: {baseline: [a]}`, "spec.baseline: it must be one text, and not a list or a map"},
		"a decimal where a number is wanted":   {plain, `spec: {objective: {p95Milliseconds: 99.5}}`, "spec.objective.p95Milliseconds: it must be a whole number; write 100 instead of 99.5"},
		"a text where a number is wanted":      {plain, `spec: {objective: {p95Milliseconds: "100"}}`, "spec.objective.p95Milliseconds: it must be a number; write 100 without quotes"},
		"a time where a number is wanted":      {plain, `spec: {objective: {p95Milliseconds: 100ms}}`, "spec.objective.p95Milliseconds: it must be a whole number, such as 10"},
		"a text where a boolean is wanted":     {plain, `spec: {suspend: "no"}`, "spec.suspend: it must be true or false, without quotes"},
		"a scalar where a list is wanted":      {plain, `spec: {matrix: {costs: 10}}`, `spec.matrix.costs: it must be a list; write it in brackets: [10]`},
		"a text where a list is wanted":        {plain, `spec: {matrix: {cpuLimits: "1"}}`, `spec.matrix.cpuLimits: it must be a list; write it in brackets: ["1"]`},
		"a map where a list is wanted":         {plain, `spec: {matrix: {nodePools: {name: a}}}`, `spec.matrix.nodePools: it must be a list; begin each entry with "- "`},
		"a scalar where a map is wanted":       {plain, `spec: {service: 3}`, "spec.service: it must be a map with the fields"},
		"a list where a map of texts is":       {plain, `spec: {matrix: {nodePools: [{name: a, nodeSelector: [{name: pool, value: 3}]}]}}`, `spec.matrix.nodePools[0].nodeSelector: it must be a map, and not a list; write each entry as NAME: VALUE, such as pool: "3"`},
		"an empty list where a map is":         {plain, `spec: {matrix: {nodePools: [{name: a, nodeSelector: []}]}}`, `spec.matrix.nodePools[0].nodeSelector: it must be a map; write each entry as NAME: VALUE`},
		"a word of an enum in other letters":   {plain, `spec: {load: {rates: {arrivals: uniform}}}`, `spec.load.rates.arrivals: "uniform" is unknown; write one of "Poisson", "Uniform"`},
		"a required field that is missing":     {plain, `spec: {objective: null}`, "spec.objective: it is required; add it"},
		"a name that is missing":               {plain, `metadata: {name: null}`, "metadata.name: it is required; add it"},
		"a name that Kubernetes does not have": {plain, `metadata: {name: A}`, "metadata.name: a lowercase RFC 1123 subdomain must consist of"},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			for _, refusal := range create(t.Context(), object(t, test.base, test.change)) {
				said = append(said, refusal.String())
			}
			if !slices.ContainsFunc(said, func(text string) bool { return len(text) >= len(test.want) && text[:len(test.want)] == test.want }) {
				t.Errorf("it says %q, without %q", said, test.want)
			}
		})
	}
}
