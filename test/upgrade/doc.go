// Package upgrade replaces the operator by one of another version, and back, in each phase of a
// trial.
//
// The earlier operator is that of the commit in tools/build/base/commit. The API server and
// Kubernetes' controllers are real. The scheduler and kubelet are simulated: they stop in each
// phase until the other operator runs, and no load takes the time that its plan says.
//
// Run it with make test-upgrade.
package upgrade
