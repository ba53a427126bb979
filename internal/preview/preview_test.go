package preview

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hashmark-dev/hashmark/config/crd"
	"github.com/hashmark-dev/hashmark/test/fixture"
	"github.com/hashmark-dev/hashmark/test/specs"
)

func preview(t *testing.T, hash time.Duration, changes ...string) Preview {
	t.Helper()
	p, err := Of(t.Context(), object(t, fixture.PlainExperiment, changes...), hash)
	if err != nil || len(p.Refusals) > 0 {
		t.Fatalf("%v, refusals %v", err, p.Refusals)
	}
	return p
}

func TestWhatIsRuledOutBeforeAnythingIsMeasured(t *testing.T) {
	const usual = 55 * time.Millisecond
	for name, test := range map[string]struct {
		hash   time.Duration
		change string
		want   map[string]string // the beginning of the reason; none for other variants
	}{
		"nothing": {usual, `spec: {demand: {loginsPerSecond: 5}}`, nil},
		"a cost below the minimum": {usual, `spec: {matrix: {costs: [9, 10]}, demand: {loginsPerSecond: 5}}`,
			map[string]string{"c9-1": "has a cost below minimumCost 10"}},
		"more CPU than there may be": {usual, `spec: {matrix: {costs: [10, 12]}, demand: {loginsPerSecond: 20, maxTotalCPU: "2"}}`,
			map[string]string{"c12-1": "needs 4 CPUs more than maxTotalCPU 2"}},
		"more replicas than there may be": {usual, `spec: {matrix: {costs: [10, 12]}, demand: {loginsPerSecond: 20, maxReplicas: 2}}`,
			map[string]string{"c12-1": "needs 4 replicas more than maxReplicas 2"}},
		"a hash that is not allowed": {usual, `spec: {matrix: {hashes: [{name: argon, argon2id: {}}]}, demand: {loginsPerSecond: 5, hashes: [argon2id]}}`,
			map[string]string{"c10-1": "has the hash bcrypt, which is not in demand.hashes", "argon-1": "costs an attacker as much as bcrypt at cost 9.4, below minimumCost 10"}},
		"sessions": {usual, `spec: {matrix: {hashes: [{name: session, bcrypt: {cost: 10}, sessions: true}, {name: again, bcrypt: {cost: 10}}]}, demand: {loginsPerSecond: 5}}`,
			map[string]string{"session-1": "has sessions"}},
		"a hash that takes longer than a login may": {usual, `spec: {matrix: {costs: [10, 12]}, objective: {p95Milliseconds: 200}}`,
			map[string]string{"c12-1": "takes 220ms for a login on an idle service, above p95Milliseconds 200"}},
		"the same on a faster CPU": {usual / 2, `spec: {matrix: {costs: [10, 12]}, objective: {p95Milliseconds: 200}}`, nil},
		"a quota that stalls each login": {usual, `spec: {matrix: {cpuLimits: ["1", 100m]}, objective: {p95Milliseconds: 200}}`,
			map[string]string{"c10-100m": "takes "}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, v := range preview(t, test.hash, test.change).Variants {
				if want := test.want[v.Name]; !strings.HasPrefix(v.RuledOut, want) || want == "" && v.RuledOut != "" {
					t.Errorf("%s is ruled out by %q, want %q", v.Name, v.RuledOut, want)
				}
			}
		})
	}
}

func TestNotes(t *testing.T) {
	const asked = `spec: {demand: {loginsPerSecond: 5}}`
	for name, test := range map[string]struct{ change, want string }{
		"no demand":                    {``, "Nothing is recommended without a demand"},
		"no variant for the demand":    {`spec: {demand: {loginsPerSecond: 50, maxTotalCPU: 1}}`, "No variant of the matrix can be recommended for this demand"},
		"no variant for the objective": {`spec: {objective: {p95Milliseconds: 10}}`, "No variant of the matrix can meet the objective"},
		"several trials at a time":     {`spec: {parallelism: 2}`, "trials.maxConcurrent, by default 1, allows 2 trials at a time"},
		"CPU that is never used":       {`spec: {matrix: {cpuLimits: ["2"], concurrency: [{mode: WorkerPool, workers: 1}]}}`, "the rest is paid for and never used"},
		"a service of the user's":      {ownService(""), "loginService.allowedImages"},
		"a service with another hash":  {ownService("costs: null, hashes: [{name: plain, other: {}}],"), "Logins compute another hash than bcrypt"},
	} {
		t.Run(name, func(t *testing.T) {
			says := func(p Preview) bool {
				return slices.ContainsFunc(p.Notes, func(note string) bool { return strings.Contains(note, test.want) })
			}
			if p := preview(t, UsualHashTime(), test.change); !says(p) {
				t.Errorf("the notes are %q, without %q", p.Notes, test.want)
			}
			if p := preview(t, UsualHashTime(), asked); says(p) {
				t.Errorf("the notes of another experiment are %q", p.Notes)
			}
		})
	}
}

