//go:build integration

package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// operatorAccount is the user that the bindings of config/rbac name.
const operatorAccount = "system:serviceaccount:hashmark-system:hashmark-operator"

// TestMetricsAreForThoseWhoMayReadThemAndOnlyTheLeaderTells scrapes two replicas
// over HTTPS, under the roles that are installed with them.
func TestMetricsAreForThoseWhoMayReadThemAndOnlyTheLeaderTells(t *testing.T) {
	home := namespace(t, "metrics")
	applyMetricsRoles(t)
	kubeconfig := user(t, operatorAccount)
	grant(t, operatorAccount, home, rules(t, "operator_role.yaml"))
	grant(t, operatorAccount, home, rules(t, "leader_election_role.yaml"))
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
		// The metrics have a server of their own, which may begin to listen after the probes' one.
		eventually(t, "its metrics are served", time.Minute, func() bool {
			code, _ := scrape(t, address, "")
			return code != 0
		})
		for who, tt := range map[string]struct {
			token string
			code  int
		}{
			"nobody":                        {"", http.StatusUnauthorized},
			"somebody with a made-up token": {"made-up", http.StatusInternalServerError}, // so controller-runtime has it
			"an account without the right":  {stranger, http.StatusForbidden},
			"an account with the right":     {reader, http.StatusOK},
		} {
			if code, said := scrape(t, address, tt.token); code != tt.code {
				t.Errorf("%s is answered with %d, want %d: %.200s", who, code, tt.code, said)
			}
		}
	}

	experiment := ask(t, home)
	running := `hashmark_experiment_phase{experiment="` + experiment.Name + `",namespace="` + home + `",phase="Running"} 1`
	leader, standby := "", ""
	eventually(t, "one of them tells where the experiment stands, and when its attempt is given up", time.Minute, func() bool {
		for address := range replicas {
			_, said := scrape(t, address, reader)
			if strings.Contains(said, running) && strings.Contains(said, "\nhashmark_trial_attempt_deadline_timestamp_seconds{") {
				leader = address
			} else {
				standby = address
			}
		}
		return leader != ""
	})
	code, said := scrape(t, standby, reader)
	if code != http.StatusOK || strings.Contains(said, "hashmark_") || !strings.Contains(said, "go_goroutines") {
		t.Errorf("the replica that does not lead answers with %d, and with Hashmark's series: %t", code, strings.Contains(said, "hashmark_"))
	}
	_, said = scrape(t, leader, reader)
	for _, series := range []string{`hashmark_attempts_total{outcome="Kept",reason="Measured"} 0`, "controller_runtime_reconcile_total{"} {
		if !strings.Contains(said, series) {
			t.Errorf("the leader does not tell %s", series)
		}
	}

	if code := replicas[leader].signal(syscall.SIGTERM); code != 0 {
		t.Errorf("the leader ended with %d", code)
	}
	eventually(t, "the other one tells", 30*time.Second, func() bool {
		_, said := scrape(t, standby, reader)
		return strings.Contains(said, running)
	})
	if err := administrator.Delete(t.Context(), experiment); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the experiment's series are gone with it", 30*time.Second, func() bool {
		code, said := scrape(t, standby, reader)
		return code == http.StatusOK && strings.Contains(said, "hashmark_experiments{") && !strings.Contains(said, `experiment="`+experiment.Name+`"`)
	})
}

// applyMetricsRoles installs config/rbac/metrics_roles.yaml until the test ends.
func applyMetricsRoles(t *testing.T) {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "config", "rbac", "metrics_roles.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	documents := yaml.NewYAMLOrJSONDecoder(file, 4096)
	for {
		object := &unstructured.Unstructured{}
		err := documents.Decode(object)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(object.Object) == 0 {
			continue
		}
		create(t, object)
		t.Cleanup(func() { _ = administrator.Delete(context.Background(), object) })
	}
}

// account makes a service account, and gives a token of it.
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

// letRead binds an account, until the test ends, to the role of those who read metrics.
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

// scrape reads an operator's metrics; without a token when that is empty.
func scrape(t *testing.T, address, token string) (code int, said string) {
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

// scraper takes any certificate: the operator signs its own.
var scraper = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
