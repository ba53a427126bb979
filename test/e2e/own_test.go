//go:build e2e

package e2e

import (
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// admitsExamples makes an operator deploy the images of the examples.
const admitsExamples = "loginService: {allowedImages: [hashmark.dev/examples], secretsPolicy: hashmark-own-secrets}"

// etcd returns the example of etcd as a login service, with a short load of one variant.
func etcd(t *testing.T, name string, changes ...func(*v1beta1.SizingExperimentSpec)) *v1beta1.SizingExperiment {
	t.Helper()
	text, err := os.ReadFile("../../examples/etcd/experiment.yaml")
	must(t, err)
	example := &v1beta1.SizingExperiment{}
	must(t, yaml.UnmarshalStrict(text, example))
	return tiny(namespace(t), name, append([]func(*v1beta1.SizingExperimentSpec){func(s *v1beta1.SizingExperimentSpec) {
		s.Service, s.Matrix.Concurrency = example.Spec.Service, example.Spec.Matrix.Concurrency
		s.Matrix.Costs, s.Matrix.CPULimits = []int32{8}, fixture.Limits("400m")
	}}, changes...)...)
}

// etcdScript logs in at etcd as its example does.
const etcdScript = `
import http from 'k6/http';
export function login({ address, password, timeout }) {
  const response = http.post(address + '/v3/auth/authenticate', JSON.stringify({ name: 'root', password }), { timeout });
  return { response, ok: response.status === 200 && response.json('token') !== undefined };
}
`

// etcd hashes with the same library as Hashmark's login service, and does little else for a login.
// So a login must take the time of a reference hash, which was timed alternately with it, and some.
func TestAUsersOwnLoginServiceIsMeasuredAsHashmarks(t *testing.T) {
	startOperator(t, admitsExamples)
	trial := measuredOwn(t, measured(t, etcd(t, "steps", loaded(t, 50, 60)), 4*time.Minute))
	result, evidence, step := trial.Status.Result, trial.Status.Evidence, trial.Status.Steps[0]
	if result == nil || result.Verdict == v1beta1.VerdictInvalid || result.P95Microseconds == nil || result.MemoryPeakBytes == nil {
		t.Errorf("the result is %+v", result)
	}
	if evidence == nil || len(evidence.ServiceNodes) != 1 || step.Alive == nil || step.Alive.Failed > 0 {
		t.Errorf("the evidence is %+v, and the liveness probes are %+v", evidence, step.Alive)
	}
}

// The service has a companion that nobody but the service reaches, and that reaches nobody. Both have their folder from a
// Secret, and etcd does not start without it.
func TestAScriptLogsInAtAnOwnService(t *testing.T) {
	startOperator(t, admitsExamples)
	fromSecret := v1beta1.EnvVar{Name: "FOLDER", ValueFrom: &v1beta1.KeySource{SecretKeyRef: &v1beta1.KeyRef{Name: "store", Key: "folder"}}}
	e := etcd(t, "script", loaded(t, 50, 20), func(s *v1beta1.SizingExperimentSpec) {
		own := s.Service.Own
		own.Env = append(own.Env, fromSecret)
		own.Files = append(own.Files, v1beta1.File{Path: "/etc/login/folder", ContentFrom: fromSecret.ValueFrom})
		for i, argument := range own.Args {
			own.Args[i] = strings.Replace(argument, "/data/etcd", "$(FOLDER)", 1)
		}
		own.Login.Steps, own.Login.Script = nil, etcdScript
		own.Companions = []v1beta1.Companion{{
			Name: "store", Image: own.Image, Command: own.Command, Port: own.Port, Writable: own.Writable, Ready: v1beta1.CompanionReady{Path: "/health"},
			Env:  []v1beta1.EnvVar{fromSecret},
			Args: []string{"--data-dir=$(FOLDER)", "--listen-client-urls=http://0.0.0.0:2379", "--advertise-client-urls=http://store:2379", "--log-level=error"},
		}}
	})
	must(t, cluster.Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: e.Namespace, Name: "store"}, StringData: map[string]string{"folder": "/data/etcd"},
	}))
	network := watchNetwork(t, e.Namespace)
	e = measured(t, e, 4*time.Minute)
	network.confined(t)
	trial := measuredOwn(t, e)
	if use := trial.Status.Result.Companions; len(use) != 1 || use[0].Name != "store" || use[0].CPUPerLoginMicroseconds <= 0 || use[0].BusiestPerMille <= 0 {
		t.Errorf("the companion used %+v", use)
	}
}

// measuredOwn fails unless the logins of an experiment's only trial took the time of their hash. It returns the trial.
func measuredOwn(t *testing.T, e *v1beta1.SizingExperiment) *v1beta1.SizingTrial {
	t.Helper()
	trial := theTrial(t, e)
	if ratio := trial.Status.Calibration.RatioPerMillion; ratio < 950_000 || ratio > 1_500_000 {
		t.Errorf("a login takes %d millionths of a bcrypt hash of cost 8", ratio)
	}
	if step := trial.Status.Steps[0]; step.OK != step.Scheduled || step.ServiceHashes == nil || *step.ServiceHashes < step.OK/2 {
		t.Errorf("the step is %+v", step)
	}
	return trial
}

// The tests of package observe, of the login flow and of the reconcilers cover the other reasons not to load a service.
func TestAnOwnServiceWithAnotherHashIsNotLoaded(t *testing.T) {
	startOperator(t, admitsExamples)
	e := create(t, etcd(t, "cheaper", func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Args[1] = "--bcrypt-cost=4" }))
	endsFor(t, e, handover.HashMismatch)
	// An attempt that would fail again is not repeated.
	status := theTrial(t, e).Status
	if len(status.Attempts) != 1 || status.Attempts[0].LoadStartTime != nil || !strings.Contains(status.Message, "a hash with bcrypt cost 8 takes") {
		t.Errorf("the attempts are %+v, and the trial says: %s", status.Attempts, status.Message)
	}
}
