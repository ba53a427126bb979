//go:build bench

package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
	"github.com/hashmark-dev/hashmark/test/lab"
)

// stages are the parts of a trial that are neither calibration nor load, in
// their order. They lie between moments, but for k6's own, which is what its
// container lived beyond the plan.
var stages = []struct {
	name        string
	from, until lab.Moment
}{
	{"until the calibration runs", lab.Begun, lab.Calibrating},
	{"from there to the Job", lab.Calibrated, lab.Loading},
	{"until the generator runs", lab.Loading, lab.Driving},
	{"k6's own start and end", lab.Driving, lab.Driven},
	{"until the result is kept", lab.Driven, lab.Kept},
}

// lastStage is from the result to the next trial's beginning.
const lastStage = "until the next trial begins"

// tellOverhead says where the seconds of the trials went that were driven at
// the first attempt. Times are told, not asked for.
func tellOverhead(t *testing.T, trials []v1alpha1.SizingTrial, line *lab.Timeline, end time.Time) {
	t.Helper()
	r := begin(t, "overhead")
	parts, totals := map[string][]float64{}, []float64(nil)
	for i, trial := range trials {
		moments := line.Of(trial.UID)
		if len(moments) < len(stages) || len(trial.Status.Attempts) != 1 || planned(t, trial) == 0 {
			continue
		}
		next := end
		if i+1 < len(trials) {
			next = line.Of(trials[i+1].UID)[lab.Begun]
		}
		total := 0.0
		for name, seconds := range overheadOf(moments, planned(t, trial), next) {
			parts[name] = append(parts[name], seconds)
			total += seconds
		}
		totals = append(totals, total)
	}
	r.Add("seconds of overhead per trial, median", figures.Median(totals), report.AtMost(10).Told(),
		fmt.Sprintf("%d trials; all but warm-up, settling, counted time, drain and calibration", len(totals)))
	for _, stage := range stages {
		r.Add(stage.name, figures.Median(parts[stage.name]), report.Goal{}, "seconds, median")
	}
	r.Add(lastStage, figures.Median(parts[lastStage]), report.Goal{}, "seconds, median")
	conclude(t, r)
}

// overheadOf is a trial's seconds in each stage. A generator that was made early
// and waits has driven only since its load began.
func overheadOf(moments map[lab.Moment]time.Time, plan time.Duration, next time.Time) map[string]float64 {
	seconds := map[string]float64{lastStage: next.Sub(moments[lab.Kept]).Seconds()}
	for _, stage := range stages {
		from, until := moments[stage.from], moments[stage.until]
		if stage.from == lab.Driving && from.Before(moments[lab.Loading]) {
			from = moments[lab.Loading]
		}
		seconds[stage.name] = max(0, until.Sub(from).Seconds())
		if stage.from == lab.Driving {
			seconds[stage.name] -= plan.Seconds()
		}
	}
	return seconds
}
