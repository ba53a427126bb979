//go:build e2e

package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// admitsExamples makes an operator deploy the images of the examples.
const admitsExamples = "--allowed-service-images=hashmark.dev/examples"

// etcd returns the example of etcd as a login service, with a short load of one variant.
func etcd(t *testing.T, name string, changes ...func(*v1alpha1.SizingExperimentSpec)) *v1alpha1.SizingExperiment {
	t.Helper()
	text, err := os.ReadFile("../../examples/etcd/experiment.yaml")
	must(t, err)
	example := &v1alpha1.SizingExperiment{}
	must(t, yaml.UnmarshalStrict(text, example))
	return tiny(namespace(t), name, append([]func(*v1alpha1.SizingExperimentSpec){func(s *v1alpha1.SizingExperimentSpec) {
		s.Service, s.Matrix.Concurrency = example.Spec.Service, example.Spec.Matrix.Concurrency
		s.Matrix.Costs, s.Matrix.CPULimits = []int32{8}, []string{"400m"}
	}}, changes...)...)
}

// etcd hashes with the same library as Hashmark's login service, and does little else for a login.
// So a login must take the time of a reference hash, which was timed alternately with it, and some.
func TestAUsersOwnLoginServiceIsMeasuredAsHashmarks(t *testing.T) {
	startOperator(t, admitsExamples)
	e := measured(t, etcd(t, "etcd", loaded(t, 50, 60)), 4*time.Minute)
	trial := theTrial(t, e)
	result := trial.Status.Result
	if result == nil || result.Verdict == v1alpha1.VerdictInvalid || result.P95Microseconds == nil {
		t.Fatalf("the result is %+v", result)
	}
	if ratio := trial.Status.Calibration.RatioPerMillion; ratio < 950_000 || ratio > 1_500_000 {
		t.Errorf("a login takes %d millionths of a bcrypt hash of cost 8", ratio)
	}
	step := trial.Status.Steps[0]
	if step.OK != step.Scheduled || step.ServiceHashes == nil || *step.ServiceHashes < step.OK/2 || step.Alive == nil || step.Alive.Failed > 0 {
		t.Errorf("the step is %+v", step)
	}
	if trial.Status.Evidence == nil || len(trial.Status.Evidence.ServiceNodes) != 1 || result.MemoryPeakBytes == nil {
		t.Errorf("the evidence is %+v, the peak of the memory %v", trial.Status.Evidence, result.MemoryPeakBytes)
	}
	t.Logf("\n%s", kubectl(t, "get", "szt", "-n", e.Namespace, "-o", "wide"))
}

// etcdScript logs in at etcd as its example does.
const etcdScript = `
import http from 'k6/http';
export function login({ address, password, timeout }) {
  const response = http.post(address + '/v3/auth/authenticate', JSON.stringify({ name: 'root', password }), { timeout });
  return { response, ok: response.status === 200 && response.json('token') !== undefined };
}
`

func TestAScriptLogsInAtAnOwnService(t *testing.T) {
	startOperator(t, admitsExamples)
	e := etcd(t, "script", loaded(t, 50, 20), byScript(etcdScript))
	network := watchNetwork(t, e.Namespace)
	e = measured(t, e, 4*time.Minute)
	network.confined(t)
	trial := theTrial(t, e)
	if ratio := trial.Status.Calibration.RatioPerMillion; ratio < 950_000 || ratio > 1_500_000 {
		t.Errorf("a login takes %d millionths of a bcrypt hash of cost 8", ratio)
	}
	if step := trial.Status.Steps[0]; step.OK != step.Scheduled || step.ServiceHashes == nil || *step.ServiceHashes < step.OK/2 {
		t.Errorf("the step is %+v", step)
	}
}

// byScript replaces the steps of a login.
func byScript(script string) func(*v1alpha1.SizingExperimentSpec) {
	return func(s *v1alpha1.SizingExperimentSpec) {
		s.Service.Own.Login.Steps, s.Service.Own.Login.Script = nil, script
	}
}

func TestAnOwnServiceThatCannotBeMeasuredIsNotLoaded(t *testing.T) {
	startOperator(t, admitsExamples)
	for _, test := range []struct {
		reason, says string
		tries        int32
		change       func(*v1alpha1.OwnService)
	}{
		{handover.HashMismatch, "a bcrypt hash of cost 8 takes", 3, func(s *v1alpha1.OwnService) { s.Args[1] = "--bcrypt-cost=4" }},
		{handover.LoginFailed, "password: the status was 404", 1, func(s *v1alpha1.OwnService) { s.Login.Steps[0].Path = "/v2/login" }},
		{handover.LoginFailed, `login(): the login failed: "no token"`, 1, func(s *v1alpha1.OwnService) {
			s.Login.Steps, s.Login.Script = nil, "export function login() { throw 'no token'; }"
		}},
		{handover.WrongPasswordAccepted, "a login with a wrong password succeeded", 3, func(s *v1alpha1.OwnService) { s.Login.Steps[0].Method, s.Login.Steps[0].Path = "GET", "/health" }},
		{handover.ServiceNotReady, "it ended with exit code", 1, func(s *v1alpha1.OwnService) { s.Args = append(s.Args, "--no-such-flag") }},
	} {
		e := create(t, etcd(t, strings.ToLower(test.reason), tries(test.tries), func(s *v1alpha1.SizingExperimentSpec) { test.change(s.Service.Own) }))
		finished(t, e, 2*time.Minute)
		status := theTrial(t, e).Status
		if status.Phase != v1alpha1.TrialFailed || status.Reason != test.reason || !strings.Contains(status.Message, test.says) {
			t.Errorf("the trial is %s, %s: %s; want %s, …%s…", status.Phase, status.Reason, status.Message, test.reason, test.says)
		}
		// Those that would fail again are not tried again.
		if attempt := status.Attempts[0]; attempt.LoadStartTime != nil || len(status.Attempts) != 1 {
			t.Errorf("%s: %d attempts, and the load of the first began at %v", test.reason, len(status.Attempts), attempt.LoadStartTime)
		}
	}
	forbidden := create(t, etcd(t, "forbidden", func(s *v1alpha1.SizingExperimentSpec) { s.Service.Own.Image = "hashmark.dev/examples-evil/etcd:e2e" }))
	finished(t, forbidden, time.Minute)
	if got := kubectl(t, "get", "szx", "-n", forbidden.Namespace, forbidden.Name, "-o", "jsonpath={.status.conditions[?(@.type=='Accepted')].message}"); !strings.Contains(got, "hashmark.dev/examples-evil/etcd:e2e is not in a repository that this operator admits") {
		t.Errorf("the experiment with a forbidden image says %q", got)
	}
}
