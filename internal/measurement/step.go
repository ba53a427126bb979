package measurement

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// finestShare is the share of a long step, 0.01 %, to which idle, steal and busy time are rounded. They are
// judged in thousandths.
const finestShare = 10_000

func walkStep(p *positions, s *StepResult) {
	walkPresence(p, s)
	p.millis(&s.CountedMicroseconds, p.unsigned)
	for _, count := range []*int64{&s.OK, &s.Refused, &s.TimedOut, &s.OtherErrors, &s.Cut, &s.NeverSent} {
		p.unsigned(count)
	}
	sum := s.OK + s.Refused + s.TimedOut + s.OtherErrors + s.Cut + s.NeverSent
	p.near(&s.Scheduled, sum)
	if s.Scheduled != sum {
		p.fail("%d logins were scheduled, but their outcomes add up to %d", s.Scheduled, sum)
	}
	p.below(&s.SentInWindow, s.Scheduled)
	p.near(&s.CompletedInWindow, s.OK)
	if s.ThroughputMilliPerSecond != nil {
		p.near(s.ThroughputMilliPerSecond, usualThroughput(s))
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
	walkSlower(p, s)
	if s.Alive != nil {
		walkAlive(p, s.Alive, s.CountedMicroseconds/1_000_000)
	}
	if s.LongestPauseMicroseconds != nil {
		p.inUnits(s.LongestPauseMicroseconds, 10_000, p.unsigned)
	}
	if s.ReplicaSpreadPerMille != nil {
		p.unsigned(s.ReplicaSpreadPerMille)
	}
}

func walkSlower(p *positions, s *StepResult) {
	for _, slower := range []*int64{s.SlowerThanP50, s.SlowerThanP95, s.SlowerThanP99} {
		if slower == nil {
			continue
		}
		p.above(slower, s.Scheduled-s.OK)
		if *slower > s.Scheduled {
			p.fail("%d of %d logins were slow", *slower, s.Scheduled)
		}
	}
}

// walkAlive expects a probe per second, as with one pod.
func walkAlive(p *positions, a *handover.Alive, seconds int64) {
	p.near(&a.Probes, seconds)
	p.unsigned(&a.Failed)
	p.below(&a.FailedInARow, a.Failed)
	if a.Probes == 0 || a.Failed > a.Probes || (a.Failed > 0) != (a.FailedInARow > 0) {
		p.fail("%d of %d liveness probes failed, %d in a row", a.Failed, a.Probes, a.FailedInARow)
	}
	if a.P95Microseconds != nil {
		p.millis(a.P95Microseconds, p.unsigned)
	}
}

// usualThroughput returns a rate that is close to the throughput of most steps, times 1000.
// It is bounded for invalid numbers.
func usualThroughput(s *StepResult) int64 {
	rate := float64(s.CompletedInWindow) * 1e9 / float64(max(1, s.CountedMicroseconds))
	return int64(max(0, min(float64(widest), rate)))
}

// walkLatencies encodes each percentile as the difference from the one before, so that they
// are always decoded in rising order.
func walkLatencies(p *positions, s *StepResult) {
	rising(p, s.P50Microseconds, s.P95Microseconds, s.P99Microseconds, s.MaxMicroseconds)
	rising(p, s.StartLagP95Microseconds, s.StartLagP99Microseconds)
	walkHalves(p, s)
	walkInterval(p, s.P50Interval, s.P50Microseconds, hundredth(s.P50Microseconds))
	walkInterval(p, s.P95Interval, s.P95Microseconds, 1)
	walkInterval(p, s.P99Interval, s.P99Microseconds, hundredth(s.P99Microseconds))
	if s.Latencies != nil {
		walkHistogram(p, s.Latencies, s.OK)
	}
}

func hundredth(latency *int64) int64 {
	if latency == nil {
		return 1
	}
	return max(1, *latency/100)
}

// walkInterval walks how far an interval reaches to either side of its percentile, rounded
// up to whole units, so that the rounded interval contains the exact one.
func walkInterval(p *positions, interval *handover.Interval, percentile *int64, unit int64) {
	switch {
	case interval == nil:
	case percentile == nil:
		p.fail("a step has an interval without its percentile")
	default:
		down, up := *percentile-interval.LowMicroseconds, interval.HighMicroseconds-*percentile
		p.upToUnits(&down, unit)
		p.upToUnits(&up, unit)
		if down >= *percentile+unit {
			p.fail("an interval reaches %d below %d", down, *percentile)
		}
		interval.LowMicroseconds, interval.HighMicroseconds = max(0, *percentile-down), *percentile+up
	}
}

// walkHalves walks the medians of both halves in hundredths of the step's median. They are
// only compared with each other, and exact to the microsecond they would need too much of
// the room of twenty steps.
func walkHalves(p *positions, s *StepResult) {
	unit := hundredth(s.P50Microseconds)
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

// walkService walks what the service used, and how its CPUs were used otherwise. The CPU
// time of the hashes is kept to 0.003 %: divided by their number, it is the speed that the
// step is converted by.
func walkService(p *positions, s *StepResult) {
	used := s.Service
	walkUsage(p, used, s.CountedMicroseconds)
	p.near(&used.Hashes, s.CompletedInWindow)
	p.near(&used.TimedHashes, used.Hashes)
	p.significant(&used.HashMicroseconds)
	p.near(&used.Refused, s.Refused)
	p.unsigned(&used.Abandoned)
	unit := max(evidence.TickMicroseconds, s.CountedMicroseconds/finestShare)
	p.inUnits(&used.IdleMicroseconds, unit, p.unsigned)
	p.inUnits(&used.StealMicroseconds, unit, p.unsigned)
	p.inUnits(&used.BusyMicroseconds, unit, func(v *int64) { p.near(v, used.CPUMicroseconds/unit) })
}

func walkUsage(p *positions, d *evidence.Delta, countedMicroseconds int64) {
	p.millis(&d.ElapsedMicroseconds, func(v *int64) { p.near(v, countedMicroseconds/1000) })
	p.millis(&d.CPUMicroseconds, p.unsigned)
	p.near(&d.Periods, d.ElapsedMicroseconds/evidence.UsualPeriod.Microseconds())
	p.unsigned(&d.ThrottledPeriods)
	p.millis(&d.ThrottledMicroseconds, p.unsigned)
}

// longestCpuset is the largest length of a cpuset list. A longer list is left out, because
// a truncated one cannot be compared.
const longestCpuset = 64

// sameMachine stands for the boot ID of the previous container. The containers of a run are
// often on one machine, and ten pods would repeat 36 characters each.
const sameMachine = "."

// containerWords encodes a container. before is the boot ID of the previous one.
func containerWords(c Container, before string) string {
	bootID := word(c.BootID, 36)
	switch bootID {
	case "", sameMachine:
		bootID = "-"
	case before:
		bootID = sameMachine
	}
	cpuset := c.Cpuset
	if len(cpuset) > longestCpuset {
		cpuset = ""
	}
	return fmt.Sprintf("%s %s %d %d", bootID, cmp.Or(word(cpuset, longestCpuset), "-"), c.QuotaMilliCPU, c.GoMaxProcs)
}

// containerOf decodes the words of a container: four, or seven with the pool and the memory
// of a service.
func containerOf(text string, words int, before string) (ServicePod, error) {
	fields := strings.Split(text, " ")
	if len(fields) != words {
		return ServicePod{}, garbled("a container has %d words instead of %d", len(fields), words)
	}
	if word(fields[0], 36) != fields[0] || word(fields[1], longestCpuset) != fields[1] {
		return ServicePod{}, garbled("a container has an invalid boot ID or cpuset")
	}
	bootID := fromDash(fields[0])
	if bootID == sameMachine {
		bootID = before
	}
	numbers := make([]int64, 5)
	for i, field := range fields[2:] {
		value, err := strconv.ParseInt(field, 10, 32)
		if err != nil || value < 0 {
			return ServicePod{}, garbled("a container has the invalid number %q", word(field, 16))
		}
		numbers[i] = value
	}
	return ServicePod{
		Container: Container{
			BootID: bootID, Cpuset: fromDash(fields[1]),
			QuotaMilliCPU: numbers[0], GoMaxProcs: int32(numbers[1]),
		},
		Workers: int32(numbers[2]), QueueLength: int32(numbers[3]), MemoryPeakKiB: int32(numbers[4]),
	}, nil
}

func fromDash(s string) string {
	if s == "-" {
		return ""
	}
	return s
}
