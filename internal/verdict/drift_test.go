package verdict_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// whole runs all synthetic runs: minutes instead of seconds.
var whole = flag.Bool("whole", false, "judge hundreds of synthetic runs, as make test-long does with NAME=synthetic and questions")

// drifting returns the speed of a rented machine, as measured on one: a standard deviation
// of 7 % with a correlation time of three seconds (autocorrelation 0.84 at half a second,
// 0.52 at two, 0.20 at five, 0.05 at ten).
func drifting(seed uint64) func(at time.Duration) float64 {
	const deviation, memory = 0.07, 3.0
	chance := rand.New(rand.NewPCG(seed, 77))
	kept := math.Exp(-speedEvery.Seconds() / memory)
	var path []float64
	state := chance.NormFloat64()
	for range int(30 * time.Minute / speedEvery) {
		path = append(path, math.Exp(deviation*state))
		state = kept*state + math.Sqrt(1-kept*kept)*chance.NormFloat64()
	}
	return func(at time.Duration) float64 { return path[int((at+calibrationLength)/speedEvery)] }
}

// onRentedMachine returns a run with everything that varies without a disturbance: the
// speed, the pod, the model's error, and the cost of waking up.
func onRentedMachine(seed int64) machine {
	kinds := []struct {
		concurrency v1beta1.ConcurrencyMode
		quota       int64
	}{
		{v1beta1.ConcurrencyWorkerPool, 0}, {v1beta1.ConcurrencyWorkerPool, 500}, {v1beta1.ConcurrencyWorkerPool, 250},
		{v1beta1.ConcurrencyUnbounded, 0}, {v1beta1.ConcurrencyUnbounded, 500},
	}
	kind := kinds[seed%int64(len(kinds))]
	m := newMachine(kind.concurrency, kind.quota, seed)
	m.objective = []float64{5, 10, 20}[seed%3]
	m.speed, m.wakesUp = drifting(uint64(seed)), true
	m.pod = 1 + 0.005*m.chance.NormFloat64()
	off := 0.05
	if m.concurrency == v1beta1.ConcurrencyUnbounded {
		off = 0.08
	}
	m.off = math.Exp(off * m.chance.NormFloat64())
	m.decides = seed%2 == 1
	return m
}

// each judges many runs on all CPUs.
func each(n int, judge func(seed int64)) {
	seeds := make(chan int64)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for seed := range seeds {
				judge(seed)
			}
		})
	}
	for seed := range n {
		seeds <- int64(seed)
	}
	close(seeds)
	workers.Wait()
}

// runs returns the number of runs: all, or the part that every change must pass.
func runs(all, cut int) int {
	if *whole {
		return all
	}
	return cut
}

// Of 1,000 runs with no disturbance except the drift, at most 20 are not Valid.
func TestADriftingMachineIsValid(t *testing.T) {
	n := runs(1000, 40) // about one in a hundred is not, and two of the first ten
	var mutex sync.Mutex
	doubted, mistaken := 0, 0
	each(n, func(seed int64) {
		judged := verdict.Judge(onRentedMachine(seed).input(t))
		mutex.Lock()
		defer mutex.Unlock()
		if judged.Speed.UnderLoad != nil {
			mistaken++
			t.Logf("seed %d: the drift is taken for slowness under load: %+v", seed, judged.Speed.UnderLoad)
		}
		if judged.Result.Verdict != fine {
			doubted++
			t.Logf("seed %d is %s: %+v", seed, judged.Result.Verdict, judged.Result.Reasons)
		}
	})
	if mistaken > max(1, n/100) {
		t.Errorf("the drift of %d of %d runs is taken for slowness under load, want at most %d", mistaken, n, max(1, n/100))
	}
	if doubted > max(2, n/50) {
		t.Errorf("%d of %d runs are not Valid, want at most %d", doubted, n, max(2, n/50))
	}
}

