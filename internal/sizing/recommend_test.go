package sizing_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	. "github.com/hashmark-dev/hashmark/internal/sizing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// replica returns one replica of a variant, Valid and confirmed. The capacity is in
// thousandths.
func replica(name string, cost int32, milliCPU, capacity int64, changes ...func(*Candidate)) Candidate {
	c := Candidate{
		Variant:  v1beta1.Variant{Name: name, Hash: v1beta1.BcryptHash(cost)},
		MilliCPU: milliCPU, Trust: Valid, Capacity: capacity, Found: capacity, Confirmed: true,
		P95: func(milliPerSecond int64) (int64, bool) { return 100_000 + 50*milliPerSecond, true },
	}
	for _, change := range changes {
		change(&c)
	}
	return c
}

func suspect(c *Candidate) {
	c.Trust, c.Reasons = Suspect, []v1beta1.Reason{{Type: "NoisyNeighbour", Verdict: v1beta1.VerdictSuspect}, {Type: "UsersDistinguishable"}}
}
func invalid(c *Candidate)     { c.Trust = Invalid }
func predicted(c *Candidate)   { c.Predicted = true }
func onlyAHint(c *Candidate)   { c.Predicted, c.Trust = true, Hint }
func unconfirmed(c *Candidate) { c.Confirmed = false }
func refuted(c *Candidate)     { c.Refuted = true }
func respaced(c *Candidate)    { c.EvenlySpaced = true }

// found sets the capacity that was found, which is more than the reliable one.
func found(capacity int64) func(*Candidate) {
	return func(c *Candidate) { c.Found = capacity }
}

// slow sets the slow speed of the CPU, in thousandths of the usual hash time.
func slow(perMille int64) func(*Candidate) {
	return func(c *Candidate) { c.SizingPerMille = perMille }
}

// lowerBound makes the capacity a lower bound: all rates met the objective, with one replica.
func lowerBound(c *Candidate) { c.Served = c.Found }

// limited makes the capacity a lower bound because of the generator.
func limited(c *Candidate) { c.Served, c.Unknown = c.Found, ByGenerator }

// undecided makes a candidate one with too few logins to decide anything.
func undecided(c *Candidate) { c.Unknown = Undecided }

// barelySaturated makes the capacity a lower bound because too few logins ended during the
// saturation.
func barelySaturated(c *Candidate) { c.Served, c.Unknown = c.Found, BySaturation }

// surviving requires that the demand is served with so many replicas down.
func surviving(replicas int64) func(*Question) { return func(q *Question) { q.Survive = replicas } }

// verifying sets how the size is verified, and the verifications that exist.
func verifying(how v1beta1.Verify, made ...v1beta1.Verification) func(*Question) {
	return func(q *Question) {
		q.Verify, q.FastestMilliPerSecond, q.Verifications = how, 200_000, made
	}
}

// tried returns the verification of a size.
func tried(variant string, replicas int32, outcome v1beta1.VerificationOutcome) v1beta1.Verification {
	v := v1beta1.Verification{Variant: variant, Replicas: replicas, DrivenReplicas: 1, OfferedMilliPerSecond: 5000 / int64(replicas), Outcome: outcome}
	if outcome != "" {
		v.Message = "1 replica was driven with 500 logins"
	}
	return v
}

// quickstart returns replicas of costs 8, 10 and 12 on a machine with a hash time of 60 ms
// at cost 10.
func quickstartSizes(more ...Candidate) []Candidate {
	return append([]Candidate{
		replica("c8-500m", 8, 500, 32_900), replica("c8-1", 8, 1000, 68_100),
		replica("c10-250m", 10, 250, 2_840), replica("c10-500m", 10, 500, 7_010, found(7_140)), replica("c10-1", 10, 1000, 15_900),
		replica("c12-1", 12, 1000, 1_330),
	}, more...)
}

// fivePerSecond returns a demand of 5/s with 30 % headroom, at cost 10 or more.
func fivePerSecond(changes ...func(*Question)) Question {
	q := Question{MilliPerSecond: 5000, HeadroomPercent: 30, MinimumCost: 10, MaxReplicas: 10_000}
	for _, change := range changes {
		change(&q)
	}
	return q
}

func withinCPU(milli int64) func(*Question)  { return func(q *Question) { q.MaxMilliCPU = milli } }
func withinReplicas(n int64) func(*Question) { return func(q *Question) { q.MaxReplicas = n } }
func atLeast(cost int32) func(*Question)     { return func(q *Question) { q.MinimumCost = cost } }
func demanding(perSecond int64) func(*Question) {
	return func(q *Question) { q.MilliPerSecond = 1000 * perSecond }
}
func priced(t *testing.T) func(*Question) {
	tariff, err := pricing.Of(&v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("0.04"))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(q *Question) { q.Tariff = tariff }
}

