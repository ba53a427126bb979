package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// scrapeLimit is how long a scrape may read the cache, which is in memory once it is filled.
// The default scrape timeout of Prometheus is ten seconds.
const scrapeLimit = 5 * time.Second

// Metrics exports to Prometheus the state of the cluster, and what this process counted since
// it became the leader.
//
// Only the leader exports. Otherwise each replica would export the same state of the cluster,
// and a replica that waits has counted nothing. Without leader election, the single process
// leads at once.
type Metrics struct {
	// Cache is read at each scrape. Its objects are read without a copy, because a scrape must
	// cost little CPU time during a measurement.
	Cache client.Reader
	// Clock provides the time of a scrape.
	Clock clock.PassiveClock
	// Elected is closed once this process leads.
	Elected <-chan struct{}
	// Tally is what the reconcilers counted.
	Tally *Counts
	// MaxExperiments is the number of experiments that get series of their own.
	MaxExperiments int
	// Queue has the positions of waiting experiments.
	Queue *Queue
	// StartTimeout is how long an attempt may wait for what it can't change.
	StartTimeout time.Duration
}

// Describe sends the description of every series.
func (m *Metrics) Describe(descriptions chan<- *prometheus.Desc) {
	for _, series := range telemetry.All() {
		descriptions <- series.Description()
	}
	m.Tally.describe(descriptions)
}

// Collect sends the current value of every series. If the cache can't be read, the scrape
// fails, because incomplete data can't be distinguished from complete data.
func (m *Metrics) Collect(values chan<- prometheus.Metric) {
	select {
	case <-m.Elected:
	default:
		return
	}
	m.Tally.collect(values)
	state, err := m.observe()
	if err != nil {
		values <- prometheus.NewInvalidMetric(telemetry.All()[0].Description(), err)
		return
	}
	for _, sample := range telemetry.Of(state) {
		values <- sample.Metric()
	}
}

func (m *Metrics) observe() (telemetry.State, error) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	experiments, trials := &v1beta1.SizingExperimentList{}, &v1beta1.SizingTrialList{}
	for _, list := range []client.ObjectList{experiments, trials} {
		if err := m.Cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return telemetry.State{}, fmt.Errorf("listing %T for the metrics: %w", list, err)
		}
	}
	return telemetry.State{
		Experiments: experiments.Items, Trials: trials.Items, Now: m.Clock.Now(),
		MaxExperiments: m.MaxExperiments, Positions: m.Queue.all(), StartTimeout: m.StartTimeout,
	}, nil
}
