// Package apiserver starts an API server, with etcd and Hashmark's CRDs, for the tests of a
// package to share, because starting one takes seconds.
//
// It has no nodes, and runs controllers of Kubernetes only after StartControllers. Package lab
// is for suites on a whole cluster.
package apiserver

import (
	"errors"
	"fmt"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// Start starts an API server with the CRDs of a folder, and returns it with its
// administrator's configuration. The caller stops it. If it can't be started, the error says
// what to do, and nothing keeps running.
func Start(definitions string, configure func(*envtest.APIServer)) (*envtest.Environment, *rest.Config, error) {
	// Otherwise controller-runtime prints a stack trace about its missing logger.
	log.SetLogger(klog.Background())
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, nil, errors.New("KUBEBUILDER_ASSETS is not set, so there is no API server to test against; " +
			"run: export KUBEBUILDER_ASSETS=$(tools/build/binaries.sh assets)")
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{definitions}, ErrorIfCRDPathMissing: true}
	configure(environment.ControlPlane.GetAPIServer())
	config, err := environment.Start()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting etcd and kube-apiserver with the CRDs of %s: %w", definitions, err), environment.Stop())
	}
	return environment, config, nil
}
