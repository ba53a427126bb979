package forecast

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/speed"
)

// mostReplayed is how many logins of a step are simulated one by one: p95 of more
// hardly depends on which logins they were.
const mostReplayed = 20_000

// repetitions are the trials of a variant that have a result.
type repetitions []*v1alpha1.SizingTrial

// repetitions of a variant that was measured; false where one is not Valid.
func (f *forecast) repetitions(variant string) (repetitions, bool) {
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

// capacity is the lower median, as the variant's row has it: a repetition without
// one lies below all others.
func (r repetitions) capacity() *int64 {
	sorted := slices.SortedStableFunc(slices.Values(r), func(a, b *v1alpha1.SizingTrial) int {
		return cmp.Compare(ptr.Deref(a.Status.Result.CapacityMilliPerSecond, 0), ptr.Deref(b.Status.Result.CapacityMilliPerSecond, 0))
	})
	return sorted[(len(sorted)-1)/2].Status.Result.CapacityMilliPerSecond
}

// typical is the trial whose p95 is the upper median, as the variant's row has it;
// nil where none has one.
func (r repetitions) typical() *v1alpha1.SizingTrial {
	with := slices.DeleteFunc(slices.Clone(r), func(t *v1alpha1.SizingTrial) bool { return t.Status.Result.P95Microseconds == nil })
	if len(with) == 0 {
		return nil
	}
	slices.SortStableFunc(with, func(a, b *v1alpha1.SizingTrial) int {
		return cmp.Compare(*a.Status.Result.P95Microseconds, *b.Status.Result.P95Microseconds)
	})
	return with[len(with)/2]
}

// typicalRun is the trial of a variant whose CPU time per login is the upper
// median, of the Valid ones if there are any, else of the Suspect ones; nil
// where there is none.
func typicalRun(trials []v1alpha1.SizingTrial, verdicts []v1alpha1.Verdict, variant string) *v1alpha1.SizingTrial {
	for _, wanted := range []v1alpha1.Verdict{v1alpha1.VerdictValid, v1alpha1.VerdictSuspect} {
		var runs repetitions
		for i := range trials {
			if trials[i].Spec.Variant.Name == variant && verdicts[i] == wanted && trials[i].Status.Calibration != nil {
				runs = append(runs, &trials[i])
			}
		}
		if len(runs) > 0 {
			slices.SortStableFunc(runs, func(a, b *v1alpha1.SizingTrial) int { return cmp.Compare(login(a), login(b)) })
			return runs[len(runs)/2]
		}
	}
	return nil
}

// p95Of is what is expected of the reported step of a trial: p95 of the very
// logins that were planned, farther apart or nearer together in the ratio of the
// two bounds, so that the share of the bound is the same. The trial's bound is that
// at the speed that it was planned for. Of a step of very many logins it is p95 at
// that share. Nil where logins fail, or where the trial has no such step.
func (e expectation) p95Of(trial *v1alpha1.SizingTrial) *int64 {
	own := *trial.Status.Calibration
	own.HashMicroseconds = loginAsPlanned(trial).Microseconds()
	bound := loadplan.BoundMilliPerSecond(max(1, trial.Spec.Service.Replicas), trial.Spec.Variant, own)
	step, planned := reported(trial)
	if !planned || bound <= 0 {
		return nil
	}
	slower := float64(bound) / float64(e.bound())
	p95, answered := time.Duration(0), false
	if step.Requests+step.SettleRequests > mostReplayed {
		p95, answered = e.service.SteadyP95(float64(step.OfferedMilliPerSecond)/slower/milliPerCPU, e.uniform(), uint64(e.spec.Seed))
	} else {
		arrivals := prediction.ArrivalsOf(step)
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

// loginAsPlanned is the CPU time of a login at the speed that the load was planned
// for.
func loginAsPlanned(trial *v1alpha1.SizingTrial) time.Duration {
	took, known := login(trial), trial.Status.Speed
	if known == nil || known.PlannedHashMicrosecondsAtCost8 <= 0 || known.ReferenceHashMicrosecondsAtCost8 <= 0 {
		return took
	}
	return took * time.Duration(known.PlannedHashMicrosecondsAtCost8) / time.Duration(known.ReferenceHashMicrosecondsAtCost8)
}

// reported is the step that a trial's row was taken from, as it was planned.
func reported(trial *v1alpha1.SizingTrial) (loadplan.Step, bool) {
	plan, err := loadplan.Build(trial.Spec, speed.PlannedFor(trial.Status), trial.Status.Prediction)
	if err != nil {
		return loadplan.Step{}, false
	}
	for _, step := range plan.Steps {
		if step.Reported {
			return step, true
		}
	}
	return loadplan.Step{}, false
}
