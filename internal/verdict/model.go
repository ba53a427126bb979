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
	Spread(draw func(run int) model.Arrivals, runs int, seed uint64, perMille ...int) []model.Spread
	Capacity(limit model.Limit) float64
}

// modelOf returns the model of a trial's service with this CPU time per login and this
// course of the speed; nil for a constant speed.
type modelOf func(cpu time.Duration, course *model.Course) simulator

func simulated(spec v1beta1.SizingTrialSpec, cal handover.Calibration) modelOf {
	return func(cpu time.Duration, course *model.Course) simulator {
		service := model.NewService(spec, cal, cpu)
		service.Course = course
		uniform := spec.Load.Arrivals() == v1beta1.ArrivalsUniform
		return struct {
			model.Service
			*model.Outlook
		}{service, service.NewOutlook(uniform, uint64(spec.Seed))}
	}
}

// simulate simulates the logins of an open step that the service kept up with, for a service that hashes
// for every login.
func (t *trial) simulate(s *step) {
	s.cpu = cpuPerLogin(s.result)
	if s.Requests+s.SettleRequests > MostSimulated {
		return
	}
	cpuAtReference := time.Duration(float64(s.cpu) / s.factor())
	planned, steady := s.atNominal(), t.newModel(cpuAtReference, nil)
	s.setSpreads(planned, steady)
	if s.cpu == 0 || s.result.P95Microseconds == nil {
		return
	}
	arrivals, sim := model.ArrivalsOf(s.Step), t.newModel(s.cpu, s.course)
	now := sim.Percentiles(arrivals, uint64(s.Seed), perMilles...)
	if now[q95] == model.Failed || now[q95] <= 0 {
		return
	}
	s.simulated = s.overPhases(sim, arrivals)
	s.simulated.p95 = now[q95]
	atReference := steady.Percentiles(model.ArrivalsOf(planned), uint64(s.Seed), perMilles...)
	if atReference[q95] == model.Failed {
		return
	}
	s.setConversions(now, atReference)
	s.variation = 1
	if varies(s.course) {
		s.variation = typicalP95(t.newModel(cpuAtReference, s.course), planned) / typicalP95(steady, planned)
	}
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
