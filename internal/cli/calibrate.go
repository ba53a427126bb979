package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

const (
	// referenceCost is timed alternately with each cost.
	referenceCost = 8
	// leastHashes is how many hashes of a cost are timed at least.
	leastHashes = 3
	// shortestCalibration and longestCalibration are the limits of --duration.
	shortestCalibration, longestCalibration = 5 * time.Second, time.Hour
)

var predictedLimits = []intstr.IntOrString{
	intstr.FromString("250m"), intstr.FromString("500m"), intstr.FromInt32(1), intstr.FromInt32(2), intstr.FromInt32(4), intstr.FromInt32(8),
}

type calibrate struct {
	program  Program
	costs    []int32
	duration time.Duration
	format   string
	changed  change
}

type machine struct {
	// wall returns the wall-clock time, and cpu the CPU time of the calling thread. Only
	// differences are used.
	wall func() time.Duration
	cpu  func() (time.Duration, error)
	// prepare returns a function that computes one hash of a cost.
	prepare func(cost int32) (func() error, error)
}

// thisMachine computes real hashes, and reads the clock and the CPU time of the thread.
func thisMachine(clock clock.PassiveClock) *machine {
	begin := clock.Now()
	return &machine{
		wall: func() time.Duration { return clock.Since(begin) },
		cpu:  threadTime,
		prepare: func(cost int32) (func() error, error) {
			return password.Prepare(password.Recipe{Algorithm: password.Bcrypt, Cost: cost})
		},
	}
}

var calibrations = map[string]layout{
	"table": report.Calibration, "json": asJSON(calibratedOf), "yaml": asYAML(calibratedOf),
}

func calibrateCommand(p Program) *cobra.Command {
	c := &calibrate{program: p}
	command := &cobra.Command{
		Use:   "calibrate",
		Short: "Time hashes on this machine, without a cluster, and predict capacities from them",
		Long: `Times bcrypt on one thread of this machine, and shows how long a hash of each cost
takes, its interval, and how much the speed of the CPU varied meanwhile. From these
times the model predicts the capacity of a login service with CPU limits from 250m
to 8, and with --rate which size would serve that rate.

It deploys nothing and does not connect to a cluster. The result is a prediction for
pods on CPUs like this one; measure it with a SizingExperiment before you rely on it.

Exit codes: 0 if a size is predicted to serve the rate, or if no rate is given, 1 if
no size is, 2 if there is no result.`,
		Example: `  kubectl hashmark calibrate
  kubectl hashmark calibrate --rate 20 --p95 300ms
  kubectl hashmark calibrate --costs 10,11,12 --duration 30s -o json`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return c.run(command.Context()) },
	}
	command.Flags().Int32SliceVar(&c.costs, "costs", []int32{8, 9, 10, 11, 12, 13, 14}, "bcrypt costs to time, each from 4 to 16")
	command.Flags().DurationVar(&c.duration, "duration", time.Minute, "approximate time to spend on all costs together")
	addFormat(command, &c.format, sorted(calibrations))
	c.changed.addTo(command.Flags())
	return command
}

func (c *calibrate) run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	spec, err := c.spec()
	if err != nil {
		return err
	}
	timed, err := c.time(ctx)
	if err != nil {
		return err
	}
	status, err := sizing.Calibrated(spec, timed)
	if err != nil {
		return err
	}
	if err := c.checkPredictions(status.Predictions); err != nil {
		return err
	}
	document := report.New(&v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Name: "calibrate"}, Spec: spec, Status: *status}, nil)
	if err := calibrations[c.format](c.program.Streams.Out, document); err != nil {
		return err
	}
	if spec.Demand == nil {
		return nil
	}
	return met(document)
}

