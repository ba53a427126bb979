package simulation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// saturate simulates the callers of a saturation that belong to one pod: each logs in
// again a moment after it was answered. It returns when logins are sent and answered.
func saturate(s Service, callers int, phase float64, pause, end time.Duration) []measurement.Record {
	var logins []measurement.Record
	p := newPod(s.whole(), phase)
	next, waitsFor := make([]time.Duration, callers), slices.Repeat([]int{-1}, callers)
	for caller := range next {
		next[caller] = time.Duration(caller) * pause
	}
	for p.now < end {
		p.advance(min(p.changes(), slices.Min(next)))
		p.finish()
		for caller, login := range waitsFor {
			if login >= 0 && p.latencies[login] != 0 {
				logins = append(logins, measurement.Record{Due: p.due[login], Sent: p.due[login], Ended: p.now, Outcome: measurement.OK})
				next[caller], waitsFor[caller] = p.now+pause, -1
			}
		}
		for caller := range next {
			if next[caller] <= p.now {
				login := len(p.due)
				p.due, p.latencies = append(p.due, p.now), append(p.latencies, 0)
				next[caller], waitsFor[caller] = never, login
				p.admit(login)
			}
		}
		p.yield()
		p.run()
	}
	return logins
}

// maximum is the throughput of a saturation, in logins per second, when its callers are
// shared among the pods as the k6 script does.
func maximum(t *testing.T, s Service, step loadplan.Step, source *rand.Rand) float64 {
	t.Helper()
	// k6 opens a connection and sends the next login about so long after an answer.
	const pause = 1500 * time.Microsecond
	step.StartMilliseconds = 0
	var records []measurement.Record
	for pod := range int(s.Replicas) {
		callers := (step.Callers - pod + int(s.Replicas) - 1) / int(s.Replicas)
		end := time.Duration(step.EndMilliseconds()) * time.Millisecond
		records = append(records, saturate(s, callers, source.Float64(), pause, end)...)
	}
	for i := range records {
		records[i].Index = i
	}
	found, err := measurement.Summarise(loadplan.Plan{TimeoutMilliseconds: 10_000, Steps: []loadplan.Step{step}}, records)
	if err != nil {
		t.Fatal(err)
	}
	return float64(*found.Steps[0].ThroughputMilliPerSecond) / 1000
}

// Where each login went to a pod by chance, R replicas of a pool came to .93, .91, .90
// and .88 of the bound for R = 2, 3, 4 and 10, and unbounded goroutines to .82 to .89.
func TestTheSaturationReachesTheBoundOfSeveralReplicas(t *testing.T) {
	const runs = 10
	for _, pooled := range []bool{true, false} {
		for _, milliCPU := range []int64{250, 500, 1000} {
			for _, replicas := range []int32{2, 3, 4, 10} {
				name := fmt.Sprintf("pooled %v, %dm, %d replicas", pooled, milliCPU, replicas)
				service, step := plannedSaturation(t, pooled, milliCPU, replicas)
				source, sum := rand.New(rand.NewPCG(7, uint64(milliCPU))), 0.0
				for range runs {
					sum += maximum(t, service, step, source) / service.MaxPerSecond()
				}
				least := map[bool]float64{true: 0.97, false: 0.95}[pooled]
				if share := sum / runs; share < least || share > 1.03 {
					t.Errorf("%s: the maximum is %.3f of the bound, want %g or more", name, share, least)
				}
			}
		}
	}
}

// plannedSaturation is the service of a trial at cost 10, and its planned saturation.
func plannedSaturation(t *testing.T, pooled bool, milliCPU int64, replicas int32) (Service, loadplan.Step) {
	t.Helper()
	const hash = 57 * time.Millisecond
	concurrency := v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyUnbounded}
	service := Service{Replicas: replicas, Lanes: 2, Hash: hash, QuotaMilliCPU: milliCPU}
	if pooled {
		concurrency = v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}
		service.Lanes, service.Pooled, service.Workers = 1, true, 1
	}
	plan, err := loadplan.Build(v1alpha1.SizingTrialSpec{
		Variant:    v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmBcrypt, Cost: 10, CPULimit: fmt.Sprintf("%dm", milliCPU), Concurrency: concurrency},
		Repetition: 1, Seed: 7,
		Service:   v1alpha1.Service{Replicas: replicas},
		Generator: v1alpha1.Generator{CPULimit: "2"},
		Objective: v1alpha1.Objective{P95Milliseconds: 1000},
		Load: v1alpha1.Load{
			Mode: v1alpha1.LoadCapacity, StepSeconds: 10, MinSamples: 100, MaxStepSeconds: 120, WarmupSeconds: 5, RequestTimeoutSeconds: 10,
		},
	}, v1alpha1.TrialCalibration{
		CalibrationResult: v1alpha1.CalibrationResult{HashMicroseconds: hash.Microseconds()},
		GoMaxProcs:        2, Cpuset: "0-1", QuotaMilliCPU: ptr.To(milliCPU),
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
