package verdict

import (
	"fmt"
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// bracket is what the steps alone show about the capacity: the highest rate that met the
// objective and the lowest rate that failed it, times 1000. Nil means that there is none.
type bracket struct{ met, failed *int64 }

// bracket goes through the steps from low to high until one fails. In mode Rates, a rate
// counts only if all rates below it met the objective, too. All rates are at the reference
// speed.
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
			return found // undecided: faster steps prove nothing
		}
	}
	return found
}

// failedAt returns the rate at which a step failed. For a step that failed by its latency,
// that is the nominal rate, to which the latency was converted. Otherwise it is the share
// of the bound that the step really had.
func (t *trial) failedAt(s *step) int64 {
	if t.capacityMode() && (s.overloaded || s.tooManyFailed()) {
		return int64(math.Ceil(s.driven()))
	}
	return s.nominal
}

// low returns the highest rate that met the objective, or 0 if none did.
func (b bracket) low() float64 { return float64(ptr.Deref(b.met, 0)) }

// high returns the lowest rate that failed, or infinity if none did.
func (b bracket) high() float64 {
	if b.failed == nil {
		return math.Inf(1)
	}
	return float64(*b.failed)
}

// String describes the bracket as a part of a sentence.
func (b bracket) String() string {
	switch {
	case b.met != nil && b.failed != nil:
		return fmt.Sprintf("%s met the objective and %s failed it", units.PerSecond(float64(*b.met)), units.PerSecond(float64(*b.failed)))
	case b.met != nil:
		return fmt.Sprintf("%s met the objective and no measured rate failed it", units.PerSecond(float64(*b.met)))
	case b.failed != nil:
		return fmt.Sprintf("%s failed the objective and no measured rate met it", units.PerSecond(float64(*b.failed)))
	default:
		return "all measured rates are undecided"
	}
}
