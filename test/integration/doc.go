// Package integration contains the tests that need a real API server and etcd, but no node:
// what the API refuses and with which messages, which defaults it sets, what its documentation
// says, and what users see of it in kubectl.
//
// It tests whether the CRDs in config/crd behave as intended once Kubernetes compiles and
// applies them. It does not test what happens in a pod, because nothing is scheduled.
//
// The tests have the build tag integration, because they need the binaries of
// KUBEBUILDER_ASSETS:
//
//	KUBEBUILDER_ASSETS=$(hack/build/binaries.sh assets) go test -tags integration ./test/integration/...
package integration
