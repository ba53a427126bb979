//go:build integration

package integration

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/apiserver"
)

// The API server that all tests of this package share, because starting it takes seconds. Each
// test uses its own namespace.
var (
	environment *envtest.Environment
	restConfig  *rest.Config
	apiClient   client.Client
)

// crdFolder is the folder of the CRDs, relative to this package.
var crdFolder = filepath.Join("..", "..", "config", "crd")

func TestMain(m *testing.M) {
	code, err := runAgainstAPIServer(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "integration:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// runAgainstAPIServer starts the API server, runs the tests, and stops the server
// even if they fail.
func runAgainstAPIServer(m *testing.M) (code int, err error) {
	started, config, err := apiserver.Start(crdFolder, func(*envtest.APIServer) {})
	if err != nil {
		return 0, err
	}
	environment, restConfig = started, config
	defer func() { err = errors.Join(err, environment.Stop()) }()
	// Tests compare the server's responses, so they must not wait for the client's rate limit.
	restConfig.QPS, restConfig.Burst = 1000, 1000
	apiClient, err = newClient(restConfig)
	if err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// newClient returns a client without a cache, for Kubernetes' types and ours.
func newClient(config *rest.Config) (client.Client, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme))
	if err != nil {
		return nil, fmt.Errorf("registering the types: %w", err)
	}
	return client.New(config, client.Options{Scheme: scheme})
}
