// Package e2e tests Hashmark on a real cluster, with real pods and CPU limits, real k6, a real Prometheus, and
// real Helm. It needs the local cluster as `make test-e2e` leaves it, whose quickstart it reads and never runs
// again. It scales down the operator in the cluster and runs one as a process of its own, under the same
// service account, which can be killed and given other flags. One test reinstalls the chart in namespaces of
// its own, and restores the demo's release; hack/e2e.sh does so after a run that was interrupted.
//
// No test needs an idle or a fast machine: rates and objectives follow from the hash time that the quickstart
// measured, and numbers are compared at the reference speed.
package e2e
