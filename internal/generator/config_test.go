package generator_test

import (
	"encoding/json"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// twoSteps is a warm-up and an open step of ten logins, the reported one.
func twoSteps() loadplan.Plan {
	return loadplan.Plan{Version: loadplan.Version, TimeoutMilliseconds: 1000, Steps: []loadplan.Step{
		{Kind: loadplan.Warmup, CountedMilliseconds: 900, DrainMilliseconds: 100, Callers: 2, Arrivals: "Uniform", Requests: 2},
		{
			Kind: loadplan.Open, StartMilliseconds: 1100, SettleMilliseconds: 100, CountedMilliseconds: 800, DrainMilliseconds: 100,
			Callers: 4, Arrivals: "Poisson", SettleRequests: 1, Requests: 20, Seed: 7, Reported: true,
		},
	}}
}

func environment(t testing.TB, plan loadplan.Plan) map[string]string {
	t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"HASHMARK_PLAN":     string(text),
		"HASHMARK_TARGET":   "http://10.96.0.7:8080",
		"HASHMARK_PODS":     "http://10.1.0.2:8080, http://10.1.0.3:8080",
		"HASHMARK_USER":     "hashmark",
		"HASHMARK_PASSWORD": "correct horse battery staple",
		"HASHMARK_REPLICAS": "2",
		"HASHMARK_SESSIONS": "",
		"HASHMARK_DEADLINE": "2026-11-21T05:00:00Z",

		"HASHMARK_REMOTE_WRITE_LABELS": "testid=a-trial,namespace=team-a",
		"K6_PROMETHEUS_RW_SERVER_URL":  "http://10.96.0.9:9090/api/v1/write",
	}
}

