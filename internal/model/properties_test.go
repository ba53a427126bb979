package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/model"
)

// anyService draws a service, and arrivals from low load to overload.
func anyService(source *rand.Rand) (model.Service, model.Arrivals) {
	s := model.Service{
		Lanes:  1 + source.Int32N(4),
		Pooled: source.IntN(2) == 0,
		Hash:   time.Duration(1+source.IntN(250)) * ms,
	}
	s.Workers, s.QueueLength = source.Int32N(6), source.Int32N(12)
	if source.IntN(3) > 0 {
		s.QuotaMilliCPU = 100 + source.Int64N(2000)
	}
	if source.IntN(2) == 0 {
		s.Timeout = time.Duration(1+source.IntN(5000)) * ms
	}
	return s, step(s, 0.1+1.4*source.Float64(), 50+source.IntN(150), source.Uint32())
}

// checkPossible checks what is true of every service.
func checkPossible(t *testing.T, s model.Service, a model.Arrivals, phase float64) {
	t.Helper()
	a.Counted = 0
	latencies := s.Latencies(a, phase, 1)
	if len(latencies) != len(a.Due) {
		t.Fatalf("%d logins have %d latencies", len(a.Due), len(latencies))
	}
	served, end, lastOfPool := 0, time.Duration(0), time.Duration(0)
	for i, latency := range latencies {
		if latency == model.Failed {
			continue
		}
		served++
		end = max(end, a.Due[i]+latency)
		if latency < s.Hash || (s.Timeout > 0 && latency > s.Timeout) {
			t.Fatalf("%+v: login %d took %v", s, i, latency)
		}
		if s.Pooled && s.Workers <= s.Lanes && a.Due[i]+latency < lastOfPool {
			t.Fatalf("%+v: login %d overtook another", s, i)
		}
		lastOfPool = max(lastOfPool, a.Due[i]+latency)
	}
	// The quota allows at most one more runtime than its share of the time.
	most := s.MaxPerSecond()*(end-a.Due[0]+100*ms).Seconds() + float64(s.Lanes)
	if s.QuotaMilliCPU > 0 {
		most += float64(s.QuotaMilliCPU) / 1000 * 100 * ms.Seconds() / s.Hash.Seconds()
	}
	if served > 0 && float64(served) > most {
		t.Fatalf("%+v: served %d logins, at most %.1f are possible", s, served, most)
	}
	if s.Timeout == 0 && (!s.Pooled || s.QueueLength == 0) && served != len(latencies) {
		t.Fatalf("%+v: failed %d logins for no reason", s, len(latencies)-served)
	}
}

func TestLatenciesArePossible(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		s, a := anyService(source)
		checkPossible(t, s, a, source.Float64())
	}
}

func FuzzLatencies(f *testing.F) {
	f.Add(uint64(1), 0.5)
	f.Fuzz(func(t *testing.T, seed uint64, phase float64) {
		if !(phase >= 0 && phase < 1) {
			return
		}
		s, a := anyService(rand.New(rand.NewPCG(seed, 0)))
		checkPossible(t, s, a, phase)
	})
}

// One lane without a quota is never idle while a login waits. So the last login ends at the
// same moment, in whatever order they are served.
func TestNoLaneIdlesWhileALoginWaits(t *testing.T) {
	for seed := range uint32(50) {
		s := model.Service{Pooled: true, Hash: 57 * ms}
		a := step(s, 0.9, 100, 2*seed)
		a.Counted = 0
		var free, end time.Duration
		for _, due := range a.Due {
			free = max(free, due) + s.Hash
		}
		for _, pooled := range []bool{true, false} {
			s.Pooled = pooled
			end = 0
			for i, latency := range s.Latencies(a, 0, 1) {
				end = max(end, a.Due[i]+latency)
			}
			if end != free {
				t.Errorf("seed %d, pooled %v: ends at %v, want %v", seed, pooled, end, free)
			}
		}
	}
}

func TestTheSameSeedHasTheSameAnswer(t *testing.T) {
	for name, s := range services() {
		a := step(s, 0.8, 300, 7)
		first, _ := s.P95(a, 5)
		again, _ := s.P95(a, 5)
		if first != again {
			t.Errorf("%s: p95 is %v, then %v", name, first, again)
		}
		if other, _ := s.P95(a, 6); s.QuotaMilliCPU > 0 && other == first {
			t.Errorf("%s: another seed draws the same phases", name)
		}
	}
}

func TestP95RisesWithTheRate(t *testing.T) {
	for name, s := range services() {
		s.Timeout, s.QueueLength = 0, 0
		last := time.Duration(0)
		for _, rho := range []float64{0.4, 0.7, 0.85} {
			p95, ok := s.SteadyP95(rho*s.MaxPerSecond(), false, 1)
			if !ok || p95 < last {
				t.Errorf("%s: at %v p95 is %v, %v below", name, rho, p95, last)
			}
			last = p95
		}
	}
}

func TestSpreadIsThatOfDirectRuns(t *testing.T) {
	s := model.Service{Pooled: true, Hash: 56 * ms}
	draw := func(run int) model.Arrivals { return step(s, 0.7, 1000, uint32(2*run)) }
	spread := s.Spread(draw, 200, 1, 950)[0]
	low, high, ok := spread.Low, spread.High, spread.OK
	var direct, all []time.Duration
	for run := range 200 {
		p95, _ := s.P95(draw(run), 1)
		direct = append(direct, p95)
		all = append(all, s.Latencies(draw(run), 0, 1)...)
	}
	slices.Sort(direct)
	slices.Sort(all)
	together := float64(all[len(all)*95/100-1])
	want := []float64{float64(direct[5]) / together, float64(direct[194]) / together}
	if diff := cmp.Diff(want, []float64{low, high}); diff != "" || !ok {
		t.Errorf("spread (-want +got), ok %v:\n%s", ok, diff)
	}
	// A p95 of 1,000 logins at 70 % load is within 0.83 and 1.46 of the true one.
	if low < 0.75 || low > 0.9 || high < 1.2 || high > 1.6 {
		t.Errorf("spread is %.2f to %.2f", low, high)
	}
	if s.Spread(draw, 0, 1, 950)[0].OK {
		t.Error("a spread of no runs")
	}
	s.Timeout = 30 * ms
	if s.Spread(draw, 20, 1, 950)[0].OK {
		t.Error("a spread of failures")
	}
}