// TestTold compares every sentence with a golden file. It has a case for each kind of
// recommendation.
func TestTold(t *testing.T) {
	var page strings.Builder
	alone := []Candidate{replica("c10-500m", 10, 500, 7_010)}
	for _, c := range []struct {
		name       string
		question   Question
		candidates []Candidate
	}{
		{"within one CPU, the cheapest of three sizes at cost 10", fivePerSecond(withinCPU(1000), priced(t)), quickstartSizes()},
		{"with any CPU, the highest cost on several replicas", fivePerSecond(), quickstartSizes()},
		{"without headroom, within replicas", fivePerSecond(withinReplicas(1), func(q *Question) { q.HeadroomPercent = 0 }), quickstartSizes()},
		{"nothing fits the CPU", fivePerSecond(withinCPU(1000), demanding(50)), quickstartSizes()},
		{"no candidate has the minimum cost", fivePerSecond(atLeast(13)), quickstartSizes()},
		{"nothing meets the objective", fivePerSecond(), []Candidate{replica("c10-250m", 10, 250, 0), replica("c12-1", 12, 1000, 0)}},
		{"no candidate has a usable result", fivePerSecond(), []Candidate{replica("c10-1", 10, 1000, 15_900, invalid)}},
		{"a cost without a usable result might serve the demand", fivePerSecond(), []Candidate{replica("c8-1", 8, 1000, 68_100), replica("c10-1", 10, 1000, 15_900, invalid)}},
		{"a Suspect result is recommended if no Valid one has the minimum cost", fivePerSecond(), []Candidate{replica("c8-1", 8, 1000, 68_100), replica("c10-1", 10, 1000, 15_900, suspect)}},
		{"a Suspect result of a higher cost would fit", fivePerSecond(withinCPU(1000)), quickstartSizes(replica("c11-1", 11, 1000, 7_700, suspect))},
		{"a Suspect result does not replace a Valid one of its cost", fivePerSecond(withinCPU(500)), []Candidate{replica("c10-1", 10, 1000, 15_900), replica("c10-500m", 10, 500, 7_140, suspect)}},
		{"a predicted cost is worth measuring", fivePerSecond(withinCPU(1000)), quickstartSizes(replica("c11-1", 11, 1000, 7_700, onlyAHint), replica("c11-500m", 11, 500, 3_300, onlyAHint))},
		{"a checked prediction is recommended", fivePerSecond(withinCPU(1000)), quickstartSizes(replica("c11-1", 11, 1000, 7_700, predicted))},
		{"the capacity is the lower end of its interval", fivePerSecond(), []Candidate{replica("c10-500m", 10, 500, 6_900, found(7_140))}},
		{"the lower end at the slow speed of the CPU", fivePerSecond(), []Candidate{replica("c10-500m", 10, 500, 3_300, found(3_700), slow(1090))}},
		{"only the slow speed reduces the capacity", fivePerSecond(), []Candidate{replica("c10-500m", 10, 500, 6_550, found(7_140), slow(1090))}},
		{"the lower end of the capacity is 0", fivePerSecond(), []Candidate{replica("c10-500m", 10, 500, 0, found(7_140), slow(1090))}},
		{"no step confirms the capacity", fivePerSecond(), []Candidate{replica("c10-500m", 10, 500, 7_140, unconfirmed)}},
		{"a lower bound is enough for the demand", fivePerSecond(demanding(3)), []Candidate{replica("c10-500m", 10, 500, 4_000, lowerBound)}},
		{"the demand is above a lower bound", fivePerSecond(demanding(60)), []Candidate{replica("c10-500m", 10, 500, 4_000, lowerBound), replica("c8-500m", 8, 500, 32_000)}},
		{"the demand is above what the generator can drive", fivePerSecond(demanding(60)), []Candidate{replica("c10-8", 10, 8000, 40_000, limited)}},
		{"too few logins ended during the saturation", fivePerSecond(demanding(60)), []Candidate{replica("c10-8", 10, 8000, 40_000, barelySaturated)}},
		{"too few logins decide nothing", fivePerSecond(), []Candidate{replica("c10-500m", 10, 500, 0, undecided)}},
		{"too few logins at a cost that is too low", fivePerSecond(), []Candidate{replica("c8-500m", 8, 500, 0, undecided)}},
		{"a lower bound at the slow speed of the CPU", fivePerSecond(demanding(60), func(q *Question) { q.HeadroomPercent = 0 }), []Candidate{replica("c10-8", 10, 8000, 57_142, slow(1050), found(60_000), lowerBound)}},
		{"one size exceeds a limit, and another is unknown", fivePerSecond(demanding(60), withinCPU(4000)), []Candidate{replica("c10-1", 10, 1000, 15_900), replica("c10-500m", 10, 500, 4_000, lowerBound)}},
		{"a higher cost might serve the demand", fivePerSecond(withinCPU(1000)), quickstartSizes(replica("c11-1", 11, 1000, 4_000, lowerBound))},
		{"one replica can be down", fivePerSecond(withinCPU(4000), surviving(1)), quickstartSizes()},
		{"one replica can be down, but maxReplicas is 1", fivePerSecond(withinReplicas(1), surviving(1)), quickstartSizes()},
		{"verified", fivePerSecond(withinCPU(1000), verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, v1beta1.VerificationMet))), alone},
		{"not verified yet", fivePerSecond(withinCPU(1000), verifying(v1beta1.VerifyReplica)), alone},
		{"a prediction was verified", fivePerSecond(withinCPU(1000), verifying(v1beta1.VerifyReplica, tried("c11-1", 1, v1beta1.VerificationMet))), []Candidate{replica("c11-1", 11, 1000, 7_700, predicted)}},
		{"verified, but no step confirms the capacity", fivePerSecond(verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, v1beta1.VerificationMet))), []Candidate{replica("c10-500m", 10, 500, 7_140, unconfirmed)}},
		{"being verified", fivePerSecond(withinCPU(1000), verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, ""))), alone},
		{"ten minutes did not decide", fivePerSecond(withinCPU(1000), verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, v1beta1.VerificationUndecided))), alone},
		{"the second size is verified", fivePerSecond(withinCPU(1000), verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, v1beta1.VerificationFailed), tried("c10-500m", 2, v1beta1.VerificationMet))), []Candidate{replica("c10-500m", 10, 500, 4_999, found(7_140), refuted), replica("c10-2", 10, 2_000, 30_000)}},
		{"two sizes failed", fivePerSecond(verifying(v1beta1.VerifyReplica, tried("c10-500m", 1, v1beta1.VerificationFailed), tried("c10-500m", 2, v1beta1.VerificationFailed))), []Candidate{replica("c10-500m", 10, 500, 2_499, refuted)}},
		{"the rate per replica is too high for a generator", fivePerSecond(demanding(900), verifying(v1beta1.VerifyFull)), []Candidate{replica("c10-64", 10, 64_000, 1_200_000)}},
		{"the rate per replica is too low to verify", fivePerSecond(demanding(1), verifying(v1beta1.VerifyReplica)), []Candidate{replica("c14-100m", 14, 100, 90)}},
		{"logins were evenly spaced", fivePerSecond(), []Candidate{replica("c10-500m", 10, 500, 6_900, respaced, unconfirmed)}},
	} {
		fmt.Fprintf(&page, "== %s\n%s\n", c.name, format(Of(c.question, c.candidates)))
	}
	const golden = "testdata/recommendations.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("(-golden +got; rewrite it with -update)\n%s", diff)
	}
}