// checkPredictions prints the costs that were timed but have no prediction. It returns an
// error if there are no predictions at all.
func (c *calibrate) checkPredictions(predictions []v1beta1.PredictedVariant) error {
	if len(predictions) == 0 {
		return errors.New("nothing can be predicted: no cost of --costs takes between 2 ms and its share of --duration on this machine; name other costs")
	}
	for _, cost := range c.costs {
		if cost < predictions[0].Cost {
			fmt.Fprintf(c.program.messages(), "Cost %d is not predicted: a hash takes less than 2 ms, so that the latency depends on more than hashing\n", cost)
		}
	}
	return nil
}

// check returns an error that says which flag to change if the options are invalid.
func (c *calibrate) check() error {
	slices.Sort(c.costs)
	for i, cost := range c.costs {
		if cost < password.MinCost || cost > password.MaxCost {
			return fmt.Errorf("--costs names %d: %w", cost, password.ErrCost)
		}
		if i > 0 && cost == c.costs[i-1] {
			return fmt.Errorf("--costs names %d twice; remove one of them", cost)
		}
	}
	if len(c.costs) == 0 {
		return errors.New("--costs is empty; name at least one cost, such as 10")
	}
	if c.duration < shortestCalibration || c.duration > longestCalibration {
		return fmt.Errorf("--duration %s: must be between %s and %s", c.duration, shortestCalibration, longestCalibration)
	}
	return nil
}

// spec returns an experiment for the flags. It sets the API's defaults, since no API
// server does so here.
func (c *calibrate) spec() (v1beta1.SizingExperimentSpec, error) {
	return c.changed.apply(v1beta1.SizingExperimentSpec{
		Matrix: v1beta1.Matrix{Costs: c.costs, CPULimits: predictedLimits},
		// The longest timeout that the API allows, so that any p95 can be an objective.
		Load:      v1beta1.Load{RequestTimeoutSeconds: 60},
		Objective: v1beta1.Objective{P95Milliseconds: 1000, MaxErrorPerMille: ptr.To[int32](v1beta1.DefaultMaxErrorPerMille)},
	})
}

// time times the hashes of each cost, one cost after another, on this thread.
func (c *calibrate) time(ctx context.Context) (map[int32]*handover.Calibration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := c.program.machine
	if m == nil {
		m = thisMachine(c.program.Clock)
	}
	prepare := func(cost int32) (func() error, error) {
		hash, err := m.prepare(cost)
		return func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return hash()
		}, err
	}
	calibrator := calibration.Calibrator{
		Meter:         calibration.Meter{CPU: m.cpu, Wall: m.wall},
		Limits:        limits(c.duration / time.Duration(len(c.costs))),
		ReferenceCost: referenceCost,
		Prepare:       prepare,
	}
	timed := map[int32]*handover.Calibration{}
	for i, cost := range c.costs {
		fmt.Fprintf(c.program.messages(), "Timing cost %d (%d of %d)\n", cost, i+1, len(c.costs))
		timing, err := calibrator.Run(cost)
		if err != nil {
			return nil, err
		}
		result := calibration.NewResult(timing, handover.Surroundings{GoMaxProcs: int32(runtime.GOMAXPROCS(0)), GoVersion: runtime.Version()})
		if result.ScaledFromCost != nil {
			fmt.Fprintf(c.program.messages(), "Cost %d is left out: a hash takes too long for its share of --duration %s; raise --duration, or name fewer --costs\n", cost, c.duration)
			continue
		}
		timed[cost] = &result.Calibration
	}
	return timed, nil
}

// limits divides the time for one cost: most of it is for the hash, the rest for the
// reference hash and the warm-up.
func limits(share time.Duration) calibration.Limits {
	part := func(factor float64) time.Duration { return time.Duration(math.Round(factor * float64(share))) }
	limits := calibration.Standard
	limits.Least, limits.LeastSamples, limits.Most = part(0.6), leastHashes, part(2)
	limits.Reference, limits.WarmUp = part(0.2), part(0.05)
	return limits
}

func calibratedOf(d report.Document) answer {
	a, status := answerOf(d), d.Experiment.Status
	a.Experiment, a.Speed, a.HashTimes, a.CostFits = "", status.Speed, status.HashTimes, status.CostFits
	return a
}
