// Package integration holds the tests that need a real API server and etcd, but no node:
// what the API refuses and with which message, which defaults it fills in, what its
// documentation says, and what kubectl shows.
//
// It tests that the custom resource definitions in config/crd behave as intended when
// Kubernetes itself compiles and applies them. It does not test pods: nothing is scheduled
// here.
//
// The tests carry the build tag integration, because they need the programs
// that KUBEBUILDER_ASSETS names:
//
//	KUBEBUILDER_ASSETS=$(tools/build/binaries.sh assets) go test -tags integration ./test/integration/...
package integration
