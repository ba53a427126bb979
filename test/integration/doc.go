// Package integration holds the tests that need a real API server and etcd,
// and no node: what the API refuses and with which words, what it fills in,
// what its documentation says, and what users see of it in kubectl.
//
// It answers whether the custom resource definitions in config/crd do what
// their authors meant once Kubernetes itself compiles and applies them. It
// does not answer what happens in a pod: nothing is scheduled here.
//
// The tests carry the build tag integration, because they need the programs
// that KUBEBUILDER_ASSETS names:
//
//	KUBEBUILDER_ASSETS=$(hack/build/binaries.sh assets) go test -tags integration ./test/integration/...
package integration
