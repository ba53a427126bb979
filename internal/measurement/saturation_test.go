package measurement_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// loop is an ideal closed loop: a machine that is never idle, with a constant speed.
type loop struct {
	step loadplan.Step
	cpus float64
	// hash is the CPU time of one hash.
	hash time.Duration
	// phase of a caller: the share of its first hash that it still has to wait for.
	phase func(caller int) float64
}

// saturationOf returns the saturation that is planned for an unbounded service or a pool,
// with a number of CPUs.
func saturationOf(t *testing.T, workers *int32, cpus int64, hash time.Duration) loadplan.Step {
	t.Helper()
	spec := v1beta1.SizingTrialSpec{
		Variant: v1beta1.Variant{Name: "v", Hash: v1beta1.BcryptHash(10), CPULimit: fmt.Sprint(cpus),
			Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}},
		Service:   v1beta1.Service{Replicas: 1},
		Generator: v1beta1.Generator{CPULimit: ptr.To(intstr.Parse("32"))},
		// With such a long timeout, the timeout does not limit the number of callers.
		Load: v1beta1.Load{Capacity: &v1beta1.CapacityLoad{MaxStepSeconds: ptr.To[int32](600)}, StepSeconds: 10, RequestTimeoutSeconds: 60},
	}
	if workers != nil {
		spec.Variant.Concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: workers}
	}
	plan, err := loadplan.Build(spec, handover.Calibration{
		CalibrationResult: handover.CalibrationResult{HashMicroseconds: hash.Microseconds()},
		Surroundings:      handover.Surroundings{GoMaxProcs: int32(cpus)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range plan.Steps {
		if step.Kind == loadplan.Saturation {
			step.StartMilliseconds = 0
			return step
		}
	}
	t.Fatal("the plan has no saturation")
	return loadplan.Step{}
}

func (l loop) ends() time.Duration {
	return time.Duration(l.step.SettleMilliseconds+l.step.CountedMilliseconds) * time.Millisecond
}

// pooled hashes first come, first served, one hash per CPU at a time.
func (l loop) pooled() []measurement.Record {
	free := make([]time.Duration, int(l.cpus))
	var records []measurement.Record
	due := make([]time.Duration, l.step.Callers)
	for i := range due {
		due[i] = time.Duration(l.phase(i) * float64(l.hash))
	}
	for {
		caller := slices.Index(due, slices.Min(due))
		sent := due[caller]
		if sent >= l.ends() {
			return records
		}
		worker := slices.Index(free, slices.Min(free))
		ended := max(sent, free[worker]) + l.hash
		records = append(records, measurement.Record{Index: len(records), Due: sent, Sent: sent, Ended: ended, Outcome: measurement.OK})
		free[worker], due[caller] = ended, ended
	}
}

// shared divides the CPUs evenly among all hashes under way.
func (l loop) shared() []measurement.Record {
	var records []measurement.Record
	// The remaining work in units of a hash, and when it was sent.
	left, sent := make([]float64, l.step.Callers), make([]time.Duration, l.step.Callers)
	for i := range left {
		left[i] = 1 - l.phase(i)
	}
	underWay := len(left)
	var now float64
	for underWay > 0 {
		next := -1
		for i := range left {
			if !math.IsInf(left[i], 1) && (next < 0 || left[i] < left[next]) {
				next = i
			}
		}
		did := left[next]
		now += did * l.hash.Seconds() / min(1, l.cpus/float64(underWay))
		for i := range left {
			left[i] -= did
		}
		at := time.Duration(now * float64(time.Second))
		records = append(records, measurement.Record{Index: len(records), Due: sent[next], Sent: sent[next], Ended: at, Outcome: measurement.OK})
		left[next], sent[next] = 1, at
		if at >= l.ends() {
			left[next] = math.Inf(1)
			underWay--
		}
	}
	return records
}

// A saturation's throughput is the true rate, whether logins are answered one by one, in
// batches of all callers, or in anything between.
func TestSaturationIsTheTrueRateHoweverLoginsAreAnswered(t *testing.T) {
	together := func(int) float64 { return 0 }
	random := rand.New(rand.NewPCG(3, 4))
	phases := make([]float64, 100)
	for i := range phases {
		phases[i] = random.Float64()
	}
	spread := func(caller int) float64 { return phases[caller] }
	bunched := func(caller int) float64 { return float64(caller%3) / 10 }
	for _, cpus := range []int64{1, 2, 4, 8, 16, 32} {
		for name, test := range map[string]struct {
			pooled bool
			phase  func(int) float64
		}{
			"a pool, in order":                      {true, spread},
			"a pool, whose workers answer together": {true, together},
			"unbounded, all answered together":      {false, together},
			"unbounded, answered one by one":        {false, spread},
			"unbounded, answered in bunches":        {false, bunched},
		} {
			t.Run(fmt.Sprintf("%d CPUs, %s", cpus, name), func(t *testing.T) {
				for _, milliseconds := range []int64{57, 226, 449, 903, 1800, 3607} {
					l := loop{cpus: float64(cpus), hash: time.Duration(milliseconds) * time.Millisecond, phase: test.phase}
					var workers *int32
					if test.pooled {
						n := int32(cpus)
						workers = &n
					}
					l.step = saturationOf(t, workers, cpus, l.hash)
					records := l.shared()
					if test.pooled {
						records = l.pooled()
					}
					got, err := measurement.Summarise(plan(l.step), records)
					if err != nil {
						t.Fatal(err)
					}
					step, truth := got.Steps[0], l.cpus/l.hash.Seconds()
					if step.ThroughputMilliPerSecond == nil {
						t.Fatalf("hashes of %s: no throughput of %d completions", l.hash, step.CompletedInWindow)
					}
					off := math.Abs(float64(*step.ThroughputMilliPerSecond)/1000/truth - 1)
					if allowed := max(0.01, 1/(3*float64(step.CompletedInWindow))); off > allowed {
						t.Errorf("hashes of %s: %d callers, %d completions, off by %.2f %%", l.hash, l.step.Callers, step.CompletedInWindow, 100*off)
					}
				}
			})
		}
	}
}
