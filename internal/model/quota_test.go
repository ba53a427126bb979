package model_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
)

const ms = time.Millisecond

// alone returns the latency of one login on an idle service.
func alone(s model.Service, phase float64) time.Duration {
	return s.Latencies(model.Arrivals{Due: []time.Duration{0}}, phase, 1)[0]
}

// The worst phase is about that of a login that arrives right after a refill:
// T0 = t + (⌈t/q⌉ − 1)(100 ms − q). What a stopped lane has used too much or kept is less than a tick.
func TestALoginOnAnIdleServiceMeetsTheStallsOfItsQuota(t *testing.T) {
	tests := map[string]struct {
		hash  time.Duration
		milli int64
		want  time.Duration
	}{
		"cost 10 on a quarter of a CPU":          {57 * ms, 250, 207 * ms},
		"cost 12 on a quarter":                   {227 * ms, 250, 902 * ms},
		"cost 10 on half a CPU":                  {57 * ms, 500, 107 * ms},
		"a hash within one runtime never stalls": {14 * ms, 250, 14 * ms},
		"a whole CPU never stalls one lane":      {57 * ms, 1000, 57 * ms},
		"no quota":                               {57 * ms, 0, 57 * ms},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := model.Service{Pooled: true, Hash: test.hash, QuotaMilliCPU: test.milli}
			var worst time.Duration
			for i := range 1000 {
				worst = max(worst, alone(s, float64(i)/1000+0.0005))
			}
			within := ms
			if test.want > test.hash {
				within = 4 * ms
			}
			if (worst - test.want).Abs() > within {
				t.Errorf("the worst phase takes %v, want %v", worst, test.want)
			}
			if p95 := s.NoLoadP95(); p95 > worst || p95 < test.hash {
				t.Errorf("p95 over the phases is %v, outside %v to %v", p95, test.hash, worst)
			}
		})
	}
}

func TestThePhaseDecidesHowManyStallsALoginMeets(t *testing.T) {
	s := model.Service{Hash: 57 * ms, QuotaMilliCPU: 250}
	// By the refill at 20 ms the login has run 20 ms, and has 5 ms of a slice. These and the next 25 ms are
	// used up at 50 ms, and the tick at 52 ms stops it. After the refill at 120 ms it runs 5 ms more.
	if got := alone(s, 0.2); got != 125*ms {
		t.Errorf("takes %v, want 125ms", got)
	}
	// The tick at 28 ms stops it, with 25 ms and the 1 ms that it had used, and 2 ms of debt. It goes on at
	// 99 ms, is stopped by the tick at 124 ms, and goes on at 199 ms for 4 ms.
	if got := alone(s, 0.99); got != 203*ms {
		t.Errorf("takes %v, want 203ms", got)
	}
}

func TestLanesDrainAQuotaTogether(t *testing.T) {
	// Two hashes at once use 51 ms of quota in 25.5 ms, are stopped by the tick at 28 ms, wait for the refill
	// at 100 ms, and need 4 ms more. One after another, the second uses the rest of the quota first: it runs
	// until the tick at 52 ms, and needs 12 ms after the refill.
	two := model.Service{Lanes: 2, Pooled: true, Hash: 32 * ms, QuotaMilliCPU: 500}
	for _, latency := range two.Latencies(model.Arrivals{Due: make([]time.Duration, 2)}, 1, 1) {
		if latency != 104*ms {
			t.Errorf("takes %v, want 104ms", latency)
		}
	}
	one := two
	one.Lanes = 1
	got := one.Latencies(model.Arrivals{Due: make([]time.Duration, 2)}, 1, 1)
	if got[0] != 32*ms || got[1] != 112*ms {
		t.Errorf("one after another they take %v, want 32ms and 112ms", got)
	}
}

