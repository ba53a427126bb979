package cli

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/test/fixture"
)

// everything is an experiment with something of everything that plan shows.
const everything = `spec: {matrix: {costs: [8, 9, 10, 11, 12], cpuLimits: ["250m", "1"], measure: Corners, concurrency: [{mode: WorkerPool, workers: 1}],
	nodePools: [{name: small}], hashes: [{name: session, bcrypt: {cost: 10}, sessions: true}]},
	demand: {loginsPerSecond: 20, maxTotalCPU: "4"}, objective: {p95Milliseconds: 250}, parallelism: 2, repetitions: 2}`

// mistakes are changes of valid experiments that people may make, with what plan says about them in a golden file. One of the two forms of
// variables is no mistake.
var mistakes = []struct{ of, name, change string }{
	{"", "a number and a quantity as limits", `spec: {matrix: {cpuLimits: [1, 500m]}}`},
	{"", "a price without quotes", `spec: {prices: {perCPUHour: 0.04}}`},
	{"", "half a login per second", `spec: {demand: {loginsPerSecond: 0.5}}`},
	{"own", "variables as in a pod", `spec: {service: {own: {env: [{name: COST, value: "10"}]}}}`},
	{"own", "variables as a map", `spec: {service: {own: {env: {COST: "10"}}}}`},
	{"", "a limit in the baseline as it is written", `spec: {matrix: {costs: [8, 10], cpuLimits: ["1000m"]}, baseline: c10-1000m}`},
	{"own", "no status for a wrong password", `spec: {service: {own: {login: {wrong: {status: null}}}}}`},
	{"own", "no concurrency", `spec: {matrix: {concurrency: null}}`},
	{"", "a minimum above all costs", `spec: {demand: {loginsPerSecond: 5, minimumCost: 12}}`},
	{"", "less CPU than a replica has", `spec: {demand: {loginsPerSecond: 5, maxTotalCPU: 500m}}`},
	{"", "a misspelt field", `spec: {demnad: {loginsPerSecond: 5}}`},
	{"", "a field at the wrong place", `spec: {costs: [10]}`},
	{"", "a word in lower case", `spec: {load: {rates: {perSecond: [5], arrivals: uniform}}}`},
	{"", "a unit where a number is wanted", `spec: {objective: {p95Milliseconds: 500ms}}`},
	{"", "one cost without brackets", `spec: {matrix: {costs: 10}}`},
	{"", "a cost in quotes", `spec: {matrix: {costs: ["10"]}}`},
	{"", "a rate without quotes", `spec: {load: {rates: {perSecond: [0.5, 1]}}}`},
	{"", "no objective", `spec: {objective: null}`},
	{"", "two loads", `spec: {load: {capacity: {}, rates: {perSecond: [5]}}}`},
	{"", "a limit twice", `spec: {matrix: {cpuLimits: ["1", 1000m]}}`},
	{"", "a pool as a map", `spec: {matrix: {nodePools: {name: small}}}`},
	{"", "a latency above the timeout", `spec: {objective: {p95Milliseconds: 20000}}`},
	{"", "a hash that nothing measures", `spec: {demand: {loginsPerSecond: 5, hashes: [argon2id]}}`},
}

