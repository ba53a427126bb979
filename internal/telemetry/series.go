package telemetry

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const namespace = "hashmark"

// MostPerExperiment is the maximum number of series of one experiment: 64 variants of 24
// steps each, in ten repetitions, with sizes, prices, and the maximum number of reasons,
// predictions and hash times. A usual experiment of twelve variants has about 490.
const MostPerExperiment = 9_500

// The metrics that the operator counts over time.
const (
	// AttemptsTotal counts attempts that ended, by outcome and reason.
	AttemptsTotal = "hashmark_attempts_total"
	// StageDurationSeconds is a histogram of the duration of each stage of a trial.
	StageDurationSeconds = "hashmark_stage_duration_seconds"
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

// reading is a series with a function that reads its value from a T. The function returns
// false if the value is absent.
type reading[T any] struct {
	series *Series
	value  func(*T) (value float64, known bool)
}

type gathering struct{ samples []Sample }

func (g *gathering) add(series *Series, value float64, values ...string) {
	g.samples = append(g.samples, Sample{Series: series, Values: values, Value: value})
}

// read adds a sample for every known value, if there is a T. The samples share the slice of
// label values, which nothing changes.
func read[T any](g *gathering, readings []reading[T], from *T, values []string) {
	if from == nil {
		return
	}
	for _, r := range readings {
		if value, known := r.value(from); known {
			g.samples = append(g.samples, Sample{Series: r.series, Values: values, Value: value})
		}
	}
}

// distinct holds label values. Duplicate series would make the whole scrape fail.
type distinct map[string]bool

func (d distinct) add(values ...string) bool {
	key := strings.Join(values, "\x00")
	known := d[key]
	d[key] = true
	return !known
}

// with returns the label values of a family followed by those of a series.
func with(values []string, own ...string) []string {
	return append(slices.Clip(values), own...)
}

// orNone returns the label value for a reason: an empty label is the same as no label.
func orNone(reason string) string { return cmp.Or(reason, "None") }

// perSecond converts a rate in thousandths.
func perSecond(milli *int64) (float64, bool) { return scaled(milli, 1e3) }

// seconds converts a time in microseconds.
func seconds(micro *int64) (float64, bool) { return scaled(micro, 1e6) }

func scaled(number *int64, unit float64) (float64, bool) {
	if number == nil {
		return 0, false
	}
	return float64(*number) / unit, true
}

// unix converts a time to seconds since 1970.
func unix(moment *metav1.Time) (float64, bool) {
	if moment == nil {
		return 0, false
	}
	return float64(moment.Unix()), true
}

// ratio returns part ÷ whole. It is absent if whole is 0.
func ratio(part, whole int64) (float64, bool) {
	if whole <= 0 {
		return 0, false
	}
	return float64(part) / float64(whole), true
}

// thousandths converts a number in thousandths. 0 means that it is absent.
func thousandths(n int64) (float64, bool) { return float64(n) / 1000, n > 0 }

func truth(yes *bool) (float64, bool) {
	switch {
	case yes == nil:
		return 0, false
	case *yes:
		return 1, true
	default:
		return 0, true
	}
}

// currency is the label with the currency of a price: prices in different currencies must
// not be added up.
const currency = "currency"

// currencyOf returns the currency of an experiment's prices. It is empty without prices,
// which have no samples then.
func currencyOf(e *v1beta1.SizingExperiment) string {
	if e.Spec.Prices == nil {
		return ""
	}
	return e.Spec.Prices.Currency
}

// decimal parses a number such as "0.83". It returns false if the number is absent.
func decimal(text string) (float64, bool) {
	value, err := strconv.ParseFloat(text, 64)
	return value, err == nil
}

// cpus parses a CPU quantity such as 2500m. It returns false if the quantity is absent.
func cpus(quantity string) (float64, bool) {
	amount, err := resource.ParseQuantity(quantity)
	return amount.AsApproximateFloat64(), err == nil
}
