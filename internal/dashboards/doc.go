// Package dashboards makes Hashmark's Grafana dashboards: Overview, Experiment
// and Live trial, in Grafana's Classic JSON, which 11 to 13 load.
//
// [All] gives them as values; their JSON is what the chart ships, written by
// hack/dashboards. [Queries] lists every query of every panel with the
// variables filled in, so that whoever has a Prometheus can ask them all.
//
// A query never keeps the labels of the pod that was scraped (pod, instance):
// when another operator takes the lead, its series go on where the last one's
// ended, and nothing is drawn twice. Series of results exist as long as their
// experiment does; of one that is gone, choose a time when it was there.
//
// The package knows no Grafana and no Prometheus. Only what the panels use of
// the format is modelled here; tests hold the JSON against Grafana's own types.
package dashboards
