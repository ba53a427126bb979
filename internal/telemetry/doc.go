// Package telemetry computes time series from the objects in the cluster at each scrape ([Of]): the work of the
// operator, the state of each experiment, and each result as a number with the labels of its variant. A number
// that was not measured has no sample: 0 always means that something was counted. A limited number of
// experiments have their own series, each at most [MostPerExperiment]. The others are counted.
//
// The package counts nothing over time: it returns what ended between two states of a trial ([JustEnded],
// [StagesOf]). It does not read the cluster, the clock or the network.
package telemetry
