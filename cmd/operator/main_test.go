//go:build integration

package main

import (
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/hashmark-dev/hashmark/test/apiserver"
	"github.com/hashmark-dev/hashmark/test/process"
)

// cluster is the API server that the tests of this package share.
var cluster apiserver.Shared

func TestMain(m *testing.M) {
	if process.Is() {
		main()
		return
	}
	os.Exit(cluster.Run(m))
}

// operatorProcess is an operator that runs as a process of its own.
type operatorProcess struct {
	*process.Process
	t      *testing.T
	probes string
}

// operator starts an operator without leader election and metrics, unless the settings say otherwise, and with its own
// probe address.
func operator(t *testing.T, kubeconfig string, settings ...string) *operatorProcess {
	t.Helper()
	probes := process.FreeAddress(t)
	common := []string{images, `{leaderElection: {enabled: false}, metrics: {bindAddress: "0"}, health: {bindAddress: "` + probes + `"}}`}
	return &operatorProcess{process.Start(t, kubeconfig, "", process.Config(t, append(common, settings...)...)), t, probes}
}

// leases returns the setting of the namespace of an operator's Leases.
func leases(namespace string) string { return "leaderElection: {namespace: " + namespace + "}" }

// elected makes an operator elect a leader.
const elected = "leaderElection: {enabled: true}"

// answers reports whether a probe returns this status code.
func (o *operatorProcess) answers(path string, code int) bool {
	request, err := http.NewRequestWithContext(o.t.Context(), http.MethodGet, fmt.Sprintf("http://%s%s", o.probes, path), nil)
	if err != nil {
		o.t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return false // it does not listen yet
	}
	defer response.Body.Close()
	return response.StatusCode == code
}

func (o *operatorProcess) ready() bool { return o.answers("/readyz", http.StatusOK) }

// userOfOperator creates a user with the operator's rights: on Leases in its home, and in the watched namespaces, or in
// all of them for "". It returns the kubeconfig.
func userOfOperator(t *testing.T, name, home string, watched ...string) (kubeconfig string) {
	t.Helper()
	cluster.Grant(t, name, home, apiserver.Role(t, "hashmark-leases"))
	for _, namespace := range watched {
		cluster.Grant(t, name, namespace, apiserver.Role(t, "hashmark-operator"))
	}
	return cluster.User(t, name)
}
