// Package objects builds the Kubernetes objects of one attempt of a trial: a login service
// (Deployment and Service), its load (a Job), two NetworkPolicies, the service account without
// rights that all pods of an experiment share, and the NetworkPolicy that all trials of a
// namespace share.
//
// New returns an Attempt, which builds each object. The objects depend only on New's
// arguments: the same attempt always gives the same objects, byte by byte, so that an operator
// that was killed finds its children again by name.
//
// The package does not create, compare or delete objects (the controllers do), and it does not
// plan the load (package loadplan does).
//
// Every container's requests are equal to its limits, so that its pod has QoS class
// Guaranteed. With the static CPU manager policy the pod then gets whole CPUs, and it is
// always among the last to be evicted. Every pod meets the restricted Pod Security Standard
// and has no token.
package objects
