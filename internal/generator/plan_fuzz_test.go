package generator

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// FuzzPlan: an accepted plan has steps one after another, no more logins than the generator has
// memory for, and is the same after it was written again.
func FuzzPlan(f *testing.F) {
	for _, plan := range []string{
		`{"version":1,"timeoutMs":1000,"steps":[{"kind":"Open","startMs":0,"settleMs":100,"countedMs":900,"drainMs":100,"callers":1,"arrivals":"Poisson","requests":20}]}`,
		`{"version":1,"timeoutMs":1000,"steps":[{"kind":"Closed","startMs":0,"countedMs":9223372036854775807,"drainMs":9223372036854775807,"settleMs":9223372036854775807,"callers":1}]}`,
		`{"version":1,"timeoutMs":1,"steps":[{"kind":"Warmup","countedMs":1000,"callers":1,"arrivals":"Uniform","requests":9223372036854775807,"settleRequests":9223372036854775807}]}`,
		`{"version":1,"timeoutMs":1,"steps":[{"kind":"Closed","countedMs":1000,"callers":1}],"objective":{}} {}`,
	} {
		f.Add(plan)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := parsePlan(text)
		if err != nil {
			return
		}
		var end int64
		for i, step := range plan.Steps {
			if step.StartMilliseconds < end || step.EndMilliseconds() < step.StartMilliseconds || step.Callers < 1 {
				t.Errorf("step %d of %q begins at %d, after %d, and ends at %d", i, text, step.StartMilliseconds, end, step.EndMilliseconds())
			}
			end = step.EndMilliseconds()
			timed := step.Kind == loadplan.Open || step.Kind == loadplan.Warmup
			if timed && (step.Requests < 0 || step.Requests > mostRequests || step.SettleRequests < 0 || step.SettleRequests > mostRequests) {
				t.Errorf("step %d of %q has %d and %d logins", i, text, step.SettleRequests, step.Requests)
			}
		}
		if loadplan.Duration(plan) <= 0 {
			t.Errorf("%q lasts %s", text, loadplan.Duration(plan))
		}
		again, err := json.Marshal(plan)
		if err != nil {
			t.Fatal(err)
		}
		read, err := parsePlan(string(again))
		if diff := cmp.Diff(plan, read, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("the plan changed when it was written again, error %v:\n%s", err, diff)
		}
	})
}

// FuzzFromEnvironment: a load that is configured has addresses of pods only, and labels with a
// receiver.
func FuzzFromEnvironment(f *testing.F) {
	f.Add("http://10.96.0.7:8080", "http://10.1.0.2:8080, http://10.1.0.3:8080", "2026-11-21T05:00:00Z", "testid=a,namespace=b")
	f.Add("http://user:secret@a?b#c", ",,http://[::1]:1", "0000-00-00T00:00:00Z", "=,a=")
	f.Fuzz(func(t *testing.T, target, addresses, deadline, labels string) {
		given := map[string]string{
			"HASHMARK_TARGET": target, "HASHMARK_PODS": addresses, "HASHMARK_DEADLINE": deadline, "HASHMARK_REMOTE_WRITE_LABELS": labels,
			"HASHMARK_USER": "a", "HASHMARK_PASSWORD": "b", "K6_PROMETHEUS_RW_SERVER_URL": "http://10.96.0.9:9090",
			"HASHMARK_PLAN": `{"version":1,"timeoutMs":1,"steps":[{"kind":"Closed","countedMs":1000,"callers":1}]}`,
		}
		config, err := FromEnvironment(func(name string) string { return given[name] })
		if err != nil {
			return
		}
		for _, address := range append(config.Pods, config.Target) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(address, "/")+"/evidence", nil)
			if err != nil || request.URL.Path != "/evidence" {
				t.Errorf("the evidence can't be requested from %q: %v", address, err)
			}
		}
		if labels != "" && len(config.RemoteWriteLabels) == 0 {
			t.Errorf("the labels %q are lost", labels)
		}
	})
}
