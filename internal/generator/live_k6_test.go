//go:build k6

package generator_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// podVariables returns the variables with which the operator's pods make k6 send its
// series, from the Job itself.
func podVariables(t testing.TB) map[string]string {
	t.Helper()
	experiment := &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Name: "login-sizing"}}
	trial := &v1beta1.SizingTrial{
		ObjectMeta: metav1.ObjectMeta{
			Name: "login-sizing-c10-1-0a1b2", Namespace: "team-a",
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(experiment, v1beta1.GroupVersion.WithKind("SizingExperiment"))},
		},
		Spec: v1beta1.SizingTrialSpec{Variant: v1beta1.Variant{Name: "c10", CPULimit: "1"}, Service: v1beta1.Service{MemoryLimit: ptr.To(intstr.Parse("1Gi"))}},
	}
	settings := objects.Settings{
		GeneratorCPULimit: "1", GeneratorMemoryLimit: "1Gi", RemoteWrite: &objects.RemoteWrite{URL: "http://198.19.0.90:9090/"},
	}
	attempt, err := objects.New(settings, trial, 1, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	job, err := attempt.Job(objects.Load{})
	if err != nil {
		t.Fatal(err)
	}
	variables := map[string]string{}
	for _, variable := range job.Spec.Template.Spec.Containers[0].Env {
		variables[variable.Name] = variable.Value
	}
	return variables
}

// sendsTo makes k6 send to an address like the operator's pods, but more often.
func sendsTo(t testing.TB, address string, more ...string) []string {
	var script []string
	for name, value := range podVariables(t) {
		if strings.HasPrefix(name, "K6_") {
			script = append(script, name+"="+value)
		}
	}
	slices.Sort(script)
	return append(append(script, "K6_PROMETHEUS_RW_SERVER_URL="+address, "K6_PROMETHEUS_RW_PUSH_INTERVAL=1s"), more...)
}

