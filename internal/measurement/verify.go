package measurement

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// Verify decides from the first steps of a plan whether their rate meets the objective. It compares the share
// of logins slower than each percentile of the objective, and the share of failed logins,
// with what the objective allows, by exact binomial bounds (Clopper and Pearson, 1934). The
// outcome is Met if all upper bounds are within the objective, Failed if a lower bound is
// not, and otherwise Undecided. An objective that allows no failures is Met as long as
// no login fails.
//
// There is a check after each step of the rate; a saturation before it does not count. All checks
// together have an error of 5 % for Met and 5 % for Failed (Bonferroni), so that stopping early does
// not increase it. A check that cannot be Met even without a failure uses none of it.
func Verify(plan loadplan.Plan, steps []StepResult) v1beta1.VerificationCounts {
	var counts v1beta1.VerificationCounts
	checks := plan.WithoutWarmup()
	for len(checks) > 0 && checks[0].Kind == loadplan.Saturation {
		checks, steps = checks[1:], steps[min(1, len(steps)):]
	}
	for _, s := range steps {
		counts.Logins += s.Scheduled
		counts.Failed += s.Failures()
	}
	o := plan.Objective
	judged := verification{checks: checks, made: len(steps), logins: counts.Logins, conditions: 2}
	for _, limit := range []*int32{o.P50Milliseconds, o.P99Milliseconds} {
		if limit != nil {
			judged.conditions++
		}
	}
	failed := judged.compare(counts.Failed, float64(ptr.Deref(o.MaxErrorPerMille, v1beta1.DefaultMaxErrorPerMille))/1000)
	counts.FailedPerMillion = failed.api()
	counts.Slower = sumOf(steps, func(s StepResult) *int64 { return s.SlowerThanP95 })
	counts.SlowerPerMillion = judged.compare(counts.Slower, 0.05).api()
	if o.P50Milliseconds != nil {
		slow := sumOf(steps, func(s StepResult) *int64 { return s.SlowerThanP50 })
		counts.SlowerThanP50 = &v1beta1.SlowLogins{Logins: slow, PerMillion: judged.compare(slow, 0.5).api()}
	}
	if o.P99Milliseconds != nil {
		slow := sumOf(steps, func(s StepResult) *int64 { return s.SlowerThanP99 })
		counts.SlowerThanP99 = &v1beta1.SlowLogins{Logins: slow, PerMillion: judged.compare(slow, 0.01).api()}
	}
	counts.Outcome = judged.outcome()
	return counts
}

func sumOf(steps []StepResult, count func(StepResult) *int64) int64 {
	var sum int64
	for _, s := range steps {
		sum += ptr.Deref(count(s), 0)
	}
	return sum
}

// verification compares shares of its logins with what is allowed.
type verification struct {
	// checks are the planned steps. The outcome is checked after each of them; made of them have ended.
	checks []loadplan.Step
	made   int
	logins int64
	// conditions is the number of shares that are compared. Each of them can fail the
	// verification; all must be met to meet it.
	conditions int
	// failed and undecided are the numbers of conditions with that outcome.
	failed, undecided int
}

// compare compares a number of logins with the share that is allowed, and returns the bounds of the true one.
func (v *verification) compare(some int64, allowed float64) share {
	actual := v.shareOf(some, allowed)
	switch never := allowed == 0 && some == 0; {
	case actual.low > allowed:
		v.failed++
	case actual.high > allowed && !never:
		v.undecided++
	}
	return actual
}

func (v *verification) outcome() v1beta1.VerificationOutcome {
	switch {
	case v.failed > 0:
		return v1beta1.VerificationFailed
	case v.undecided > 0:
		return v1beta1.VerificationUndecided
	default:
		return v1beta1.VerificationMet
	}
}

// shareOf returns the bounds of the share of some logins among all. The error of each bound
// depends on the checks of the plan and on the allowed share.
func (v *verification) shareOf(some int64, allowed float64) share {
	if v.made < len(v.checks) {
		chance := errorOf(v.made - 1)
		return share{low: bounds(some, v.logins, chance/float64(v.conditions)).low, high: bounds(some, v.logins, chance).high}
	}
	below, above := loadplan.CheckError, loadplan.CheckError
	counted := int64(0)
	for i, step := range v.checks[:max(0, len(v.checks)-1)] {
		counted += int64(step.Requests)
		below -= errorOf(i)
		if bounds(0, counted, errorOf(i)).high <= allowed {
			above -= errorOf(i)
		}
	}
	return share{low: bounds(some, v.logins, below/float64(v.conditions)).low, high: bounds(some, v.logins, above).high}
}

// errorOf returns the part of loadplan.CheckError that a check uses if others may follow.
func errorOf(check int) float64 {
	if check <= 0 {
		return loadplan.FirstCheckError
	}
	return loadplan.LaterCheckError
}

// share is a lower and an upper bound of a share of logins, 0 to 1.
type share struct{ low, high float64 }

// AtLeast returns the lower bound of the true share, with 95 % confidence, by Clopper and
// Pearson. It is 0 without logins.
func AtLeast(some, all int64) float64 { return bounds(some, all, loadplan.CheckError).low }

// AtMost returns the upper bound of the true share; see AtLeast.
func AtMost(some, all int64) float64 { return bounds(some, all, loadplan.CheckError).high }

// bounds returns the exact bounds of a share by Clopper and Pearson. The true share is
// outside each of them with at most the given probability. Impossible counts, which a saved report
// can have, are limited to possible ones.
func bounds(some, all int64, chance float64) share {
	all = max(0, all)
	some = min(max(0, some), all)
	k, n, s := float64(some), float64(all), share{low: 0, high: 1}
	if some > 0 {
		s.low = mathext.InvRegIncBeta(k, n-k+1, chance)
	}
	if some < all {
		s.high = mathext.InvRegIncBeta(k+1, n-k, 1-chance)
	}
	return s
}

func (s share) api() v1beta1.ShareInterval {
	return v1beta1.ShareInterval{Low: int64(s.low * 1e6), High: int64(math.Ceil(s.high * 1e6))}
}
