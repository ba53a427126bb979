// Package simulated stands in for the nodes that an API server of a test lacks: the steps of a
// pod that kubelet reports, and a machine with the results that the login service and the load
// generator would have there.
//
// It runs no container, has no clock and no client: a test decides when a step happens, and
// writes it.
package simulated

import (
	"encoding/json"
	"math"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// Machine is a model of the nodes, just good enough that its numbers are consistent:
//
//	hash time   D  = (34 + 55.25·2^cost) µs ÷ CPU limit
//	maximum        = 0.985 ÷ D
//
// Latencies come from the simulation of a step's arrivals, so that measurement and prediction
// agree. The service has CPU 0 of one node, and the generator CPU 1 of another.
type Machine struct {
	// Cost is bcrypt's cost.
	Cost int32
	// MilliCPU is the CPU limit of a login pod.
	MilliCPU int64
	// Replicas is the number of login pods.
	Replicas int
	// GeneratorCPUs is how many CPUs a generator would need; its limit is half a CPU.
	GeneratorCPUs float64
	// Slower is the factor by which each login of a verification takes longer; 0 means 1.
	Slower float64
}

// The nodes, and their boot IDs.
const (
	ServiceNode = "node-a"
	LoadNode    = "node-b"
)

const (
	// referenceMicroseconds is the hash time at cost 8.
	referenceMicroseconds = 14_178
	// saturates is the share of its CPUs that a saturated service uses.
	saturates = 0.985
	// UsualGeneratorCPUs is what a generator needs as a rule.
	UsualGeneratorCPUs = 0.05
)

func (m Machine) hashMicroseconds() int64 {
	return int64(34 + 55.25*math.Exp2(float64(m.Cost)))
}

// interval returns the time between two logins of all replicas at full load, in microseconds.
func (m Machine) interval() float64 {
	return float64(m.hashMicroseconds()) * 1000 / float64(m.MilliCPU) / float64(max(1, m.Replicas))
}

// Calibration returns the init container's termination message.
func (m Machine) Calibration() string {
	hash := m.hashMicroseconds()
	written, err := json.Marshal(calibration.Result{
		Cost: m.Cost,
		Calibration: handover.Calibration{
			CalibrationResult: handover.CalibrationResult{
				HashMicroseconds: hash, ErrorMicroseconds: hash / 100, Samples: 50, ClockHashesMilliPerSecond: int64(1e9 / m.interval()),
			},
			MedianMicroseconds: hash, ReferenceMicroseconds: referenceMicroseconds, RatioPerMillion: 1_000_000 * hash / referenceMicroseconds,
			BlockMicroseconds: []int64{referenceMicroseconds, referenceMicroseconds},
			Surroundings: handover.Surroundings{
				GoMaxProcs: 1, Cpuset: "0", QuotaMilliCPU: ptr.To(m.MilliCPU),
				CPUModel: "Model CPU", CgroupVersion: 2, BootID: ServiceNode, GoVersion: "go1.26.8",
			},
		},
	})
	if err != nil {
		panic(err) // a struct of numbers and strings can always be marshalled
	}
	return string(written)
}

// Run returns what k6 would measure with the plan.
func (m Machine) Run(plan loadplan.Plan) measurement.Run {
	run := measurement.Run{
		K6Version: "v1.8.1", GoVersion: "go1.26.8", Reported: -1,
		Generator: &measurement.Container{BootID: LoadNode, Cpuset: "1", QuotaMilliCPU: 500, GoMaxProcs: 1},
	}
	for range m.Replicas {
		run.Services = append(run.Services, measurement.ServicePod{
			Container: measurement.Container{BootID: ServiceNode, Cpuset: "0", QuotaMilliCPU: m.MilliCPU, GoMaxProcs: 1},
			Workers:   1, QueueLength: 64,
		})
	}
	for _, step := range plan.Steps {
		if step.Kind == loadplan.Warmup {
			continue
		}
		if step.Reported {
			run.Reported = len(run.Steps)
		}
		run.Steps = append(run.Steps, m.step(step, plan.Objective))
		if plan.Objective != nil && measurement.Verify(plan, run.Steps).Outcome != v1beta1.VerificationUndecided {
			plan = plan.First(len(run.Steps))
			break
		}
	}
	run.Timeline = m.timeline(plan)
	return run
}

// timeline returns the timeline of a CPU whose speed does not change.
func (m Machine) timeline(plan loadplan.Plan) *measurement.Timeline {
	timeline := &measurement.Timeline{Window: time.Second + loadplan.Duration(plan).Truncate(8*time.Minute)/480}
	for range int(loadplan.Duration(plan) / timeline.Window) {
		timeline.HashNanoseconds = append(timeline.HashNanoseconds, 1000*m.hashMicroseconds())
	}
	return timeline
}

func (m Machine) step(planned loadplan.Step, verified *v1beta1.Objective) measurement.StepResult {
	counted := planned.CountedMilliseconds * 1000
	result := measurement.StepResult{CountedMicroseconds: counted}
	if planned.Kind == loadplan.Open {
		m.open(&result, planned, verified)
	} else {
		result.OK = int64(math.Round(saturates * float64(counted) / m.interval()))
		result.ThroughputMilliPerSecond = ptr.To(int64(saturates * 1e9 / m.interval()))
	}
	result.Scheduled, result.SentInWindow, result.CompletedInWindow = result.OK, result.OK, result.OK
	result.Service, result.Generator = m.serviceCPU(result), m.generatorCPU(counted)
	if planned.Kind != loadplan.Open {
		// A saturated service also uses CPU for a login that a window cuts.
		used := max(result.Service.CPUMicroseconds, int64(saturates*float64(result.Service.ElapsedMicroseconds)*float64(m.MilliCPU)/1000))
		result.Service.CPUMicroseconds, result.Service.BusyMicroseconds, result.Service.IdleMicroseconds = used, used, max(0, counted-used)
	}
	result.ServiceInFlightAfterDrain = ptr.To[int64](0)
	return result
}

func (m Machine) open(result *measurement.StepResult, planned loadplan.Step, verified *v1beta1.Objective) {
	latencies := m.latencies(planned)
	if verified != nil {
		slower := int64(0)
		for i := range latencies {
			latencies[i] = time.Duration(max(1, m.Slower) * float64(latencies[i]))
			if latencies[i].Milliseconds() >= int64(verified.P95Milliseconds) {
				slower++
			}
		}
		result.SlowerThanP95 = &slower
	}
	half := len(latencies) / 2
	at := func(of []time.Duration, share float64) *int64 {
		ranked := slices.Sorted(slices.Values(of))
		return ptr.To(ranked[int(share*float64(len(ranked)-1))].Microseconds())
	}
	result.OK, result.Latencies = int64(planned.Requests), &handover.Histogram{BucketsPerDoubling: 256}
	for _, latency := range slices.Sorted(slices.Values(latencies)) {
		result.Latencies.Add(latency.Microseconds(), 1)
	}
	result.ThroughputMilliPerSecond = ptr.To(planned.OfferedMilliPerSecond)
	result.P50Microseconds, result.P95Microseconds = at(latencies, 0.5), at(latencies, 0.949)
	result.P99Microseconds, result.MaxMicroseconds = at(latencies, 0.99), at(latencies, 1)
	result.FirstHalfP50Microseconds, result.SecondHalfP50Microseconds = at(latencies[:half], 0.5), at(latencies[half:], 0.5)
	result.P95Interval = &handover.Interval{LowMicroseconds: *at(latencies, 0.92), HighMicroseconds: *at(latencies, 0.98)}
	result.StartLagP95Microseconds, result.StartLagP99Microseconds = ptr.To[int64](300), ptr.To[int64](900)
}

// service returns the machine's login service as the simulation describes it.
func (m Machine) service() model.Service {
	return model.Service{
		Replicas: int32(max(1, m.Replicas)), Lanes: 1, Pooled: true, QuotaMilliCPU: m.MilliCPU,
		Hash: time.Duration(m.hashMicroseconds()) * time.Microsecond,
	}
}

// latencies returns the latencies of a step. Of ten phases of the quota's periods it uses the
// one whose p95 is nearest to the mean over all phases, because the phase of a run is random
// and does not matter here.
func (m Machine) latencies(planned loadplan.Step) []time.Duration {
	service, arrivals := m.service(), model.ArrivalsOf(planned)
	mean, _ := service.P95(arrivals, 7)
	var nearest []time.Duration
	least := time.Hour
	for phase := range 10 {
		drawn := service.Latencies(arrivals, float64(phase)/10, 7)
		ranked := slices.Sorted(slices.Values(drawn))
		if off := (ranked[len(ranked)*95/100-1] - mean).Abs(); off < least {
			nearest, least = drawn, off
		}
	}
	return nearest
}

func (m Machine) serviceCPU(result measurement.StepResult) *evidence.Delta {
	periods := result.CountedMicroseconds / evidence.UsualPeriod.Microseconds()
	used := result.OK * m.hashMicroseconds()
	return &evidence.Delta{
		ElapsedMicroseconds: result.CountedMicroseconds * int64(max(1, m.Replicas)), CPUMicroseconds: used,
		Hashes: result.OK, TimedHashes: result.OK, HashMicroseconds: used,
		Periods: periods, ThrottledPeriods: periods / 3, ThrottledMicroseconds: result.CountedMicroseconds / 5,
		BusyMicroseconds: used, IdleMicroseconds: result.CountedMicroseconds - used,
	}
}

// generatorCPU returns the generator's CPU time, and how long its quota throttled it.
func (m Machine) generatorCPU(counted int64) *evidence.Delta {
	used := evidence.Delta{ElapsedMicroseconds: counted, Periods: counted / evidence.UsualPeriod.Microseconds()}
	used.CPUMicroseconds = int64(min(0.5, m.GeneratorCPUs) * float64(counted))
	if short := m.GeneratorCPUs - 0.5; short > 0 {
		used.ThrottledPeriods = used.Periods
		used.ThrottledMicroseconds = int64(min(1, short) * float64(counted))
	}
	return &used
}
