package prediction

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
)

// mostReplayed is the highest number of logins of a step that are simulated one by one. With
// more, p95 hardly depends on the individual arrivals.
const mostReplayed = 20_000

// repetitions are the trials of a variant that have a result.
type repetitions []*v1alpha1.SizingTrial

// repetitions returns the repetitions of a measured variant. It returns false if there are
// none or if one is not Valid.
func (f *predictor) repetitions(variant string) (repetitions, bool) {
	var all repetitions
	for i := range f.trials {
		trial := &f.trials[i]
		if trial.Spec.Variant.Name != variant || trial.Status.Result == nil {
			continue
		}
		if f.verdicts[i] != v1alpha1.VerdictValid || trial.Status.Calibration == nil {
			return nil, false
		}
		all = append(all, trial)
	}
	return all, len(all) > 0
}

// capacity returns the lower median of the capacity, like the variant's row. A repetition
// without a capacity is below all others.
func (r repetitions) capacity() *int64 {
	return measurement.LowerMedian(r, func(a, b *v1alpha1.SizingTrial) int {
		return cmp.Compare(ptr.Deref(a.Status.Result.CapacityMilliPerSecond, 0), ptr.Deref(b.Status.Result.CapacityMilliPerSecond, 0))
	}).Status.Result.CapacityMilliPerSecond
}

// typical returns the trial with the upper median of p95, like the variant's row, or nil if no
// trial has p95.
func (r repetitions) typical() *v1alpha1.SizingTrial {
	with := slices.DeleteFunc(slices.Clone(r), func(t *v1alpha1.SizingTrial) bool { return t.Status.Result.P95Microseconds == nil })
	if len(with) == 0 {
		return nil
	}
	return measurement.UpperMedian(with, func(a, b *v1alpha1.SizingTrial) int {
		return cmp.Compare(*a.Status.Result.P95Microseconds, *b.Status.Result.P95Microseconds)
	})
}

// typicalRun returns the trial of a variant with the upper median of the CPU time per login:
// of its Valid trials if there are any, or else of its Suspect ones. It returns nil if there
// are none.
func typicalRun(trials []v1alpha1.SizingTrial, verdicts []v1alpha1.Verdict, variant string) *v1alpha1.SizingTrial {
	for _, wanted := range []v1alpha1.Verdict{v1alpha1.VerdictValid, v1alpha1.VerdictSuspect} {
		var runs repetitions
		for i := range trials {
			if trials[i].Spec.Variant.Name == variant && verdicts[i] == wanted && trials[i].Status.Calibration != nil {
				runs = append(runs, &trials[i])
			}
		}
		if len(runs) > 0 {
			return measurement.UpperMedian(runs, func(a, b *v1alpha1.SizingTrial) int { return cmp.Compare(login(a), login(b)) })
		}
	}
	return nil
}

// p95Of returns the predicted p95 of the reported step of a trial. It simulates the arrivals
// that were planned, with their times scaled by the ratio of the trial's bound to the
// predicted bound, so that the share of the bound is the same. The trial's bound is that at
// the speed for which it was planned. For a step with very many logins it is the steady p95 at
// that share. It returns nil if logins fail, or if the trial has no such step.
func (e expectation) p95Of(trial *v1alpha1.SizingTrial) *int64 {
	own := *trial.Status.Calibration
	own.HashMicroseconds = loginAsPlanned(trial).Microseconds()
	bound := loadplan.BoundMilliPerSecond(max(1, trial.Spec.Service.Replicas), trial.Spec.Variant, own)
	stored := loadplan.ReportedStep(&trial.Status)
	if stored == nil || bound <= 0 {
		return nil
	}
	step := loadplan.FromAPI(*stored)
	slower := float64(bound) / float64(e.bound())
	p95, answered := time.Duration(0), false
	if step.Requests+step.SettleRequests > mostReplayed {
		p95, answered = e.service.SteadyP95(float64(step.OfferedMilliPerSecond)/slower/milliPerCPU, e.uniform(), uint64(e.spec.Seed))
	} else {
		arrivals := model.ArrivalsOf(step)
		for i := range arrivals.Due {
			arrivals.Due[i] = time.Duration(slower * float64(arrivals.Due[i]))
		}
		p95, answered = e.service.P95(arrivals, uint64(step.Seed))
	}
	if !answered {
		return nil
	}
	return ptr.To(p95.Microseconds())
}

// loginAsPlanned returns the CPU time of a login at the speed for which the load was planned.
func loginAsPlanned(trial *v1alpha1.SizingTrial) time.Duration {
	took, known := login(trial), trial.Status.Speed
	if known == nil || known.PlannedHashMicrosecondsAtCost8 <= 0 || known.ReferenceHashMicrosecondsAtCost8 <= 0 {
		return took
	}
	return took * time.Duration(known.PlannedHashMicrosecondsAtCost8) / time.Duration(known.ReferenceHashMicrosecondsAtCost8)
}
