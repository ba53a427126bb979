package verdict

import (
	"fmt"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// check looks for one problem. It returns nil if there is none.
type check func(t *trial) []v1beta1.Reason

// checks, in the order in which their findings are reported.
var checks = []check{
	podAltered,
	limitNotApplied,
	evidenceMissing,
	ofSteps(generatorSaturated),
	ofSteps(generatorThrottled),
	ofSteps(rateNotAchieved),
	sharedNode,
	ofSteps(noisyNeighbour),
	companionSaturated,
	ofSteps(aboveCPUBound),
	ofSteps(belowCPUBound),
	ofSteps(servicePaused),
	speedUnknown,
	tooFewSamples,
	notSteady,
	modelDisagrees,
	resolution,
	overloaded,
	livenessFails,
	slowerUnderLoad,
	replicasInTurn,
	usersDistinguishable,
}

// ofSteps returns a check that looks at each step by itself.
func ofSteps(look func(t *trial, s *step) []v1beta1.Reason) check {
	return func(t *trial) []v1beta1.Reason {
		var found []v1beta1.Reason
		for _, s := range t.steps {
			found = append(found, look(t, s)...)
		}
		return found
	}
}

// findings runs all checks and keeps the worst finding of each.
func (t *trial) findings() []v1beta1.Reason {
	var all []v1beta1.Reason
	for _, run := range checks {
		if found := run(t); len(found) > 0 {
			all = append(all, worstOf(found))
		}
	}
	return all
}

// worstOf returns the worst of the findings of one check; the first of equals.
func worstOf(found []v1beta1.Reason) v1beta1.Reason {
	for _, r := range found {
		if r.Verdict == worst(found) {
			return r
		}
	}
	return found[0]
}

// finding returns one reason. The verdict is empty if the reason does not change the result's.
func finding(kind string, verdict v1beta1.Verdict, format string, args ...any) []v1beta1.Reason {
	message := units.Clip(fmt.Sprintf(format, args...), v1beta1.MaxReasonMessage)
	return []v1beta1.Reason{{Type: kind, Verdict: verdict, Message: message}}
}

// graded returns a finding if value is above a threshold, and nil if it is above neither.
func graded(kind string, value, suspect, invalid float64, format string, args ...any) []v1beta1.Reason {
	switch {
	case value > invalid:
		return finding(kind, v1beta1.VerdictInvalid, format, args...)
	case value > suspect:
		return finding(kind, v1beta1.VerdictSuspect, format, args...)
	}
	return nil
}

func (s *step) name() string { return s.fact.name() }

func microseconds(n int64) time.Duration { return time.Duration(n) * time.Microsecond }

func percent(share float64) string { return units.Ratio(100*share) + " %" }
