// Package e2e tries Hashmark's claims on a real cluster: real pods under real
// CPU limits, driven by real k6, watched by a real Prometheus, installed by real
// Helm.
//
// The suite needs KUBECONFIG to lead to the local cluster, with the images
// loaded, Prometheus running and the quickstart measured, as `make test-e2e`
// leaves it. It reads the quickstart's results and never runs it again; every
// experiment of its own is tiny. It takes the operator in the cluster out of
// service and runs one as a process of its own, under the same service account,
// which can be killed and given other flags.
//
// No test needs a quiet or a fast machine. Rates and objectives follow from the time
// of a hash that the quickstart measured, numbers are compared at the reference speed,
// and where another process took CPU time a row may say so and be other than Valid.
//
// One test installs the chart anew, in namespaces of its own. It takes the demo's
// release away meanwhile, and puts it back with the values it had; hack/e2e.sh
// does so for a run that was cut off.
package e2e
