// Package preview says without a cluster what an experiment would do: why the API server or the operator refuses it,
// which variants are measured, about how long that takes, and which of them can't be recommended. It decides nothing:
// the rules are those of the definition that is installed in clusters, evaluated by the API server's library, and the
// checks and estimates are those of the operator.
package preview
