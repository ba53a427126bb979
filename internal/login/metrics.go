package login

import (
	"net/http"
	"runtime"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/password"
)

const (
	namespace = "hashmark"
	subsystem = "login"
	// nativeFactor is how much wider each bucket of the native histogram is than the
	// previous one: percentiles read from it are right within 5 %.
	nativeFactor = 1.1
	// shortestBucket and 17 doublings of it cover everything from a hash of cost 4 on a
	// whole CPU to one of cost 16 on a twentieth of a CPU. Cheaper hashes are all in the
	// first bucket; the native histogram distinguishes them.
	shortestBucket = 0.0005
	bucketCount    = 18
)

// metrics are the metrics of a service, in a separate registry. What the service counts
// anyway is read from its counters, so that evidence and metrics always agree.
type metrics struct {
	registry    *prometheus.Registry
	hashSeconds prometheus.Histogram
	requests    *prometheus.CounterVec
}

func newMetrics(s *Service) (*metrics, error) {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		hashSeconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "hash_duration_seconds",
			Help:                        "Wall-clock time of one hash, without the wait for its turn.",
			Buckets:                     prometheus.ExponentialBuckets(shortestBucket, 2, bucketCount),
			NativeHistogramBucketFactor: nativeFactor,
		}),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "requests_total",
			Help: "Logins answered, by HTTP status code; 499 is a caller that gave up before its turn.",
		}, []string{"code"}),
	}
	all := append(m.ofService(s),
		m.hashSeconds,
		m.requests,
		&throttling{container: s.options.Observer.Container()},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	for _, collector := range all {
		if err := m.registry.Register(collector); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// ofService returns the metrics that are read from the service's own state.
func (m *metrics) ofService(s *Service) []prometheus.Collector {
	concurrency := s.options.Concurrency
	mode := "WorkerPool"
	if concurrency.Workers() == 0 {
		mode = "Unbounded"
	}
	cost := ""
	if s.options.Recipe.Algorithm == password.Bcrypt {
		cost = strconv.Itoa(int(s.options.Recipe.Cost))
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: namespace, Subsystem: subsystem, Name: "info",
		Help: "How the service hashes; always 1.",
		ConstLabels: prometheus.Labels{
			"algorithm": string(s.options.Recipe.Algorithm), "cost": cost, "concurrency": mode,
			"sessions": strconv.FormatBool(s.options.Sessions != nil),
		},
	})
	info.Set(1)
	return []prometheus.Collector{
		info,
		gauge("in_flight", "Logins that wait or are being hashed.",
			func() float64 { return float64(s.inFlight.Load()) }),
		gauge("queue_length", "Logins that wait for a worker.",
			func() float64 { return float64(concurrency.Queued()) }),
		gauge("queue_capacity", "Maximum number of logins that can wait for a worker; 0 if unbounded.",
			func() float64 { return float64(concurrency.QueueLength()) }),
		gauge("gomaxprocs", "Threads that can run Go code at a time.",
			func() float64 { return float64(runtime.GOMAXPROCS(0)) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "abandoned_total",
			Help: "Logins whose caller gave up before their hash began.",
		}, func() float64 { return float64(s.abandoned.Load()) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Namespace: namespace, Subsystem: subsystem, Name: "session_requests_total",
			Help: "Requests accepted by a session cookie, without a hash.",
		}, func() float64 { return float64(s.admitted.Load()) }),
	}
}

func gauge(name, help string, value func() float64) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Subsystem: subsystem, Name: name, Help: help,
	}, value)
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
}

var (
	periodsTotal = prometheus.NewDesc(
		prometheus.BuildFQName(namespace, subsystem, "cfs_periods_total"),
		"Quota periods in which the container had work to do.", nil, nil)
	throttledPeriodsTotal = prometheus.NewDesc(
		prometheus.BuildFQName(namespace, subsystem, "cfs_throttled_periods_total"),
		"Quota periods in which the container was throttled.", nil, nil)
	throttledSecondsTotal = prometheus.NewDesc(
		prometheus.BuildFQName(namespace, subsystem, "cfs_throttled_seconds_total"),
		"Time that the container was throttled, summed over its CPUs.", nil, nil)
)

// throttling reads the container's counters at each scrape.
type throttling struct{ container *cgroup.Container }

// Describe sends the descriptions of the metrics.
func (t *throttling) Describe(descriptions chan<- *prometheus.Desc) {
	descriptions <- periodsTotal
	descriptions <- throttledPeriodsTotal
	descriptions <- throttledSecondsTotal
}

// Collect reads the counters. If they can't be read, the scrape reports the error.
func (t *throttling) Collect(values chan<- prometheus.Metric) {
	cpu, err := t.container.CPU()
	if err != nil {
		values <- prometheus.NewInvalidMetric(periodsTotal, err)
		return
	}
	count := func(description *prometheus.Desc, value float64) {
		values <- prometheus.MustNewConstMetric(description, prometheus.CounterValue, value)
	}
	count(periodsTotal, float64(cpu.Periods))
	count(throttledPeriodsTotal, float64(cpu.ThrottledPeriods))
	count(throttledSecondsTotal, float64(cpu.ThrottledMicroseconds)/1e6)
}
