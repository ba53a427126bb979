// Package e2e tests Hashmark's claims on a real cluster, with real pods and CPU limits, real
// k6, a real Prometheus, and real Helm.
//
// The suite needs KUBECONFIG to select the local cluster, with the images loaded, Prometheus
// running and the quickstart measured, as `make test-e2e` leaves it. It reads the quickstart's
// results and never runs it again; every experiment of its own is small. It scales down the
// operator in the cluster and runs one as a process of its own, under the same service
// account, which can be killed and given other flags.
//
// No test needs an idle or a fast machine. Rates and objectives follow from the hash time that
// the quickstart measured, numbers are compared at the reference speed, and if another process
// took CPU time, a row may say so and not be Valid.
//
// One test reinstalls the chart in namespaces of its own. It removes the demo's release
// meanwhile, and restores it with its values; hack/e2e.sh does so after a run that was
// interrupted.
package e2e
