package verdict_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// machine is a simulated node whose CPU speed changes, and a login service on it.
type machine struct {
	// hash is the CPU time of a hash at the true reference: that of cost 8, unless a test has other costs.
	hash        time.Duration
	concurrency v1beta1.ConcurrencyMode
	// quota in thousandths of a CPU; 0 is a whole CPU without a quota.
	quota int64
	// parent is the share of the quota that a parent's quota leaves, 0 for all of it.
	parent float64
	// objective as a multiple of the wall-clock time of a hash.
	objective float64
	seed      int64
	// speed is the hash time ÷ that at the true reference, at a moment of the plan. The
	// calibration is before the plan's zero. Nil is 1 throughout.
	speed func(at time.Duration) float64
	// pod is the hash time in this pod ÷ that in the calibrated pod.
	pod float64
	// loaded is the share by which a hash takes longer when all CPUs of the service hash than when it is idle.
	loaded float64
	// off is measured ÷ simulated p95.
	off float64
	// others is the share of the service's CPU that others take in open steps, unseen by its counters.
	others float64
	// wakesUp adds the CPU time for waking up from idle, as measured on a real machine.
	wakesUp bool
	// replicas is the number of pods, 0 for one. They take turns, or each login goes to a random one.
	replicas int32
	inTurn   bool
	// own replaces the login service, if set. hash is then the CPU time of its logins.
	own *ownService
	// decides lets a decision load the service, and verify it later.
	decides bool
	chance  *rand.Rand
}

const (
	trueHash = 14_200 * time.Microsecond
	// saturates is the share of its CPUs that a saturated service uses, as measured.
	saturates = 0.997
	// calibrationLength is the time from the start of the calibration to the load, and calibrationEnd that from its end.
	calibrationLength, calibrationEnd, calibrationBlock = 8 * time.Second, 2 * time.Second, 250 * time.Millisecond
	// decisionCalibrates is calibrationLength for what a decision loads.
	decisionCalibrates = 4500 * time.Millisecond
	// speedEvery is the interval in which the speed changes.
	speedEvery = 250 * time.Millisecond
)

func newMachine(concurrency v1beta1.ConcurrencyMode, quota, seed int64) machine {
	return machine{
		hash: trueHash, concurrency: concurrency, quota: quota, objective: 10, seed: seed, pod: 1, off: 1,
		chance: rand.New(rand.NewPCG(uint64(seed), 9)),
	}
}

func (m machine) at(moment time.Duration) float64 {
	if m.speed == nil {
		return 1
	}
	return m.speed(moment)
}

// mean returns the mean speed over a period.
func (m machine) mean(from, until time.Duration) float64 {
	sum, n := 0.0, 0.0
	for at := from + speedEvery/2; at < until; at += speedEvery {
		sum, n = sum+m.at(at), n+1
	}
	if n == 0 {
		return m.at(from)
	}
	return sum / n
}

// overhead returns the CPU time of a login in addition to its hash: 1 %, and about a
// millisecond each time that the pod wakes up.
func (m machine) overhead(utilisation float64) time.Duration {
	if !m.wakesUp {
		return m.hash / 100
	}
	return trueHash/100 + time.Duration(1.3*max(0, 1-utilisation)*float64(time.Millisecond))
}

// underLoad returns how many times as long a hash takes in a step as on the idle service, which hashes for longer then.
func (m machine) underLoad(step loadplan.Step, speed float64) float64 {
	if step.Kind == loadplan.Saturation {
		return 1 + m.loaded
	}
	idle := float64(step.OfferedMilliPerSecond) / 1000 * speed * m.hash.Seconds() / m.cpus()
	if m.loaded*idle >= 1 {
		return 1 + m.loaded
	}
	return 1 + m.loaded*min(1, idle/(1-m.loaded*idle))
}

// cpus returns the CPUs that the service can use.
func (m machine) cpus() float64 {
	if m.quota == 0 {
		return m.pods()
	}
	return m.pods() * float64(m.quota) / 1000 * m.left()
}

func (m machine) left() float64 {
	if m.parent == 0 {
		return 1
	}
	return m.parent
}

func (m machine) pods() float64 { return float64(max(1, m.replicas)) }

