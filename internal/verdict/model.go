package verdict

import (
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/simulation"
)

// model is what a verdict asks of the simulation.
type model interface {
	Percentiles(a simulation.Arrivals, seed uint64, perMille ...int) []time.Duration
	Latencies(a simulation.Arrivals, phase float64, seed uint64) []time.Duration
	Spread(draw func(run int) simulation.Arrivals, runs int, seed uint64, perMille ...int) []simulation.Spread
	Capacity(limit simulation.Limit, uniform bool, seed uint64) float64
}

// modelOf is the model of a trial's service whose logins take so much CPU time, at
// a speed that takes this course; nil for one that does not change.
type modelOf func(cpu time.Duration, course *simulation.Course) model

func simulated(in Input) modelOf {
	return func(cpu time.Duration, course *simulation.Course) model {
		service := prediction.Model(in.Spec, in.Calibration, cpu)
		service.Course = course
		return service
	}
}

// spread is where p95 of a step lies from run to run, as multiples of its median.
type spread struct{ low, high float64 }

// simulate adds to an open step that the service kept up with what the model
// makes of it. A service with sessions hashes for few of its requests: there is
// no time per login that a model could be fed with.
func (t *trial) simulate(s *step) {
	s.cpu = cpuPerLogin(s.result)
	if s.Requests+s.SettleRequests > mostSimulated {
		return
	}
	planned, steady := s.atNominal(), t.of(s.cpuAtReference(), nil)
	s.setSpreads(simulatedSpreads(planned, steady))
	if s.cpu == 0 || s.result.P95Microseconds == nil {
		return
	}
	arrivals, model := prediction.ArrivalsOf(s.Step), t.of(s.cpu, s.course)
	now := model.Percentiles(arrivals, uint64(s.Seed), perMilles...)
	if now[q95] == simulation.Failed || now[q95] <= 0 {
		return
	}
	s.simulated = s.overPhases(model, arrivals)
	s.simulated.p95 = now[q95]
	atReference := steady.Percentiles(prediction.ArrivalsOf(planned), uint64(s.Seed), perMilles...)
	if atReference[q95] == simulation.Failed {
		return
	}
	s.setConversions(now, atReference)
	s.variation = 1
	if varies(s.course) {
		s.variation = typicalP95(t.of(s.cpuAtReference(), s.course), planned) / typicalP95(steady, planned)
	}
}

// typicalP95 is the mean of p95 over runs of a step with other arrivals, in seconds: it
// shows what the course of the speed does, whichever logins happened to meet it.
func typicalP95(model model, planned loadplan.Step) float64 {
	sum := 0.0
	for run := range gridPhases {
		latencies := model.Latencies(prediction.Redrawn(planned, run), float64(run)/gridPhases, uint64(run))
		sum += min(ranked(latencies, 95), time.Hour).Seconds()
	}
	return sum / gridPhases
}

// cpuAtReference is the service's CPU time per login at the reference speed; 0 where
// it is not known.
func (s *step) cpuAtReference() time.Duration {
	return time.Duration(float64(s.cpu) / s.factor())
}

// cpuPerLogin is the service's CPU time in the counted part, divided by its
// hashes; 0 where that is not known. A few hashes don't tell: those begun
// before the counted part, or ended after it, would weigh too much.
func cpuPerLogin(r measurement.StepResult) time.Duration {
	if r.Service == nil || r.Service.Hashes < samplesForP95 {
		return 0
	}
	return microseconds(r.Service.CPUMicroseconds / r.Service.Hashes)
}

// simulatedSpreads runs the step afresh with other seeds. A long step is run
// shorter, and what comes of it narrowed by the root of its length: the spread
// of p95 at 80 % load is 27, 13 and 6 % of it with 1,000, 4,000 and 16,000
// logins, simulated.
func simulatedSpreads(planned loadplan.Step, model model) [quantiles]*spread {
	var spreads [quantiles]*spread
	if planned.Requests < samplesForP95 {
		return spreads
	}
	shorter, narrower := planned, 1.0
	if planned.Requests > mostRedrawn {
		share := float64(mostRedrawn) / float64(planned.Requests)
		shorter.Requests = mostRedrawn
		shorter.CountedMilliseconds = int64(share * float64(planned.CountedMilliseconds))
		narrower = math.Sqrt(share)
	}
	draw := func(run int) simulation.Arrivals { return prediction.Redrawn(shorter, run) }
	for q, found := range model.Spread(draw, spreadRuns, uint64(planned.Seed), perMilles...) {
		if found.OK {
			spreads[q] = &spread{low: 1 - narrower*(1-found.Low), high: 1 + narrower*(found.High-1)}
		}
	}
	return spreads
}

