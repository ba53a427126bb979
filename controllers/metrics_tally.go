package controllers

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// Tally counts what ended, once, after the status was written.
type Tally interface {
	// AttemptEnded counts an attempt.
	AttemptEnded(outcome v1beta1.AttemptOutcome, reason string)
	// StageTook counts a stage of a trial that was measured under load.
	StageTook(stage telemetry.Stage, took time.Duration)
}

// tally counts what ended in a pass, after the status was written. If an operator is killed
// between the two, or its write succeeded but the response was lost, a count is missing.
// Nothing is counted twice. A trial that was deleted before its status was written still has
// the resource version that it was read with.
func (r *TrialReconciler) tally(seen *lifecycle.Observation, before *v1beta1.SizingTrial) {
	trial := seen.Trial
	if trial.ResourceVersion == before.ResourceVersion {
		return
	}
	if attempt, ended := telemetry.JustEnded(&before.Status, &trial.Status); ended {
		r.Tally.AttemptEnded(attempt.Outcome, attempt.Reason)
	}
	if !telemetry.JustReleased(before, trial) {
		return
	}
	for _, stage := range telemetry.StagesOf(trial) {
		r.Tally.StageTook(stage.Stage, stage.Took)
	}
}

const (
	// maxReasons is the number of pairs of outcome and reason that are counted separately. The
	// operator itself has about 40. One reason comes from the generator's pod, which could be
	// made to invent more.
	maxReasons = 100
	// otherReason is the reason that further pairs are counted under.
	otherReason = "Other"
	// nativeFactor is the ratio of the widths of neighbouring buckets of the native
	// histogram.
	nativeFactor = 1.1
	// maxNativeBuckets limits the size of the native histogram.
	maxNativeBuckets = 100
)

// stageBuckets, in seconds, range from the resolution of Kubernetes' times to the longest
// plan: 1 s to 9 h.
var stageBuckets = prometheus.ExponentialBuckets(1, 2, 16)

// Counts is the Tally that is exported to Prometheus.
type Counts struct {
	attempts *prometheus.CounterVec
	stages   *prometheus.HistogramVec

	lock    sync.Mutex
	reasons map[[2]string]bool
}

// NewCounts returns Counts at zero. The series that alerts and dashboards use exist from the
// start, because Prometheus does not see an increase from a missing series to one.
func NewCounts() *Counts {
	c := &Counts{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: telemetry.AttemptsTotal, Help: "Attempts that ended while this operator was the leader, by outcome and reason.",
		}, []string{"outcome", "reason"}),
		stages: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: telemetry.StageDurationSeconds, Help: "Duration of each stage of the trials that were measured under load while this operator was the leader, in whole seconds.",
			Buckets: stageBuckets, NativeHistogramBucketFactor: nativeFactor, NativeHistogramMaxBucketNumber: maxNativeBuckets,
		}, []string{"stage"}),
		reasons: map[[2]string]bool{},
	}
	c.counter(v1beta1.OutcomeKept, v1beta1.ReasonMeasured)
	for _, reason := range []string{v1beta1.ReasonGeneratorSaturated, v1beta1.ReasonGeneratorThrottled, v1beta1.ReasonRateNotAchieved} {
		c.counter(v1beta1.OutcomeInvalid, reason)
	}
	return c
}

// AttemptEnded counts an attempt.
func (c *Counts) AttemptEnded(outcome v1beta1.AttemptOutcome, reason string) {
	c.counter(outcome, reason).Inc()
}

// StageTook counts a stage.
func (c *Counts) StageTook(stage telemetry.Stage, took time.Duration) {
	c.stages.WithLabelValues(string(stage)).Observe(took.Seconds())
}

// counter returns the counter of an outcome and a reason, or of otherReason if there are too
// many pairs.
func (c *Counts) counter(outcome v1beta1.AttemptOutcome, reason string) prometheus.Counter {
	c.lock.Lock()
	defer c.lock.Unlock()
	pair := [2]string{string(outcome), reason}
	switch {
	case c.reasons[pair]:
	case len(c.reasons) < maxReasons:
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