// service returns the true login service at a share of its bound, at the true reference.
func (m machine) service(spec v1beta1.SizingTrialSpec, cal handover.Calibration, utilisation float64) model.Service {
	service := model.NewService(spec, cal, time.Duration(m.pod*float64(m.hash))+m.overhead(utilisation))
	service.InTurn, service.QuotaMilliCPU = m.inTurn, int64(float64(service.QuotaMilliCPU)*m.left())
	return service
}

// input returns a run on the machine, including its calibration.
func (m machine) input(t *testing.T) verdict.Input {
	t.Helper()
	w := ranWell(t, func(s *v1beta1.SizingTrialSpec) {
		s.Seed, s.Variant.Concurrency.Mode, s.Variant.CPULimit = m.seed, m.concurrency, "1"
		if m.quota > 0 {
			s.Variant.CPULimit = fmt.Sprintf("%dm", m.quota)
		}
		s.Service.Replicas = int32(m.pods())
		if m.decides {
			s.Role = v1beta1.RoleDecision
		}
		if m.own != nil {
			s.Service.Own = &v1beta1.OwnService{}
		}
		s.Objective.P95Milliseconds = int32(m.objective * trueHash.Seconds() * 1000 * m.pods() / m.cpus())
	})
	w.Reference, w.Calibration = 0, m.calibration()
	w.PlannedMicros = float64(w.Calibration.ReferenceMicroseconds)
	w.Run.Services[0].QuotaMilliCPU = m.quota
	for pod := range int(m.pods()) - 1 {
		another := w.Run.Services[0]
		another.BootID = fmt.Sprint("boot-", pod)
		w.Run.Services = append(w.Run.Services, another)
	}
	var err error
	if w.Plan, err = loadplan.Build(w.Spec, w.Calibration, model.Before(w.Spec, w.Calibration)); err != nil {
		t.Fatal(err)
	}
	w.Run.Steps = nil
	for _, step := range w.Plan.WithoutWarmup() {
		w.Run.Steps = append(w.Run.Steps, m.step(w.Input, step))
	}
	w.Run.Timeline = m.timeline(w.Plan)
	end := loadplan.Duration(w.Plan)
	w.Run.IdleHashNanoseconds = int64(m.pod * m.mean(end, end+2*time.Second) * float64(m.hash.Nanoseconds()))
	return w.Input
}

func (m machine) calibration() handover.Calibration {
	ratio := float64(m.hash) / float64(trueHash)
	cal := handover.Calibration{RatioPerMillion: int64(1e6 * ratio), Surroundings: handover.Surroundings{GoMaxProcs: 1, Cpuset: "0", CPUModel: "Model CPU"}}
	var sum float64
	length := calibrationLength
	if m.decides { // few hashes show the ratio less exactly
		length = decisionCalibrates
		cal.RatioPerMillion = int64(float64(cal.RatioPerMillion) * (1 + 0.002*m.chance.NormFloat64()))
		cal.RatioErrorPerMillion = cal.RatioPerMillion / 100
	}
	cal.LengthMilliseconds = (length - calibrationEnd).Milliseconds()
	for at := -length; at < -calibrationEnd; at += calibrationBlock {
		block := m.mean(at, at+calibrationBlock) * float64(trueHash.Microseconds())
		cal.BlockMicroseconds, sum = append(cal.BlockMicroseconds, int64(block)), sum+block
	}
	reference := sum / float64(len(cal.BlockMicroseconds))
	mean := int64(ratio * reference)
	cal.CalibrationResult = handover.CalibrationResult{HashMicroseconds: mean, ErrorMicroseconds: mean / 100, Samples: 200}
	cal.ReferenceMicroseconds = int64(reference)
	if m.quota > 0 {
		cal.QuotaMilliCPU = &m.quota
	}
	return cal
}

// timeline returns the hash time of each second, with an error of 0.3 %.
func (m machine) timeline(plan loadplan.Plan) *measurement.Timeline {
	timeline := &measurement.Timeline{Window: time.Second}
	for at := time.Duration(0); at < loadplan.Duration(plan); at += time.Second {
		slower := m.mean(at, at+time.Second)
		for _, step := range plan.Steps {
			if at.Milliseconds() >= step.StartMilliseconds && at.Milliseconds() < step.EndMilliseconds() {
				slower *= m.underLoad(step, slower)
				if m.loaded > 0 && step.Kind == loadplan.Open {
					slower *= 1 + 0.25*m.loaded*m.chance.NormFloat64() // some seconds are busier than others
				}
			}
		}
		nanos := m.pod * slower * float64(m.hash.Nanoseconds()) * (1 + 0.003*m.chance.NormFloat64())
		timeline.HashNanoseconds = append(timeline.HashNanoseconds, int64(nanos))
	}
	return timeline
}

