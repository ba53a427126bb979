//go:build integration

package main

import (
	"context"
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/test/chart"
)

// operatorAccount is the user in the bindings of the chart.
const operatorAccount = "system:serviceaccount:hashmark-system:hashmark-operator"

// TestMetricsNeedAuthorizationAndComeFromTheLeader scrapes two replicas over HTTPS,
// with the roles that are installed with them.
func TestMetricsNeedAuthorizationAndComeFromTheLeader(t *testing.T) {
	home := namespace(t, "metrics")
	applyMetricsRoles(t)
	kubeconfig := user(t, operatorAccount)
	grant(t, operatorAccount, home, rules(t, "operator_role.yaml"))
	grant(t, operatorAccount, home, rules(t, "leases_role.yaml"))
	stranger, reader := account(t, home, "stranger"), account(t, home, "reader")
	letRead(t, home, "reader")

	replicas := map[string]*process{}
	for range 2 {
		address := freeAddress(t)
		replicas[address] = operator(t, kubeconfig, "--leader-elect", "--leader-election-namespace="+home,
			"--watch-namespaces="+home, "--metrics-bind-address="+address)
	}
	for address, replica := range replicas {
		eventually(t, "a replica is ready", time.Minute, replica.ready)
		// The metrics have their own server, which may start to listen after the one of the
		// probes.
		eventually(t, "its metrics are served", time.Minute, func() bool {
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
	eventually(t, "one of them exports the experiment's phase and its attempt's deadline", time.Minute, func() bool {
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

	if code := replicas[leader].signal(syscall.SIGTERM); code != 0 {
		t.Errorf("the leader ended with %d", code)
	}
	eventually(t, "the other one exports them", 30*time.Second, func() bool {
		_, text := scrape(t, standby, reader)
		return strings.Contains(text, running)
	})
	if err := administrator.Delete(t.Context(), experiment); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the experiment's series are gone", 30*time.Second, func() bool {
		code, text := scrape(t, standby, reader)
		return code == http.StatusOK && strings.Contains(text, "hashmark_experiments{") && !strings.Contains(text, `experiment="`+experiment.Name+`"`)
	})
}

// applyMetricsRoles installs the chart's rights to metrics until the test ends.
func applyMetricsRoles(t *testing.T) {
	t.Helper()
	objects, err := chart.Objects("--show-only=templates/rbac/metrics_roles.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range objects {
		create(t, object)
		t.Cleanup(func() { _ = administrator.Delete(context.Background(), object) })
	}
}

// account creates a service account, and returns a token for it.
func account(t *testing.T, namespace, name string) (token string) {
	t.Helper()
	made := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	create(t, made)
	request := &authenticationv1.TokenRequest{}
	if err := administrator.SubResource("token").Create(t.Context(), made, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

// letRead binds an account to the role of metrics readers until the test ends.
func letRead(t *testing.T, namespace, name string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "hashmark-metrics-reader"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: name}},
	}
	create(t, client.Object(binding))
	t.Cleanup(func() { _ = administrator.Delete(context.Background(), binding) })
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
