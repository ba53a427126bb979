package simulation

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

const (
	// steadyRuns, each with a phase of its own, of steadyLogins that count.
	steadyRuns, steadyLogins = phases, 10_000
	// relaxations is how many times D/(1−ρ)² are left out at the beginning of a run,
	// up to as many logins as count: about ten relaxation times of M/D/1, each of
	// which is near 2D/(1−ρ)².
	relaxations = 20
	// noLoadPhases is how finely the phases of the quota's grid are tried.
	noLoadPhases = 1000
	// MostShare is the share of MaxPerSecond that a capacity is never above: beyond
	// it a queue needs thousands of logins to settle, and a step counts as overloaded.
	MostShare = 0.98
	// pilotRuns are enough where their p95 is pilotFactor away from the limit: at
	// 90 % load it varies by 8 % from seed to seed.
	pilotRuns, pilotFactor = 5, 1.5
	// golden spreads any number of phases evenly: the golden ratio's fraction.
	golden = 0.618033988749895
	// halvings narrow a capacity down to a thousandth of the maximum.
	halvings = 10
)

// Limit is what a service has to hold.
type Limit struct {
	// P95 is the longest 95th percentile of latency.
	P95 time.Duration
	// P50 and P99 are the longest median and the longest 99th percentile; any where 0.
	P50, P99 time.Duration
	// ErrorShare is the largest share of logins that may fail, 0 to 1.
	ErrorShare float64
}

// NoLoadP95 is the 95th percentile of logins that each meet an idle service,
// over the phases of the quota's grid: no rate has a shorter one.
func (s Service) NoLoadP95() time.Duration { return s.noLoad().p95 }

// Infeasible reports whether no rate holds a limit, because logins that meet an idle service
// take longer already.
func (s Service) Infeasible(limit Limit) bool { return !limit.holds(s.noLoad()) }

// noLoad is the outcome of logins that each meet an idle service.
func (s Service) noLoad() outcome {
	s = s.whole()
	latencies := make([]time.Duration, noLoadPhases)
	for i := range latencies {
		phase := (float64(i) + 0.5) / noLoadPhases
		newPod(s, phase).serve(make([]time.Duration, 1), latencies[i:i+1])
	}
	return outcomeOf(latencies)
}

// SteadyP95 is the 95th percentile of latency in a long run at a rate, in logins
// per second over all replicas, after the queue has settled. Arrivals are
// Poisson, or evenly spaced. ok is false where the percentile is a failure's.
//
// It has been found to vary from seed to seed with a standard deviation of 0.8,
// 1.0, 1.4, 4 and 8 % at 50, 70, 80, 90 and 95 % load, for pools and unbounded
// goroutines alike.
func (s Service) SteadyP95(perSecond float64, uniform bool, seed uint64) (time.Duration, bool) {
	found := s.whole().steady(draw(s.whole(), steadyRuns, steadyLogins, uniform, seed), perSecond)
	return found.p95, found.p95 != Failed
}

// Capacity is the highest rate, in logins per second over all replicas, at which
// the steady state holds the limit; 0 where none does. It is at most MostShare
// of MaxPerSecond, also where a bounded queue would hold the limit beyond that.
// Every rate is tried with the same arrivals but for their scale, so that the
// answer rises with the limit.
func (s Service) Capacity(limit Limit, uniform bool, seed uint64) float64 {
	s = s.whole()
	if s.Hash <= 0 || s.Infeasible(limit) {
		return 0
	}
	gaps := draw(s, steadyRuns, steadyLogins, uniform, seed)
	holds := func(perSecond float64) bool {
		first := s.steady(gaps.first(pilotRuns), perSecond)
		if clear, held := limit.clearlyHeldBy(first); clear {
			return held
		}
		return limit.heldBy(s.steady(gaps, perSecond))
	}
	met, failed := 0.0, MostShare*s.MaxPerSecond()
	if holds(failed) {
		return failed
	}
	for range halvings {
		if middle := (met + failed) / 2; holds(middle) {
			met = middle
		} else {
			failed = middle
		}
	}
	return met
}

// outcome is what a steady state comes to.
type outcome struct {
	p50, p95, p99 time.Duration
	failedShare   float64
}

// outcomeOf reorders the latencies.
func outcomeOf(latencies []time.Duration) outcome {
	return outcome{
		p50: Percentile(latencies, 500), p95: p95(latencies), p99: Percentile(latencies, 990),
		failedShare: failedShare(latencies),
	}
}

