// Package objects builds the Kubernetes objects of one attempt of a trial: a login service, its load,
// NetworkPolicies, and the service account without rights. The objects depend only on New's arguments, byte by
// byte, so that an operator that was killed finds its children again by name. Every container's requests equal
// its limits, for QoS class Guaranteed, and every pod meets the restricted Pod Security Standard and has no token.
//
// The package does not create, compare or delete objects (the controllers do), and does not plan the load
// (package loadplan does).
package objects
