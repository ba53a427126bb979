package verdict_test

import (
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// modelStub replaces the simulation. It predicts what the run of these tests measured,
// unless a test changes it. The simulation of a step is tested in its own package.
type modelStub struct {
	// p95 of every step. p95Of overrides it for steps with that many counted logins.
	p95   time.Duration
	p95Of map[int]time.Duration
	// known is false if the model cannot predict p95.
	known bool
	// sway is how far the phase changes p95 in either direction, as a share of it.
	sway float64
	// slower is the latency of the second half's logins ÷ that of the first half's.
	slower float64
	// low and high are the ends of the spread.
	low, high float64
	// capacity per second at a limit.
	capacity func(limit time.Duration) float64
	// fedWith is the CPU time per login of the last model that was made.
	fedWith *time.Duration
}

// asMeasured returns a model that agrees with ranWell.
func asMeasured() *modelStub {
	return &modelStub{
		p95: 200 * time.Millisecond, p95Of: map[int]time.Duration{}, known: true, slower: 1, low: 1, high: 1,
		capacity: hyperbola(25, 100*time.Millisecond), fedWith: new(time.Duration),
	}
}

// hyperbola returns the capacity of a service whose p95 is reach × ρ/(1−ρ).
func hyperbola(bound float64, reach time.Duration) func(time.Duration) float64 {
	return func(limit time.Duration) float64 {
		return bound * limit.Seconds() / (limit.Seconds() + reach.Seconds())
	}
}

func (m *modelStub) of(cpu time.Duration, _ *model.Course) verdict.Model {
	*m.fedWith = cpu
	return m
}

// Percentiles returns the same value for all.
func (m *modelStub) Percentiles(a model.Arrivals, _ uint64, perMille ...int) []time.Duration {
	value := m.p95
	if p95, named := m.p95Of[len(a.Due)-a.Counted]; named {
		value = p95
	}
	if !m.known {
		value = model.Failed
	}
	return slices.Repeat([]time.Duration{value}, len(perMille))
}

// IdleShare returns 0: no login wakes the stub.
func (m *modelStub) IdleShare(model.Arrivals, uint64) float64 { return 0 }

// Latencies returns p95 for one login in ten, and 60 ms for all others.
func (m *modelStub) Latencies(a model.Arrivals, phase float64, seed uint64) []time.Duration {
	counted := a.Due[a.Counted:]
	middle := a.Due[a.Counted] + (a.Due[len(a.Due)-1]-a.Due[a.Counted])/2
	slow := m.Percentiles(a, seed, 950)[0]
	slow = time.Duration(float64(slow) * (1 + m.sway*(2*phase-1)))
	latencies := make([]time.Duration, len(counted))
	for i, due := range counted {
		latencies[i] = min(slow, 60*time.Millisecond)
		if due > middle {
			latencies[i] = time.Duration(m.slower * float64(latencies[i]))
		}
		if i%10 == 0 {
			latencies[i] = slow
		}
	}
	return latencies
}

func (m *modelStub) Spread(_ func(int) model.Arrivals, _ int, _ uint64, perMille ...int) []model.Spread {
	return slices.Repeat([]model.Spread{{Low: m.low, High: m.high, OK: m.known}}, len(perMille))
}

func (m *modelStub) Capacity(limit model.Limit) float64 {
	return m.capacity(limit.P95)
}
