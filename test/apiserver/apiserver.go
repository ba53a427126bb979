// Package apiserver starts the API server, with its etcd and Hashmark's
// definitions, that the tests of a package share: starting one takes seconds.
//
// There are no nodes and no controllers of Kubernetes behind it. For suites on a
// whole cluster there is package lab.
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

// Start starts one with the definitions of a folder, as configured, and gives
// its administrator's way to it. Whoever started it stops it. Where it can't be
// started the error says what to do, and nothing is left running.
func Start(definitions string, configure func(*envtest.APIServer)) (*envtest.Environment, *rest.Config, error) {
	// Without this line controller-runtime prints a stack trace about its log.
	log.SetLogger(klog.Background())
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return nil, nil, errors.New("KUBEBUILDER_ASSETS is not set, so there is no API server to test against; " +
			"run: export KUBEBUILDER_ASSETS=$(hack/build/binaries.sh assets)")
	}
	environment := &envtest.Environment{CRDDirectoryPaths: []string{definitions}, ErrorIfCRDPathMissing: true}
	configure(environment.ControlPlane.GetAPIServer())
	config, err := environment.Start()
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("starting etcd and kube-apiserver with the definitions of %s: %w", definitions, err), environment.Stop())
	}
	return environment, config, nil
}
