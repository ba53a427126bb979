package loadplan

import (
	"math"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const (
	// mostVerified is the largest number of logins of a verification. Without a failure,
	// 2,995 show that at most one in 1,000 fails. A share close to the limit needs more.
	mostVerified = 10_000
	// mostChecks is how often the outcome is checked at most.
	mostChecks = 3
	// CheckError is the probability of a wrong Met, and of a wrong Failed, over all checks.
	CheckError = 0.05
	// FirstCheckError is the part of CheckError that the first check uses if others may follow, because most
	// outcomes are decided then.
	FirstCheckError = 0.04
	// LaterCheckError is the part of CheckError of each other check but the last.
	LaterCheckError = 0.005
	// ownSeconds is how long a user's own service is verified at least. What it does beside hashing, such as
	// collecting garbage or saving its database, may come once a minute.
	ownSeconds = 180
	// verificationIndex is the index of the first step in StepSeed. It differs from those
	// of measurements, so that a verification has arrivals of its own.
	verificationIndex = 100
)

func (s service) verificationSteps(spec v1beta1.SizingTrialSpec) ([]Step, error) {
	rates := ptr.Deref(spec.Load.Rates, v1beta1.RatesLoad{}).PerSecond
	if len(rates) != 1 {
		return nil, ErrNoSteps
	}
	offered, err := milliPerSecond(rates[0])
	if err != nil {
		return nil, err
	}
	return s.checkedSteps(spec, offered), nil
}

// decisionSteps are the saturation, from which the capacity follows, and the rate that the variant would have to
// carry, so that one load measures a variant and shows that it suffices.
func (s service) decisionSteps(spec v1beta1.SizingTrialSpec) []Step {
	var steps []Step
	if !s.generatorLimited() {
		steps = append(steps, s.saturation(spec.Load))
	}
	offered := min(ptr.Deref(spec.OfferedMilliPerSecond, 0), s.ceiling)
	return append(steps, s.checkedSteps(spec, max(1, offered))...)
}

// checkedSteps splits the logins at a rate into up to three steps. The outcome is checked after each step, over
// all logins so far.
func (s service) checkedSteps(spec v1beta1.SizingTrialSpec, offered int64) []Step {
	var steps []Step
	counted := 0
	first, room := FirstCheck(spec.Objective), int(offered)*matrix.VerificationSeconds/milli
	if s.utilisation(offered) < SteadyBelow {
		first = max(first, s.steadyRequests(offered, SteadyRelaxations))
	}
	if spec.Service.Own != nil {
		first = max(first, int(offered)*ownSeconds/milli)
	}
	for i, total := range checkedAfter(first, room) {
		step := s.open(spec, v1beta1.PurposeVerification, verificationIndex+i, offered, total-counted)
		step.Reported = i == 0
		steps, counted = append(steps, step), total
	}
	return steps
}

// latestFirstCheck is the largest number of logins of a first check that shows that few enough fail.
const latestFirstCheck = 1000

// FirstCheck returns after how many logins the outcome is checked first: as many as can show that few enough fail, or
// if that takes more than latestFirstCheck, half as many, so that a size that misses the objective is found early.
func FirstCheck(objective v1beta1.Objective) int {
	show := loginsToShow(ptr.Deref(objective.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille), FirstCheckError)
	if show > latestFirstCheck {
		show = latestFirstCheck / 2
	}
	return max(matrix.VerificationLogins, show)
}

// checkedAfter returns the total numbers of logins after which the outcome is checked: FirstCheck or as many as a
// steady state needs, as many as fit into matrix.VerificationSeconds, and the geometric mean of both.
func checkedAfter(first, room int) []int {
	last := max(1, min(room, max(first, mostVerified)))
	first = min(max(1, first), last)
	between := int(math.Sqrt(float64(first) * float64(last)))
	// Each check widens the bounds of the others, so two of them must be well apart.
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

// FastestVerification returns the highest rate, times 1000, that a generator can drive in
// a verification, on a common machine.
func FastestVerification(generator v1beta1.Generator, load v1beta1.Load) int64 {
	ceiling, err := generatorCeiling(generator, handover.Calibration{})
	if err != nil {
		return 0
	}
	// The API limits rate × timeout to the largest number of callers.
	return min(ceiling, mostCallers*milli/int64(max(1, load.RequestTimeoutSeconds)))
}

// LoginsToShow returns the smallest number of logins that shows, with 95 % confidence and if none of them
// fails, that at most this many of a thousand fail. For 0, which none can show, it returns 0.
func LoginsToShow(perMille int32) int { return loginsToShow(perMille, CheckError) }

// loginsToShow is LoginsToShow with the given probability of error.
func loginsToShow(perMille int32, chance float64) int {
	if perMille <= 0 {
		return 0
	}
	return int(math.Ceil(math.Log(chance) / math.Log1p(-float64(perMille)/1000)))
}
