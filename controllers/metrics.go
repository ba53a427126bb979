package controllers

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// scrapeLimit is how long a scrape may read the cache, which answers from
// memory once it is filled. Prometheus gives up after ten seconds by default.
const scrapeLimit = 5 * time.Second

// Metrics tells Prometheus what stands in the cluster, and what this process
// counted since it began to lead.
//
// Only the leader tells: what stands in the cluster would otherwise be there
// once a replica, and a replica that waits has counted nothing. Where there is
// no leader election, the one process leads at once.
type Metrics struct {
	// Cache is read at each scrape. Its objects are looked at where they lie,
	// without a copy: a scrape must cost little beside a measurement.
	Cache client.Reader
	// Elected is closed once this process leads.
	Elected <-chan struct{}
	// Tally is what the reconcilers counted.
	Tally *Counts
	// MaxExperiments is how many experiments are told one by one.
	MaxExperiments int
	// MaxConcurrent is how many trials may be under load at one time, in all.
	MaxConcurrent int
	// StartTimeout is how long an attempt may wait for what it can't change.
	StartTimeout time.Duration
}

// Describe names every series.
func (m *Metrics) Describe(descriptions chan<- *prometheus.Desc) {
	for _, series := range telemetry.All() {
		descriptions <- series.Description()
	}
	m.Tally.describe(descriptions)
}

// Collect tells every series as it is now. Should the cache not answer, the
// scrape fails and says so: half of an answer would look like a whole one.
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

// observe lists what the series are computed from.
func (m *Metrics) observe() (telemetry.State, error) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeLimit)
	defer cancel()
	experiments, trials := &v1alpha1.SizingExperimentList{}, &v1alpha1.SizingTrialList{}
	for _, list := range []client.ObjectList{experiments, trials} {
		if err := m.Cache.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return telemetry.State{}, fmt.Errorf("listing %T for the metrics: %w", list, err)
		}
	}
	return telemetry.State{
		Experiments: experiments.Items, Trials: trials.Items,
		MaxExperiments: m.MaxExperiments, MaxConcurrent: m.MaxConcurrent, StartTimeout: m.StartTimeout,
	}, nil
}
