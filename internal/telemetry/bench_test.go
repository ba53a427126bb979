package telemetry_test

import (
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// hundred has the default maximum number of experiments, each with 64 measured variants.
func hundred() telemetry.State {
	var experiments []v1beta1.SizingExperiment
	var trials []v1beta1.SizingTrial
	for i := range 100 {
		e := asked(fmt.Sprintf("e%d", i), func(e *v1beta1.SizingExperiment) {
			e.Spec.Matrix.Costs = []int32{4, 5, 6, 7, 8, 9, 10, 11}
			e.Spec.Matrix.CPULimits = fixture.Limits("100m", "200m", "300m", "400m", "500m", "600m", "700m", "800m")
			finished(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
		})
		own := planned(&e)
		for n := range own {
			measured(&own[n], 25_000)
		}
		gather(&e, own)
		e.Status.Speed = []v1beta1.PoolSpeed{{HashMicrosecondsAtCost8: 14_250, MedianPerMille: 1012, ErrorPerMille: 6, LowPerMille: 930, HighPerMille: 1090}}
		for n := range e.Status.Results {
			e.Status.Results[n].Speed = &v1beta1.RowSpeed{LowPerMille: 940, MedianPerMille: 1010, HighPerMille: 1080}
		}
		experiments, trials = append(experiments, e), append(trials, own...)
	}
	return state(experiments, trials)
}

// A scrape up to the text that is sent.
func BenchmarkScrapeOfAHundredExperiments(b *testing.B) {
	registry := prometheus.NewRegistry()
	registry.MustRegister(exporter{hundred()})
	for b.Loop() {
		if _, err := registry.Gather(); err != nil {
			b.Fatal(err)
		}
	}
}