// Stricter is the limit with all of its latencies divided.
func (l Limit) Stricter(divisor float64) Limit {
	for _, latency := range []*time.Duration{&l.P50, &l.P95, &l.P99} {
		*latency = time.Duration(float64(*latency) / divisor)
	}
	return l
}

// promise is a percentile and the longest that it may be.
type promise struct{ found, longest time.Duration }

// promises of a limit, with what came of them.
func (l Limit) promises(o outcome) []promise {
	all := []promise{{o.p95, l.P95}}
	if l.P50 > 0 {
		all = append(all, promise{o.p50, l.P50})
	}
	if l.P99 > 0 {
		all = append(all, promise{o.p99, l.P99})
	}
	return all
}

func (l Limit) heldBy(o outcome) bool { return l.holds(o) && o.failedShare <= l.ErrorShare }

// holds reports whether every percentile holds the limit.
func (l Limit) holds(o outcome) bool {
	return !slices.ContainsFunc(l.promises(o), func(p promise) bool { return p.found > p.longest })
}

// clearlyHeldBy tells whether a few runs suffice to say, and what they say.
func (l Limit) clearlyHeldBy(o outcome) (clear, held bool) {
	held = o.failedShare == 0
	for _, p := range l.promises(o) {
		if float64(p.found) > pilotFactor*float64(p.longest) {
			return true, false
		}
		held = held && pilotFactor*float64(p.found) <= float64(p.longest)
	}
	return held, held
}

// gaps are the times between logins at one pod, up to a factor, and the phases
// of the runs they make up.
type gaps struct {
	of     [][]float64
	phases []float64
	// logins is how many of a run count, and at the most are left out before them.
	logins int
}

// first are the gaps of a few runs.
func (g *gaps) first(runs int) *gaps {
	return &gaps{of: g.of[:runs], phases: g.phases[:runs], logins: g.logins}
}

// draw makes gaps for runs that are as long as any rate needs.
func draw(s Service, runs, logins int, uniform bool, seed uint64) *gaps {
	source := stream(seed, arrivalStream)
	g := &gaps{of: make([][]float64, runs), phases: make([]float64, runs), logins: logins}
	phase := source.Float64()
	for run := range g.of {
		phase = math.Mod(phase+golden, 1)
		g.phases[run] = phase
		g.of[run] = make([]float64, 2*logins)
		for i := range g.of[run] {
			g.of[run][i] = gap(source, int(s.Replicas), uniform)
		}
	}
	return g
}

// mean of the gaps that a range of logins make in all runs, by which they are
// scaled so that the rate is exact: at 90 % load a rate that is 1 % higher by
// chance has a p95 that is 9 % higher.
func (g *gaps) mean(from, to int) float64 {
	sum := 0.0
	for _, gaps := range g.of {
		for _, gap := range gaps[from:to] {
			sum += gap
		}
	}
	return sum / float64(len(g.of)*(to-from))
}

// gap is the time until the next login that comes to this one of the replicas.
// Of independent logins they make independent ones, only fewer.
func gap(source *rand.Rand, replicas int, uniform bool) float64 {
	if !uniform {
		return source.ExpFloat64()
	}
	passed := 1.0
	for source.IntN(replicas) != 0 {
		passed++
	}
	return passed
}

// steady is the outcome of one pod's share of a rate. All pods are alike.
func (s Service) steady(g *gaps, perSecond float64) outcome {
	if perSecond <= 0 || s.Hash <= 0 {
		return s.noLoad()
	}
	settling := s.settling(perSecond, g.logins)
	n := settling + g.logins
	due, took := make([]time.Duration, n), make([]time.Duration, n)
	counted := make([]time.Duration, 0, len(g.of)*g.logins)
	second := float64(s.Replicas) * float64(time.Second) / perSecond / g.mean(settling, n)
	for run, gaps := range g.of {
		at := 0.0
		for i := range due {
			at += gaps[i]
			due[i] = time.Duration(at * second)
		}
		newPod(s, g.phases[run]).serve(due, took)
		counted = append(counted, took[settling:]...)
	}
	return outcomeOf(counted)
}

// settling is how many logins come to a pod before its queue has settled, at the
// most as many as given.
func (s Service) settling(perSecond float64, most int) int {
	rho := perSecond / s.MaxPerSecond()
	logins := relaxations * rho / ((1 - rho) * (1 - rho))
	if rho >= 1 || logins > float64(most) {
		return most
	}
	return int(math.Ceil(logins))
}