func ownService(matrix string) string {
	return `spec: {matrix: {` + matrix + `concurrency: [{mode: Unbounded}]}, service: {own: {image: a, command: [/a], port: 8080, ready: {path: /},
		login: {steps: [{path: /}], wrong: {status: [401]}}}}}`
}

// A slower CPU takes longer, a verification is one trial more, and CPU is counted for each replica.
func TestHowLongItTakes(t *testing.T) {
	const usual = 55 * time.Millisecond
	short := preview(t, usual)
	if short.Trials != 1 || short.Verifies || short.EstimatedSeconds < 30 || short.EstimatedSeconds > 600 {
		t.Errorf("one trial: %+v", short)
	}
	if short.ServiceCPUSeconds != short.EstimatedSeconds || short.GeneratorCPUSeconds != short.EstimatedSeconds/2 {
		t.Errorf("the CPU of one and a half CPUs: %+v", short)
	}
	if slow := preview(t, 4*usual); slow.EstimatedSeconds <= short.EstimatedSeconds {
		t.Errorf("it takes %d s on a slow CPU, and %d s on a fast one", slow.EstimatedSeconds, short.EstimatedSeconds)
	}
	more := preview(t, usual, `spec: {demand: {loginsPerSecond: 5}, repetitions: 2, service: {replicas: 3}, generator: {cpuLimit: "2"}}`)
	if more.Trials != 2 || !more.Verifies || more.EstimatedSeconds <= 2*60 {
		t.Errorf("two trials and a verification: %+v", more)
	}
	if 3*more.GeneratorCPUSeconds < 2*more.ServiceCPUSeconds-3 || 3*more.GeneratorCPUSeconds > 2*more.ServiceCPUSeconds+3 {
		t.Errorf("a service of three CPUs and a generator of two: %+v", more)
	}
}

func TestWhatIsPredicted(t *testing.T) {
	p := preview(t, UsualHashTime(), `spec: {matrix: {costs: [8, 9, 10, 11, 12], cpuLimits: ["1"], measure: Corners}}`)
	predicted := 0
	for _, v := range p.Variants {
		if !v.Measured {
			predicted++
		}
	}
	if len(p.Variants) != 5 || predicted != 5-p.Trials || predicted == 0 {
		t.Errorf("%d of %d variants are predicted, with %d trials", predicted, len(p.Variants), p.Trials)
	}
}

// Whatever is in a file, it is refused with a sentence, or can be planned.
func TestEverySpecIsRefusedOrPlanned(t *testing.T) {
	sample, err := os.ReadFile("../../config/samples/machine-types.yaml")
	if err != nil {
		t.Fatal(err)
	}
	source, err := specs.New(1, crd.SizingExperiments, sample, []byte(fixture.Experiments["an own service"].Base), []byte(fixture.PlainExperiment))
	if err != nil {
		t.Fatal(err)
	}
	accepted := 0
	for number := range 1000 {
		spec := source.Spec(number)
		text, err := json.Marshal(spec.Object)
		if err != nil {
			t.Fatal(err)
		}
		var written map[string]any
		if err := json.Unmarshal(text, &written); err != nil {
			t.Fatal(err)
		}
		p, err := Of(t.Context(), written, UsualHashTime())
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		if slices.ContainsFunc(p.Refusals, func(r Refusal) bool { return r.Message == "" }) {
			t.Errorf("%s: a refusal says nothing: %q", spec, p.Refusals)
		}
		if len(p.Refusals) == 0 {
			accepted++
		}
	}
	if accepted < 30 || accepted > 950 {
		t.Errorf("%d of 1000 specs are accepted", accepted)
	}
}