func (m machine) step(in verdict.Input, step loadplan.Step) measurement.StepResult {
	from := time.Duration(step.StartMilliseconds+step.SettleMilliseconds) * time.Millisecond
	until := from + time.Duration(step.CountedMilliseconds)*time.Millisecond
	slower := m.mean(from, until)
	loaded := m.underLoad(step, slower)
	slower *= loaded
	elapsed := (until - from).Microseconds()
	utilisation := 1.0
	logins := int64(step.Requests)
	if step.Kind == loadplan.Saturation {
		perLogin := slower * (m.pod*m.hash.Seconds() + m.overhead(1).Seconds())
		// Logins that a window cuts count in one of both, at random.
		logins = int64(saturates*m.cpus()*(until-from).Seconds()/perLogin + m.chance.Float64())
	} else {
		utilisation = float64(step.OfferedMilliPerSecond) / 1000 * m.hash.Seconds() / m.cpus()
	}
	perLogin := slower * float64((time.Duration(m.pod*float64(m.hash)) + m.overhead(utilisation)).Microseconds())
	// An overloaded service uses all the CPU that it can.
	hashes := min(logins, int64(m.cpus()*float64(elapsed)/perLogin))
	hashed := float64(hashes) * slower * m.pod * float64(m.hash.Microseconds())
	used := int64(float64(hashes) * perLogin)
	if step.Kind == loadplan.Saturation {
		used = int64(saturates * m.cpus() * float64(elapsed))
	}
	result := measurement.StepResult{
		CountedMicroseconds: elapsed, StepResult: handover.StepResult{Scheduled: logins, OK: logins,
			ThroughputMilliPerSecond: ptr.To(logins * 1_000_000_000 / elapsed)}, SentInWindow: logins, CompletedInWindow: logins,
		Service: &evidence.Delta{
			ElapsedMicroseconds: elapsed * int64(m.pods()), CPUMicroseconds: used, BusyMicroseconds: used, IdleMicroseconds: max(0, elapsed*int64(m.pods())-used),
			Hashes: hashes, TimedHashes: hashes, HashMicroseconds: int64(hashed),
		},
		Generator: &evidence.Delta{ElapsedMicroseconds: elapsed, CPUMicroseconds: elapsed / 50},
	}
	if step.Kind == loadplan.Open {
		service := m.service(in.Spec, in.Calibration, utilisation)
		service.Course = m.course(time.Duration(step.StartMilliseconds)*time.Millisecond, until+time.Minute)
		for i := range service.Course.Factors {
			service.Course.Factors[i] *= loaded / (1 - m.others)
		}
		arrivals := model.ArrivalsOf(step)
		latencies := service.Latencies(arrivals, m.chance.Float64(), 1)
		if m.own != nil {
			due := arrivals.Due
			latencies = m.own.latencies(due, m.chance)
			result.LongestPauseMicroseconds = ptr.To(measurement.LongestPause(len(due), func(i int) time.Duration { return due[i] },
				func(i int) time.Duration { return due[i] + latencies[i] }, func(int) bool { return true }).Microseconds())
			latencies = latencies[arrivals.Counted:]
		}
		tellLatencies(&result, latencies, m.off)
		if m.replicas > 1 {
			result.ReplicaSpreadPerMille = ptr.To(m.spread(hashes))
		}
		result.SlowerThanP95 = ptr.To(slowerThan(in.Spec.Objective, latencies, m.off))
	}
	return result
}

// spread returns the variance of the replicas' numbers of logins ÷ the mean, times 1000. Those that take turns differ by
// one at most, and by another one because they are not read at the same moment.
func (m machine) spread(logins int64) int64 {
	counts := make([]float64, m.replicas)
	for login := range logins {
		pod := login % int64(m.replicas)
		if !m.inTurn {
			pod = m.chance.Int64N(int64(m.replicas))
		}
		counts[pod]++
	}
	counts[m.chance.IntN(len(counts))]++
	mean, variance := stat.MeanVariance(counts, nil)
	return int64(1000 * variance / mean)
}