func written(t *testing.T, of, change string) string {
	t.Helper()
	base := fixture.PlainExperiment
	if of == "own" {
		base = fixture.Experiments["an own service"].Base
	}
	text, err := base.With(change)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPlanSaysWhatToWriteInsteadOfAMistake(t *testing.T) {
	var all strings.Builder
	for _, mistake := range mistakes {
		got := carryOut(t, nil, written(t, mistake.of, mistake.change), "plan", "-f", "-")
		all.WriteString("# " + mistake.name + ": " + mistake.change + "\n" + got.err)
		first, rest, _ := strings.Cut(got.out, "\n")
		all.WriteString(first + "\n")
		for line := range strings.Lines(rest) {
			if strings.HasPrefix(line, "- ") || strings.HasPrefix(line, "  ") {
				all.WriteString(line)
			}
		}
		all.WriteString("\n")
	}
	golden(t, "plan-mistakes.txt", all.String())
}

func TestPlanShowsWhatAnExperimentWouldDo(t *testing.T) {
	got := carryOut(t, nil, written(t, "", everything), "plan", "-f", "-")
	if got.code != 0 || got.err != "" {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	golden(t, "plan.txt", got.out)
}

func TestPlanPrintsTheSameForPrograms(t *testing.T) {
	two := written(t, "", everything) + "\n---\n# nothing\n---\nkind: Namespace\napiVersion: v1\n---\n" + written(t, "", `spec: {costs: [10]}`)
	for format, parse := range map[string]func([]byte, any) error{
		"json": json.Unmarshal, "yaml": func(text []byte, into any) error { return yaml.UnmarshalStrict(text, into) },
	} {
		got := carryOut(t, nil, two, "plan", "-f", "-", "-o", format, "--hash-time", "60ms")
		var all previews
		if err := parse([]byte(got.out), &all); err != nil || got.code != ExitNotMet || got.err != "Skips a Namespace of v1\n" {
			t.Fatalf("%s: exit code %d, %v: %s", format, got.code, err, got.err)
		}
		if len(all.Experiments) != 2 || all.Experiments[0].HashMicroseconds != 60_000 || all.Experiments[0].EstimatedSeconds == 0 {
			t.Errorf("%s: it prints %+v", format, all)
		}
		if second := all.Experiments[1]; len(second.Refusals) != 1 || second.Refusals[0].Field != "spec.costs" || second.Variants != nil {
			t.Errorf("%s: the second is %+v", format, second)
		}
	}
}

func TestPlanExitCodes(t *testing.T) {
	plain := written(t, "", "")
	for name, test := range map[string]struct {
		file, flags string
		code        int
		says        string
	}{
		"it is accepted":                {plain, "", 0, "plain is accepted."},
		"one of several is refused":     {plain + "\n---\n" + written(t, "", `{metadata: {name: other}, spec: {matrix: {costs: [3]}}}`), "", 1, "other is refused."},
		"no file":                       {"", "-f none.yaml", 2, "none.yaml: no such file"},
		"an empty file":                 {"", "", 2, "- contains no SizingExperiment of hashmark.dev/v1beta1"},
		"no experiment":                 {"kind: Namespace\napiVersion: v1\n", "", 2, "- contains no SizingExperiment"},
		"another version":               {"kind: SizingExperiment\napiVersion: hashmark.dev/v1\n", "", 2, "write apiVersion: hashmark.dev/v1beta1"},
		"a field twice":                 {"kind: SizingExperiment\nkind: SizingExperiment\n", "", 2, "is not valid YAML"},
		"a list":                        {"- kind: SizingExperiment\n", "", 2, "a document that is no object"},
		"a hash in no time":             {plain, "--hash-time 0s", 2, "--hash-time 0s: must be between 1ms and 10s"},
		"a format that it doesn't have": {plain, "-o html", 2, "must be one of json, table, yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			got := carryOut(t, nil, test.file, append([]string{"plan", "-f", "-"}, strings.Fields(test.flags)...)...)
			if got.code != test.code || !strings.Contains(got.out+got.err, test.says) {
				t.Errorf("exit code %d, want %d and %q: %s%s", got.code, test.code, test.says, got.out, got.err)
			}
		})
	}
}

func TestNoTextOfAFileControlsTheTerminal(t *testing.T) {
	name, plain := strconv.QuoteToASCII(forged), string(fixture.PlainExperiment)
	for _, file := range []string{
		strings.Replace(plain, "plain", name, 1), plain + name + ": 1\n", plain + "  baseline: " + name + "\n",
		plain + "  load: {rates: {perSecond: [5], arrivals: " + name + "}}\n", strings.Replace(plain, "[10]", name, 1),
		strings.Replace(plain, "SizingExperiment", name, 1), strings.Replace(plain, "hashmark.dev/v1beta1", name, 1),
	} {
		got := carryOut(t, nil, file, "plan", "-f", "-")
		checkPlain(t, got)
		if got.code == 0 || !strings.Contains(got.out+got.err, "forged") {
			t.Errorf("exit code %d: %s%s", got.code, got.out, got.err)
		}
	}
}