// tally counts how often intervals contain the truth.
type tally struct{ held, n int }

func (c *tally) add(low, truth, high float64) {
	c.n++
	if low <= truth && truth <= high {
		c.held++
	}
}

func (c *tally) share() float64 { return float64(c.held) / float64(c.n) }

// slack is the tolerance of a share for few runs.
func (c *tally) slack() float64 {
	if *whole {
		return 0
	}
	return 3 * math.Sqrt(0.05*0.95/float64(c.n))
}

// check requires a share of 92 to 98 %, with some tolerance for few runs.
func (c *tally) check(t *testing.T, what string) {
	t.Helper()
	share, slack := c.share(), c.slack()
	t.Logf("%s: %d of %d intervals hold the truth, %.1f %%", what, c.held, c.n, 100*share)
	if share < 0.92-slack || share > 0.98+slack {
		t.Errorf("%s: %.1f %% of the intervals hold the truth, want 92 to 98 %%", what, 100*share)
	}
}

// The 95 % intervals contain the numbers of the same service on a machine without drift and
// in a pod without variation, at whatever reference the first trial fixed: up to 10 % off the typical speed.
func TestIntervalsHoldTheTruth(t *testing.T) {
	capacities, latencies := intervals(t, runs(500, 30), 1)
	capacities.check(t, "capacity")
	latencies.check(t, "p95")
}

// Intervals hold the truth less often where p95 is 15 % off in addition to the model's error, because a step of a hundred logins
// does not always show that. A capacity is too low then.
func TestIntervalsHoldTheTruthWhereTheModelIsOff(t *testing.T) {
	for _, bias := range []float64{0.85, 1.15} {
		n := runs(200, 20)
		capacities, _ := intervals(t, n, bias)
		if capacities.n < n*9/10 {
			t.Fatalf("p95 × %g: %d of %d runs have an interval", bias, capacities.n, n)
		}
		t.Logf("p95 × %g: %d of %d intervals hold the truth", bias, capacities.held, capacities.n)
		if capacities.share() < 0.84-capacities.slack() {
			t.Errorf("p95 × %g: %.1f %% of the intervals hold the truth, want at least 84 %%", bias, 100*capacities.share())
		}
	}
}

// intervals judges runs on rented machines whose p95 is off by a factor in addition, and compares with the truth.
func intervals(t *testing.T, n int, bias float64) (capacities, latencies tally) {
	t.Helper()
	var mutex sync.Mutex
	each(n, func(seed int64) {
		m := onRentedMachine(seed)
		m.off *= bias
		in := m.input(t)
		slower := min(1.1, max(0.9, math.Exp(0.05*m.chance.NormFloat64())))
		in.Reference = math.Round(slower * float64(trueHash.Microseconds()))
		judged := verdict.Judge(in)
		truth := m
		truth.pod = 1
		capacity := truth.capacity(in, slower)
		share := float64(loadplan.ReportedLoadPercent) / 100
		typical := truth.service(in.Spec, in.Calibration, share)
		typical.Hash = time.Duration(slower * float64(typical.Hash))
		p95, _ := typical.SteadyP95(share*m.cpus()/(slower*trueHash.Seconds()), false, 98)
		mutex.Lock()
		defer mutex.Unlock()
		if c := judged.Result; c.CapacityInterval != nil {
			capacities.add(float64(c.CapacityInterval.LowMilliPerSecond)/1000, capacity, float64(c.CapacityInterval.HighMilliPerSecond)/1000)
		}
		if p := judged.Result.P95Interval; p != nil {
			latencies.add(float64(p.LowMicroseconds), m.off*float64(p95.Microseconds()), float64(p.HighMicroseconds))
		}
	})
	return capacities, latencies
}

// saturation returns the last step of a run.
func saturation(in *verdict.Input) *measurement.StepResult { return &in.Run.Steps[len(in.Run.Steps)-1] }

