package sizing

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// mostDriven is the highest number of replicas of a trial that the API allows.
	mostDriven = 10
	// mostVerifications is one for the first recommendation and one for the second.
	mostVerifications = 2
)

// NextVerification returns the verification that a recommendation needs: how many
// replicas to drive, and at which rate. The caller names its trial. It returns false if
// none is needed, or if the size can't be verified.
func (q Question) NextVerification(answer *v1alpha1.Recommendation) (v1alpha1.Verification, bool) {
	if answer == nil || answer.Variant == "" || !q.verifies() || len(q.Verifications) >= mostVerifications {
		return v1alpha1.Verification{}, false
	}
	if tried := q.verification(answer.Variant, int64(answer.Replicas)); tried != nil {
		// If the replicas could not all start, for example because of a quota, try one.
		if tried.Outcome != v1alpha1.VerificationNotRun || tried.DrivenReplicas == 1 {
			return v1alpha1.Verification{}, false
		}
		q.Verify = v1alpha1.VerifyReplica
	}
	next, why := q.drive(answer.Variant, int64(answer.Replicas))
	return next, why == ""
}

func (q Question) verifies() bool {
	return q.Verify == v1alpha1.VerifyReplica || q.Verify == v1alpha1.VerifyFull
}

// verification returns the last verification of a size, or nil.
func (q Question) verification(variant string, replicas int64) *v1alpha1.Verification {
	for i := len(q.Verifications) - 1; i >= 0; i-- {
		if v := &q.Verifications[i]; v.Variant == variant && int64(v.Replicas) == replicas {
			return v
		}
	}
	return nil
}

// drive returns how to verify a size without surviveReplicas replicas, or why that is impossible, as the
// end of a sentence.
func (q Question) drive(variant string, replicas int64) (v1alpha1.Verification, string) {
	left := max(1, replicas-q.Survive)
	driven := v1alpha1.Verification{
		Variant: variant, Replicas: int32(replicas), DrivenReplicas: 1, OfferedMilliPerSecond: ceil(q.MilliPerSecond, left),
	}
	if q.Verify == v1alpha1.VerifyFull && left <= mostDriven && q.MilliPerSecond <= q.FastestMilliPerSecond {
		driven.DrivenReplicas, driven.OfferedMilliPerSecond = int32(left), q.MilliPerSecond
	}
	rate := driven.OfferedMilliPerSecond
	switch {
	case rate > q.FastestMilliPerSecond:
		return driven, fmt.Sprintf("one replica gets %s, but a generator can't drive more than %s", perSecond(rate), perSecond(q.FastestMilliPerSecond))
	case rate*matrix.VerificationSeconds < loadplan.IntervalSamples*1000:
		return driven, fmt.Sprintf("one replica gets %s, and in ten minutes that is fewer than the %d logins that are necessary for p95", perSecond(rate), loadplan.IntervalSamples)
	}
	return driven, ""
}

func (q Question) failed() []v1alpha1.Verification {
	var failed []v1alpha1.Verification
	for _, v := range q.Verifications {
		if v.Outcome == v1alpha1.VerificationFailed {
			failed = append(failed, v)
		}
	}
	return failed
}

// Refute lowers a candidate's capacity below the rates at which its verifications failed.
func (q Question) Refute(c *Candidate) {
	for _, v := range q.failed() {
		below := max(0, v.OfferedMilliPerSecond/int64(max(1, v.DrivenReplicas))-1)
		if v.Variant == c.Variant.Name && below < c.Capacity {
			c.Capacity, c.Refuted = below, true
		}
	}
}

// verified returns the outcome of a size's verification and, as the end of a sentence, why
// it is not Met.
func (q Question) verified(best sized) (outcome v1alpha1.VerificationOutcome, why string) {
	if !q.verifies() {
		return "", "but this size was not verified: it was not driven at the demanded rate"
	}
	if v := q.verification(best.Variant.Name, best.replicas); v != nil {
		if v.Outcome == "" {
			return "", "but this size is still being verified"
		}
		return v.Outcome, fmt.Sprintf("but the verification of this size is %s: see status.verifications", v.Outcome)
	}
	if _, why := q.drive(best.Variant.Name, best.replicas); why != "" {
		return v1alpha1.VerificationNotRun, "but this size can't be verified: " + why
	}
	return "", "but this size has not been verified yet"
}

func (q Question) exhausted() bool { return q.verifies() && len(q.failed()) >= mostVerifications }

func (a answer) refuted() *v1alpha1.Recommendation {
	r := &v1alpha1.Recommendation{BrokenBound: v1alpha1.BoundVerification, Verified: v1alpha1.VerificationFailed}
	text := "Two sizes were deployed and driven at the demanded rate, and both missed the objective"
	if nearest, found := a.nearest(); found {
		api := a.api(nearest)
		r.Nearest = &api
		text += fmt.Sprintf(". The next size would be %s, but nothing shows that it meets the objective. Find out what differs between the measurements and the verifications, such as other work on the nodes, and measure again", inAll(nearest))
	}
	r.Reason = units.Clip(text, mostReason)
	return r
}
