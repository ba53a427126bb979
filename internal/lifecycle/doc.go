// Package lifecycle works out where a trial stands from what was just seen of
// it, and says what to do next.
//
// Nothing is remembered that can be seen: the state is computed from the trial,
// its children and their pods in each pass, so that an operator killed at any
// line goes on where it was. Only what can't be seen twice is kept, in the
// trial's status: which attempt goes on, which pods and which Job it began
// with, and the result.
//
// The states, and what follows each, stand in [Decide]. The package reads no
// cluster and no clock, and changes nothing but the status it is handed.
package lifecycle
