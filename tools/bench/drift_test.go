//go:build bench

package bench

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/test/fixture"
	"github.com/hashmark-dev/hashmark/tools/bench/figures"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

const (
	// quickstartManifest is the sample, relative to testdata.
	quickstartManifest = "../../../config/samples/quickstart"
	// trialsCompared is the number of trials of the first two quickstarts.
	trialsCompared = 12
)

// TestDrift runs the quickstart, with a third CPU limit, three times, while the machine's speed may
// drift, and compares trials and recommendations. The short run runs it once.
func TestDrift(t *testing.T) {
	w, r := onCluster(t), begin(t, "drift")
	var runs []quickstartRun
	for number := range pick(3, 1) {
		runs = append(runs, w.quickstart(t, number+1, "250m"))
	}
	addMaxima(r, runs)
	addRuns(r, runs)
	conclude(t, r)
}

// quickstartRun is one of several runs of the same experiment.
type quickstartRun struct {
	number     int
	experiment *v1beta1.SizingExperiment
	trials     []v1beta1.SizingTrial
}

// quickstart runs the quickstart, with more CPU limits.
func (w testNamespace) quickstart(t *testing.T, number int, more ...string) quickstartRun {
	t.Helper()
	e := w.experiment(t, fmt.Sprintf("quickstart-%d", number), quickstartManifest)
	e.Spec.Matrix.CPULimits = append(e.Spec.Matrix.CPULimits, fixture.Limits(more...)...)
	trials := matrix.Measurements(w.measure(t, e))
	return quickstartRun{number: number, experiment: e, trials: trials}
}

// reference returns the run's reference speed, or nil if it is unknown.
func (q quickstartRun) reference() *v1beta1.PoolSpeed {
	if len(q.experiment.Status.Speed) != 1 {
		return nil
	}
	return &q.experiment.Status.Speed[0]
}

// row returns a variant's row, or nil.
func (q quickstartRun) row(variant string) *v1beta1.VariantResult {
	rows := q.experiment.Status.Results
	if at := slices.IndexFunc(rows, func(r v1beta1.VariantResult) bool { return r.Variant == variant }); at >= 0 {
		return &rows[at]
	}
	return nil
}

// recommends returns the size that the run recommends, such as 2×c10-500m.
func (q quickstartRun) recommends() string { return q.experiment.Status.Display.Recommended }

// maximum is a trial's throughput at saturation, in logins of cost 8 per second and CPU.
type maximum struct {
	name string
	// observed is the uncorrected value, and speed the hash time ÷ the reference.
	observed, speed float64
	// atReference is the value at the reference speed of all runs.
	atReference float64
}

// addMaxima adds the maximum of each trial, and how much the maxima differ, as observed and at
// the reference speed. Each run has its own reference speed; the maxima are converted to the
// median of them.
func addMaxima(r *report.Report, runs []quickstartRun) {
	common := commonReference(runs)
	var all []maximum
	for _, run := range runs {
		for _, trial := range run.trials {
			all = append(all, maximumOf(run, trial, common))
		}
	}
	all = all[:min(len(all), trialsCompared)]
	var observed, atReference []float64
	for _, m := range all {
		observed, atReference = append(observed, m.observed), append(atReference, m.atReference)
		r.Add("maximum at the reference speed in logins of cost 8 per CPU, "+m.name, m.atReference, report.Goal{},
			fmt.Sprintf("%.1f as observed, when a hash took %.3f of the reference", m.observed, m.speed))
	}
	trials := fmt.Sprintf("%d trials", len(all))
	r.Add("standard deviation of them ÷ mean", figures.Deviation(atReference), report.AtMost(0.015), trials)
	r.Add("largest ÷ smallest of them", figures.Range(atReference), report.AtMost(1.05), trials)
	r.Add("standard deviation ÷ mean as observed", figures.Deviation(observed), report.Goal{}, "includes the drift of the machine's speed")
	r.Add("largest ÷ smallest as observed", figures.Range(observed), report.Goal{}, "")
}

// commonReference returns the median of the runs' reference speeds, in microseconds at cost 8.
func commonReference(runs []quickstartRun) float64 {
	var references []float64
	for _, run := range runs {
		if reference := run.reference(); reference != nil {
			references = append(references, float64(reference.HashMicrosecondsAtCost8))
		}
	}
	return figures.Median(references)
}

