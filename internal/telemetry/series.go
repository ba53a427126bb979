package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// namespace begins the name of every series.
const namespace = "hashmark"

// MostPerExperiment is how many series one experiment can have at the most: 64
// variants of 24 steps each, in ten repetitions, with every reason there is room
// for, sizes and prices, and as many predictions and times of a hash as the status
// can hold. A usual experiment of twelve variants has about 490.
const MostPerExperiment = 11_000

// The metrics that are counted over time, for whoever counts them.
const (
	// AttemptsTotal counts attempts that ended, by outcome and reason.
	AttemptsTotal = "hashmark_attempts_total"
	// AttemptsTotalHelp says so in its exposition.
	AttemptsTotalHelp = "Attempts that ended while this operator led, by outcome and reason."
	// StageDurationSeconds is a histogram of how long each stage of a trial took.
	StageDurationSeconds = "hashmark_stage_duration_seconds"
	// StageDurationSecondsHelp says so in its exposition.
	StageDurationSecondsHelp = "How long each stage of a trial took that was measured under load while this operator led, in whole seconds."
)

// Series is a gauge that is computed from the cluster: one name, and a sample
// for each set of its labels' values.
type Series struct {
	// Name with its unit.
	Name string
	// Help says what it means.
	Help string
	// Labels in the order of a sample's values.
	Labels []string

	description *prometheus.Desc
}

// Description is what a Prometheus registry knows the series by.
func (s *Series) Description() *prometheus.Desc { return s.description }

// Sample is the value of a series for one set of labels.
type Sample struct {
	Series *Series
	// Values of the series' labels, in their order.
	Values []string
	// Value in the unit of the series' name.
	Value float64
}

// Metric is the sample as a Prometheus registry gathers it. One whose labels
// can't be told is an error in the scrape.
func (s Sample) Metric() prometheus.Metric {
	metric, err := prometheus.NewConstMetric(s.Series.description, prometheus.GaugeValue, s.Value, s.Values...)
	if err != nil {
		return prometheus.NewInvalidMetric(s.Series.description, err)
	}
	return metric
}

// all holds every series that [define] made.
var all []*Series

// All are the series that [Of] gives samples of.
func All() []*Series { return all }

// define makes a series. The labels of a family come first, then its own.
func define(name, help string, family []string, own ...string) *Series {
	labels := append(append([]string{}, family...), own...)
	s := &Series{Name: namespace + "_" + name, Help: help, Labels: labels}
	s.description = prometheus.NewDesc(s.Name, help, labels, nil)
	all = append(all, s)
	return s
}

// reading is a series with how its number is read from something; not known
// where that has no such number.
type reading[T any] struct {
	series *Series
	of     func(T) (value float64, known bool)
}

// gathering collects samples.
type gathering struct{ samples []Sample }

func (g *gathering) add(series *Series, value float64, values ...string) {
	g.samples = append(g.samples, Sample{Series: series, Values: values, Value: value})
}

// read adds every number of a thing that is known. The samples share their
// labels' values, which nobody changes.
func read[T any](g *gathering, readings []reading[T], from T, values []string) {
	for _, r := range readings {
		if value, known := r.of(from); known {
			g.samples = append(g.samples, Sample{Series: r.series, Values: values, Value: value})
		}
	}
}

// with is a family's values followed by a series' own.
func with(values []string, own ...string) []string {
	return append(slices.Clip(values), own...)
}
