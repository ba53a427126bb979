//go:build integration

package main

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/process"
)

// TestMetricsNeedAuthorizationAndComeFromTheLeader scrapes two replicas over HTTPS,
// with the roles that are installed with them.
func TestMetricsNeedAuthorizationAndComeFromTheLeader(t *testing.T) {
	home := cluster.Namespace(t, "metrics")
	kubeconfig := userOfOperator(t, "scraped", home, home)
	cluster.Grant(t, "scraped", "", apiserver.Role(t, "hashmark-metrics-auth"))
	stranger, reader := account(t, home, "stranger"), account(t, home, "reader")
	cluster.Grant(t, "system:serviceaccount:"+home+":reader", "", apiserver.Role(t, "hashmark-metrics-reader"))

	replicas := map[string]*operatorProcess{}
	for range 2 {
		address := process.FreeAddress(t)
		replicas[address] = operator(t, kubeconfig, elected, leases(home),
			"watchNamespaces: ["+home+"]", `metrics: {bindAddress: "`+address+`"}`)
	}
	for address, replica := range replicas {
		process.Eventually(t, "a replica is ready", time.Minute, replica.ready)
		// The metrics have their own server, which may start to listen after the one of the
		// probes.
		process.Eventually(t, "its metrics are served", time.Minute, func() bool {
			code, _ := scrape(t, address, "")
			return code != 0
		})
		for who, tt := range map[string]struct {
			token string
			code  int
		}{
			"a client without a token":       {"", http.StatusUnauthorized},
			"a client with an invalid token": {"made-up", http.StatusInternalServerError}, // the status that controller-runtime returns
			"an account without the right":   {stranger, http.StatusForbidden},
			"an account with the right":      {reader, http.StatusOK},
		} {
			if code, text := scrape(t, address, tt.token); code != tt.code {
				t.Errorf("%s gets %d, want %d: %.200s", who, code, tt.code, text)
			}
		}
	}

	experiment := createExperiment(t, home)
	running := `hashmark_experiment_phase{experiment="` + experiment.Name + `",namespace="` + home + `",phase="Running"} 1`
	leader, standby := "", ""
	process.Eventually(t, "one of them exports the experiment's phase and its attempt's deadline", time.Minute, func() bool {
		for address := range replicas {
			_, text := scrape(t, address, reader)
			if strings.Contains(text, running) && strings.Contains(text, "\nhashmark_trial_attempt_deadline_timestamp_seconds{") {
				leader = address
			} else {
				standby = address
			}
		}
		return leader != ""
	})
	code, text := scrape(t, standby, reader)
	if code != http.StatusOK || strings.Contains(text, "hashmark_") || !strings.Contains(text, "go_goroutines") {
		t.Errorf("the replica that does not lead returns %d, and Hashmark's series: %t", code, strings.Contains(text, "hashmark_"))
	}
	_, text = scrape(t, leader, reader)
	for _, series := range []string{`hashmark_attempts_total{outcome="Kept",reason="Measured"} 0`, "controller_runtime_reconcile_total{"} {
		if !strings.Contains(text, series) {
			t.Errorf("the leader does not export %s", series)
		}
	}

	if code := replicas[leader].End(syscall.SIGTERM); code != 0 {
		t.Errorf("the leader ended with %d", code)
	}
	process.Eventually(t, "the other one exports them", 30*time.Second, func() bool {
		_, text := scrape(t, standby, reader)
		return strings.Contains(text, running)
	})
	if err := cluster.Delete(t.Context(), experiment); err != nil {
		t.Fatal(err)
	}
	process.Eventually(t, "the experiment's series are gone", 30*time.Second, func() bool {
		code, text := scrape(t, standby, reader)
		return code == http.StatusOK && strings.Contains(text, "hashmark_experiments{") && !strings.Contains(text, `experiment="`+experiment.Name+`"`)
	})
}

// account creates a service account, and returns a token for it.
func account(t *testing.T, namespace, name string) (token string) {
	t.Helper()
	made := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	cluster.Make(t, made)
	request := &authenticationv1.TokenRequest{}
	if err := cluster.SubResource("token").Create(t.Context(), made, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// scrape reads an operator's metrics. An empty token is not sent.
func scrape(t *testing.T, address, token string) (code int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := scraper.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(body)
}

// scraper accepts any certificate, because the operator's is self-signed.
var scraper = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
