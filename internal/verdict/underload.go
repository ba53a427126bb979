package verdict

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// underLoad is by how much the load itself makes hashes slower: two threads of a core that both hash, a CPU whose clock
// falls when it is busy, or heat. Unlike a speed that drifts, that is a property of the variant: each load of that size
// has it.
type underLoad struct {
	// slope is the time of a hash with all CPUs hashing ÷ that on an idle service, minus 1; 0 if it does not rise.
	slope float64
	// error is the error of 1 + slope, half of the 95 % interval as a share of it.
	error float64
}

// underLoadOf returns what the status of a trial has of it.
func underLoadOf(status *v1beta1.SlowerUnderLoad) underLoad {
	if status == nil {
		return underLoad{}
	}
	return underLoad{slope: float64(status.PerMille)/1000 - 1, error: float64(status.ErrorPerMille) / 1000}
}

// capacity returns the capacity of a service, given that of one whose hashes take this many times as long as those of the
// saturated service. At its capacity a service is not as busy as when it is saturated. bound is that of the saturated one.
func (u underLoad) capacity(bound float64, of func(longer float64) float64) float64 {
	capacity := of(1)
	for range refinements {
		if u.slope <= 0 || capacity <= 0 {
			break
		}
		idle := capacity / (bound * u.at(1)) // how busy it would be if hashes took no longer
		busy := idle / max(leastIdle, 1-u.slope*idle)
		capacity = of(u.at(busy) / u.at(1))
	}
	return capacity
}

// timeError returns the error of a hash time at the reference speed, half of the 95 % interval as a share of it.
func (u underLoad) timeError(cal handover.Calibration) float64 {
	return math.Hypot(speed.RatioError(cal), u.error)
}

// at returns the time of a hash when this share of the service's CPUs hashes ÷ that on an idle service.
func (u underLoad) at(busy float64) float64 { return 1 + u.slope*min(1, busy) }

// setUnderLoad compares hashes in the busiest step with hashes of the idle service before and after the load. The rise
// counts if hashes are slower than both by more than the drift explains, and if less busy steps show their part of it.
func (t *trial) setUnderLoad() {
	ratio, after := speed.Ratio(t.Calibration), float64(t.Run.IdleHashNanoseconds)/1000
	if t.Spec.Variant.Hash.Sessions || !t.timed() || ratio <= 0 || after <= 0 {
		return
	}
	busiest, share := t.busiest()
	if share < leastBusy {
		return
	}
	before, independent := ratio*float64(t.Calibration.ReferenceMicroseconds), math.Sqrt(1.5)
	if t.Spec.Service.Replicas > 1 { // only the slowest one's calibration is kept
		before, independent = after, math.Sqrt2
	}
	// Each time rests on seconds, and so may be off by the whole deviation of a second. If the idle service was slower at
	// one end, the CPU drifted meanwhile.
	idle, error := (before+after)/2, max(independent*t.scatter(), math.Abs(math.Log(after/before))/math.Sqrt2)
	load := underLoad{slope: (busiest/idle - 1) / share, error: normal95 * error}
	if rise := load.slope * share; rise > leastRise && math.Log1p(rise) > certainRise*error && t.rises(load, idle) {
		t.load = load
	}
}

// busiest returns the hash time of the step in which the service hashed on most of its CPUs, and that share.
func (t *trial) busiest() (hash, share float64) {
	for _, result := range t.Run.Steps {
		if took, busy := t.hashTime(result), t.busy(result); took > 0 && busy > share {
			hash, share = took, busy
		}
	}
	return hash, share
}

// rises reports whether each busy step shows at least half of what the slope gives for it. A CPU that was slow in one step
// alone drifted.
func (t *trial) rises(load underLoad, idle float64) bool {
	return !slices.ContainsFunc(t.Run.Steps, func(result measurement.StepResult) bool {
		hash, busy := t.hashTime(result), t.busy(result)
		return hash > 0 && busy >= leastBusy && hash/idle-1 < (load.at(busy)-1)/2
	})
}

// busy returns the share of the CPUs that the service can use on which it hashed in a step.
func (t *trial) busy(result measurement.StepResult) float64 {
	service, cpus := result.Service, float64(loadplan.EffectiveMilliCPU(t.Spec.Variant, t.Calibration))/1000
	if service == nil || service.ElapsedMicroseconds <= 0 || service.TimedHashes <= 0 || cpus <= 0 {
		return 0
	}
	hashed := float64(service.HashMicroseconds) / float64(service.TimedHashes) * float64(service.Hashes)
	return min(1, hashed/(float64(service.ElapsedMicroseconds)*cpus))
}

// scatter returns the standard deviation of the logarithm of the speed from second to second. It is that of the seconds of
// the calibration and of steps with a constant number of callers: in others the load changes from second to second, and
// hash times with it. Within so few seconds a drift shows only in part.
func (t *trial) scatter() float64 {
	groups := [][]float64{inSeconds(t.Calibration)}
	for _, step := range t.Plan.WithoutWarmup() {
		if step.Kind != loadplan.Open {
			groups = append(groups, logsOf(t.Run.Timeline, step))
		}
	}
	squares, n := 0.0, 0.0
	for _, logs := range groups {
		if len(logs) > 1 {
			squares, n = squares+stat.Variance(logs, nil)*float64(len(logs)-1), n+float64(len(logs)-1)
		}
	}
	if n == 0 {
		return unknownScatter
	}
	return max(leastScatter, partOfDrift*math.Sqrt(squares/n))
}

// inSeconds returns the logarithm of the mean hash time in each second of a calibration.
func inSeconds(cal handover.Calibration) (logs []float64) {
	blocks := cal.BlockMicroseconds
	perSecond := max(1, int(float64(len(blocks))/speed.CalibrationSeconds(cal)))
	for second := range slices.Chunk(blocks, perSecond) {
		sum := 0.0
		for _, micros := range second {
			sum += float64(micros)
		}
		if len(second) == perSecond && sum > 0 {
			logs = append(logs, math.Log(sum/float64(perSecond)))
		}
	}
	return logs
}

// logsOf returns the logarithms of the hash times of a timeline in a step.
func logsOf(timeline *measurement.Timeline, step loadplan.Step) (logs []float64) {
	if timeline == nil || timeline.Window <= 0 {
		return nil
	}
	for place, nanos := range timeline.HashNanoseconds {
		begin, end := (time.Duration(place) * timeline.Window).Milliseconds(), (time.Duration(place+1) * timeline.Window).Milliseconds()
		if nanos > 0 && begin >= step.StartMilliseconds && end <= step.StartMilliseconds+step.SettleMilliseconds+step.CountedMilliseconds {
			logs = append(logs, math.Log(float64(nanos)))
		}
	}
	return logs
}

// slowerUnderLoad says that the numbers include hashes that slow each other down.
func slowerUnderLoad(t *trial) []v1beta1.Reason {
	if t.load.slope <= 0 {
		return nil
	}
	return finding(v1beta1.ReasonSlowerUnderLoad, v1beta1.VerdictValid,
		"A hash takes %s times as long when the service is busy as when it is idle%s. Bound and capacity include it",
		units.Ratio(t.load.at(1)), sharedCores(t.Calibration.CoreCpuset))
}

// sharedCores says which CPUs share cores, if the kernel said.
func sharedCores(cpus string) string {
	if cpus == "" {
		return ""
	}
	return fmt.Sprintf(": the CPUs %s are threads that share cores", strings.ReplaceAll(cpus, ",", ", "))
}
