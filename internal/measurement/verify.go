package measurement

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

const (
	// verifyError is the probability of a wrong Met, and of a wrong Failed, over all looks.
	verifyError = 0.05
	// earlyError is the part of verifyError that each look before the last one uses. With
	// 10 failures per mille allowed, 459 logins without a failure are enough for it.
	earlyError = 0.01
)

// Verify decides a verification from the first steps of its plan. It compares the share
// of logins slower than each percentile of the objective, and the share of failed logins,
// with what the objective allows, by exact binomial bounds (Clopper and Pearson, 1934). The
// outcome is Met if all upper bounds are within the objective, Failed if a lower bound is
// not, and otherwise Undecided. An objective that allows no failures is Met as long as
// no login fails.
//
// There is a look after each step. All looks together have an error of 5 % for Met and
// 5 % for Failed (Bonferroni), so that stopping early does not increase it. A look that
// can't be Met even without a failure uses none of it.
func Verify(plan loadplan.Plan, steps []StepResult) v1alpha1.VerificationCounts {
	var counts v1alpha1.VerificationCounts
	for _, s := range steps {
		counts.Logins += s.Scheduled
		counts.Failed += s.Failures()
	}
	o := plan.Objective
	last := len(steps) >= len(plan.Told())
	judged := verification{plan: plan, last: last, logins: counts.Logins, promises: 2}
	for _, also := range []int32{o.P50Milliseconds, o.P99Milliseconds} {
		if also > 0 {
			judged.promises++
		}
	}
	failed := judged.hold(counts.Failed, float64(o.MaxErrorPerMille)/1000)
	counts.FailedPerMillion = failed.api()
	counts.Slower = sumOf(steps, func(s StepResult) *int64 { return s.SlowerThanP95 })
	counts.SlowerPerMillion = judged.hold(counts.Slower, 0.05).api()
	if o.P50Milliseconds > 0 {
		slow := sumOf(steps, func(s StepResult) *int64 { return s.SlowerThanP50 })
		counts.SlowerThanP50 = &v1alpha1.SlowLogins{Logins: slow, PerMillion: judged.hold(slow, 0.5).api()}
	}
	if o.P99Milliseconds > 0 {
		slow := sumOf(steps, func(s StepResult) *int64 { return s.SlowerThanP99 })
		counts.SlowerThanP99 = &v1alpha1.SlowLogins{Logins: slow, PerMillion: judged.hold(slow, 0.01).api()}
	}
	counts.Outcome = judged.outcome()
	return counts
}

// sumOf adds a count of all steps that have it.
func sumOf(steps []StepResult, count func(StepResult) *int64) int64 {
	var sum int64
	for _, s := range steps {
		if n := count(s); n != nil {
			sum += *n
		}
	}
	return sum
}

// verification compares shares of its logins with what is allowed.
type verification struct {
	plan loadplan.Plan
	// last means that no step is left to drive.
	last   bool
	logins int64
	// promises is how many shares are compared: any of them may fail the verification,
	// while all must hold to meet it.
	promises int
	// broken and open count the promises that are shown not to hold, and those that are
	// not decided.
	broken, open int
}

// hold notes what a number of logins shows of the share that is allowed, and returns the
// bounds of the true share.
func (v *verification) hold(some int64, allowed float64) share {
	found := v.shareOf(some, allowed)
	switch never := allowed == 0 && some == 0; {
	case found.low > allowed:
		v.broken++
	case found.high > allowed && !never:
		v.open++
	}
	return found
}

func (v *verification) outcome() v1alpha1.VerificationOutcome {
	switch {
	case v.broken > 0:
		return v1alpha1.VerificationFailed
	case v.open > 0:
		return v1alpha1.VerificationUndecided
	default:
		return v1alpha1.VerificationMet
	}
}

// shareOf returns the bounds of the share of some logins among all. The error of each
// bound depends on the looks of the plan and on the share that is allowed.
func (v *verification) shareOf(some int64, allowed float64) share {
	below, above := earlyError, earlyError
	if v.last {
		early, telling := 0, 0
		counted := int64(0)
		looks := v.plan.Told()
		for _, step := range looks[:max(0, len(looks)-1)] {
			counted += int64(step.Requests)
			early++
			if bounds(0, counted, earlyError).high <= allowed {
				telling++
			}
		}
		below, above = verifyError-earlyError*float64(early), verifyError-earlyError*float64(telling)
	}
	return share{low: bounds(some, v.logins, below/float64(v.promises)).low, high: bounds(some, v.logins, above).high}
}

// share is a lower and an upper bound of a share of logins, 0 to 1.
type share struct{ low, high float64 }

// AtLeast returns the lower bound of the true share, with 95 % confidence, by Clopper and
// Pearson. It is 0 when there are no logins.
func AtLeast(some, all int64) float64 { return bounds(some, all, verifyError).low }

// AtMost returns the upper bound of the true share; see AtLeast.
func AtMost(some, all int64) float64 { return bounds(some, all, verifyError).high }

// bounds returns the exact bounds of a share by Clopper and Pearson. The true share lies
// beyond each of them with at most the given probability.
func bounds(some, all int64, chance float64) share {
	k, n, s := float64(some), float64(all), share{low: 0, high: 1}
	if some > 0 {
		s.low = mathext.InvRegIncBeta(k, n-k+1, chance)
	}
	if some < all {
		s.high = mathext.InvRegIncBeta(k+1, n-k, 1-chance)
	}
	return s
}

func (s share) api() v1alpha1.ShareInterval {
	return v1alpha1.ShareInterval{Low: int64(s.low * 1e6), High: int64(math.Ceil(s.high * 1e6))}
}
