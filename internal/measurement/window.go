package measurement

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// SendingTolerance is how long after the counted part a login that was due in it can be
// sent and still count as offered. Timers wake a caller a millisecond or two late, so a
// login due at the very end can be sent after it. The start lag shows how late logins are.
const SendingTolerance = 20 * time.Millisecond

// window is a step with the times of its counted part on the plan's clock.
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

func (w window) check(step int, records []Record) error {
	seen := make(map[int]struct{}, len(records))
	for _, r := range records {
		if _, twice := seen[r.Index]; twice {
			return fmt.Errorf("%w: login %d of step %d is recorded twice", ErrRecords, r.Index, step)
		}
		seen[r.Index] = struct{}{}
		if r.Index < 0 || w.open && r.Index >= w.SettleRequests+w.Requests {
			return fmt.Errorf("%w: step %d has no login %d", ErrRecords, step, r.Index)
		}
		if r.Sent < r.Due || r.Outcome != Cut && r.Ended < r.Sent {
			return fmt.Errorf("%w: login %d of step %d was due at %s, sent at %s and ended at %s",
				ErrRecords, r.Index, step, r.Due, r.Sent, r.Ended)
		}
	}
	return nil
}

func (w window) counts(r Record) bool {
	if w.open {
		return r.Index >= w.SettleRequests
	}
	return r.Sent >= w.from && r.Sent < w.to
}

// outcome returns the outcome of a login. After the end of the drain, every failure is Cut,
// because k6 was stopping the step.
func (w window) outcome(r Record) Outcome {
	if r.Outcome != OK && r.Ended >= w.end {
		return Cut
	}
	return r.Outcome
}

// latency returns the latency in microseconds, from the due time in open steps and from the
// sending in closed ones.
func (w window) latency(r Record) int64 {
	if w.open {
		return (r.Ended - r.Due).Microseconds()
	}
	return (r.Ended - r.Sent).Microseconds()
}

// result returns the numbers of a step and the sorted latencies of its successes.
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
		w.setLongestPause(&result, records)
		result.NeverSent = int64(w.Requests - len(lags))
		result.Scheduled += result.NeverSent
		slices.Sort(lags)
		// The lag describes the generator, so it does not need a minimum of logins.
		lag := latencies{successes: lags, scheduled: len(lags)}
		result.StartLagP95Microseconds = lag.atRank(nearestRank(950, len(lags)))
		result.StartLagP99Microseconds = lag.atRank(nearestRank(990, len(lags)))
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

// setThroughput counts responses by their time, whichever part of the step their login was
// due in.
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

func (w window) completes(r Record) bool {
	return r.Outcome == OK && r.Ended >= w.from && r.Ended < w.to
}

// logins returns the logins of the counted part of a closed loop. Each success counts by
// the share of its time that is in the counted part. In a loop that is always full, this is
// unbiased whether logins are answered one by one or in batches.
//
// A login that was answered after the counted part counts as at least as long as the lower
// quartile of those that were answered in it. If all logins share the CPU, its own time
// would be too short: once callers stop, the last logins have the CPU for themselves. With
// 66 callers, that made throughput 3 % too high.
func (w window) logins(records []Record) float64 {
	shortest := w.lowerQuartile(records)
	var logins float64
	for _, r := range records {
		if r.Outcome != OK || r.Ended < w.from || r.Sent >= w.to {
			continue
		}
		inside, span := min(r.Ended, w.to)-max(r.Sent, w.from), r.Ended-r.Sent
		if !w.completes(r) {
			span = max(span, shortest)
		}
		if span == 0 {
			logins++ // completely in the counted part
			continue
		}
		logins += float64(inside) / float64(span)
	}
	return logins
}

// lowerQuartile returns that of the times of the logins that were answered in the counted part.
func (w window) lowerQuartile(records []Record) time.Duration {
	var spans []time.Duration
	for _, r := range records {
		if w.completes(r) {
			spans = append(spans, r.Ended-r.Sent)
		}
	}
	slices.Sort(spans)
	if len(spans) == 0 {
		return 0
	}
	return spans[len(spans)/4]
}
