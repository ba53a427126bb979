package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// namespace is the prefix of all series.
const namespace = "hashmark"

// MostPerExperiment is the maximum number of series of one experiment: 64 variants of 24
// steps each, in ten repetitions, with sizes, prices, and the maximum number of reasons,
// predictions and hash times. A usual experiment of twelve variants has about 490.
const MostPerExperiment = 11_000

// The metrics that the operator counts over time.
const (
	// AttemptsTotal counts attempts that ended, by outcome and reason.
	AttemptsTotal = "hashmark_attempts_total"
	// AttemptsTotalHelp is its help text.
	AttemptsTotalHelp = "Attempts that ended while this operator was the leader, by outcome and reason."
	// StageDurationSeconds is a histogram of the duration of each stage of a trial.
	StageDurationSeconds = "hashmark_stage_duration_seconds"
	// StageDurationSecondsHelp is its help text.
	StageDurationSecondsHelp = "Duration of each stage of the trials that were measured under load while this operator was the leader, in whole seconds."
)

// Series is a gauge that is computed from the cluster. It has one name, and a sample for
// each set of label values.
type Series struct {
	// Name with its unit.
	Name string
	// Help is the help text.
	Help string
	// Labels in the order of a sample's values.
	Labels []string

	description *prometheus.Desc
}

// Description returns the description for a Prometheus registry.
func (s *Series) Description() *prometheus.Desc { return s.description }

// Sample is the value of a series for one set of labels.
type Sample struct {
	Series *Series
	// Values of the series' labels in their order.
	Values []string
	// Value in the unit of the series' name.
	Value float64
}

// Metric returns the sample as a Prometheus metric. Invalid labels are an error in the
// scrape.
func (s Sample) Metric() prometheus.Metric {
	metric, err := prometheus.NewConstMetric(s.Series.description, prometheus.GaugeValue, s.Value, s.Values...)
	if err != nil {
		return prometheus.NewInvalidMetric(s.Series.description, err)
	}
	return metric
}

// all holds every series that [define] made.
var all []*Series

// All returns the series of which [Of] returns samples.
func All() []*Series { return all }

// define adds a series. The labels of its family come before its own.
func define(name, help string, family []string, own ...string) *Series {
	labels := append(append([]string{}, family...), own...)
	s := &Series{Name: namespace + "_" + name, Help: help, Labels: labels}
	s.description = prometheus.NewDesc(s.Name, help, labels, nil)
	all = append(all, s)
	return s
}

// reading is a series with a function that reads its value. The function returns false if
// the value is absent.
type reading[T any] struct {
	series *Series
	value  func(T) (value float64, known bool)
}

// gathering collects samples.
type gathering struct{ samples []Sample }

func (g *gathering) add(series *Series, value float64, values ...string) {
	g.samples = append(g.samples, Sample{Series: series, Values: values, Value: value})
}

// read adds a sample for every known value. The samples share the slice of label values,
// which nothing changes.
func read[T any](g *gathering, readings []reading[T], from T, values []string) {
	for _, r := range readings {
		if value, known := r.value(from); known {
			g.samples = append(g.samples, Sample{Series: r.series, Values: values, Value: value})
		}
	}
}

// with returns the label values of a family followed by those of a series.
func with(values []string, own ...string) []string {
	return append(slices.Clip(values), own...)
}
