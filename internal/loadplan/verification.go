package loadplan

import (
	"math"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	// mostVerified bounds the logins of a verification. 2,995 without a failure show
	// that at most one in 1,000 fails; a share near what is allowed takes more.
	mostVerified = 10_000
	// mostLooks is how often the logins are counted.
	mostLooks = 3
	// verificationIndex stands for the first step of a verification where steps are
	// counted, so that its logins are not those that the variant was measured with.
	verificationIndex = 100
)

// verificationSteps holds one rate until the logins decide, in up to three steps. After
// each the logins of all are counted, and those that are left are not driven if that
// decides: first there are load.minSamples logins, or as many as show a steady state, at
// last as many as load.maxStepSeconds have room for, and between them the geometric mean
// of both.
func (s service) verificationSteps(spec v1alpha1.SizingTrialSpec) ([]Step, error) {
	if len(spec.Load.RatesPerSecond) != 1 {
		return nil, ErrNoSteps
	}
	offered, err := milliPerSecond(spec.Load.RatesPerSecond[0])
	if err != nil {
		return nil, err
	}
	var steps []Step
	counted := 0
	first, room := int(spec.Load.MinSamples), int(offered)*int(spec.Load.MaxStepSeconds)/milli
	if s.utilisation(offered) < steadyBelow {
		first = max(first, s.steadyRequests(offered))
	}
	for i, look := range looks(first, room) {
		step := s.open(spec, verificationIndex+i, offered, look-counted)
		step.Reported = i == 0
		steps, counted = append(steps, step), look
	}
	return steps, nil
}

// looks are the numbers of logins at which a verification may be decided, rising.
func looks(first, room int) []int {
	last := max(1, min(room, max(first, mostVerified)))
	first = min(max(1, first), last)
	between := int(math.Sqrt(float64(first) * float64(last)))
	// A look that adds little costs more certainty than it saves time.
	const worthIt = 1.5
	switch {
	case float64(last) < worthIt*float64(first):
		return []int{last}
	case float64(between) < worthIt*float64(first):
		return []int{first, last}
	default:
		return []int{first, between, last}
	}
}

// FastestVerification is the highest rate, times 1000, that a generator can hold as
// long as a verification takes, on a common machine.
func FastestVerification(generator v1alpha1.Generator, load v1alpha1.Load) int64 {
	ceiling, err := generatorCeiling(generator, v1alpha1.TrialCalibration{})
	if err != nil {
		return 0
	}
	// The API allows as many callers, since each may wait for a whole timeout.
	return min(ceiling, mostCallers*milli/int64(max(1, load.RequestTimeoutSeconds)))
}
