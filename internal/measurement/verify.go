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
	// slowerAllowed is the share of logins that may be slower than p95.
	slowerAllowed = 0.05
)

// Verify decides a verification from the first steps of its plan. It compares the share
// of slow logins and the share of failed logins with what the objective allows, by exact
// binomial bounds (Clopper and Pearson, 1934). The outcome is Met if both upper bounds are
// within the objective, Failed if a lower bound is not, and otherwise Undecided. An
// objective that allows no failures is Met as long as there are none.
//
// There is a look after each step. All looks together have an error of 5 % for Met and
// 5 % for Failed (Bonferroni), so that stopping early does not increase it. A look that
// can't be Met even without a failure uses none of it.
func Verify(plan loadplan.Plan, steps []StepResult) v1alpha1.VerificationCounts {
	var counts v1alpha1.VerificationCounts
	for _, s := range steps {
		counts.Logins += s.Scheduled
		counts.Failed += s.Failures()
		if s.SlowerThanP95 != nil {
			counts.Slower += *s.SlowerThanP95
		}
	}
	mayFail := float64(plan.Objective.MaxErrorPerMille) / 1000
	last := len(steps) >= len(plan.Told())
	slower := shareOf(counts.Slower, counts.Logins, plan, slowerAllowed, last)
	failed := shareOf(counts.Failed, counts.Logins, plan, mayFail, last)
	counts.SlowerPerMillion, counts.FailedPerMillion = slower.api(), failed.api()
	neverFailed := mayFail == 0 && counts.Failed == 0
	switch {
	case slower.low > slowerAllowed || failed.low > mayFail:
		counts.Outcome = v1alpha1.VerificationFailed
	case slower.high <= slowerAllowed && (failed.high <= mayFail || neverFailed):
		counts.Outcome = v1alpha1.VerificationMet
	default:
		counts.Outcome = v1alpha1.VerificationUndecided
	}
	return counts
}

// shareOf returns the bounds of the share of some logins among all. The error of each
// bound depends on the looks of the plan and on the share that is allowed.
func shareOf(some, all int64, plan loadplan.Plan, allowed float64, last bool) share {
	below, above := earlyError, earlyError
	if last {
		early, telling := 0, 0
		counted := int64(0)
		looks := plan.Told()
		for _, step := range looks[:max(0, len(looks)-1)] {
			counted += int64(step.Requests)
			early++
			if bounds(0, counted, earlyError).high <= allowed {
				telling++
			}
		}
		below, above = verifyError-earlyError*float64(early), verifyError-earlyError*float64(telling)
	}
	// Either of two shares may fail it, while both must hold to meet it.
	return share{low: bounds(some, all, below/2).low, high: bounds(some, all, above).high}
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