// format writes a recommendation as readable text.
func format(r *v1beta1.Recommendation) string {
	var text strings.Builder
	if r.Variant != "" {
		fmt.Fprintf(&text, "%s, confidence %s\n", size(&r.Size), r.Confidence)
	} else {
		fmt.Fprintf(&text, "none: %s\n", r.BrokenBound)
	}
	fmt.Fprintf(&text, "reason: %s.\n", strings.ReplaceAll(r.Reason, ". ", ".\n        "))
	if r.RunnerUp != nil {
		fmt.Fprintf(&text, "runner-up: %s\n", size(r.RunnerUp))
	}
	if r.Nearest != nil {
		fmt.Fprintf(&text, "nearest: %s\n", size(r.Nearest))
	}
	for _, change := range r.Changes {
		fmt.Fprintf(&text, "- %s.\n", change)
	}
	return text.String()
}

func size(s *v1beta1.Size) string {
	if s.Replicas == 0 {
		return s.Variant
	}
	text := fmt.Sprintf("%d×%s on %s, %d/1000 s, %d ‰", s.Replicas, s.Variant, s.TotalCPU, *s.CapacityMilliPerSecond, *s.LoadPerMille)
	if s.PricePerMonth != "" {
		text += fmt.Sprintf(", %s a month, %s a million, attacked for %s", s.PricePerMonth, s.PricePerMillionLogins, s.AttackerPricePerBillionGuesses)
	}
	if s.Predicted {
		text += ", predicted"
	}
	return text
}
