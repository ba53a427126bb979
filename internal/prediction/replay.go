package prediction

import (
	"cmp"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// typicalRun returns the trial of a variant with the upper median of the CPU time per login, of its Valid
// trials or else of its Suspect ones, or nil.
func typicalRun(trials []v1beta1.SizingTrial, verdicts []v1beta1.Verdict, variant string) *v1beta1.SizingTrial {
	for _, wanted := range []v1beta1.Verdict{v1beta1.VerdictValid, v1beta1.VerdictSuspect} {
		var runs []*v1beta1.SizingTrial
		for i := range trials {
			loaded := trials[i].Spec.Role != v1beta1.RoleCalibration && trials[i].Status.Calibration != nil
			if trials[i].Spec.Variant.Name == variant && verdicts[i] == wanted && loaded {
				runs = append(runs, &trials[i])
			}
		}
		if len(runs) > 0 {
			return measurement.UpperMedian(runs, func(a, b *v1beta1.SizingTrial) int { return cmp.Compare(login(a), login(b)) })
		}
	}
	return nil
}

// p95Of returns the predicted p95 of the reported step of a trial, or nil. It simulates the arrivals that
// were planned, with their times scaled so that the share of the bound is the same at the speed of the plan.
// For a step with very many logins it is the steady p95 at that share.
func (e expectation) p95Of(trial *v1beta1.SizingTrial) *int64 {
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
	if step.Requests+step.SettleRequests > verdict.MostSimulated {
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

func loginAsPlanned(trial *v1beta1.SizingTrial) time.Duration {
	took, known := login(trial), trial.Status.Speed
	if known == nil || known.PlannedHashMicrosecondsAtCost8 <= 0 || known.ReferenceHashMicrosecondsAtCost8 <= 0 {
		return took
	}
	return took * time.Duration(known.PlannedHashMicrosecondsAtCost8) / time.Duration(known.ReferenceHashMicrosecondsAtCost8)
}
