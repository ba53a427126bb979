package prediction

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// leastScatter is the smallest relative error of the CPU time of a login from the line.
// It is the measured scatter under a quota.
const leastScatter = 0.01

// ownScatter replaces leastScatter for a user's own service with two measured costs. A line can go through both even if one
// of them was disturbed, so that the scatter can't be measured. 5 % is the largest error that CostDoublingBroken accepts.
const ownScatter = 0.05

type pool struct {
	// line is the line of the CPU time of a login, and fitted reports whether there is one.
	// For a single cost without a reference there is no line, and times has only that cost.
	line   calibration.Line
	fitted bool
	times  []calibration.CostTime
	// overhead is the CPU time of a login in addition to what the line has, and overheadError its error.
	overhead, overheadError time.Duration
	// scatter is the largest relative difference of a corner from the line.
	scatter float64
	// nodes is what pods got for their CPU limits.
	nodes nodes
}

// login returns the CPU time of a login at a cost, or false if the corners don't show it.
func (p pool) login(cost int32) (time.Duration, bool) {
	seconds := 0.0
	for _, t := range p.times {
		if t.Cost == cost {
			seconds = t.Seconds
		}
	}
	if p.fitted {
		seconds = p.line.At(cost)
	}
	took := time.Duration(seconds * float64(time.Second)).Round(time.Microsecond)
	return took, took > 0
}

// fromCorners returns what the matrix's corners show about each node pool.
// Invalid trials do not count. Suspect trials count only for a cost without a Valid one.
func fromCorners(corners map[string]bool, trials []v1beta1.SizingTrial, verdicts []v1beta1.Verdict) map[string]pool {
	type timing struct {
		pool string
		cost int32
	}
	used, valid := map[string][]*v1beta1.SizingTrial{}, map[timing]bool{}
	for _, wanted := range []v1beta1.Verdict{v1beta1.VerdictValid, v1beta1.VerdictSuspect} {
		for i := range trials {
			trial, variant := &trials[i], trials[i].Spec.Variant
			timed := timing{speed.NodePool(variant), variant.Hash.Cost()}
			if verdicts[i] != wanted || !corners[variant.Name] || trial.Status.Calibration == nil {
				continue
			}
			if wanted == v1beta1.VerdictValid {
				valid[timed] = true
			} else if valid[timed] {
				continue
			}
			used[timed.pool] = append(used[timed.pool], trial)
		}
	}
	pools := map[string]pool{}
	for name, trials := range used {
		pools[name] = newPool(trials)
	}
	return pools
}

func newPool(trials []*v1beta1.SizingTrial) pool {
	var p pool
	seconds := map[int32][]float64{}
	for _, trial := range trials {
		cost := trial.Spec.Variant.Hash.Cost()
		seconds[cost] = append(seconds[cost], login(trial).Seconds())
		p.nodes = append(p.nodes, newNode(trial))
	}
	for cost, all := range seconds {
		p.times = append(p.times, calibration.CostTime{Cost: cost, Seconds: calibration.Summarise(all).Median})
	}
	slices.SortFunc(p.times, func(a, b calibration.CostTime) int { return cmp.Compare(a.Cost, b.Cost) })
	p.scatter = leastScatter
	most := model.MostConstant(trials[0].Spec.Service)
	switch {
	case len(p.times) == 1:
		most = calibration.HashConstant // the reference is a hash
	case len(p.times) == 2 && trials[0].Spec.Service.Own != nil:
		p.scatter = ownScatter
	}
	p.line, p.fitted = calibration.Fit(withReference(p.times, trials), most)
	for _, trial := range trials {
		if line, known := p.login(trial.Spec.Variant.Hash.Cost()); known {
			p.scatter = max(p.scatter, math.Abs(login(trial).Seconds()/line.Seconds()-1))
		}
	}
	return p
}

// withReference adds the reference hash to a single cost, because a line needs two points. The
// time of the reference hash is at the reference speed if that is known, like those of logins.
func withReference(times []calibration.CostTime, trials []*v1beta1.SizingTrial) []calibration.CostTime {
	if len(times) != 1 || times[0].Cost == password.ReferenceCost {
		return times
	}
	var references []float64
	for _, trial := range trials {
		took := trial.Status.Calibration.ReferenceMicroseconds
		if known := trial.Status.Speed; known != nil {
			took = known.ReferenceHashMicrosecondsAtCost8
		}
		if took > 0 {
			references = append(references, float64(took)/1e6)
		}
	}
	if len(references) == 0 {
		return times
	}
	return append(slices.Clone(times), calibration.CostTime{Cost: password.ReferenceCost, Seconds: calibration.Summarise(references).Median})
}

// login returns the CPU time of a login in a trial's run at the reference speed, or, if that
// is unknown, the hash time of its calibration.
func login(trial *v1beta1.SizingTrial) time.Duration {
	if own := verdict.CPUPerLogin(trial); own > 0 {
		return own
	}
	return time.Duration(trial.Status.Calibration.HashMicroseconds) * time.Microsecond
}
