package model_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/model"
)

const hash = 56 * time.Millisecond

// tolerance returns three times the standard deviation of SteadyP95 from seed to seed, as a
// share, over eight seeds.
func tolerance(rho float64) float64 {
	switch {
	case rho <= 0.5:
		return 0.03
	case rho <= 0.7:
		return 0.035
	case rho <= 0.8:
		return 0.05
	default:
		return 0.12
	}
}

// erlangC returns the probability that a login has to wait with exponential service times: B
// by its recursion over lanes, C = B ÷ (1 − ρ(1 − B)).
func erlangC(lanes int, rho float64) float64 {
	blocked := 1.0
	for n := 1; n <= lanes; n++ {
		offered := rho * float64(lanes)
		blocked = offered * blocked / (float64(n) + offered*blocked)
	}
	return blocked / (1 - rho*(1-blocked))
}

// meanWait returns the mean wait of M/D/c by Cosmetatos, in multiples of the hash time: half
// of M/M/c's, with a correction for few lanes.
func meanWait(lanes int, rho float64) float64 {
	c := float64(lanes)
	exponential := erlangC(lanes, rho) / (c * (1 - rho))
	return exponential / 2 * (1 + (1-rho)*(c-1)*(math.Sqrt(4+5*c)-2)/(16*rho*c))
}

// p95ByTail returns p95 from the exponential tail of the wait, in multiples of the hash time.
func p95ByTail(lanes int, rho float64) float64 {
	waits := erlangC(lanes, rho)
	return 1 + meanWait(lanes, rho)/waits*math.Log(waits/0.05)
}

// Without a quota a pool is M/D/c. The tail formula is 3 % below to 8 % above the true p95,
// 5.3 % from 70 % load on.
func TestAPoolWithoutAQuotaAgreesWithTheClosedForms(t *testing.T) {
	for _, lanes := range []int{1, 2, 4} {
		for _, rho := range []float64{0.5, 0.7, 0.8, 0.9} {
			t.Run(fmt.Sprintf("%d lanes at %v", lanes, rho), func(t *testing.T) {
				s := model.Service{Lanes: int32(lanes), Pooled: true, Hash: hash}
				const logins = 400_000
				if rho <= 0.8 { // above that, the mean of so many is exact to only a few percent
					a := step(s, rho, logins, 3)
					var waited time.Duration
					for _, latency := range s.Latencies(a, 0, 1) {
						waited += latency - hash
					}
					mean := waited.Seconds() / logins / hash.Seconds()
					if want := meanWait(lanes, rho); math.Abs(mean/want-1) > 0.04 {
						t.Errorf("logins wait %.4f hashes, want %.4f within 4 %%", mean, want)
					}
				}
				p95, ok := s.SteadyP95(rho*s.MaxPerSecond(), false, 1)
				got, want := p95.Seconds()/hash.Seconds(), p95ByTail(lanes, rho)
				if !ok || got > want/0.97*(1+tolerance(rho)) || got < want/1.08*(1-tolerance(rho)) {
					t.Errorf("p95 is %.3f hashes, the formula has %.3f", got, want)
				}
			})
		}
	}
}

// p95 in hashes, each from four million logins simulated by another program.
func TestSteadyP95IsWhatIsKnownOfEachDiscipline(t *testing.T) {
	tests := map[string]struct {
		service model.Service
		want    map[float64]float64
	}{
		"first come first served": {
			model.Service{Pooled: true, Hash: hash},
			map[float64]float64{0.5: 3.05, 0.7: 5.14, 0.8: 7.65, 0.9: 15.0},
		},
		"first come first served on two lanes": {
			model.Service{Lanes: 2, Pooled: true, Hash: hash},
			map[float64]float64{0.5: 1.91, 0.7: 2.93, 0.8: 4.20, 0.9: 7.9},
		},
		"turns at cost 10": {
			model.Service{Hash: 57 * time.Millisecond},
			map[float64]float64{0.5: 4.3, 0.7: 7.9, 0.8: 12.5, 0.9: 25.9},
		},
		"turns that are much shorter than a hash": {
			model.Service{Hash: 600 * time.Millisecond},
			map[float64]float64{0.5: 4.54, 0.7: 8.60, 0.8: 13.6},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for rho, want := range test.want {
				p95, ok := test.service.SteadyP95(rho*test.service.MaxPerSecond(), false, 1)
				got := p95.Seconds() / test.service.Hash.Seconds()
				if !ok || math.Abs(got/want-1) > tolerance(rho) {
					t.Errorf("at %v p95 is %.2f hashes, want %.2f within %.1f %%", rho, got, want, 100*tolerance(rho))
				}
			}
		})
	}
}

// Most hashes of cost 8 end within their first turn, which lasts 10 to 20 ms. So unbounded
// goroutines are better than turns of 10 ms, which the table has, and worse than a queue.
func TestTurnsAtCost8LieBetweenAQueueAndTurnsOf10ms(t *testing.T) {
	s := model.Service{Hash: 14 * ms}
	for rho, between := range map[float64][2]float64{0.5: {3.05, 4.0}, 0.7: {5.14, 7.2}, 0.8: {7.65, 11.2}, 0.9: {15.0, 22.8}} {
		p95, ok := s.SteadyP95(rho*s.MaxPerSecond(), false, 1)
		if got := p95.Seconds() / s.Hash.Seconds(); !ok || got < between[0] || got > between[1] {
			t.Errorf("at %v p95 is %.2f hashes, want %v to %v", rho, got, between[0], between[1])
		}
	}
}