func TestUnusedRuntimeIsLost(t *testing.T) {
	s := model.Service{Pooled: true, Hash: 60 * ms, QuotaMilliCPU: 500}
	// After 950 ms without load it has only one runtime and the 1 ms that it kept, until the refill at
	// 1000 ms. The tick at 1052 ms stops the second login after 42 ms, and it goes on at 1100 ms.
	got := s.Latencies(model.Arrivals{Due: []time.Duration{950 * ms, 950 * ms}}, 1, 1)
	if got[0] != 60*ms || got[1] != 168*ms {
		t.Errorf("they take %v, want 60ms and 168ms", got)
	}
}

// A stopped lane has used more than the quota, but pays for it: over many periods the pod gets its quota.
func TestADebtIsPaidFromTheNextRefill(t *testing.T) {
	for _, milli := range []int64{50, 100, 250, 500, 900} {
		s := model.Service{Pooled: true, Hash: time.Duration(milli) * 100 * ms, QuotaMilliCPU: milli}
		due, took := []time.Duration{0}, make([]time.Duration, 1)
		s.Serve(true, due, took)
		// 1000 periods of quota, less a part of the first and of the last one.
		if took[0] < 99_800*ms || took[0] > 100_000*ms {
			t.Errorf("at %d thousandths %v of CPU time take %v, want about 100s", milli, s.Hash, took[0])
		}
	}
}

func TestASecondLaneUnderAQuotaOfOneCPULowersP95(t *testing.T) {
	s := model.Service{Lanes: 1, Pooled: true, Hash: 14 * ms, QuotaMilliCPU: 1000}
	one, _ := s.SteadyP95(0.6*s.MaxPerSecond(), false, 1)
	s.Lanes = 2
	two, _ := s.SteadyP95(0.6*s.MaxPerSecond(), false, 1)
	if one < 45*ms || one > 56*ms || two < 22*ms || two > 31*ms {
		t.Errorf("p95 is %v with one lane and %v with two, want about 50 and 28 ms", one, two)
	}
}

func TestP95IsAMeanOverPhases(t *testing.T) {
	s := model.Service{Pooled: true, Hash: 57 * ms, QuotaMilliCPU: 250}
	a := step(s, 0.6, 200, 11)
	mean, ok := s.P95(a, 1)
	if !ok {
		t.Fatal("no p95")
	}
	low, high := model.Failed, time.Duration(0)
	for i := range 20 {
		p95 := byRank(s.Latencies(a, float64(i)/20, 1), 95)
		low, high = min(low, p95), max(high, p95)
	}
	if low == high || mean < low || mean > high {
		t.Errorf("mean is %v, phases span %v to %v", mean, low, high)
	}
}

func TestTheQuotaBoundsWhatIsServed(t *testing.T) {
	for name, s := range services() {
		due := make([]time.Duration, 400)
		s.Timeout, s.QueueLength = 0, 0
		var last time.Duration
		for _, latency := range s.Latencies(model.Arrivals{Due: due}, 0.5, 1) {
			last = max(last, latency)
		}
		share := float64(len(due)) / last.Seconds() / s.MaxPerSecond()
		if floor := map[bool]float64{true: 0.8, false: 0.97}[s.Replicas > 1]; share < floor || share > 1.02 {
			t.Errorf("%s: serves %.3f of its maximum", name, share)
		}
	}
}

func TestP95FallsAsTheQuotaGrows(t *testing.T) {
	last := model.Failed
	for _, milli := range []int64{300, 400, 500, 750, 1000, 1500, 2000, 0} {
		s := model.Service{Lanes: 2, Pooled: true, Hash: 57 * ms, QuotaMilliCPU: milli}
		p95, ok := s.SteadyP95(4, false, 1)
		if !ok || p95 > last {
			t.Errorf("at %d thousandths p95 is %v, %v with less", milli, p95, last)
		}
		last = p95
	}
	if math.IsInf(last.Seconds(), 0) {
		t.Error("no p95 without a quota")
	}
}

