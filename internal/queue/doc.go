// Package queue decides which trials put load on the cluster next.
//
// Load is limited for the whole operator and, within that limit, for each experiment. Turns
// are given trial by trial: the namespace whose last turn was longest ago comes first, and
// within it the experiment whose last turn was longest ago, so that neither twenty experiments
// of one team nor one experiment of a day hold up everybody else. Ties go to the oldest
// experiment.
//
// Which trials have a turn is written down in one object, which is compared and swapped, so
// that two leaders can't both give the same turn away. Everything else is computed from the
// experiments and trials in the cluster, so that the queue survives a restart of the operator
// and a change of leader. The package does not start trials; it only decides which ones start.
package queue
