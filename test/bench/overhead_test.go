//go:build bench

package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

// stages are the parts of a trial that are neither calibration nor load.
var stages = []struct {
	name string
	of   func(lifecycle.Overhead) time.Duration
}{
	{"until the calibration starts", func(o lifecycle.Overhead) time.Duration { return o.Deploying }},
	{"from its end to the Job", func(o lifecycle.Overhead) time.Duration { return o.Preparing }},
	{"until the generator starts", func(o lifecycle.Overhead) time.Duration { return o.Starting }},
	{"k6's own start and end", func(o lifecycle.Overhead) time.Duration { return o.Driving }},
	{"until the result is written", func(o lifecycle.Overhead) time.Duration { return o.Judging }},
	{"until all objects are deleted", func(o lifecycle.Overhead) time.Duration { return o.Removing }},
}

// reportOverhead reports how the overhead of the trials with load is distributed. Times are
// reported, and never fail.
func reportOverhead(t *testing.T, trials []v1alpha1.SizingTrial) {
	t.Helper()
	r := begin(t, "overhead")
	var totals, turns []float64
	parts := make([][]float64, len(stages))
	for i, trial := range trials {
		if overhead, known := lifecycle.OverheadOf(&trial); known {
			totals = append(totals, overhead.Total().Seconds())
			for n, stage := range stages {
				parts[n] = append(parts[n], stage.of(overhead).Seconds())
			}
		}
		if i > 0 && len(trial.Status.Attempts) > 0 && trials[i-1].Status.CompletionTime != nil {
			turns = append(turns, trial.Status.Attempts[0].StartTime.Sub(trials[i-1].Status.CompletionTime.Time).Seconds())
		}
	}
	r.Add("seconds of overhead per trial", figures.Median(totals), report.AtMost(10).ReportOnly(),
		fmt.Sprintf("median of %d trials; all but warm-up, settling, counted time, drain and calibration", len(totals)))
	for n, stage := range stages {
		r.Add(stage.name, figures.Median(parts[n]), report.Goal{}, "seconds, median")
	}
	r.Add("until the next trial starts", figures.Median(turns), report.Goal{}, "seconds, median, in addition to the above")
	conclude(t, r)
}
