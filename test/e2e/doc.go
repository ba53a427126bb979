// Package e2e tries Hashmark's claims on a real cluster: real pods under real
// CPU limits, driven by real k6.
//
// The suite needs KUBECONFIG to lead to the local cluster, with the images
// loaded and the quickstart measured, as `make test-e2e` leaves it. It reads the
// quickstart's results and never runs it again; every experiment of its own is
// tiny. It takes the operator in the cluster out of service and runs one as a
// process of its own, which can be killed and given other flags.
package e2e
