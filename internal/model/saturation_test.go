package model

import (
	"fmt"
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

// saturate simulates the callers of a saturation: each logs in again a moment after it was
// answered, at the pod that pick names. It returns when logins are sent and answered.
func saturate(pods []*pod, callers int, pick func(caller int) int, end time.Duration) []measurement.Record {
	// k6 opens a connection and sends the next login about so long after an answer.
	const pause = 1500 * time.Microsecond
	type waiting struct{ pod, login int }
	var logins []measurement.Record
	next, waits := make([]time.Duration, callers), slices.Repeat([]waiting{{pod: -1}}, callers)
	for caller := range next {
		next[caller] = time.Duration(caller) * pause / time.Duration(len(pods))
	}
	for now := time.Duration(0); now < end; {
		now = slices.Min(next)
		for _, p := range pods {
			now = min(now, p.changes())
		}
		for _, p := range pods {
			p.advance(now)
			p.finish()
		}
		for caller, w := range waits {
			if w.pod >= 0 && pods[w.pod].latencies[w.login] != 0 {
				sent := pods[w.pod].due[w.login]
				logins = append(logins, measurement.Record{Index: len(logins), Due: sent, Sent: sent, Ended: now, Outcome: measurement.OK})
				next[caller], waits[caller].pod = now+pause, -1
			}
		}
		for caller := range next {
			if next[caller] <= now {
				at := pick(caller)
				p := pods[at]
				next[caller], waits[caller] = never, waiting{pod: at, login: len(p.due)}
				p.due, p.latencies = append(p.due, now), append(p.latencies, 0)
				p.admit(len(p.due) - 1)
			}
		}
		for _, p := range pods {
			p.yield()
			p.run()
		}
	}
	return logins
}

// maximum returns the throughput of a saturation as a share of the bound, the mean of several
// runs. Its callers each stay with one pod, as in the k6 script, or go to pods at random.
func maximum(t *testing.T, s Service, step loadplan.Step, atRandom bool) float64 {
	t.Helper()
	const runs = 5
	source, sum := rand.New(rand.NewPCG(7, uint64(s.QuotaMilliCPU))), 0.0
	step.StartMilliseconds = 0
	for range runs {
		pods := make([]*pod, s.Replicas)
		for i := range pods {
			pods[i] = newPod(s.withDefaults(), source.Float64())
		}
		pick := func(caller int) int { return caller % len(pods) }
		if atRandom {
			pick = func(int) int { return source.IntN(len(pods)) }
		}
		records := saturate(pods, step.Callers, pick, time.Duration(step.EndMilliseconds())*time.Millisecond)
		found, err := measurement.Summarise(loadplan.Plan{TimeoutMilliseconds: 10_000, Steps: []loadplan.Step{step}}, records)
		if err != nil {
			t.Fatal(err)
		}
		sum += float64(*found.Steps[0].ThroughputMilliPerSecond) / 1000 / s.MaxPerSecond()
	}
	return sum / runs
}

// Each pod has its own callers. If each login went to a pod at random, some pods would be idle
// for part of the time, and the maximum would be much lower.
func TestTheSaturationReachesTheBoundOfSeveralReplicas(t *testing.T) {
	for _, pooled := range []bool{true, false} {
		for _, milliCPU := range []int64{250, 500, 1000} {
			for _, replicas := range []int32{2, 3, 4, 10} {
				name := fmt.Sprintf("pooled %v, %dm, %d replicas", pooled, milliCPU, replicas)
				service, step := plannedSaturation(t, pooled, milliCPU, replicas)
				least := map[bool]float64{true: 0.97, false: 0.95}[pooled]
				own, shared := maximum(t, service, step, false), maximum(t, service, step, true)
				t.Logf("%s: the maximum is %.3f of the bound, and %.3f at random", name, own, shared)
				if own < least || own > 1.03 {
					t.Errorf("%s: the maximum is %.3f of the bound, want %g or more", name, own, least)
				}
				if shared > own-0.02 {
					t.Errorf("%s: at random the maximum is %.3f of the bound, want clearly less than %.3f", name, shared, own)
				}
			}
		}
	}
}

// plannedSaturation returns the service of a trial at cost 10, and its planned saturation.
func plannedSaturation(t *testing.T, pooled bool, milliCPU int64, replicas int32) (Service, loadplan.Step) {
	t.Helper()
	const hash = 57 * time.Millisecond
	concurrency := v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}
	service := Service{Replicas: replicas, Lanes: 2, Hash: hash, QuotaMilliCPU: milliCPU}
	if pooled {
		concurrency = v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}
		service.Lanes, service.Pooled, service.Workers = 1, true, 1
	}
	plan, err := loadplan.Build(v1beta1.SizingTrialSpec{
		Variant:    v1beta1.Variant{Hash: v1beta1.BcryptHash(10), CPULimit: fmt.Sprintf("%dm", milliCPU), Concurrency: concurrency},
		Repetition: 1, Seed: 7,
		Service:   v1beta1.Service{Replicas: replicas},
		Generator: v1beta1.Generator{CPULimit: ptr.To(intstr.Parse("2"))},
		Objective: v1beta1.Objective{P95Milliseconds: 1000},
		Load: v1beta1.Load{
			StepSeconds: 10, WarmupSeconds: ptr.To[int32](5), RequestTimeoutSeconds: 10,
		},
	}, handover.Calibration{
		CalibrationResult: handover.CalibrationResult{HashMicroseconds: hash.Microseconds()},
		Surroundings:      handover.Surroundings{GoMaxProcs: 2, Cpuset: "0-1", QuotaMilliCPU: ptr.To(milliCPU)},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	last := plan.Steps[len(plan.Steps)-1]
	if last.Kind != loadplan.Saturation {
		t.Fatalf("the plan ends with %s, want a saturation", last.Kind)
	}
	return service, last
}
