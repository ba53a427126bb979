// Package smoke has the experiment that tests an installation, and the messages about its
// outcome. The experiment measures one variant at one rate for a few seconds. If it succeeds,
// everything from the queue to the deletion of the last child has worked once.
//
// The package does not judge the numbers. It does not read the cluster; callers pass in the
// objects.
package smoke
