// Package queue decides which trials put load on the cluster next. Turns are given trial by trial: the
// namespace that has used the least turn time comes first ([History]), and within it the experiment whose last
// turn was longest ago. A trial that waits for something else than its turn, such as a quota or a node, loses
// it to the next experiment that can use it, and keeps its place. docs/decisions/0029-turns.md has the rules.
//
// Which trials have a turn, and what the namespaces have used, is written down in one object, which is
// compared and swapped, so that two leaders can't both give the same turn away. Everything else is computed
// from the cluster. The package does not start trials.
package queue
