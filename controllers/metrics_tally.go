package controllers

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Tally is told what ended, once, after it was written down.
type Tally interface {
	// AttemptEnded counts an attempt.
	AttemptEnded(outcome v1alpha1.AttemptOutcome, reason string)
	// StageTook counts a stage of a trial that was measured under load.
	StageTook(stage telemetry.Stage, took time.Duration)
}

// tally counts what ended in a pass. It comes after the status was written: an
// operator that is killed between the two, or whose write was done and its
// answer lost, misses a count, and none is ever counted twice. A trial that was
// gone when it was to be written has the version that it was read with.
func (r *TrialReconciler) tally(seen *lifecycle.Observation, before *v1alpha1.SizingTrial) {
	trial := seen.Trial
	if trial.ResourceVersion == before.ResourceVersion {
		return
	}
	if attempt, ended := telemetry.JustEnded(&before.Status, &trial.Status); ended {
		r.Tally.AttemptEnded(attempt.Outcome, attempt.Reason)
	}
	if !telemetry.JustReleased(before, trial) || trial.Status.Calibration == nil {
		return
	}
	// The Job is gone by now: where the experiment names no limit for the
	// generator, the plan is that of today's flags.
	plan, err := loadplan.Build(seen.LoadSpec(), speed.PlannedFor(trial.Status), trial.Status.Prediction)
	if err != nil {
		return // no load was ever driven by a plan that can't be made
	}
	if trial.Spec.Role == v1alpha1.RoleVerification {
		plan = plan.First(len(trial.Status.Steps)) // the rest was not driven
	}
	for _, stage := range telemetry.StagesOf(trial, plan) {
		r.Tally.StageTook(stage.Stage, stage.Took)
	}
}

const (
	// mostReasons is how many pairs of outcome and reason are counted apart. The
	// operator's own are about 40; one comes from a generator's pod, which could be
	// made to invent more.
	mostReasons = 100
	// otherReason is what further ones are counted as.
	otherReason = "Other"
	// nativeFactor is how much wider each bucket of the native histogram is than
	// the last.
	nativeFactor = 1.1
	// mostNativeBuckets bounds its size.
	mostNativeBuckets = 100
)

// stageBuckets, in seconds, span what Kubernetes can tell apart and the longest
// plan: 1 s to 9 h.
var stageBuckets = prometheus.ExponentialBuckets(1, 2, 16)

// Counts is the Tally that Prometheus is told.
type Counts struct {
	attempts *prometheus.CounterVec
	stages   *prometheus.HistogramVec

	lock    sync.Mutex
	reasons map[[2]string]bool
}

// NewCounts begins to count at none. The ends that an alert looks at, and a
// dashboard divides by, are there from the start: Prometheus does not see the
// increase from nothing to one.
func NewCounts() *Counts {
	c := &Counts{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.AttemptsTotal, Help: telemetry.AttemptsTotalHelp,
		}, []string{"outcome", "reason"}),
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: telemetry.StageDurationSeconds, Help: telemetry.StageDurationSecondsHelp,
			Buckets: stageBuckets, NativeHistogramBucketFactor: nativeFactor, NativeHistogramMaxBucketNumber: mostNativeBuckets,
		}, []string{"stage"}),
		reasons: map[[2]string]bool{},
	}
	c.counter(v1alpha1.OutcomeKept, v1alpha1.ReasonMeasured)
	for _, reason := range []string{verdict.GeneratorSaturated, verdict.GeneratorThrottled, verdict.RateNotAchieved} {
		c.counter(v1alpha1.OutcomeInvalid, reason)
	}
	return c
}

// AttemptEnded counts an attempt.
func (c *Counts) AttemptEnded(outcome v1alpha1.AttemptOutcome, reason string) {
	c.counter(outcome, reason).Inc()
}

// StageTook counts a stage.
func (c *Counts) StageTook(stage telemetry.Stage, took time.Duration) {
	c.stages.WithLabelValues(string(stage)).Observe(took.Seconds())
}

// counter is that of an outcome and a reason, or of what there was no room for.
func (c *Counts) counter(outcome v1alpha1.AttemptOutcome, reason string) prometheus.Counter {
	c.lock.Lock()
	defer c.lock.Unlock()
	pair := [2]string{string(outcome), reason}
	switch {
	case c.reasons[pair]:
	case len(c.reasons) < mostReasons:
		c.reasons[pair] = true
	default:
		pair[1] = otherReason
	}
	return c.attempts.WithLabelValues(pair[:]...)
}

func (c *Counts) describe(descriptions chan<- *prometheus.Desc) {
	c.attempts.Describe(descriptions)
	c.stages.Describe(descriptions)
}

func (c *Counts) collect(values chan<- prometheus.Metric) {
	c.attempts.Collect(values)
	c.stages.Collect(values)
}
