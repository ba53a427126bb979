package sizing_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	. "github.com/hashmark-dev/hashmark/internal/sizing"
)

func TestHowASizeIsVerified(t *testing.T) {
	const none = ""
	withHeadroom := func(q *Question) { q.HeadroomPercent = 30 }
	failed, notRun := v1beta1.VerificationFailed, v1beta1.VerificationNotRun
	full := func(outcome v1beta1.VerificationOutcome) v1beta1.Verification {
		v := tried("c10-500m", 2, outcome)
		v.DrivenReplicas = 2
		return v
	}
	for name, c := range map[string]struct {
		question Question
		replicas int32
		driven   int32 // 0 if the size is not verified
		rate     int64
	}{
		"one replica at its share":                  {fivePerSecond(verifying(v1beta1.VerifyReplica)), 2, 1, 2500},
		"a share is rounded up":                     {fivePerSecond(verifying(v1beta1.VerifyReplica)), 3, 1, 1667},
		"at the share of the remaining replicas":    {fivePerSecond(surviving(1), verifying(v1beta1.VerifyReplica)), 3, 1, 2500},
		"one replica with headroom":                 {fivePerSecond(withHeadroom, verifying(v1beta1.VerifyHeadroom)), 2, 1, 3250},
		"or at the share of the remaining replicas": {fivePerSecond(withHeadroom, surviving(1), verifying(v1beta1.VerifyHeadroom)), 2, 1, 5000},
		"all replicas":                              {fivePerSecond(verifying(v1beta1.VerifyFull)), 2, 2, 5000},
		"all remaining replicas":                    {fivePerSecond(surviving(2), verifying(v1beta1.VerifyFull)), 5, 3, 5000},
		"more replicas than a trial has":            {fivePerSecond(demanding(22), verifying(v1beta1.VerifyFull)), 11, 1, 2000},
		"more than a generator can drive":           {fivePerSecond(demanding(202), verifying(v1beta1.VerifyFull)), 2, 1, 101_000},
		"verify is None":                            {fivePerSecond(verifying(v1beta1.VerifyNone)), 2, 0, 0},
		"a second size, after one failed":           {fivePerSecond(verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, failed))), 2, 1, 2500},
		"no third verification":                     {fivePerSecond(verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, failed), tried("c10-500m", 2, failed))), 4, 0, 0},
		"not a second time":                         {fivePerSecond(verifying(v1beta1.VerifyReplica, tried("c10-500m", 2, v1beta1.VerificationUndecided))), 2, 0, 0},
		"not while it is being verified":            {fivePerSecond(verifying(v1beta1.VerifyReplica, tried("c10-500m", 2, none))), 2, 0, 0},
		"one replica, if not all of them started":   {fivePerSecond(verifying(v1beta1.VerifyFull, full(notRun))), 2, 1, 2500},
		"not again, if one replica did not start":   {fivePerSecond(verifying(v1beta1.VerifyFull, tried("c10-500m", 2, notRun))), 2, 0, 0},
		"not again, if all replicas were undecided": {fivePerSecond(verifying(v1beta1.VerifyFull, full(v1beta1.VerificationUndecided))), 2, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			answer := &v1beta1.Recommendation{Size: v1beta1.Size{Variant: "c10-500m", Replicas: c.replicas}}
			got, ok := c.question.NextVerification(answer)
			if ok != (c.driven > 0) {
				t.Fatalf("verified: %v, by %+v", ok, got)
			}
			want := v1beta1.Verification{Variant: "c10-500m", Replicas: c.replicas, DrivenReplicas: c.driven, OfferedMilliPerSecond: c.rate}
			if diff := cmp.Diff(want, got); ok && diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if got, ok := fivePerSecond(verifying(v1beta1.VerifyReplica)).NextVerification(&v1beta1.Recommendation{}); ok {
		t.Errorf("nothing is recommended, but this is verified: %+v", got)
	}
}

// TestWhatFailedIsNotRecommendedAgain checks the recommendation after a failed verification:
// it does not raise the cost or repeat the size, and no confidence is High before a
// verification is Met.
func TestWhatFailedIsNotRecommendedAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := someCandidates(t, "", "")
		q := someQuestion(t, pricing.Tariff{})
		verifying(v1beta1.VerifyReplica)(&q)
		first := Of(q, candidates)
		if first.Confidence == v1beta1.ConfidenceHigh {
			t.Fatalf("not verified, but High: %+v", first)
		}
		next, ok := q.NextVerification(first)
		if !ok {
			return
		}
		next.Outcome = v1beta1.VerificationFailed
		q.Verifications = []v1beta1.Verification{next}
		for i := range candidates {
			q.Refute(&candidates[i])
		}
		second := Of(q, candidates)
		if second.Variant == "" {
			return
		}
		if second.Cost > first.Cost {
			t.Fatalf("a failure raised the cost from %d to %d", first.Cost, second.Cost)
		}
		if second.Variant == first.Variant && second.Replicas <= first.Replicas {
			t.Fatalf("%d×%s failed, but %d replicas are recommended", first.Replicas, first.Variant, second.Replicas)
		}
		if second.Confidence == v1beta1.ConfidenceHigh {
			t.Fatalf("not verified, but High: %+v", second)
		}
	})
}