// A login of cost 16 on a twentieth of a CPU takes a minute.
func TestLongLoginsAreSimulatedInFewEvents(t *testing.T) {
	for name, s := range map[string]model.Service{
		"a pool":               {Pooled: true, Hash: 3500 * ms, QuotaMilliCPU: 50},
		"a pool of two":        {Lanes: 2, Pooled: true, Hash: 3500 * ms, QuotaMilliCPU: 50},
		"unbounded":            {Hash: 3500 * ms, QuotaMilliCPU: 50},
		"a quota of two CPUs":  {Lanes: 4, Pooled: true, Hash: 20 * time.Second, QuotaMilliCPU: 2000},
		"callers who give up":  {Pooled: true, Hash: 3500 * ms, QuotaMilliCPU: 50, Timeout: 320 * time.Second},
		"a speed that changes": {Pooled: true, Hash: 3500 * ms, QuotaMilliCPU: 50, Course: &model.Course{Every: 10 * time.Minute, Factors: []float64{1, 1.2, 0.9, 1}}},
	} {
		const logins = 400
		due := loadplan.Poisson(4, logins, time.Duration(logins/(0.7*s.MaxPerSecond())*float64(time.Second)))
		exact, found := make([]time.Duration, len(due)), make([]time.Duration, len(due))
		s.Serve(true, due, exact)
		events := s.Serve(false, due, found)
		if most := 1000 * logins; events > most {
			t.Errorf("%s: %d events, want at most %d", name, events, most)
		}
		want, got := model.Percentile(exact, 950), model.Percentile(found, 950)
		if want == model.Failed || math.Abs(got.Seconds()/want.Seconds()-1) > 0.02 {
			t.Errorf("%s: p95 is %v, and %v in the whole simulation", name, got, want)
		}
		wantFailed, gotFailed := failures(exact), failures(found)
		if max(wantFailed-gotFailed, gotFailed-wantFailed) > logins/100 || (wantFailed > logins/100) != (s.Timeout > 0) {
			t.Errorf("%s: %d callers gave up, and %d in the whole simulation", name, gotFailed, wantFailed)
		}
	}
}

func failures(latencies []time.Duration) (n int) {
	for _, took := range latencies {
		if took == model.Failed {
			n++
		}
	}
	return n
}

// Only a login that finds its pod idle takes longer, and the mean CPU time stays as it was measured.
func TestOnlyLoginsThatFindThePodIdlePayForWaking(t *testing.T) {
	s := model.Service{Pooled: true, Hash: 12 * ms, Wake: ms, Wait: 5 * ms}
	got := s.Latencies(model.Arrivals{Due: []time.Duration{0, 5 * ms, 100 * ms}}, 1, 1)
	if want := []time.Duration{18 * ms, 25 * ms, 18 * ms}; !slices.Equal(got, want) {
		t.Errorf("they take %v, want %v", got, want)
	}
	for _, test := range []struct {
		mean, saturated time.Duration
		idle            float64
		cpu, wake       time.Duration
	}{
		{12600 * time.Microsecond, 12 * ms, 0.5, 12 * ms, 1200 * time.Microsecond},
		{12 * ms, 12500 * time.Microsecond, 0.5, 12 * ms, 0},      // faster than saturated
		{14 * ms, 12 * ms, 0.1, 13800 * time.Microsecond, 2 * ms}, // more than waking explains
		{14 * ms, 12 * ms, 0, 14 * ms, 0},
	} {
		if cpu, wake := model.WithoutWaking(test.mean, test.saturated, test.idle); cpu != test.cpu || wake != test.wake {
			t.Errorf("%+v: %v and %v", test, cpu, wake)
		}
	}
	pool := model.Service{Pooled: true, Hash: 12 * ms}
	if share := pool.IdleShare(step(pool, 0.6, 4000, 5), 1); share < 0.37 || share > 0.43 {
		t.Errorf("%.3f of the logins find a pod idle that is busy for 60 %%", share)
	}
}