// setConversions takes what the model makes of each percentile, as driven and at the
// reference speed. One that it can't tell keeps the ratio of the hash times.
func (s *step) setConversions(driven, atReference []time.Duration) {
	for q := range s.latency {
		if driven[q] != simulation.Failed && driven[q] > 0 && atReference[q] != simulation.Failed {
			s.latency[q].conversion = float64(atReference[q]) / float64(driven[q])
		}
	}
}

// setSpreads keeps how far each percentile lies apart from run to run.
func (s *step) setSpreads(spreads [quantiles]*spread) {
	for q := range s.latency {
		s.latency[q].spread = spreads[q]
	}
}

// expectation is what the model makes of the very logins of a step.
type expectation struct {
	// p95 is the mean over the phases that the quota's grid may have had, fastest
	// and slowest are its ends: which phase it was nobody knows.
	p95, fastest, slowest time.Duration
	// halves is the largest ratio of the medians of the step's halves, second ÷
	// first, over the phases; 0 where a half has no median.
	halves float64
}

// overPhases runs the step's logins through every phase.
func (s *step) overPhases(model model, arrivals simulation.Arrivals) *expectation {
	middle := time.Duration(s.SettleMilliseconds)*time.Millisecond + time.Duration(s.CountedMilliseconds)*time.Millisecond/2
	second, _ := slices.BinarySearch(arrivals.Due[arrivals.Counted:], middle)
	e := &expectation{fastest: simulation.Failed}
	for phase := range gridPhases {
		latencies := model.Latencies(arrivals, float64(phase)/gridPhases, uint64(s.Seed)+uint64(phase))
		first, rest := ranked(latencies[:second], 50), ranked(latencies[second:], 50)
		if first > 0 && rest != simulation.Failed {
			e.halves = max(e.halves, float64(rest)/float64(first))
		}
		p95 := ranked(latencies, 95)
		e.fastest, e.slowest = min(e.fastest, p95), max(e.slowest, p95)
	}
	return e
}

// ranked is a percentile by nearest rank, failures being slower than every
// success; 0 of none.
func ranked(latencies []time.Duration, percent int) time.Duration {
	if len(latencies) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(latencies))
	return sorted[(len(sorted)*percent+99)/100-1]
}

// ratio is measured ÷ simulated p95 on the same arrivals, 0 where there is none.
func (s *step) ratio() float64 {
	if s.simulated == nil || s.simulated.p95 <= 0 || s.result.P95Microseconds == nil {
		return 0
	}
	return float64(*s.result.P95Microseconds) / float64(s.simulated.p95.Microseconds())
}

// unexplained is the same ratio as far as the phase of the quota's grid does not
// explain it: 1 where some phase comes to what was measured. For a hash that is
// shorter than the quota's runtime, the phase alone moves p95 of a hundred
// logins by a factor of 0.6 to 1.5, simulated at cost 8 on half a CPU.
func (s *step) unexplained() float64 {
	measured := microseconds(*s.result.P95Microseconds)
	nearest := min(max(measured, s.simulated.fastest), s.simulated.slowest)
	return float64(measured) / float64(max(1, nearest))
}

// comparable tells whether measured and simulated p95 of the step ought to agree.
func (t *trial) comparable(s *step) bool {
	return s.ratio() > 0 && s.cpu >= shortestModelled && s.result.OK >= samplesForInterval &&
		t.utilisation(s) <= modelledUtilisation
}

// utilisation is the offered share of the bound as it was at the step's own speed.
func (t *trial) utilisation(s *step) float64 {
	return s.driven() / float64(t.bound)
}

// modelled tells whether the model knows how the variant's service works.
func (t *trial) modelled() bool { return !t.Spec.Variant.Sessions && t.bound > 0 }

// unbounded tells whether a goroutine hashes each login, all at once.
func (t *trial) unbounded() bool { return loadplan.Workers(t.Spec.Variant) == 0 }
