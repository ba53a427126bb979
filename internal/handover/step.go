package handover

import (
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// periodMilliseconds is the kernel's default quota period: the count of elapsed
// periods is told as its distance from what the clock and this make it.
const periodMilliseconds = 100

// tickMicroseconds is the unit in which the kernel counts idle, steal and busy
// time (proc_stat(5)).
const tickMicroseconds = 10_000

// finestShare of a long step is 0.01 %, to which these times are rounded: they
// are judged in thousandths.
const finestShare = 10_000

// walkStep goes through a step's numbers in the order they are handed over.
func walkStep(p *positions, s *measurement.StepResult) {
	walkPresence(p, s)
	p.millis(&s.CountedMicroseconds, p.unsigned)
	for _, count := range []*int64{&s.OK, &s.Refused, &s.TimedOut, &s.OtherErrors, &s.Cut, &s.NeverSent} {
		p.unsigned(count)
	}
	sum := s.OK + s.Refused + s.TimedOut + s.OtherErrors + s.Cut + s.NeverSent
	p.near(&s.Scheduled, sum)
	if s.Scheduled != sum {
		p.fail("%d logins were scheduled and %d accounted for", s.Scheduled, sum)
	}
	p.below(&s.SentInWindow, s.Scheduled)
	p.near(&s.CompletedInWindow, s.OK)
	if s.ThroughputMilliPerSecond != nil {
		p.near(s.ThroughputMilliPerSecond, perSecondMilli(s.CompletedInWindow, s.CountedMicroseconds))
	}
	walkLatencies(p, s)
	if s.Service != nil {
		walkService(p, s)
	}
	if s.Generator != nil {
		walkUsage(p, s.Generator, s.CountedMicroseconds)
	}
	if s.ServiceInFlightAfterDrain != nil {
		p.unsigned(s.ServiceInFlightAfterDrain)
	}
	if s.SlowerThanP95 != nil {
		p.above(s.SlowerThanP95, s.Scheduled-s.OK)
		if *s.SlowerThanP95 > s.Scheduled {
			p.fail("%d of %d logins were slow", *s.SlowerThanP95, s.Scheduled)
		}
	}
}

// perSecondMilli is near the throughput of most steps, and is bounded for numbers
// that no step has.
func perSecondMilli(count, microseconds int64) int64 {
	rate := float64(count) * 1e9 / float64(max(1, microseconds))
	return int64(max(0, min(float64(widest), rate)))
}

// walkLatencies tells each percentile by its distance from the one before, so
// that they can't be read back in another order than rising.
func walkLatencies(p *positions, s *measurement.StepResult) {
	rising(p, s.P50Microseconds, s.P95Microseconds, s.P99Microseconds, s.MaxMicroseconds)
	rising(p, s.LagP95Microseconds, s.LagP99Microseconds)
	walkHalves(p, s)
	switch {
	case s.P95Interval == nil:
	case s.P95Microseconds == nil:
		p.fail("a step has an interval of p95 and no p95")
	default:
		p.below(&s.P95Interval.LowMicroseconds, *s.P95Microseconds)
		p.above(&s.P95Interval.HighMicroseconds, *s.P95Microseconds)
	}
}

// walkHalves tells the medians of both halves in hundredths of the whole's: they
// are held against each other only, and exact to the microsecond they would
// take what room there is for twenty steps.
func walkHalves(p *positions, s *measurement.StepResult) {
	unit := int64(1)
	if s.P50Microseconds != nil {
		unit = max(unit, *s.P50Microseconds/100)
	}
	for _, half := range []*int64{s.FirstHalfP50Microseconds, s.SecondHalfP50Microseconds} {
		if half != nil {
			p.inUnits(half, unit, p.unsigned)
		}
	}
}

func rising(p *positions, values ...*int64) {
	var last int64
	for _, v := range values {
		if v != nil {
			p.above(v, last)
			last = *v
		}
	}
}

// walkService tells what the service used, and what its CPUs did besides. The
// CPU time of the hashes is kept to 0.003 %: divided by their number, it is the
// speed that the step is converted by.
func walkService(p *positions, s *measurement.StepResult) {
	used := s.Service
	walkUsage(p, used, s.CountedMicroseconds)
	p.near(&used.Hashes, s.CompletedInWindow)
	p.near(&used.TimedHashes, used.Hashes)
	p.significant(&used.HashMicroseconds)
	p.near(&used.Refused, s.Refused)
	p.unsigned(&used.Abandoned)
	unit := max(tickMicroseconds, s.CountedMicroseconds/finestShare)
	p.inUnits(&used.IdleMicroseconds, unit, p.unsigned)
	p.inUnits(&used.StealMicroseconds, unit, p.unsigned)
	p.inUnits(&used.BusyMicroseconds, unit, func(v *int64) { p.near(v, used.CPUMicroseconds/unit) })
}

// walkUsage tells CPU time and throttling.
func walkUsage(p *positions, d *evidence.Delta, countedMicroseconds int64) {
	p.millis(&d.ElapsedMicroseconds, func(v *int64) { p.near(v, countedMicroseconds/1000) })
	p.millis(&d.CPUMicroseconds, p.unsigned)
	p.near(&d.Periods, d.ElapsedMicroseconds/1000/periodMilliseconds)
	p.unsigned(&d.ThrottledPeriods)
	p.millis(&d.ThrottledMicroseconds, p.unsigned)
}
