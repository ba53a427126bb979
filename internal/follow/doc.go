// Package follow creates an experiment in a cluster, follows it until it has finished, and deletes it, for the
// plugin and for the smoke test. It says what the experiment does, why it is late, and what to do about a
// request that the API server refused. It does not measure and does not write reports.
package follow
