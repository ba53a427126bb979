package loadplan

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// FuzzDecode: an accepted plan has steps one after another, no more logins than the generator has
// memory for, and is the same after it was written again.
func FuzzDecode(f *testing.F) {
	for _, plan := range []string{
		`{"version":5,"timeoutMs":1000,"steps":[{"kind":"Open","startMs":0,"settleMs":100,"countedMs":900,"drainMs":100,"callers":1,"arrivals":"Poisson","requests":20}]}`,
		`{"version":5,"timeoutMs":1000,"steps":[{"kind":"Closed","startMs":0,"countedMs":9223372036854775807,"drainMs":9223372036854775807,"settleMs":9223372036854775807,"callers":1}]}`,
		`{"version":5,"timeoutMs":1,"steps":[{"kind":"Warmup","countedMs":1000,"callers":1,"arrivals":"Uniform","requests":9223372036854775807,"settleRequests":9223372036854775807}]}`,
		`{"version":5,"timeoutMs":1,"steps":[{"kind":"Closed","countedMs":1000,"callers":1}],"objective":{}} {}`,
	} {
		f.Add(plan)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := Decode(text)
		if err != nil {
			return
		}
		var end int64
		for i, step := range plan.Steps {
			if step.StartMilliseconds < end || step.EndMilliseconds() < step.StartMilliseconds || step.Callers < 1 {
				t.Errorf("step %d of %q begins at %d, after %d, and ends at %d", i, text, step.StartMilliseconds, end, step.EndMilliseconds())
			}
			end = step.EndMilliseconds()
			timed := step.Kind == Open || step.Kind == Warmup
			if timed && (step.Requests < 0 || step.Requests > mostRequests || step.SettleRequests < 0 || step.SettleRequests > mostRequests) {
				t.Errorf("step %d of %q has %d and %d logins", i, text, step.SettleRequests, step.Requests)
			}
		}
		if Duration(plan) <= 0 {
			t.Errorf("%q lasts %s", text, Duration(plan))
		}
		again, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		read, err := Decode(string(again))
		if diff := cmp.Diff(plan, read, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("the plan changed when it was written again, error %v:\n%s", err, diff)
		}
	})
}