func openSteps(in *verdict.Input) []*measurement.StepResult {
	var open []*measurement.StepResult
	for i := range in.Run.Steps[:len(in.Run.Steps)-1] {
		open = append(open, &in.Run.Steps[i])
	}
	return open
}

func longer(n *int64, times float64) {
	if n != nil {
		*n = int64(times * float64(*n))
	}
}

func slowerAnswers(s *measurement.StepResult, times float64) {
	for _, n := range []*int64{s.P50Microseconds, s.P95Microseconds, s.P99Microseconds, s.MaxMicroseconds, s.FirstHalfP50Microseconds, s.SecondHalfP50Microseconds} {
		longer(n, times)
	}
	if s.P95Interval != nil {
		longer(&s.P95Interval.LowMicroseconds, times)
		longer(&s.P95Interval.HighMicroseconds, times)
	}
}

// taken removes a share of the CPU time that the service would have used.
func taken(d *evidence.Delta, share float64) {
	lost := int64(share * float64(d.CPUMicroseconds))
	d.CPUMicroseconds -= lost
}

// Disturbances that change the capacity, or what would be measured, by more than 5 %: none
// of these runs is Valid and more than 5 % off. The truth is that at the speed of the run,
// which is its reference.
func TestNoDisturbanceIsValidAndWrong(t *testing.T) {
	at := func(from, until time.Duration, factor float64) func(time.Duration) float64 {
		return func(moment time.Duration) float64 {
			if moment >= from && moment < until {
				return factor
			}
			return 1
		}
	}
	const ever = time.Hour
	none := func(*machine) {}
	tests := map[string]struct {
		machine func(m *machine)
		disturb func(in *verdict.Input)
	}{
		"the CPU is 15 % slower than when it was calibrated": {func(m *machine) { m.speed = at(-time.Second, ever, 1.15) }, nil},
		"the CPU is 12 % slower in the saturation alone": {none, func(in *verdict.Input) {
			s := saturation(in)
			longer(s.ThroughputMilliPerSecond, 1/1.12)
			for _, n := range []*int64{&s.Service.Hashes, &s.Service.TimedHashes, &s.CompletedInWindow, &s.OK, &s.Scheduled, &s.SentInWindow} {
				longer(n, 1/1.12)
			}
		}},
		"the CPU is 12 % slower in the open steps alone": {func(m *machine) { m.speed = at(-ever, 90*time.Second, 1.12) }, nil},
		"a neighbour takes 13 % of the saturation, loose objective": {func(m *machine) { m.objective = 70 }, func(in *verdict.Input) {
			s := saturation(in)
			longer(s.ThroughputMilliPerSecond, 0.87)
			for _, n := range []*int64{&s.Service.Hashes, &s.Service.TimedHashes, &s.Service.HashMicroseconds, &s.CompletedInWindow} {
				longer(n, 0.87)
			}
			taken(s.Service, 0.13)
		}},
		"a neighbour takes 13 % of every step": {none, func(in *verdict.Input) {
			for i := range in.Run.Steps {
				d := in.Run.Steps[i].Service
				d.BusyMicroseconds += int64(0.13 * float64(d.ElapsedMicroseconds))
				d.IdleMicroseconds = max(0, d.ElapsedMicroseconds-d.BusyMicroseconds)
			}
			longer(saturation(in).ThroughputMilliPerSecond, 0.87)
			longer(&saturation(in).Service.Hashes, 0.87)
			taken(saturation(in).Service, 0.13)
		}},
		"the hypervisor takes 6 % of every step": {none, func(in *verdict.Input) {
			for i := range in.Run.Steps {
				d := in.Run.Steps[i].Service
				d.StealMicroseconds = int64(0.06 * float64(d.ElapsedMicroseconds))
			}
		}},
		"the hypervisor takes 6 % of the saturation alone": {none, func(in *verdict.Input) {
			d := saturation(in).Service
			d.StealMicroseconds = int64(0.06 * float64(d.ElapsedMicroseconds))
			longer(saturation(in).ThroughputMilliPerSecond, 0.94)
		}},
		"the limit is lifted by 10 % in the saturation": {none, func(in *verdict.Input) {
			s := saturation(in)
			for _, n := range []*int64{s.ThroughputMilliPerSecond, &s.Service.Hashes, &s.Service.TimedHashes, &s.Service.HashMicroseconds, &s.Service.CPUMicroseconds, &s.Service.BusyMicroseconds} {
				longer(n, 1.1)
			}
		}},
		"the limit is 10 % smaller than requested": {none, func(in *verdict.Input) { in.Run.Services[0].QuotaMilliCPU = 450 }},
		"responses take 1.5 times as long on the network": {none, func(in *verdict.Input) {
			for _, s := range openSteps(in) {
				slowerAnswers(s, 1.5)
			}
		}},
		"the generator sends late": {none, func(in *verdict.Input) {
			for _, s := range openSteps(in) {
				s.StartLagP95Microseconds, s.StartLagP99Microseconds = ptr.To(*s.P95Microseconds/4), ptr.To(*s.P95Microseconds/2)
				slowerAnswers(s, 1.25)
			}
		}},
		"a login in ten is never sent": {none, func(in *verdict.Input) {
			for _, s := range openSteps(in) {
				s.NeverSent = s.OK / 10
				s.OK -= s.NeverSent
				slowerAnswers(s, 0.8)
			}
		}},
		"the service hashes on a machine half as fast": {func(m *machine) { m.speed = at(-time.Second, ever, 2) },
			func(in *verdict.Input) {
				in.Reference = float64(trueHash.Microseconds())
			}},
		"the speed of the load is not known": {func(m *machine) { m.speed = at(-time.Second, ever, 1.15) }, func(in *verdict.Input) {
			in.Run.Timeline = nil
			for i := range in.Run.Steps {
				in.Run.Steps[i].Service.TimedHashes, in.Run.Steps[i].Service.HashMicroseconds = 0, 0
			}
		}},
		"each login costs 15 % more CPU than its hash": {none, func(in *verdict.Input) {
			for i := range in.Run.Steps {
				longer(&in.Run.Steps[i].Service.CPUMicroseconds, 1.15)
				longer(&in.Run.Steps[i].Service.BusyMicroseconds, 1.15)
			}
			longer(&saturation(in).Service.CPUMicroseconds, 1/1.15)
			longer(&saturation(in).Service.Hashes, 1/1.15)
			longer(&saturation(in).Service.TimedHashes, 1/1.15)
			longer(&saturation(in).Service.HashMicroseconds, 1/1.15)
			longer(saturation(in).ThroughputMilliPerSecond, 1/1.15)
		}},
		"only one step has the service's counters": {none, func(in *verdict.Input) {
			for _, s := range openSteps(in) {
				s.Service = nil
			}
			saturation(in).Service.CPUMicroseconds /= 2
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range int64(runs(4, 1)) {
				m := newMachine(v1beta1.ConcurrencyWorkerPool, 500, seed)
				m.wakesUp = true
				test.machine(&m)
				in := m.input(t)
				if test.disturb != nil {
					test.disturb(&in)
				}
				judged := verdict.Judge(in)
				slower := float64(judged.Speed.ReferenceHashMicrosecondsAtCost8) / float64(trueHash.Microseconds())
				truth := m.capacity(in, slower)
				found := float64(ptr.Deref(judged.Result.CapacityMilliPerSecond, 0)) / 1000
				off := math.Abs(found/truth - 1)
				t.Logf("seed %d: %s, capacity %.4g/s, true %.4g/s, %v", seed, judged.Result.Verdict, found, truth, findings(judged.Result.Reasons))
				if judged.Result.Verdict == fine && off > 0.05 {
					t.Errorf("seed %d is Valid and %.0f %% off", seed, 100*off)
				}
			}
		})
	}
}

