// Package queue decides which trial's turn it is to be put under load.
//
// Load is limited for the whole operator and, within that limit, for each experiment. An
// experiment that began keeps its turn until it ends. Waiting experiments take turns by
// namespace, so that twenty experiments of one team don't block one experiment of another:
// the namespace whose last turn was longest ago comes first, and within a namespace the
// oldest experiment, then the lower UID.
//
// Everything is computed from the objects in the cluster at each pass, so that the queue
// survives a restart of the operator and a change of leader. The package does not start
// trials; it only decides which ones start.
package queue