// maximumOf returns a trial's maximum, with NaN for unknown numbers.
func maximumOf(run quickstartRun, trial v1beta1.SizingTrial, common float64) maximum {
	m := maximum{name: fmt.Sprintf("run %d %s", run.number, trial.Spec.Variant.Name), observed: math.NaN(), speed: math.NaN(), atReference: math.NaN()}
	limit, calibration := resource.MustParse(trial.Spec.Variant.CPULimit), trial.Status.Calibration
	if calibration == nil || calibration.RatioPerMillion == 0 {
		return m
	}
	// A login of cost c counts as this many of cost 8.
	perCPU := float64(calibration.RatioPerMillion) / 1e6 / limit.AsApproximateFloat64() / 1000
	for _, step := range trial.Status.Steps {
		if step.Kind == v1beta1.StepSaturation && step.ThroughputMilliPerSecond != nil && step.Speed != nil {
			m.observed = float64(*step.ThroughputMilliPerSecond) * perCPU
			m.speed = float64(step.Speed.PerMille) / 1000
		}
	}
	row, reference := run.row(trial.Spec.Variant.Name), run.reference()
	if row != nil && row.MaxThroughputMilliPerSecond != nil && reference != nil {
		m.atReference = float64(*row.MaxThroughputMilliPerSecond) * perCPU * float64(reference.HashMicrosecondsAtCost8) / common
	}
	return m
}

// addRuns adds what a user sees of the runs: how many rows are Valid, how much capacities
// differ, and whether the recommendations agree.
func addRuns(r *report.Report, runs []quickstartRun) {
	for _, run := range runs {
		valid := 0
		for _, row := range run.experiment.Status.Results {
			if row.Verdict == v1beta1.VerdictValid {
				valid++
			}
		}
		notes := verdicts(run.trials)
		if reference := run.reference(); reference != nil {
			notes += fmt.Sprintf("; the time per hash varied from %d to %d ‰ of %d µs", reference.LowPerMille, reference.HighPerMille, reference.HashMicrosecondsAtCost8)
		}
		r.Add(fmt.Sprintf("Valid rows of %d, run %d", len(run.experiment.Status.Results), run.number), float64(valid), report.AtLeast(5), notes)
	}
	if len(runs) < 2 {
		return
	}
	common := commonReference(runs)
	for _, row := range runs[0].experiment.Status.Results {
		var capacities []float64
		intervals := ""
		for _, run := range runs {
			capacity, reference := math.NaN(), run.reference()
			if other := run.row(row.Variant); other != nil && other.CapacityMilliPerSecond != nil && reference != nil {
				atCommon := float64(reference.HashMicrosecondsAtCost8) / common / 1000
				capacity = float64(*other.CapacityMilliPerSecond) * atCommon
				if i := other.CapacityInterval; i != nil {
					intervals += fmt.Sprintf(" %.2f to %.2f", float64(i.LowMilliPerSecond)*atCommon, float64(i.HighMilliPerSecond)*atCommon)
				}
			}
			capacities = append(capacities, capacity)
		}
		r.Add("farthest capacity at the reference speed from the median, as a share of it, "+row.Variant, figures.Farthest(capacities), report.AtMost(0.05), fmt.Sprintf("%.2f with intervals%s", capacities, intervals))
	}
	agree, pairs, sizes := 0, 0, ""
	for i, one := range runs {
		sizes += " " + one.recommends()
		for _, other := range runs[i+1:] {
			pairs++
			if one.agrees(other) && other.agrees(one) {
				agree++
			}
		}
	}
	r.Add("pairs of runs that recommend the same, or what the other's intervals allow", float64(agree), report.AtLeast(float64(pairs)),
		fmt.Sprintf("of %d:%s", pairs, sizes))
}

// agrees reports whether a run's recommendation is also the other's, or is a size that serves
// the demand if the capacity is at the upper end of the other's interval.
func (q quickstartRun) agrees(other quickstartRun) bool {
	answer, demand := q.experiment.Status.Recommendation, q.experiment.Spec.Demand
	if answer == nil || answer.Variant == "" || demand == nil {
		return q.recommends() == other.recommends()
	}
	row := other.row(answer.Variant)
	if q.recommends() == other.recommends() {
		return true
	}
	if row == nil || row.CapacityInterval == nil {
		return false
	}
	wanted := demand.MilliPerSecond() * (100 + int64(ptr.Deref(demand.HeadroomPercent, 30))) / 100
	return int64(answer.Replicas)*row.CapacityInterval.HighMilliPerSecond >= wanted
}