// What moves a capacity by more than 5 % leaves the truth in the interval, or a row that is not Valid. For a pod that differs
// from its peers, the interval is what sizes are chosen from: that of a pod that was not measured.
func TestNoDisturbanceIsValidWithTheTruthOutsideItsInterval(t *testing.T) {
	tests := map[string]struct {
		quota   int64
		disturb func(m *machine)
		// peers is the hash time of the pods that users will run ÷ that of the measured one; 0 is 1.
		peers float64
	}{
		"nothing":                              {quota: 500, disturb: func(*machine) {}},
		"p95 is 1.2 times the model's":         {quota: 500, disturb: func(m *machine) { m.off = 1.2 }},
		"p95 is 0.82 times the model's":        {quota: 500, disturb: func(m *machine) { m.off = 0.82 }},
		"the pod is 3 % slower than its peers": {quota: 500, disturb: func(m *machine) { m.pod = 1.03 }, peers: 1 / 1.03},
		"the pod is 6 % faster than its peers": {quota: 500, disturb: func(m *machine) { m.pod = 0.94 }, peers: 1 / 0.94},
		"5 % less CPU in the open steps":       {quota: 500, disturb: func(m *machine) { m.others = 0.05 }},
		"9 % less CPU in the open steps":       {quota: 500, disturb: func(m *machine) { m.others = 0.09 }},
		"13 % less CPU in the open steps":      {quota: 500, disturb: func(m *machine) { m.others = 0.13 }},
		"a parent leaves 97 % of half a CPU":   {quota: 500, disturb: func(m *machine) { m.parent = 0.97 }},
		"a parent leaves 95 % of half a CPU":   {quota: 500, disturb: func(m *machine) { m.parent = 0.95 }},
		"a parent leaves 90 % of half a CPU":   {quota: 500, disturb: func(m *machine) { m.parent = 0.9 }},
		"a parent leaves 95 % of a CPU":        {quota: 1000, disturb: func(m *machine) { m.parent = 0.95 }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mutex sync.Mutex
			verdicts, outside := map[v1beta1.Verdict]int{}, 0
			least, most := math.Inf(1), math.Inf(-1)
			each(runs(40, 2), func(seed int64) {
				m := newMachine(v1beta1.ConcurrencyWorkerPool, test.quota, seed)
				test.disturb(&m)
				in := m.input(t)
				judged := verdict.Judge(in)
				truth, unmeasured := m.capacity(in, 1), 1.0
				if test.peers > 0 {
					peers := m
					peers.pod *= test.peers
					truth = peers.capacity(in, 1)
					unmeasured = float64(concluded(t, in, judged, v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(10)}).Speed[0].SizingPerMille) / 1000
				}
				mutex.Lock()
				defer mutex.Unlock()
				verdicts[judged.Result.Verdict]++
				if judged.Result.Verdict != fine {
					return
				}
				off := float64(*judged.Result.CapacityMilliPerSecond)/1000/truth - 1
				least, most = min(least, off), max(most, off)
				low, high := float64(judged.Result.CapacityInterval.LowMilliPerSecond)/1000/unmeasured, float64(judged.Result.CapacityInterval.HighMilliPerSecond)/1000*unmeasured
				if truth < low || truth > high {
					outside++
					if math.Abs(off) > 0.05 {
						t.Errorf("seed %d is Valid, %+.1f %% off, with %.4g to %.4g/s, and the truth is %.4g/s", seed, 100*off, low, high, truth)
					}
				}
			})
			if verdicts[fine] == 0 {
				t.Logf("%s: %v", name, verdicts)
				return
			}
			t.Logf("%s: %v, capacity − truth of Valid rows %+.1f to %+.1f %%, the truth outside %d intervals", name, verdicts, 100*least, 100*most, outside)
		})
	}
}
