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

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/apiserver"
)

// The one API server of this package. Starting it takes seconds, so all tests share it.
var (
	environment *envtest.Environment
	restConfig  *rest.Config
	apiClient   client.Client
)

// crdFolder is the folder of the definitions under test, relative to this package.
var crdFolder = filepath.Join(root, "config", "crd")

func TestMain(m *testing.M) {
	code, err := runAgainstAPIServer(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "integration:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

// runAgainstAPIServer starts the API server, runs the tests and always stops it again.
func runAgainstAPIServer(m *testing.M) (code int, err error) {
	started, config, err := apiserver.Start(crdFolder, func(*envtest.APIServer) {})
	if err != nil {
		return 0, err
	}
	environment, restConfig = started, config
	defer func() { err = errors.Join(err, environment.Stop()) }()
	// A test compares what the server answers, so it must not wait for a client
	// that throttles itself.
	restConfig.QPS, restConfig.Burst = 1000, 1000
	apiClient, err = newClient(restConfig)
	if err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// newClient returns a client without a cache, with Kubernetes' own types and Hashmark's.
func newClient(config *rest.Config) (client.Client, error) {
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1beta1.AddToScheme(scheme))
	if err != nil {
		return nil, fmt.Errorf("making the types known: %w", err)
	}
	return client.New(config, client.Options{Scheme: scheme})
}
