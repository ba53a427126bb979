// Package queue decides which trials put load on the cluster next.
//
// Load is limited for the whole operator and, within that limit, for each experiment. Turns
// are given trial by trial: the namespace that has used the least turn time comes first ([History]),
// and within it the experiment whose last turn was longest ago, so that neither twenty experiments
// of one team nor one experiment of a day hold up everybody else. Ties go to the oldest
// experiment.
//
// A turn is for load. A trial that waits for something else, such as a quota or a node, loses its turn
// to the next experiment that can use it, and keeps its place: its namespace has used little.
//
// Which trials have a turn, and what the namespaces have used, is written down in one object, which is
// compared and swapped, so that two leaders can't both give the same turn away. No user can write that
// object. Everything else is computed from the experiments and trials in the cluster, so that the queue
// survives a restart of the operator and a change of leader. The package does not start trials; it only
// decides which ones start.
package queue
