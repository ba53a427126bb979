// Package queue says whose turn it is to be put under load.
//
// Load is limited for the whole operator, and for each experiment within that.
// An experiment that began keeps its place until it ends. Those that wait take
// turns by namespace, so that one team's twenty experiments don't hold up
// another's one: the namespace whose last turn lies longest ago comes first,
// and within a namespace the oldest experiment, then the lower UID.
//
// Everything is computed from the objects in the cluster at each pass, so that
// the queue survives a restart of the operator and a change of leader. The
// package does not give turns, it only says whose they are.
package queue
