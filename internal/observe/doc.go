// Package observe runs a user's login service as the child of a small process of ours, in the
// user's own container, and serves what that container uses.
//
// It does not measure logins (package generator does), and reads the counters with package
// cgroup. The process is the first of its container, so it also passes signals on, reaps
// orphans, and ends with the child's exit code.
package observe