// slowerThan counts the latencies that are above the objective.
func slowerThan(objective v1beta1.Objective, latencies []time.Duration, off float64) int64 {
	slower := int64(0)
	for _, latency := range latencies {
		if off*latency.Seconds()*1000 > float64(objective.P95Milliseconds) {
			slower++
		}
	}
	return slower
}

func (m machine) course(from, until time.Duration) *model.Course {
	course := &model.Course{Every: speedEvery}
	for at := from; at < until; at += speedEvery {
		course.Factors = append(course.Factors, m.at(at+speedEvery/2))
	}
	return course
}

func tellLatencies(result *measurement.StepResult, latencies []time.Duration, off float64) {
	half := len(latencies) / 2
	result.FirstHalfP50Microseconds, result.SecondHalfP50Microseconds = at(latencies[:half], 0.5, 1), at(latencies[half:], 0.5, 1)
	result.P50Microseconds, result.P95Microseconds = at(latencies, 0.5, off), at(latencies, 0.95, off)
	result.MaxMicroseconds = at(latencies, 1, off)
	n := float64(len(latencies))
	band := 1.96 * math.Sqrt(0.95*0.05/n)
	result.P95Interval = &handover.Interval{LowMicroseconds: *at(latencies, 0.95-band, off), HighMicroseconds: *at(latencies, min(1, 0.95+band+1/n), off)}
	result.StartLagP95Microseconds, result.StartLagP99Microseconds = ptr.To[int64](500), ptr.To[int64](1500)
}

// at returns a quantile of latencies in microseconds, times a factor.
func at(latencies []time.Duration, quantile, times float64) *int64 {
	sorted := slices.Sorted(slices.Values(latencies))
	rank := max(1, int(quantile*float64(len(sorted))+0.999))
	return ptr.To(int64(times * float64(sorted[min(rank, len(sorted))-1].Microseconds())))
}

// capacity returns the true capacity per second if a hash takes this many times as long as
// at the true reference. A service whose p95 is larger than the model's meets an objective
// if the model meets one that is stricter by the same factor.
func (m machine) capacity(in verdict.Input, slower float64) float64 {
	service, limit := m.service(in.Spec, in.Calibration, 0.9), model.LimitOf(in.Spec.Objective)
	service.Hash = time.Duration(slower * float64(service.Hash))
	if m.loaded > 0 {
		return m.loadedCapacity(service, limit)
	}
	limit.P95 = time.Duration(float64(limit.P95) / m.off)
	const seeds = 8 // their mean has a third of the error of one
	sum := 0.0
	for seed := range uint64(seeds) {
		sum += service.NewOutlook(false, 99+seed).Capacity(limit)
	}
	return sum / seeds
}

// simulatedRun returns a run on a machine with a constant speed, whose logins take 3 % more
// than was calibrated and whose p95 is off by up to 5 %, and the true capacity per second.
func simulatedRun(t *testing.T, concurrency v1beta1.ConcurrencyMode, quota, seed int64) (verdict.Input, float64) {
	t.Helper()
	m := newMachine(concurrency, quota, seed)
	m.pod, m.off = 1.02, 0.95+0.1*m.chance.Float64()
	in := m.input(t)
	return in, m.capacity(in, 1)
}

// The capacity is within 5 % of the true one for every seed, without ModelDisagrees.
func TestTheCapacityOfASimulatedServiceIsFound(t *testing.T) {
	for _, concurrency := range []v1beta1.ConcurrencyMode{v1beta1.ConcurrencyWorkerPool, v1beta1.ConcurrencyUnbounded} {
		for _, quota := range []int64{250, 500, 0} {
			t.Run(fmt.Sprintf("%s of %dm", concurrency, quota), func(t *testing.T) {
				t.Parallel()
				for seed := range int64(2) {
					in, truth := simulatedRun(t, concurrency, quota, seed)
					judged := verdict.Judge(in)
					found := float64(ptr.Deref(judged.Capacity.MilliPerSecond, 0)) / 1000
					if off := found/truth - 1; off < -0.05 || off > 0.05 {
						t.Errorf("seed %d: capacity %.4g/s, true is %.4g/s: %s", seed, found, truth, judged.Capacity.Message)
					}
					if hasReason(judged, v1beta1.ReasonModelDisagrees) {
						t.Errorf("seed %d: %v", seed, judged.Result.Reasons)
					}
				}
			})
		}
	}
}
