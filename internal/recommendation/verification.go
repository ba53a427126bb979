package recommendation

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	// mostDriven is how many replicas a trial may deploy, by the API.
	mostDriven = 10
	// verificationSeconds is how long a verification may count, and fewestVerified the
	// fewest logins whose p95 has an interval: 0.95^72 is the first below 2.5 %.
	verificationSeconds, fewestVerified = 600, 72
	// mostVerifications are made: of the first answer, and of the next.
	mostVerifications = 2
)

// NextVerification is how the recommended size is verified: how many of its replicas
// are driven, and at which rate. It has no trial yet. False where nothing is to be
// verified, where the size was verified, and where it can't be.
func (q Question) NextVerification(answer *v1alpha1.Recommendation) (v1alpha1.Verification, bool) {
	if answer == nil || answer.Variant == "" || !q.verifies() || len(q.Verifications) >= mostVerifications {
		return v1alpha1.Verification{}, false
	}
	if tried := q.verification(answer.Variant, int64(answer.Replicas)); tried != nil {
		// What did not start as a whole, as for want of quota, may as a part.
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

// verification is the last one of a size; nil where there is none.
func (q Question) verification(variant string, replicas int64) *v1alpha1.Verification {
	for i := len(q.Verifications) - 1; i >= 0; i-- {
		if v := &q.Verifications[i]; v.Variant == variant && int64(v.Replicas) == replicas {
			return v
		}
	}
	return nil
}

// drive says how a size is verified, or why it can't be, as the end of a sentence. The
// replicas that may be down are not there: what is left must carry the demand.
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
		return driven, fmt.Sprintf("one replica gets %s, and a generator can't drive more than %s", perSecond(rate), perSecond(q.FastestMilliPerSecond))
	case rate*verificationSeconds < fewestVerified*1000:
		return driven, fmt.Sprintf("one replica gets %s, and ten minutes of that are fewer than the %d logins that tell something of p95", perSecond(rate), fewestVerified)
	}
	return driven, ""
}

// failed are the verifications that did.
func (q Question) failed() []v1alpha1.Verification {
	var failed []v1alpha1.Verification
	for _, v := range q.Verifications {
		if v.Outcome == v1alpha1.VerificationFailed {
			failed = append(failed, v)
		}
	}
	return failed
}

// Refute lowers a candidate's capacity below the rates that it failed at when it was
// verified.
func (q Question) Refute(c *Candidate) {
	for _, v := range q.failed() {
		below := max(0, v.OfferedMilliPerSecond/int64(max(1, v.DrivenReplicas))-1)
		if v.Variant == c.Variant.Name && below < c.Capacity {
			c.Capacity, c.Refuted = below, true
		}
	}
}

// verified is what is known of a size from its verification.
func (q Question) verified(best sized) (outcome v1alpha1.VerificationOutcome, why string) {
	if !q.verifies() {
		return "", "but this size was not verified: it was never deployed and driven at the demanded rate"
	}
	if v := q.verification(best.Variant.Name, best.replicas); v != nil {
		if v.Outcome == "" {
			return "", "but the size is still being verified"
		}
		return v.Outcome, "but the size was not seen to hold: " + lower(v.Message)
	}
	if _, why := q.drive(best.Variant.Name, best.replicas); why != "" {
		return v1alpha1.VerificationNotRun, "but the size can't be verified: " + why
	}
	return "", "but the size has not been verified"
}

// exhausted tells that no further size is tried.
func (q Question) exhausted() bool { return q.verifies() && len(q.failed()) >= mostVerifications }

// refuted tells that the sizes that were tried failed.
func (a answer) refuted() *v1alpha1.Recommendation {
	r := &v1alpha1.Recommendation{BrokenBound: v1alpha1.BoundVerification, Verified: v1alpha1.VerificationFailed}
	text := "Two sizes were deployed and driven at the demanded rate, and both failed the objective. " + a.failures()
	if nearest, found := a.nearest(); found {
		api := a.api(nearest)
		r.Nearest = &api
		text += fmt.Sprintf(". The next size would be %s; nothing shows that it holds. Find out what differs between the measurements and the verifications, such as something else that uses the nodes, and measure again", inAll(nearest))
	}
	r.Reason = clip(text, mostReason)
	return r
}

// failures tells of the verifications that failed, a sentence each; empty where none
// did.
func (q Question) failures() string {
	var told []string
	for _, v := range q.failed() {
		told = append(told, fmt.Sprintf("%d×%s failed its verification: %s", v.Replicas, v.Variant, lower(v.Message)))
	}
	return strings.Join(told, ". ")
}

// lower begins a sentence in small letters, so that it can follow a colon.
func lower(sentence string) string {
	if sentence == "" {
		return sentence
	}
	return strings.ToLower(sentence[:1]) + sentence[1:]
}
