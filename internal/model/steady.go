package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

const (
	// steadyRuns runs, each with its own phase, have steadyLogins counted logins each.
	steadyRuns, steadyLogins = phases, 10_000
	// noLoadPhases is how many phases of the quota are tried without load.
	noLoadPhases = 1000
	// MostShare is the highest capacity, as a share of MaxPerSecond. Above it a queue needs
	// thousands of logins to settle, and a step counts as overloaded.
	MostShare = loadplan.SteadyBelow
	// golden is the fraction of the golden ratio. It spreads any number of phases evenly.
	golden = 0.618033988749895
)

// Limit is what a service must meet.
type Limit struct {
	// P95 is the longest 95th percentile of latency.
	P95 time.Duration
	// P50 and P99 are the longest median and the longest 99th percentile; 0 means no limit.
	P50, P99 time.Duration
	// ErrorShare is the largest share of failed logins, 0 to 1.
	ErrorShare float64
}

// NoLoadP95 returns the 95th percentile of logins on an idle service, over the phases of the
// quota. No rate has a shorter one.
func (s Service) NoLoadP95() time.Duration { return s.noLoad().p95 }

func (s Service) noLoad() distribution {
	s = s.withDefaults()
	latencies := make([]time.Duration, noLoadPhases)
	for i := range latencies {
		phase := (float64(i) + 0.5) / noLoadPhases
		s.serve(phase, make([]time.Duration, 1), latencies[i:i+1])
	}
	return distributionOf(latencies)
}

// SteadyP95 returns the 95th percentile of latency in a long run at a rate, in logins per
// second over all replicas, after the queue has settled. Arrivals are Poisson, or evenly
// spaced. It returns false if the login at the percentile failed.
//
// From seed to seed it varies with a standard deviation of 0.8, 1.0, 1.4, 4 and 8 % at 50, 70,
// 80, 90 and 95 % load, for pools and for unbounded goroutines.
func (s Service) SteadyP95(perSecond float64, uniform bool, seed uint64) (time.Duration, bool) {
	found := s.withDefaults().steady(draw(s.withDefaults(), steadyRuns, steadyLogins, uniform, seed), perSecond)
	return found.p95, found.p95 != Failed
}

// distribution has the latencies and failures of a run.
type distribution struct {
	p50, p95, p99 time.Duration
	failedShare   float64
}

// distributionOf returns the distribution of latencies. It reorders them.
func distributionOf(latencies []time.Duration) distribution {
	return distribution{
		p50: Percentile(latencies, 500), p95: Percentile(latencies, 950), p99: Percentile(latencies, 990),
		failedShare: failedShare(latencies),
	}
}

// Stricter returns the limit with all of its latencies divided.
func (l Limit) Stricter(divisor float64) Limit {
	for _, latency := range []*time.Duration{&l.P50, &l.P95, &l.P99} {
		*latency = time.Duration(float64(*latency) / divisor)
	}
	return l
}

// comparison is a percentile and its limit.
type comparison struct{ found, longest time.Duration }

func (l Limit) comparisons(o distribution) []comparison {
	all := []comparison{{o.p95, l.P95}}
	if l.P50 > 0 {
		all = append(all, comparison{o.p50, l.P50})
	}
	if l.P99 > 0 {
		all = append(all, comparison{o.p99, l.P99})
	}
	return all
}

func (l Limit) heldBy(o distribution) bool {
	tooLong := func(p comparison) bool { return p.found > p.longest }
	return o.failedShare <= l.ErrorShare && !slices.ContainsFunc(l.comparisons(o), tooLong)
}

// gaps are the times between logins at one pod, up to a factor, for several runs.
type gaps struct {
	// runs has the gaps of each run, and phases the phase of its quota.
	runs   [][]float64
	phases []float64
	// logins is how many logins of a run count, and the highest number of settling logins
	// before them.
	logins int
}

// draw draws gaps for runs that are long enough for any rate.
func draw(s Service, runs, logins int, uniform bool, seed uint64) *gaps {
	source := stream(seed, arrivalStream)
	g := &gaps{runs: make([][]float64, runs), phases: make([]float64, runs), logins: logins}
	phase := source.Float64()
	for run := range g.runs {
		phase = math.Mod(phase+golden, 1)
		g.phases[run] = phase
		g.runs[run] = make([]float64, 2*logins)
		for i := range g.runs[run] {
			g.runs[run][i] = s.gap(source, uniform)
		}
	}
	return g
}

// mean returns the mean gap of a range of logins over all runs. Gaps are scaled by it so that
// the rate is exact: at 90 % load a rate that is 1 % higher has a p95 that is 9 % higher.
func (g *gaps) mean(from, to int) float64 {
	sum := 0.0
	for _, gaps := range g.runs {
		for _, gap := range gaps[from:to] {
			sum += gap
		}
	}
	return sum / float64(len(g.runs)*(to-from))
}

// gap draws the time until the next login at one of the replicas. If logins are independent and go to replicas at
// random, those at one replica are independent too.
func (s Service) gap(source *rand.Rand, uniform bool) float64 {
	passed := 1.0
	switch {
	case s.InTurn && uniform:
		passed = float64(s.Replicas)
	case s.InTurn:
		passed = 0
		for range s.Replicas {
			passed += source.ExpFloat64()
		}
	case !uniform:
		passed = source.ExpFloat64()
	default:
		for source.IntN(int(s.Replicas)) != 0 {
			passed++
		}
	}
	return passed
}

// steady returns the distribution of one pod's share of a rate. All pods are alike.
func (s Service) steady(g *gaps, perSecond float64) distribution {
	if perSecond <= 0 || s.Hash <= 0 {
		return s.noLoad()
	}
	settling := s.settling(perSecond, g.logins)
	n := settling + g.logins
	due, took := make([]time.Duration, n), make([]time.Duration, n)
	counted := make([]time.Duration, 0, len(g.runs)*g.logins)
	second := float64(s.Replicas) * float64(time.Second) / perSecond / g.mean(settling, n)
	for run, gaps := range g.runs {
		at := 0.0
		for i := range due {
			at += gaps[i]
			due[i] = time.Duration(at * second)
		}
		s.serve(g.phases[run], due, took)
		counted = append(counted, took[settling:]...)
	}
	return distributionOf(counted)
}

// settling returns how many logins arrive at a pod before its queue has settled, at most the given number.
func (s Service) settling(perSecond float64, most int) int {
	rho := perSecond / s.MaxPerSecond()
	logins := loadplan.SteadyRelaxations * rho * loadplan.Relaxation(1, rho)
	if logins > float64(most) {
		return most
	}
	return int(math.Ceil(logins))
}
