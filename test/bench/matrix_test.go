//go:build bench

package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

const (
	// verifiedSamples is the smallest number of samples for which p95 has an interval.
	verifiedSamples = 72
	// minutesForTwelve is the limit of the time under load of twelve variants.
	minutesForTwelve = 15
)

// TestMatrix measures the load time of a matrix of twelve variants, and the overhead besides
// the load.
func TestMatrix(t *testing.T) {
	w, r := onCluster(t), begin(t, "matrix")
	var changes []change
	if *cut {
		changes = []change{costs(8, 10), limits("500m", "1")}
	}
	trials := w.measure(t, w.experiment(t, "matrix", "matrix", changes...))
	var load time.Duration
	unverified := 0
	for _, trial := range trials {
		load += loadplan.Duration(loadplan.Ran(&trial))
		if feasible(trial) && verified(trial) == 0 {
			unverified++
		}
	}
	r.Add(fmt.Sprintf("minutes of load, %d variants", len(trials)), load.Minutes(),
		report.AtMost(minutesForTwelve*float64(len(trials))/12), verdicts(trials))
	r.Add("feasible variants without a verified step", float64(unverified), report.AtMost(0),
		fmt.Sprintf("a step with at least %d successes", verifiedSamples))
	for _, trial := range trials {
		r.Add("verified steps, "+trial.Spec.Variant.Name, float64(verified(trial)), report.Goal{}, answer(trial))
	}
	conclude(t, r)
	reportOverhead(t, trials)
}

// feasible reports whether the model predicts that some rate meets the objective.
func feasible(trial v1alpha1.SizingTrial) bool {
	return trial.Status.Prediction == nil || trial.Status.Prediction.CapacityMilliPerSecond != nil
}

// verified returns the number of open steps with enough successes.
func verified(trial v1alpha1.SizingTrial) int {
	count := 0
	for _, step := range trial.Status.Steps {
		if step.Kind == v1alpha1.StepOpen && step.OK >= verifiedSamples {
			count++
		}
	}
	return count
}

// answer returns the capacity and how it was determined.
func answer(trial v1alpha1.SizingTrial) string {
	result := trial.Status.Result
	switch {
	case result == nil:
		return string(trial.Status.Phase)
	case result.CapacityMilliPerSecond == nil:
		return fmt.Sprintf("no capacity; %s", result.Verdict)
	}
	return fmt.Sprintf("%.2f/s, %s; %s", float64(*result.CapacityMilliPerSecond)/1000, result.CapacityMethod, result.Verdict)
}
