package model_test

import (
	"math"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/model"
)

func atMost(p95 time.Duration) model.Limit {
	return model.Limit{P95: p95, ErrorShare: 0.001}
}

// Capacities as shares of the maximum, for p95 within 3, 5, 10 and 20 hashes, from the same
// table of simulated logins as the percentiles.
func TestCapacityIsWhatIsKnownOfEachDiscipline(t *testing.T) {
	const long = 600 * time.Millisecond // much longer than a turn of 10 ms
	tests := map[string]struct {
		service model.Service
		want    map[int]float64
	}{
		"one lane, first come first served":  {model.Service{Pooled: true, Hash: hash}, map[int]float64{3: 0.49, 5: 0.69, 10: 0.85, 20: 0.93}},
		"one lane, shared":                   {model.Service{Hash: long}, map[int]float64{3: 0.33, 5: 0.54, 10: 0.74}},
		"two lanes, first come first served": {model.Service{Lanes: 2, Pooled: true, Hash: hash}, map[int]float64{3: 0.71, 5: 0.83, 10: 0.92}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for hashes, want := range test.want {
				got := test.service.NewOutlook(false, 1).Capacity(atMost(time.Duration(hashes)*test.service.Hash)) / test.service.MaxPerSecond()
				if math.Abs(got-want) > 0.015 {
					t.Errorf("p95 within %d hashes: %.3f of the maximum, want %.2f", hashes, got, want)
				}
			}
		})
	}
}

func TestNoCapacityIfAnIdleServiceIsTooSlow(t *testing.T) {
	s := model.Service{Lanes: 2, Pooled: true, Hash: 227 * ms, QuotaMilliCPU: 250}
	if got := s.NewOutlook(false, 1).Capacity(atMost(500 * ms)); got != 0 {
		t.Errorf("capacity is %v, want none", got)
	}
	if got := (model.Service{}).NewOutlook(false, 1).Capacity(atMost(time.Second)); got != 0 {
		t.Errorf("capacity of a service without a hash time is %v", got)
	}
}

func TestRefusalsLimitTheCapacityOfABoundedQueue(t *testing.T) {
	s := model.Service{Pooled: true, QueueLength: 3, Hash: hash}
	generous, strict := atMost(time.Minute), atMost(time.Minute)
	generous.ErrorShare = 0.05
	many, few := s.NewOutlook(false, 1).Capacity(generous), s.NewOutlook(false, 1).Capacity(strict)
	if few >= many || few > 0.5*s.MaxPerSecond() {
		t.Errorf("capacity is %.2f with 0.1 %% refused and %.2f with 5 %%, of a maximum of %.2f", few, many, s.MaxPerSecond())
	}
}

func TestCapacityIsBelowTheMaximum(t *testing.T) {
	s := model.Service{Pooled: true, Hash: 5 * ms}
	if got, want := s.NewOutlook(false, 1).Capacity(atMost(time.Hour)), model.MostShare*s.MaxPerSecond(); got != want {
		t.Errorf("capacity is %v, want %v", got, want)
	}
}

func TestEvenlySpacedLoginsNeverQueue(t *testing.T) {
	s := model.Service{Pooled: true, Hash: hash}
	if got := s.NewOutlook(true, 1).Capacity(atMost(hash)) / s.MaxPerSecond(); got != model.MostShare {
		t.Errorf("capacity is %.3f of the maximum, want %v", got, model.MostShare)
	}
	// At two replicas they arrive unevenly: none queues only if one lane is enough.
	s.Replicas = 2
	if got := s.NewOutlook(true, 1).Capacity(atMost(hash)) / s.MaxPerSecond(); got > 0.51 {
		t.Errorf("capacity of two replicas is %.3f of the maximum", got)
	}
}

func TestSteadyP95OfNextToNoLoadIsThatOfAnIdleService(t *testing.T) {
	for name, s := range services() {
		idle := s.NoLoadP95()
		if got, ok := s.SteadyP95(0, false, 1); !ok || got != idle {
			t.Errorf("%s: p95 is %v at rate 0, want %v", name, got, idle)
		}
		if got, ok := s.SteadyP95(0.001*s.MaxPerSecond(), false, 1); !ok || math.Abs(got.Seconds()/idle.Seconds()-1) > 0.02 {
			t.Errorf("%s: p95 is %v at next to no load, want %v", name, got, idle)
		}
	}
	s := model.Service{Pooled: true, Hash: hash, Timeout: 10 * ms}
	if p95, ok := s.SteadyP95(1, false, 1); ok {
		t.Errorf("callers give up before a hash ends, but p95 is %v", p95)
	}
}

// A limit applies to all of its percentiles, and one that is looser than another implies
// changes nothing.
func TestTheCapacityHoldsEveryPercentile(t *testing.T) {
	s := model.Service{Pooled: true, Hash: 50 * time.Millisecond}
	limit := model.Limit{P95: 400 * time.Millisecond, ErrorShare: 0.01}
	alone := s.NewOutlook(false, 1).Capacity(limit)
	for name, c := range map[string]struct {
		change func(*model.Limit)
		less   bool
	}{
		"a strict p99":         {func(l *model.Limit) { l.P99 = 420 * time.Millisecond }, true},
		"a loose p99":          {func(l *model.Limit) { l.P99 = 4 * time.Second }, false},
		"a strict median":      {func(l *model.Limit) { l.P50 = 55 * time.Millisecond }, true},
		"a loose median":       {func(l *model.Limit) { l.P50 = 390 * time.Millisecond }, false},
		"an impossible median": {func(l *model.Limit) { l.P50 = 49 * time.Millisecond }, true},
	} {
		changed := limit
		c.change(&changed)
		got := s.NewOutlook(false, 1).Capacity(changed)
		if (got < 0.99*alone) != c.less || got > alone {
			t.Errorf("%s: %g/s, and %g/s without", name, got, alone)
		}
	}
}
