package measurement

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

const (
	// verifyError is the chance of a wrong answer, on either side, over all looks.
	verifyError = 0.05
	// earlyError is what each look but the last takes of it. At 10 per mille it is
	// enough for 459 logins without a failure.
	earlyError = 0.01
	// slowerAllowed is the share of logins that may be slower than p95.
	slowerAllowed = 0.05
)

// Verify says what the logins of a verification come to, which has driven some of its
// plan's steps. The share of slow logins and the share of failed ones are held against
// what the objective allows, each by the exact binomial bounds (Clopper and Pearson,
// 1934): Met when both upper ends hold it, Failed when a lower end does not, else
// Undecided. An objective that allows no failure is met as long as there was none.
//
// The looks after each step share an error of 5 % on either side (Bonferroni), so that
// stopping early does not make it larger. A look that can't show enough even without a
// failure can't be wrong, and takes nothing.
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

// shareOf is where the true share of some logins lies, of which so many are allowed.
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

// share is where the true share of some logins lies.
type share struct{ low, high float64 }

// bounds of a share by Clopper and Pearson, each of which the true share passes with the
// given chance at the most.
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
