package verdict

import (
	"fmt"
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// bracket is what the steps alone say of the capacity: the highest rate that met
// the objective, and the lowest that did not, times 1000. Nil is absent.
type bracket struct{ met, failed *int64 }

// bracket goes through the steps from low to high until one fails. With Rates, a
// rate counts only when all below it met the objective, too. All rates are at the
// reference speed.
func (t *trial) bracket() bracket {
	var found bracket
	for _, s := range t.steps {
		if s.Kind != loadplan.Open {
			continue
		}
		switch s.withoutErrors() {
		case v1alpha1.StepMet:
			found.met = ptr.To(s.nominal)
			continue
		case v1alpha1.StepFailed, v1alpha1.StepOverloaded:
			found.failed = ptr.To(t.failedAt(s))
			return found
		}
		if t.Spec.Load.Mode == v1alpha1.LoadRates {
			return found // undecided: what lies above it proves nothing
		}
	}
	return found
}

// failedAt is the rate that a step failed at: by its latency the one that this was
// converted to, else the share of the bound that it really was.
func (t *trial) failedAt(s *step) int64 {
	if t.capacityMode() && (s.overloaded || s.tooManyFailed()) {
		return int64(math.Ceil(s.driven()))
	}
	return s.nominal
}

// low is the lower end in numbers.
func (b bracket) low() float64 { return float64(ptr.Deref(b.met, 0)) }

// high is the upper end in numbers, endless where nothing failed.
func (b bracket) high() float64 {
	if b.failed == nil {
		return math.Inf(1)
	}
	return float64(*b.failed)
}

// String tells the bracket as part of a sentence.
func (b bracket) String() string {
	switch {
	case b.met != nil && b.failed != nil:
		return fmt.Sprintf("%s met the objective and %s did not", perSecond(float64(*b.met)), perSecond(float64(*b.failed)))
	case b.met != nil:
		return fmt.Sprintf("%s met the objective and no measured rate failed it", perSecond(float64(*b.met)))
	case b.failed != nil:
		return fmt.Sprintf("%s did not meet the objective and no measured rate met it", perSecond(float64(*b.failed)))
	default:
		return "no measured rate decided"
	}
}

// perSecond is a rate, times 1000, for people.
func perSecond(milli float64) string { return fmt.Sprintf("%.4g/s", milli/1000) }