func lookup(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

func TestFromEnvironment(t *testing.T) {
	variables := environment(t, twoSteps())
	got, err := generator.FromEnvironment(lookup(variables))
	if err != nil {
		t.Fatal(err)
	}
	want := generator.Config{
		Command: generator.Command{
			Binary: "k6", Plan: twoSteps(), RemoteWriteLabels: []string{"testid=a-trial", "namespace=team-a"},
			Environment: []string{
				"HASHMARK_TARGET=http://10.96.0.7:8080", "HASHMARK_PODS=" + variables["HASHMARK_PODS"], "HASHMARK_USER=hashmark",
				"HASHMARK_PASSWORD=correct horse battery staple", "HASHMARK_REPLICAS=2", "HASHMARK_HANDSHAKES=", "HASHMARK_SESSIONS=", "HASHMARK_LOGIN=",
			},
		},
		Target:   "http://10.96.0.7:8080",
		Pods:     []string{"http://10.1.0.2:8080", "http://10.1.0.3:8080"},
		Evidence: []string{"http://10.1.0.2:8080", "http://10.1.0.3:8080"},
		Ready:    handover.HealthCheck{Path: "/readyz"}, Alive: handover.HealthCheck{Path: "/healthz"}, ReadyWithin: 30 * time.Second, User: "hashmark", Password: "correct horse battery staple",
		Deadline: time.Date(2026, 11, 21, 5, 0, 0, 0, time.UTC),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the configuration differs (-want +got):\n%s", diff)
	}
}

func TestEvidenceIsReadBesideLoginsWithTLS(t *testing.T) {
	variables := environment(t, twoSteps())
	variables["HASHMARK_TARGET"], variables["HASHMARK_PODS"] = "https://10.96.0.7:8080", "https://10.1.0.2:8443"
	variables["HASHMARK_EVIDENCE"] = "http://10.1.0.2:8080"
	got, err := generator.FromEnvironment(lookup(variables))
	if err != nil || got.Pods[0] != "https://10.1.0.2:8443" || got.Evidence[0] != "http://10.1.0.2:8080" {
		t.Errorf("error %v; the configuration is %+v", err, got)
	}
	variables["HASHMARK_EVIDENCE"] = "http://10.1.0.2:8080,http://10.1.0.3:8080"
	if _, err := generator.FromEnvironment(lookup(variables)); err == nil {
		t.Error("evidence of a pod that serves no logins was accepted")
	}
}

func TestAUsersOwnServiceHasItsOwnPathsAndEvidence(t *testing.T) {
	variables := environment(t, twoSteps())
	variables["HASHMARK_LOGIN"] = `{"steps":[{"path":"/login","auth":"Basic"}],"wrong":{"status":[401]}}`
	variables["HASHMARK_READY"], variables["HASHMARK_ALIVE_PATH"] = `{"path":"/up","expect":{"status":[401]}}`, "/live"
	variables["HASHMARK_READY_WITHIN"] = "2m0s"
	variables["HASHMARK_EVIDENCE"] = "http://10.1.0.2:18080,http://10.1.0.3:18080"
	got, err := generator.FromEnvironment(lookup(variables))
	if err != nil {
		t.Fatal(err)
	}
	if got.Own == nil || len(got.Own.Steps) != 1 || got.Ready.Path != "/up" || got.Alive.Path != "/live" || len(got.Alive.Expect.Status) > 0 || got.ReadyWithin != 2*time.Minute ||
		len(got.Pods) != 2 || len(got.Evidence) != 2 || got.Evidence[1] != "http://10.1.0.3:18080" {
		t.Errorf("the configuration is %+v", got)
	}
	for name, value := range map[string]string{
		"HASHMARK_LOGIN": `{"steps":[],"pause":3}`, "HASHMARK_EVIDENCE": "http://10.1.0.2:18080", "HASHMARK_READY_WITHIN": "soon",
	} {
		wrong := maps.Clone(variables)
		wrong[name] = value
		if _, err := generator.FromEnvironment(lookup(wrong)); err == nil {
			t.Errorf("%s=%s was accepted", name, value)
		}
	}
}

func TestTheSamplePlanCanBeDriven(t *testing.T) {
	sample, err := os.ReadFile("../../loadtests/sample-plan.json")
	if err != nil {
		t.Fatal(err)
	}
	variables := environment(t, twoSteps())
	variables["HASHMARK_PLAN"] = string(sample)
	if _, err := generator.FromEnvironment(lookup(variables)); err != nil {
		t.Error(err)
	}
}

func TestAnEnvironmentThatMakesNoSenseIsRefusedWithASentence(t *testing.T) {
	for name, test := range map[string]struct{ variable, value, says string }{
		"no plan":                       {"HASHMARK_PLAN", "", "HASHMARK_PLAN is not set"},
		"a plan that is not JSON":       {"HASHMARK_PLAN", "{", "invalid HASHMARK_PLAN"},
		"a target without a scheme":     {"HASHMARK_TARGET", "10.96.0.7:8080", "use an address such as"},
		"a target with a path":          {"HASHMARK_TARGET", "http://10.96.0.7:8080/login", "use an address such as"},
		"a pod without a host":          {"HASHMARK_PODS", "http://", "invalid HASHMARK_PODS"},
		"a deadline that is not a time": {"HASHMARK_DEADLINE", "soon", "use a time such as"},
		"a label without a value":       {"HASHMARK_REMOTE_WRITE_LABELS", "testid=", `invalid label "testid="`},
		"a label without a name":        {"HASHMARK_REMOTE_WRITE_LABELS", "testid=a,=b", `invalid label "=b"`},
		"series without a receiver":     {"K6_PROMETHEUS_RW_SERVER_URL", "", "address of the receiver"},
		"no user":                       {"HASHMARK_USER", "", "HASHMARK_USER is not set"},
		"a user who has no password":    {"HASHMARK_PASSWORD", "", "HASHMARK_PASSWORD is not set"},
		"a plan of an earlier version":  {"HASHMARK_PLAN", `{"version":1,"timeoutMs":1,"steps":[]}`, "use images of the same release"},
		"a plan without a step or time": {"HASHMARK_PLAN", `{"version":5,"timeoutMs":1,"steps":[]}`, "at least one step"},
	} {
		t.Run(name, func(t *testing.T) {
			variables := maps.Clone(environment(t, twoSteps()))
			variables[test.variable] = test.value
			if _, err := generator.FromEnvironment(lookup(variables)); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("want an error that says %q, got %v", test.says, err)
			}
		})
	}
}
