package report

import (
	"fmt"
	"io"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// The units of a trial's numbers. All but the last are at the experiment's reference
// speed; the last is the median time of a hash of cost 8 as observed in the trial. They
// are base units (seconds, not nanoseconds), to which benchstat converts anyway.
const (
	unitP95      = "p95-sec"
	unitHash     = "hash-sec"
	unitCapacity = "capacity-logins/s"
	unitMaximum  = "maximum-logins/s"
	unitSpeed    = "observed-hash8-sec"
)

// better says for each unit whether lower or higher values are better.
var better = []struct{ unit, better string }{
	{unitP95, "lower"}, {unitHash, "lower"}, {unitCapacity, "higher"}, {unitMaximum, "higher"}, {unitSpeed, "lower"},
}

// Benchfmt writes the Go benchmark format with a line for each trial with a usable result,
// so that benchstat shows for two files what changed and whether chance explains it. The
// configuration has only what numbers can't be compared without, since benchstat separates
// different values of it.
func Benchfmt(w io.Writer, d Document) error {
	writer := benchfmt.NewWriter(w)
	for _, b := range better {
		key := benchfmt.UnitMetadataKey{Unit: b.unit, Key: "better"}
		if err := writer.Write(&benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: b.unit, Value: b.better}); err != nil {
			return err
		}
	}
	for _, row := range d.Rows {
		for _, trial := range row.Repetitions {
			if err := d.writeTrial(writer, row, trial); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d Document) writeTrial(w *benchfmt.Writer, row Row, trial *v1alpha1.SizingTrial) error {
	values := benchValues(trial)
	if len(values) == 0 {
		return nil
	}
	iterations := 1
	if samples := trial.Status.Result.Samples; samples != nil && *samples > 0 {
		iterations = int(*samples)
	}
	return w.Write(&benchfmt.Result{
		Config: []benchfmt.Config{
			{Key: "objective", Value: []byte(benchObjective(d.Experiment.Spec.Objective)), File: true},
			{Key: "load", Value: []byte(units.Line(string(d.Experiment.Spec.Load.Mode))), File: true},
		},
		Name: benchfmt.Name(benchName(row.Variant)), Iters: iterations, Values: values,
	})
}

// benchObjective returns the objective as text: p95<=1000ms errors<=1/1000.
func benchObjective(o v1alpha1.Objective) string {
	text := fmt.Sprintf("p95<=%dms errors<=%d/1000", o.P95Milliseconds, o.MaxErrorPerMille)
	if o.P50Milliseconds > 0 {
		text = fmt.Sprintf("p50<=%dms ", o.P50Milliseconds) + text
	}
	if o.P99Milliseconds > 0 {
		text += fmt.Sprintf(" p99<=%dms", o.P99Milliseconds)
	}
	return text
}

// benchName returns a name with one part per property, which benchstat can group by. The
// CPU limit is last and a plain number: a dash and digits at the end of the name, as in
// the name of a node pool, would be read as GOMAXPROCS.
func benchName(v v1alpha1.Variant) string {
	parts := []string{"Login"}
	if v.Control != "" {
		parts = append(parts, "control="+v.Control)
	} else {
		parts = append(parts, fmt.Sprintf("cost=%d", v.Cost))
	}
	if v.NodePool != nil {
		parts = append(parts, "pool="+v.NodePool.Name)
	}
	parts = append(parts, "concurrency="+benchConcurrency(v.Concurrency), "cpu="+plainCPU(v.CPULimit))
	for i, part := range parts {
		parts[i] = strings.NewReplacer("/", "_", " ", "_").Replace(units.Line(part))
	}
	return strings.Join(parts, "/")
}

func benchConcurrency(c v1alpha1.Concurrency) string {
	if c.Mode == v1alpha1.ConcurrencyUnbounded {
		return "unbounded"
	}
	text := "pool"
	if c.Workers != nil {
		text += fmt.Sprintf("%d", *c.Workers)
	}
	if c.QueueLength != nil {
		text += fmt.Sprintf("q%d", *c.QueueLength)
	}
	return text
}

// plainCPU returns a CPU limit in CPUs, such as 0.25.
func plainCPU(limit string) string {
	milli, err := matrix.MilliCPU(limit)
	if err != nil {
		return limit
	}
	return thousandths(&milli)
}

func benchValues(trial *v1alpha1.SizingTrial) []benchfmt.Value {
	result := trial.Status.Result
	var values []benchfmt.Value
	add := func(n *int64, perUnit float64, unit string) {
		if n != nil {
			values = append(values, benchfmt.Value{Value: float64(*n) / perUnit, Unit: unit})
		}
	}
	add(result.P95Microseconds, 1e6, unitP95)
	add(result.CapacityMilliPerSecond, 1e3, unitCapacity)
	add(result.MaxThroughputMilliPerSecond, 1e3, unitMaximum)
	if result.Calibration != nil {
		add(&result.Calibration.HashMicroseconds, 1e6, unitHash)
	}
	if speed := trial.Status.Speed; speed != nil && speed.HashMicrosecondsAtCost8 > 0 {
		add(&speed.HashMicrosecondsAtCost8, 1e6, unitSpeed)
	}
	return values
}
