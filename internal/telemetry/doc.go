// Package telemetry turns what stands in the cluster into time series: what the
// operator has to do, where each experiment stands, and each result as a number
// with the labels of its variant.
//
// Every gauge is computed from the objects themselves whenever somebody asks
// ([Of]), so that series appear with an experiment, go with it, and survive a
// restart of the operator. Rows and medians are the ones that package summary
// wrote into the status; the queue is that of package queue; an attempt's
// deadline is that of package lifecycle. A number that was not measured has no
// sample: 0 is said only of what was counted and is none.
//
// How many series there can be is bounded: at most so many experiments are told
// one by one, each in at most [MostPerExperiment] series. What is left out is
// counted.
//
// The package counts nothing over time. It says what ended between two states of
// a trial ([JustEnded], [StagesOf]); whoever wrote the second of them counts it.
// It reads no cluster, no clock and no network.
package telemetry
