package prediction

import (
	"math"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// usualOverhead is the CPU time of a login in addition to its hash, until a load shows it: 0.2 to 1 ms were
// measured, depending on how often the service is idle.
const usualOverhead, usualOverheadError = 400 * time.Microsecond, 600 * time.Microsecond

// fromCalibrations returns what calibrations show about each node pool: the line of the hash times, and from the
// loads that followed, what a login takes in addition to its hash.
func fromCalibrations(trials []v1beta1.SizingTrial, verdicts []v1beta1.Verdict) map[string]pool {
	timed, overheads, all := map[string][]*v1beta1.SizingTrial{}, map[string][]float64{}, map[string]nodes{}
	for i := range trials {
		trial, name := &trials[i], speed.NodePool(trials[i].Spec.Variant)
		if trial.Status.Calibration == nil || verdicts[i] != v1beta1.VerdictValid && verdicts[i] != v1beta1.VerdictSuspect {
			continue
		}
		all[name] = append(all[name], newNode(trial))
		switch cpu := verdict.CPUPerLogin(trial); {
		case trial.Spec.Role == v1beta1.RoleCalibration:
			timed[name] = append(timed[name], trial)
		case cpu > 0:
			overheads[name] = append(overheads[name], (cpu - hashTime(trial)).Seconds())
		}
	}
	pools := map[string]pool{}
	for name, trials := range timed {
		p := newPool(trials)
		p.nodes = all[name]
		p.overhead, p.overheadError = usualOverhead, usualOverheadError
		if measured := overheads[name]; len(measured) > 0 {
			p.overhead = time.Duration(max(0, calibration.Summarise(measured).Median) * float64(time.Second))
			p.overheadError = 0
		}
		pools[name] = p
	}
	return pools
}

// hashTime returns the CPU time of a trial's hash at its reference speed.
func hashTime(trial *v1beta1.SizingTrial) time.Duration {
	reference := ptr.Deref(trial.Status.Speed, v1beta1.TrialSpeed{}).ReferenceHashMicrosecondsAtCost8
	return time.Duration(speed.At(*trial.Status.Calibration, float64(reference)).HashMicroseconds) * time.Microsecond
}

// kind is a kind of concurrency on a node pool.
type kind struct {
	mode v1beta1.ConcurrencyMode
	pool string
}

func kindOf(v v1beta1.Variant) kind { return kind{v.Concurrency.Mode, speed.NodePool(v)} }

// setShifts sets the shifts: the geometric mean of measured ÷ predicted capacity over the rows of each kind.
func (f *predictor) setShifts(rows []v1beta1.VariantResult) {
	logs := map[kind][]float64{}
	for _, variant := range f.measured {
		i := slices.IndexFunc(rows, func(r v1beta1.VariantResult) bool { return r.Variant == variant.Name })
		if i < 0 || rows[i].Verdict == v1beta1.VerdictInvalid || ptr.Deref(rows[i].CapacityIsLowerBound, false) {
			continue
		}
		e, known := f.expect(variant)
		measured := float64(ptr.Deref(rows[i].CapacityMilliPerSecond, 0))
		if !known || measured <= 0 {
			continue
		}
		if expected := e.capacity(e.outlook(), 1, 1); expected > 0 {
			logs[kindOf(variant)] = append(logs[kindOf(variant)], math.Log(measured/float64(expected)))
		}
	}
	f.shifts = map[kind]float64{}
	for of, all := range logs {
		sum := 0.0
		for _, log := range all {
			sum += log
		}
		f.shifts[of] = math.Exp(sum / float64(len(all)))
	}
}

// shift multiplies the capacity of a prediction by what was measured of the same kind.
func (f *predictor) shift(row *v1beta1.PredictedVariant, variant v1beta1.Variant) {
	by, known := f.shifts[kindOf(variant)]
	if !known || row.CapacityMilliPerSecond == nil {
		return
	}
	times := func(milli int64) int64 { return int64(by * float64(milli)) }
	*row.CapacityMilliPerSecond = times(*row.CapacityMilliPerSecond)
	row.CapacityInterval.LowMilliPerSecond = times(row.CapacityInterval.LowMilliPerSecond)
	row.CapacityInterval.HighMilliPerSecond = times(row.CapacityInterval.HighMilliPerSecond)
}
