package measurement

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// SendingTolerance is how long after the counted part a login may be sent that
// was due in it. Timers wake a caller a millisecond or two late, and a login due
// at the very end is not one that the generator failed to offer; how late logins
// are is told by the start lag.
const SendingTolerance = 20 * time.Millisecond

// window is a step with its counted part on the plan's clock.
type window struct {
	loadplan.Step
	open          bool
	from, to, end time.Duration
}

func windowOf(step loadplan.Step) window {
	from := time.Duration(step.StartMilliseconds+step.SettleMilliseconds) * time.Millisecond
	return window{
		Step: step,
		open: step.Kind == loadplan.Open || step.Kind == loadplan.Warmup,
		from: from,
		to:   from + time.Duration(step.CountedMilliseconds)*time.Millisecond,
		end:  time.Duration(step.EndMilliseconds()) * time.Millisecond,
	}
}

// check holds the records of a step against what the plan allows.
func (w window) check(step int, records []Record) error {
	seen := make(map[int]struct{}, len(records))
	for _, r := range records {
		if _, twice := seen[r.Index]; twice {
			return fmt.Errorf("%w: login %d of step %d came twice", ErrGarbled, r.Index, step)
		}
		seen[r.Index] = struct{}{}
		if r.Index < 0 || w.open && r.Index >= w.SettleRequests+w.Requests {
			return fmt.Errorf("%w: step %d has no login %d", ErrGarbled, step, r.Index)
		}
		if r.Sent < r.Due || r.Outcome != Cut && r.Ended < r.Sent {
			return fmt.Errorf("%w: login %d of step %d was due at %s, sent at %s and ended at %s",
				ErrGarbled, r.Index, step, r.Due, r.Sent, r.Ended)
		}
	}
	return nil
}

// counts tells whether a login belongs to the counted part.
func (w window) counts(r Record) bool {
	if w.open {
		return r.Index >= w.SettleRequests
	}
	return r.Sent >= w.from && r.Sent < w.to
}

// outcome is a login's, once the drain's end is taken into account: whatever
// happened after it happened because k6 was stopping the step.
func (w window) outcome(r Record) Outcome {
	if r.Outcome != OK && r.Ended >= w.end {
		return Cut
	}
	return r.Outcome
}

// latency in microseconds, from when it is charged.
func (w window) latency(r Record) int64 {
	if w.open {
		return (r.Ended - r.Due).Microseconds()
	}
	return (r.Ended - r.Sent).Microseconds()
}

// result computes a step's figures and returns the sorted latencies of its
// successes beside them.
func (w window) result(records []Record) (StepResult, []int64) {
	result := StepResult{CountedMicroseconds: (w.to - w.from).Microseconds()}
	var successes, lags []int64
	for _, r := range records {
		if !w.counts(r) {
			continue
		}
		outcome := w.outcome(r)
		result.count(outcome)
		if outcome == OK {
			successes = append(successes, w.latency(r))
		}
		if r.Sent < w.to+SendingTolerance {
			result.SentInWindow++
		}
		lags = append(lags, (r.Sent - r.Due).Microseconds())
	}
	if w.open {
		w.setHalves(&result, records)
		result.NeverSent = int64(w.Requests - len(lags))
		result.Scheduled += result.NeverSent
		slices.Sort(lags)
		// However few were sent, how late they were says something of the generator.
		lag := latencies{successes: lags, scheduled: len(lags)}
		result.LagP95Microseconds = lag.atRank(nearestRank(950, len(lags)))
		result.LagP99Microseconds = lag.atRank(nearestRank(990, len(lags)))
	}
	slices.Sort(successes)
	result.setLatencies(latencies{successes: successes, scheduled: int(result.Scheduled)})
	w.setThroughput(&result, records)
	return result, successes
}

func (s *StepResult) count(outcome Outcome) {
	s.Scheduled++
	switch outcome {
	case OK:
		s.OK++
	case Refused:
		s.Refused++
	case TimedOut:
		s.TimedOut++
	case OtherError:
		s.OtherErrors++
	case Cut:
		s.Cut++
	}
}

func (s *StepResult) setLatencies(l latencies) {
	s.P50Microseconds = l.percentile(500)
	s.P95Microseconds = l.percentile(950)
	s.P99Microseconds = l.percentile(990)
	s.P50Interval, s.P95Interval, s.P99Interval = l.interval(500), l.interval(950), l.interval(990)
	s.MaxMicroseconds = l.atRank(len(l.successes))
}

// setThroughput counts answers by when they came, whichever part of the step
// their login was due in.
func (w window) setThroughput(s *StepResult, records []Record) {
	for _, r := range records {
		if w.completes(r) {
			s.CompletedInWindow++
		}
	}
	rate := perSecondMilli(float64(s.CompletedInWindow), s.CountedMicroseconds)
	if w.Kind == loadplan.Saturation {
		if s.CompletedInWindow < 2 {
			return
		}
		rate = perSecondMilli(w.logins(records), s.CountedMicroseconds)
	}
	s.ThroughputMilliPerSecond = &rate
}

// completes tells whether a success came while the counted part lasted.
func (w window) completes(r Record) bool {
	return r.Outcome == OK && r.Ended >= w.from && r.Ended < w.to
}
