// Package objects builds the Kubernetes objects that one attempt at a trial
// consists of: a login service (Deployment and Service), the load that drives
// it (a Job), the walls around both (two NetworkPolicies), and the service
// account without rights that all of an experiment's pods share.
//
// Begin with New, which holds a trial against the operator's settings; the
// Attempt it returns builds each object. What is built depends on nothing but
// these values: the same attempt gives the same objects, byte by byte, so that
// an operator that was killed finds its children again by name.
//
// The package does not create, compare or delete anything (the controllers
// do), and it does not decide what the load consists of (package loadplan).
//
// Every container asks for exactly what it is limited to, so that its pod is
// Guaranteed: under a static CPU manager that is what gives whole CPUs to it,
// and everywhere it is the last to be evicted. Every pod passes the restricted
// Pod Security Standard and carries no token.
package objects
