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
	P95(a simulation.Arrivals, seed uint64) (time.Duration, bool)
	Latencies(a simulation.Arrivals, phase float64, seed uint64) []time.Duration
	Spread(draw func(run int) simulation.Arrivals, runs int, seed uint64) (low, high float64, ok bool)
	Capacity(limit simulation.Limit, uniform bool, seed uint64) float64
}

// modelOf is the model of a trial's service whose logins take so much CPU time.
type modelOf func(cpu time.Duration) model

func simulated(in Input) modelOf {
	return func(cpu time.Duration) model { return prediction.Model(in.Spec, in.Calibration, cpu) }
}

// spread is where p95 of a step lies from run to run, as multiples of its median.
type spread struct{ low, high float64 }

// simulate adds to an open step that the service kept up with what the model
// makes of it. A service with sessions hashes for few of its requests: there is
// no time per login that a model could be fed with.
func (s *step) simulate(of modelOf) {
	s.cpu = cpuPerLogin(s.result)
	if s.Requests+s.SettleRequests > mostSimulated {
		return
	}
	s.spread = s.simulatedSpread(of(s.cpu))
	if s.cpu == 0 || s.result.P95Microseconds == nil {
		return
	}
	arrivals, model := prediction.ArrivalsOf(s.Step), of(s.cpu)
	if p95, ok := model.P95(arrivals, uint64(s.Seed)); ok {
		s.p95 = p95
	}
	if s.Reported {
		s.halves = s.simulatedHalves(model, arrivals)
	}
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

// simulatedSpread runs the step afresh with other seeds. A long step is run
// shorter, and what comes of it narrowed by the root of its length: the spread
// of p95 at 80 % load is 27, 13 and 6 % of it with 1,000, 4,000 and 16,000
// logins, simulated.
func (s *step) simulatedSpread(model model) *spread {
	if s.Requests < samplesForP95 {
		return nil
	}
	shorter, narrower := s.Step, 1.0
	if s.Requests > mostRedrawn {
		share := float64(mostRedrawn) / float64(s.Requests)
		shorter.Requests = mostRedrawn
		shorter.CountedMilliseconds = int64(share * float64(s.CountedMilliseconds))
		narrower = math.Sqrt(share)
	}
	draw := func(run int) simulation.Arrivals { return prediction.Redrawn(shorter, run) }
	low, high, ok := model.Spread(draw, spreadRuns, uint64(s.Seed))
	if !ok {
		return nil
	}
	return &spread{low: 1 - narrower*(1-low), high: 1 + narrower*(high-1)}
}

// simulatedHalves is the largest ratio of the medians of the step's halves,
// second ÷ first, over the phases that a quota's grid may have had; 0 where a
// half has no median.
func (s *step) simulatedHalves(model model, arrivals simulation.Arrivals) float64 {
	counted := arrivals.Due[arrivals.Counted:]
	middle := time.Duration(s.SettleMilliseconds)*time.Millisecond + time.Duration(s.CountedMilliseconds)*time.Millisecond/2
	second, _ := slices.BinarySearch(counted, middle)
	largest := 0.0
	for phase := range halvesPhases {
		latencies := model.Latencies(arrivals, float64(phase)/halvesPhases, uint64(s.Seed))
		first, rest := median(latencies[:second]), median(latencies[second:])
		if first > 0 && rest != simulation.Failed {
			largest = max(largest, float64(rest)/float64(first))
		}
	}
	return largest
}

// median by nearest rank, failures being slower than every success; 0 of none.
func median(latencies []time.Duration) time.Duration {
	if len(latencies) == 0 {
		return 0
	}
	sorted := slices.Clone(latencies)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}

// ratio is measured ÷ simulated p95 on the same arrivals, 0 where there is none.
func (s *step) ratio() float64 {
	if s.p95 <= 0 || s.result.P95Microseconds == nil {
		return 0
	}
	return float64(*s.result.P95Microseconds) / float64(s.p95.Microseconds())
}

// comparable tells whether measured and simulated p95 of the step ought to agree.
func (t *trial) comparable(s *step) bool {
	return s.ratio() > 0 && s.cpu >= shortestModelled && s.result.OK >= samplesForInterval &&
		t.utilisation(s) <= modelledUtilisation
}

// utilisation is the offered share of the bound.
func (t *trial) utilisation(s *step) float64 {
	return float64(s.OfferedMilliPerSecond) / float64(t.bound)
}

// modelled tells whether the model knows how the variant's service works.
func (t *trial) modelled() bool { return !t.Spec.Variant.Sessions && t.bound > 0 }

// unbounded tells whether a goroutine hashes each login, all at once.
func (t *trial) unbounded() bool { return loadplan.Workers(t.Spec.Variant) == 0 }