// liveConfig returns a load of 140 logins in four seconds whose k6 sends its series. Every
// tenth login is refused.
func liveConfig(t *testing.T, script []string) generator.Config {
	t.Helper()
	logins := make(chan int, 1)
	logins <- 0
	target, _ := serveLogins(t, func(w http.ResponseWriter, _ *http.Request) {
		n := <-logins
		logins <- n + 1
		if n%10 == 3 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	config := configForReal(t, oneStep(openAt(40, 3, true), 2000), target, func(v map[string]string) {
		v["HASHMARK_REMOTE_WRITE_LABELS"] = podVariables(t)["HASHMARK_REMOTE_WRITE_LABELS"]
	})
	config.Environment = append(config.Environment, script...)
	return config
}

// TestSeriesThatK6Sends lists all series with their labels, over TLS and with credentials.
// Dashboards depend on these names, including Grafana Labs' own (19665), and no label can
// have values that grow without bound.
func TestSeriesThatK6Sends(t *testing.T) {
	var got receiver
	server := httptest.NewTLSServer(&got)
	defer server.Close()
	authority := filepath.Join(t.TempDir(), "ca.crt")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(authority, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	config := liveConfig(t, sendsTo(t, server.URL+"/api/v1/write",
		"K6_PROMETHEUS_RW_USERNAME=writer", "K6_PROMETHEUS_RW_PASSWORD=hunter2", "SSL_CERT_FILE="+authority))
	if _, err := generator.Run(t.Context(), config, &observer{}, t.Output()); err != nil {
		t.Fatal(err)
	}
	if got.problem != nil || len(got.headers) < 3 {
		t.Fatalf("%d requests, problem %v", len(got.headers), got.problem)
	}
	request := http.Request{Header: got.headers[0]}
	if user, password, _ := request.BasicAuth(); user != "writer" || password != "hunter2" {
		t.Errorf("k6 authenticates as %q with %q", user, password)
	}
	if diff := cmp.Diff(wantSeries(), namesAndLabels(t, &got)); diff != "" {
		t.Errorf("series (-want +got):\n%s", diff)
	}
}

// wantSeries returns the labels of each metric, with all values of each label in this load.
func wantSeries() map[string]map[string]string {
	ours := map[string]string{"outcome": "ok refused", "part": "counted settling", "step": "0"}
	request := map[string]string{"expected_response": "false true", "method": "POST", "name": "login", "status": "200 503"}
	nothing := map[string]string{}
	want := map[string]map[string]string{
		"k6_vus": nothing, "k6_vus_max": nothing, "k6_iterations_total": nothing,
		"k6_data_sent_total": nothing, "k6_data_received_total": nothing,
		"k6_http_reqs_total": request, "k6_http_req_failed_rate": request,
		"k6_hashmark_sent_total": nothing, "k6_hashmark_outcomes_total": ours,
	}
	for trend, labels := range map[string]map[string]string{
		"k6_iteration_duration": nothing, "k6_hashmark_latency": ours, "k6_hashmark_start_lag": ours,
		"k6_http_req_duration": request, "k6_http_req_blocked": request, "k6_http_req_connecting": request,
		"k6_http_req_tls_handshaking": request, "k6_http_req_sending": request, "k6_http_req_waiting": request,
		"k6_http_req_receiving": request,
	} {
		for _, stat := range []string{"p90", "p95", "p99", "min", "max", "avg", "med"} {
			want[trend+"_"+stat] = labels
		}
	}
	return want
}

// namesAndLabels sums up the series. It checks that each has the labels of the trial and an
// end.
func namesAndLabels(t *testing.T, got *receiver) map[string]map[string]string {
	t.Helper()
	trial := map[string]string{"testid": "login-sizing-c10-1-0a1b2", "namespace": "team-a", "experiment": "login-sizing", "variant": "c10"}
	values := map[string]map[string]map[string]bool{}
	for _, s := range got.series {
		name, labels := s.name(), maps.Clone(s.labels)
		if !s.ended() {
			t.Errorf("%v was not marked as ended", s.labels)
		}
		if values[name] == nil {
			values[name] = map[string]map[string]bool{}
		}
		delete(labels, "__name__")
		for label, value := range trial {
			if labels[label] != value {
				t.Errorf("%s has %s %q, want %q", name, label, labels[label], value)
			}
			delete(labels, label)
		}
		for label, value := range labels {
			if values[name][label] == nil {
				values[name][label] = map[string]bool{}
			}
			values[name][label][value] = true
		}
	}
	summed := map[string]map[string]string{}
	for name, labels := range values {
		summed[name] = map[string]string{}
		for label, seen := range labels {
			summed[name][label] = strings.Join(slices.Sorted(maps.Keys(seen)), " ")
		}
	}
	return summed
}

// mostAfterTheLoad is how much longer k6 can take because of its series: a push under way,
// the last push and the marks of the series' ends, each of which ends after five seconds,
// and as much for a busy machine.
const mostAfterTheLoad = 2 * 15 * time.Second

// TestAReceiverThatFailsDisturbsNoLoad measures with receivers that accept nothing. The
// numbers, the exit code and the records are those of any load.
func TestAReceiverThatFailsDisturbsNoLoad(t *testing.T) {
	answers := func(status int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
	}
	for name, tt := range map[string]struct {
		receiver http.HandlerFunc // nil: nobody listens
		token    string
	}{
		"nobody listens":           {nil, "hunter2"},
		"an unknown user":          {answers(http.StatusUnauthorized), "hunter2"},
		"an internal error":        {answers(http.StatusInternalServerError), "hunter2"},
		"no response":              {silence, "hunter2"},
		"an endless response":      {dribble, "hunter2"},
		"a token with a line feed": {answers(http.StatusNoContent), "hunter2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.receiver)
			defer server.Close()
			defer server.CloseClientConnections()
			if tt.receiver == nil {
				server.Close()
			}
			var output bytes.Buffer
			config := liveConfig(t, sendsTo(t, server.URL, "K6_PROMETHEUS_RW_BEARER_TOKEN="+tt.token))
			began := time.Now()
			run, err := generator.Run(t.Context(), config, &observer{}, &output)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took > 5*time.Second+mostAfterTheLoad {
				t.Errorf("a load of five seconds took %s", took)
			}
			if step := run.Steps[0]; step.Scheduled != 120 || step.OK+step.Refused != 120 || step.P95Microseconds != nil {
				t.Errorf("%+v", step)
			}
			if strings.Contains(output.String(), "hunter2") || strings.Contains(output.String(), server.URL) {
				t.Errorf("the log has a secret or an address:\n%s", &output)
			}
		})
	}
}

// silence holds a request until its sender gives up. A server notices that only once the
// body is read.
func silence(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// dribble sends a byte now and then until the client disconnects.
func dribble(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	for r.Context().Err() == nil {
		_, _ = w.Write([]byte("."))
		_ = http.NewResponseController(w).Flush()
		<-time.After(100 * time.Millisecond)
	}
}

// TestAFailureTellsOfNoSecret lets the script fail without a receiver.
func TestAFailureTellsOfNoSecret(t *testing.T) {
	config := liveConfig(t, sendsTo(t, "http://127.0.0.1:1/", "K6_PROMETHEUS_RW_USERNAME=writer", "K6_PROMETHEUS_RW_PASSWORD=hunter2",
		"HASHMARK_LOGIN={"))
	var output bytes.Buffer
	_, err := generator.Run(context.Background(), config, nil, &output)
	var failure *measurement.Failure
	if !errors.As(err, &failure) || failure.Reason != handover.ScriptError {
		t.Fatalf("error %v", err)
	}
	message := measurement.EncodeFailure(failure.Reason, failure.Detail, failure.ExitCode)
	if text := message + output.String(); strings.Contains(text, "hunter2") || strings.Contains(text, "writer") {
		t.Errorf("the failure has a secret:\n%s", text)
	}
}
