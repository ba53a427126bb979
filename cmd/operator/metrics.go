package main

import (
	ctrl "sigs.k8s.io/controller-runtime"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/hashmark-dev/hashmark/controllers"
)

// setupMetrics adds Hashmark's series to those of controller-runtime, and returns the Tally of
// the reconcilers.
func setupMetrics(mgr ctrl.Manager, flags *flags) (controllers.Tally, error) {
	tally := controllers.NewCounts()
	return tally, ctrlmetrics.Registry.Register(&controllers.Metrics{
		Cache: mgr.GetCache(), Elected: mgr.Elected(), Tally: tally,
		MaxExperiments: flags.metricsMaxExperiments, MaxConcurrent: flags.maxConcurrentTrials, StartTimeout: flags.startTimeout,
	})
}
