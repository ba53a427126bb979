// Package telemetry computes time series from the objects in the cluster: the work of the
// operator, the state of each experiment, and each result as a number with the labels of
// its variant.
//
// Every gauge is computed from the objects at each scrape ([Of]), so that series appear and
// disappear with their experiment and survive a restart of the operator. Rows and medians
// are those that package results wrote to the status, the queue is that of package queue,
// and the deadline of an attempt is that of package lifecycle. A number that was not
// measured has no sample: 0 always means that something was counted.
//
// The number of series is limited: a limited number of experiments have their own series,
// each at most [MostPerExperiment]. The others are counted.
//
// The package counts nothing over time. It returns what ended between two states of a
// trial ([JustEnded], [StagesOf]), and its caller counts it. It does not read the cluster,
// the clock or the network.
package telemetry
