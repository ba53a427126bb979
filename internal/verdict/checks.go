package verdict

import (
	"fmt"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// The reasons of a verdict.
const (
	GeneratorSaturated = "GeneratorSaturated"
	GeneratorThrottled = "GeneratorThrottled"
	RateNotAchieved    = "RateNotAchieved"
	TooFewSamples      = "TooFewSamples"
	Overloaded         = "Overloaded"
	AboveCPUBound      = "AboveCPUBound"
	BelowCPUBound      = "BelowCPUBound"
	NotSteady          = "NotSteady"
	SpeedUnknown       = "SpeedUnknown"
	ModelDisagrees     = "ModelDisagrees"
	SharedNode         = "SharedNode"
	NoisyNeighbour     = "NoisyNeighbour"
	Resolution         = "Resolution"
	LimitNotApplied    = "LimitNotApplied"
	PodAltered         = "PodAltered"
	EvidenceMissing    = "EvidenceMissing"
)

// check looks at one thing; it returns nothing when all is well.
type check func(t *trial) []v1alpha1.Reason

// checks in the order in which their findings are told.
var checks = []check{
	podAltered,
	limitNotApplied,
	evidenceMissing,
	generatorSaturated,
	generatorThrottled,
	rateNotAchieved,
	sharedNode,
	noisyNeighbour,
	aboveCPUBound,
	belowCPUBound,
	speedUnknown,
	tooFewSamples,
	notSteady,
	modelDisagrees,
	resolution,
	overloaded,
}

// findings runs every check, and keeps the worst finding of each kind.
func (t *trial) findings() []v1alpha1.Reason {
	var all []v1alpha1.Reason
	for _, look := range checks {
		if found := look(t); len(found) > 0 {
			reason := worstOf(found)
			reason.Message = clip(reason.Message)
			all = append(all, reason)
		}
	}
	return all
}

// clip keeps a message within the API's bound: one that is too long would have
// the whole status refused, and the result lost with it.
func clip(message string) string {
	const most = 512
	if letters := []rune(message); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return message
}

// worstOf keeps the worst of several findings of one check; of equals the first.
func worstOf(found []v1alpha1.Reason) v1alpha1.Reason {
	for _, r := range found {
		if r.Verdict == worst(found) {
			return r
		}
	}
	return found[0]
}

// graded is a finding where seen lies beyond a threshold; none below both.
func graded(kind string, seen, suspect, invalid float64, format string, args ...any) []v1alpha1.Reason {
	message := fmt.Sprintf(format, args...)
	switch {
	case seen > invalid:
		return []v1alpha1.Reason{{Type: kind, Verdict: v1alpha1.VerdictInvalid, Message: message}}
	case seen > suspect:
		return []v1alpha1.Reason{{Type: kind, Verdict: v1alpha1.VerdictSuspect, Message: message}}
	}
	return nil
}

// name tells a step from the others, for people.
func (s *step) name() string {
	switch {
	case s.LoadPercent > 0:
		return fmt.Sprintf("the step at %d %% of the bound", s.LoadPercent)
	case s.Kind == loadplan.Saturation:
		return "the saturation"
	case s.Kind == loadplan.Closed:
		return fmt.Sprintf("the step with %d users", s.Callers)
	default:
		return fmt.Sprintf("the step at %g/s", float64(s.OfferedMilliPerSecond)/1000)
	}
}

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func percent(share float64) string { return fmt.Sprintf("%.3g %%", 100*share) }
