package loadtests_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

var update = flag.Bool("update", false, "write the goldens anew")

// schedule is a step and its due times in microseconds from the start of the step.
type schedule struct {
	Name string        `json:"name"`
	Step loadplan.Step `json:"step"`
	Due  []int64       `json:"due"`
}

// schedules returns short schedules that use every field that a schedule depends on,
// including seeds at both ends of their range.
func schedules() []schedule {
	steps := map[string]loadplan.Step{
		"a Poisson step with a settling part": {
			Kind: loadplan.Open, Arrivals: "Poisson", SettleMilliseconds: 1500, CountedMilliseconds: 10_000,
			SettleRequests: 12, Requests: 80, Seed: 20261121,
		},
		"a Poisson step whose settling seed wraps around": {
			Kind: loadplan.Open, Arrivals: "Poisson", SettleMilliseconds: 300, CountedMilliseconds: 1000,
			SettleRequests: 5, Requests: 20, Seed: 0xffffffff,
		},
		"a Poisson step with the seed 0, which its JSON leaves out": {
			Kind: loadplan.Warmup, Arrivals: "Poisson", CountedMilliseconds: 1000, Requests: 20,
		},
		"a Poisson step of half an hour": {
			Kind: loadplan.Open, Arrivals: "Poisson", CountedMilliseconds: 1_800_000, Requests: 50, Seed: 3,
		},
		"a uniform step with a settling part": {
			Kind: loadplan.Open, Arrivals: "Uniform", SettleMilliseconds: 700, CountedMilliseconds: 3000,
			SettleRequests: 3, Requests: 14,
		},
		"a step without logins": {Kind: loadplan.Open, Arrivals: "Poisson", CountedMilliseconds: 1000},
	}
	var all []schedule
	for _, name := range []string{
		"a Poisson step with a settling part", "a Poisson step whose settling seed wraps around",
		"a Poisson step with the seed 0, which its JSON leaves out", "a Poisson step of half an hour",
		"a uniform step with a settling part", "a step without logins",
	} {
		all = append(all, schedule{Name: name, Step: steps[name], Due: due(steps[name])})
	}
	return all
}

func due(step loadplan.Step) []int64 {
	settle := time.Duration(step.SettleMilliseconds) * time.Millisecond
	counted := time.Duration(step.CountedMilliseconds) * time.Millisecond
	times := []int64{}
	for _, at := range part(step, step.Seed+1, step.SettleRequests, settle) {
		times = append(times, at.Microseconds())
	}
	for _, at := range part(step, step.Seed, step.Requests, counted) {
		times = append(times, (settle + at).Microseconds())
	}
	return times
}

func part(step loadplan.Step, seed uint32, n int, over time.Duration) []time.Duration {
	if step.Arrivals == "Uniform" {
		return loadplan.Uniform(n, over)
	}
	return loadplan.Poisson(seed, n, over)
}

// TestSchedulesInGo compares Go's due times with the golden. With other schedules, results
// could not be compared with older ones.
func TestSchedulesInGo(t *testing.T) {
	const golden = "testdata/due.json"
	got := schedules()
	if *update {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(got); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(goldenSchedules(t), got); diff != "" {
		t.Errorf("due times differ (-want +got):\n%s", diff)
	}
}

func goldenSchedules(t *testing.T) []schedule {
	t.Helper()
	text, err := os.ReadFile("testdata/due.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []schedule
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	return want
}
