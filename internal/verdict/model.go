package verdict

import (
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// simulator is the part of the simulation that a verdict needs.
type simulator interface {
	Percentiles(a model.Arrivals, seed uint64, perMille ...int) []time.Duration
	Latencies(a model.Arrivals, phase float64, seed uint64) []time.Duration
	IdleShare(a model.Arrivals, seed uint64) float64
	Spread(draw func(run int) model.Arrivals, runs int, seed uint64, perMille ...int) []model.Spread
	Capacity(limit model.Limit) float64
}

// modelOf returns the model of a trial's service with this CPU time per login and this
// course of the speed; nil for a constant speed.
type modelOf func(login logins, course *model.Course) simulator

// logins are what a simulation has to know of logins.
type logins struct {
	// cpu is the CPU time of a login that follows another. One that finds the service idle takes wake in addition,
	// and each waits for something else than the service's CPU.
	cpu, wake, wait time.Duration
	// inTurn means that the replicas take turns.
	inTurn bool
}

// faster returns the logins on a CPU that is so many times as fast.
func (l logins) faster(times float64) logins {
	l.cpu, l.wake = time.Duration(float64(l.cpu)/times), time.Duration(float64(l.wake)/times)
	return l
}

func simulated(spec v1beta1.SizingTrialSpec, cal handover.Calibration) modelOf {
	return func(login logins, course *model.Course) simulator {
		service := model.NewService(spec, cal, login.cpu)
		service.Wake, service.Wait, service.InTurn, service.Course = login.wake, login.wait, login.inTurn, course
		uniform := spec.Load.Arrivals() == v1beta1.ArrivalsUniform
		return struct {
			model.Service
			*model.Outlook
		}{service, service.NewOutlook(uniform, uint64(spec.Seed)).Longer(simulatedLonger)}
	}
}

// simulate simulates the logins of an open step that the service kept up with, for a service that hashes
// for every login.
func (t *trial) simulate(s *step) {
	s.cpu = cpuPerLogin(s.result)
	if s.Requests+s.SettleRequests > MostSimulated {
		return
	}
	login, arrivals := t.loginsOf(s), model.ArrivalsOf(s.Step)
	t.setWait(s, login, arrivals)
	login.wait, login.inTurn = t.wait, t.inTurn
	planned, steady := s.atNominal(), t.newModel(login.faster(s.factor()), nil)
	s.setSpreads(planned, steady)
	if s.cpu == 0 || s.result.P95Microseconds == nil {
		return
	}
	sim := t.newModel(login, s.course)
	now := sim.Percentiles(arrivals, uint64(s.Seed), perMilles...)
	if now[q95] == model.Failed || now[q95] <= 0 {
		return
	}
	s.simulated = s.overPhases(sim, arrivals)
	s.simulated.p95, s.simulated.logins = now[q95], login
	if t.Spec.Service.Own != nil {
		s.simulated.pause = longestPause(sim, arrivals.Due)
	}
	atReference := steady.Percentiles(model.ArrivalsOf(planned), uint64(s.Seed), perMilles...)
	if atReference[q95] == model.Failed {
		return
	}
	s.setConversions(now, atReference)
	s.variation = 1
	if varies(s.course) {
		s.variation = typicalP95(t.newModel(login.faster(s.factor()), s.course), planned) / typicalP95(steady, planned)
	}
}

// setWait sets how long logins of a user's own service wait for something else than its CPU. The first step, with the
// lowest rate, shows it best: half of its logins hardly queue.
func (t *trial) setWait(s *step, login logins, arrivals model.Arrivals) {
	if t.Spec.Service.Own == nil || t.waitKnown || s.cpu == 0 || s.result.P50Microseconds == nil {
		return
	}
	simulated := t.newModel(login, s.course).Percentiles(arrivals, uint64(s.Seed), perMilles[q50])[0]
	if simulated == model.Failed {
		return
	}
	t.waitKnown = true
	if wait := microseconds(*s.result.P50Microseconds) - simulated; wait >= max(leastWait, time.Duration(leastWaitShare*float64(simulated))) {
		t.wait = wait
	}
}

// loginsOf returns the CPU time of a login in a step. The saturation shows that of a login that wakes nobody.
func (t *trial) loginsOf(s *step) logins {
	for _, other := range t.steps {
		if saturated := cpuPerLogin(other.result); other.Kind == loadplan.Saturation && saturated > 0 {
			idle := t.newModel(logins{cpu: s.cpu}, nil).IdleShare(model.ArrivalsOf(s.Step), uint64(s.Seed))
			cpu, wake := model.WithoutWaking(s.cpu, time.Duration(float64(saturated)*s.factor()/other.factor()), idle)
			return logins{cpu: cpu, wake: wake}
		}
	}
	return logins{cpu: s.cpu}
}

// typicalP95 returns the mean p95 over runs of a step with other arrivals, in seconds.
func typicalP95(sim simulator, planned loadplan.Step) float64 {
	sum := 0.0
	for run := range gridPhases {
		latencies := sim.Latencies(model.Redrawn(planned, run), float64(run)/gridPhases, uint64(run))
		sum += min(model.Percentile(latencies, 950), time.Hour).Seconds()
	}
	return sum / gridPhases
}

// cpuPerLogin returns the service's CPU time in the counted part divided by its hashes. It is 0, for unknown,
// for a few hashes, because those that cross an end of the counted part would have too much weight.
func cpuPerLogin(r measurement.StepResult) time.Duration {
	if r.Service == nil {
		return 0
	}
	return perHash(r.Service.CPUMicroseconds, r.Service.Hashes)
}

func perHash(cpuMicroseconds, hashes int64) time.Duration {
	if hashes < samplesForP95 {
		return 0
	}
	return microseconds(cpuMicroseconds / hashes)
}

// setConversions sets the conversion of each percentile. One that the model cannot predict keeps the ratio of
// the hash times.
func (s *step) setConversions(now, atReference []time.Duration) {
	for q := range s.latency {
		if now[q] != model.Failed && now[q] > 0 && atReference[q] != model.Failed {
			s.latency[q].conversion = float64(atReference[q]) / float64(now[q])
		}
	}
}

// setSpreads simulates the step again with other seeds, and sets by which factor each percentile of a run
// differs from that of all runs together; 0 if unknown. Runs scatter unevenly upward and downward, so the
// larger of both factors is used at both ends. A long step is simulated shorter, and its spread is multiplied
// by the square root of the share: the spread of p95 at 80 % load is 27, 13 and 6 % of p95 with 1,000,
// 4,000 and 16,000 logins, simulated.
func (s *step) setSpreads(planned loadplan.Step, sim simulator) {
	if planned.Requests < samplesForP95 {
		return
	}
	shorter, narrower := planned, 1.0
	if planned.Requests > mostRedrawn {
		share := float64(mostRedrawn) / float64(planned.Requests)
		shorter.Requests = mostRedrawn
		shorter.CountedMilliseconds = int64(share * float64(planned.CountedMilliseconds))
		narrower = math.Sqrt(share)
	}
	draw := func(run int) model.Arrivals { return model.Redrawn(shorter, run) }
	for q, relative := range sim.Spread(draw, spreadRuns, uint64(planned.Seed), perMilles...) {
		if relative.OK {
			s.latency[q].spread = max(1+narrower*(relative.High-1), 1/(1-narrower*(1-relative.Low)))
		}
	}
}

// simulation is what the model gives for the logins of a step.
type simulation struct {
	// p95 is the mean over the possible phases of the quota's periods, because the true
	// phase is unknown. fastest and slowest are the smallest and the largest.
	p95, fastest, slowest time.Duration
	logins                logins
	// pause is the longest time without an answer although several logins waited, over the phases, of a user's own service.
	pause time.Duration
	// halves is the largest ratio of the medians of the step's halves, second ÷ first,
	// over the phases; 0 if a half has no median.
	halves float64
}

// overPhases simulates the step's logins in every phase of the quota's periods.
func (s *step) overPhases(sim simulator, arrivals model.Arrivals) *simulation {
	middle := time.Duration(s.SettleMilliseconds)*time.Millisecond + time.Duration(s.CountedMilliseconds)*time.Millisecond/2
	second, _ := slices.BinarySearch(arrivals.Due[arrivals.Counted:], middle)
	e := &simulation{fastest: model.Failed}
	for phase := range gridPhases {
		latencies := sim.Latencies(arrivals, float64(phase)/gridPhases, uint64(s.Seed)+uint64(phase))
		first, rest := model.Percentile(latencies[:second], 500), model.Percentile(latencies[second:], 500)
		if second > 0 && first > 0 && rest != model.Failed {
			e.halves = max(e.halves, float64(rest)/float64(first))
		}
		p95 := model.Percentile(latencies, 950)
		e.fastest, e.slowest = min(e.fastest, p95), max(e.slowest, p95)
	}
	return e
}

// longestPause returns the longest time in which the simulation answered no login of a whole step although several waited,
// over the phases.
func longestPause(sim simulator, due []time.Duration) (longest time.Duration) {
	for phase := range gridPhases {
		latencies := sim.Latencies(model.Arrivals{Due: due}, float64(phase)/gridPhases, uint64(phase))
		longest = max(longest, measurement.LongestPause(len(due), func(i int) time.Duration { return due[i] },
			func(i int) time.Duration { return due[i] + min(latencies[i], time.Hour) }, func(i int) bool { return latencies[i] != model.Failed }))
	}
	return longest
}
