// Package dashboards builds Hashmark's Grafana dashboards (Overview, Experiment and Live
// trial) in Grafana's Classic JSON, which Grafana 11 to 13 load.
//
// [All] returns the dashboards; the chart contains their JSON, which make generate writes.
// [Queries] returns every query of every panel with the variables filled in, so that all
// queries can be tested with a Prometheus.
//
// Queries drop the labels of the scraped pod (pod, instance): when the leader changes, its
// series continue those of the last leader, and nothing is drawn twice. Series of results
// exist as long as their experiment. To see a deleted one, choose a time when it existed.
//
// The package does not depend on Grafana or Prometheus. It models only the part of the
// format that the panels use. Tests check the JSON against Grafana's own types, and draw the
// panels with Grafana's own components: render.sh, with the page in render.
package dashboards
