package sizing_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	. "github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/internal/units"
)

var limits = []int64{100, 250, 500, 1000, 2000, 4000}

// someCandidate draws a candidate on one of the pools.
func someCandidate(t *rapid.T, name string, pools []string) Candidate {
	c := Candidate{
		Variant:   v1beta1.Variant{Name: name, Hash: v1beta1.BcryptHash(rapid.Int32Range(8, 13).Draw(t, "cost"))},
		MilliCPU:  rapid.SampledFrom(limits).Draw(t, "limit"),
		Trust:     rapid.SampledFrom([]Trust{Invalid, Hint, Suspect, Valid, Valid}).Draw(t, "trust"),
		Predicted: rapid.Bool().Draw(t, "predicted"), Confirmed: rapid.Bool().Draw(t, "confirmed"), EvenlySpaced: rapid.Bool().Draw(t, "respaced"),
	}
	if c.Trust == Hint {
		c.Predicted = true
	}
	c.GivenMemory = rapid.SampledFrom([]int64{32 << 20, 128 << 20, 1 << 30}).Draw(t, "given memory")
	c.MemoryLimit = rapid.SampledFrom([]int64{0, 32 << 20, 1 << 30}).Draw(t, "memory limit")
	if pool := rapid.SampledFrom(pools).Draw(t, "pool"); pool != "" {
		c.Variant.NodePool = &v1beta1.NodePool{Name: pool}
	}
	if rapid.IntRange(0, 4).Draw(t, "feasible") > 0 {
		c.Capacity = rapid.Int64Range(1, 60_000).Draw(t, "capacity")
		c.Found = c.Capacity + rapid.Int64Range(0, 20_000).Draw(t, "found above it")
		c.SizingPerMille = rapid.SampledFrom([]int64{0, 1000, 1001, 1090, 1500}).Draw(t, "slow")
		c.Served = c.Capacity*rapid.SampledFrom([]int64{0, 0, 1, 3}).Draw(t, "replicas of a lower bound")*max(1000, c.SizingPerMille)/1000 - rapid.Int64Range(0, 2).Draw(t, "rounding")
	} else if rapid.Bool().Draw(t, "undecided") {
		c.Unknown = Undecided
	}
	return c
}

func someCandidates(t *rapid.T, pools ...string) []Candidate {
	candidates := make([]Candidate, rapid.IntRange(0, 12).Draw(t, "candidates"))
	for i := range candidates {
		candidates[i] = someCandidate(t, fmt.Sprintf("v%d", i), pools)
	}
	return candidates
}

// withOtherHashes gives some candidates other hashes, which are as strong as costs 8, 10.5 and 13.
func withOtherHashes(t *rapid.T, candidates []Candidate) []Candidate {
	mixed := slices.Clone(candidates)
	for i := range mixed {
		if guesses := rapid.SampledFrom([]int64{0, 0, 40_000, 7_071, 1_250}).Draw(t, "guesses per second"); guesses > 0 {
			mixed[i].Variant.Hash = v1beta1.Hash{Name: "scrypt", Scrypt: &v1beta1.Scrypt{MemoryKiB: 131_072, Parallelism: 1}, GuessesPerSecond: &guesses}
		}
	}
	return mixed
}

// strength returns the strength of the recommended hash as a bcrypt cost, or 0 if nothing is
// recommended.
func strength(q Question, r *v1beta1.Recommendation, candidates []Candidate) float64 {
	for _, c := range candidates {
		if c.Variant.Name == r.Variant {
			return strengthOf(q, c)
		}
	}
	return 0
}

func strengthOf(q Question, c Candidate) float64 {
	cost, _ := q.Tariff.BcryptCost(c.Variant)
	return cost
}

func someQuestion(t *rapid.T, tariff pricing.Tariff) Question {
	return Question{
		MilliPerSecond:  1000 * rapid.Int64Range(1, 100).Draw(t, "demand"),
		HeadroomPercent: rapid.Int64Range(0, 100).Draw(t, "headroom"),
		MinimumCost:     rapid.Int32Range(4, 12).Draw(t, "minimum cost"),
		MaxMilliCPU:     rapid.SampledFrom([]int64{0, 500, 1000, 4000, 16_000, 200_000}).Draw(t, "most CPU"),
		MaxReplicas:     rapid.SampledFrom([]int64{1, 2, 5, 20, 10_000}).Draw(t, "most replicas"),
		Survive:         rapid.Int64Range(0, 3).Draw(t, "replicas down"),
		Tariff:          tariff,
	}
}

func prices(t rapid.TB, perCPUHour string, pools ...v1beta1.NodePool) pricing.Tariff {
	t.Helper()
	general := &v1beta1.Prices{}
	if perCPUHour != "" {
		general.PerCPUHour = ptr.To(intstr.Parse(perCPUHour))
	}
	tariff, err := pricing.Of(general, pools)
	if err != nil {
		t.Fatal(err)
	}
	return tariff
}

func milliCPU(t rapid.TB, quantity string) int64 {
	t.Helper()
	q, err := resource.ParseQuantity(quantity)
	if err != nil {
		t.Fatal(err)
	}
	return q.MilliValue()
}

// More demand, more headroom, more replicas down, a smaller budget, fewer replicas, and a
// stricter objective, which never raises a capacity, never raise the cost or the strength
// of another hash.
func TestAHarderQuestionNeverRaisesTheCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := withOtherHashes(t, someCandidates(t, "", "small", "big"))
		tariff := prices(t, "0.04", v1beta1.NodePool{Name: "small", PerCPUHour: ptr.To(intstr.Parse("0.02"))}, v1beta1.NodePool{Name: "big"})
		asked := someQuestion(t, tariff)
		before := Of(asked, candidates)
		harder, stricter := asked, slices.Clone(candidates)
		switch rapid.SampledFrom([]string{"demand", "headroom", "down", "budget", "replicas", "objective"}).Draw(t, "harder by") {
		case "demand":
			harder.MilliPerSecond += rapid.Int64Range(1, 100_000).Draw(t, "more")
		case "headroom":
			harder.HeadroomPercent += rapid.Int64Range(1, 300).Draw(t, "more")
		case "down":
			harder.Survive += rapid.Int64Range(1, 3).Draw(t, "more")
		case "budget":
			harder.MaxMilliCPU = rapid.Int64Range(1, max(1, asked.MaxMilliCPU)).Draw(t, "less")
		case "replicas":
			harder.MaxReplicas = rapid.Int64Range(1, asked.MaxReplicas).Draw(t, "less")
		case "objective":
			for i := range stricter {
				stricter[i].Capacity = rapid.Int64Range(0, stricter[i].Capacity).Draw(t, "capacity then")
				if stricter[i].Served > 0 {
					stricter[i].Served = rapid.Int64Range(1, stricter[i].Served).Draw(t, "carried then")
				}
			}
		}
		if was, is := strength(asked, before, candidates), strength(harder, Of(harder, stricter), stricter); is > was {
			t.Errorf("a hash as strong as cost %.1f is recommended, and cost %.1f for the easier question", is, was)
		}
	})
}

// withMemory returns prices that include memory.
func withMemory(t rapid.TB, perGiBHour string) pricing.Tariff {
	t.Helper()
	tariff, err := pricing.Of(&v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("0.04")), PerGiBHour: ptr.To(intstr.Parse(perGiBHour))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tariff
}

// No feasible size of the same strength costs less than the recommended one, by prices that the
// test computes itself.
func TestNoSizeOfTheSameStrengthIsCheaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := withOtherHashes(t, someCandidates(t, ""))
		perGiBHour := rapid.SampledFrom([]float64{0, 0.005, 1}).Draw(t, "price of memory")
		asked := someQuestion(t, withMemory(t, fmt.Sprint(perGiBHour)))
		asked.MinimumCost, asked.MaxMilliCPU = 4, 0
		for i := range candidates {
			// Most have the same strength, so that prices decide.
			candidates[i].Trust, candidates[i].Served = Valid, 0
			if bcrypt := candidates[i].Variant.Hash.Bcrypt; bcrypt != nil {
				bcrypt.Cost = min(bcrypt.Cost, 9)
			}
		}
		r := Of(asked, candidates)
		if r.Variant == "" {
			return
		}
		price, err := strconv.ParseFloat(r.PricePerMonth, 64)
		if err != nil {
			t.Fatal(err)
		}
		if month := monthByHand(asked, named(candidates, r.Variant), perGiBHour); math.Abs(month-price) > 0.01 {
			t.Errorf("%s costs %.2f a month, but the recommendation says %.2f", r.Variant, month, price)
		}
		for _, c := range candidates {
			if !byHand(asked, c) || strengthOf(asked, c) != strength(asked, r, candidates) {
				continue
			}
			if month := monthByHand(asked, c, perGiBHour); month < price-0.01 {
				t.Errorf("%s costs %.2f a month, but %s is recommended, which costs %.2f", c.Variant.Name, month, r.Variant, price)
			}
		}
	})
}

// monthByHand returns the price of 730 hours, at 0.04 per CPU-hour.
func monthByHand(q Question, c Candidate, perGiBHour float64) float64 {
	memory := c.MemoryLimit
	if memory == 0 {
		memory = c.GivenMemory
	}
	return 730 * float64(replicasByHand(q, c)) * (0.04*float64(c.MilliCPU)/1000 + perGiBHour*float64(memory)/(1<<30))
}

// No size is computed for a demand above a lower bound: not in sizes, not in what would be
// needed, and not in the highest demand that a size serves.
func TestALowerBoundIsNotSizedBeyond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := someCandidate(t, "v", []string{""})
		c.Capacity = max(1, c.Capacity)
		c.Served = c.Capacity * rapid.Int64Range(1, 3).Draw(t, "replicas measured")
		asked := someQuestion(t, prices(t, "0.04"))
		beyond := asked.MilliPerSecond*(100+asked.HeadroomPercent) > 100*carriedSlowly(c)
		got := Of(asked, []Candidate{c})
		if got.Variant != "" {
			most := mostServed(asked, c, int64(got.Replicas))
			if most*(100+asked.HeadroomPercent) > 100*carriedSlowly(c) || !strings.Contains(strings.Join(got.Changes, " "), "serves up to "+units.Rate(&most)+" with") {
				t.Errorf("up to %d/1000 are served, with a lower bound of %d/1000: %q", most, carriedSlowly(c), got.Changes)
			}
		}
		if beyond && (got.Replicas > 0 || got.Nearest != nil && got.Nearest.Replicas > 0 || asked.Sizing(c) != nil) {
			t.Errorf("a demand of %d/1000 has a size from a capacity of at least %d/1000: %+v", asked.MilliPerSecond, c.Served, got)
		}
	})
}

// The recommendation does not depend on the order of the candidates.
func TestTheOrderOfCandidatesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := withOtherHashes(t, someCandidates(t, "", "small", "free"))
		asked := someQuestion(t, rapid.SampledFrom([]pricing.Tariff{
			prices(t, "0.04", v1beta1.NodePool{Name: "free", PerCPUHour: ptr.To(intstr.Parse("0"))}), withMemory(t, "0.005"), prices(t, "", v1beta1.NodePool{Name: "free", PerCPUHour: ptr.To(intstr.Parse("0.01"))}),
		}).Draw(t, "tariff"))
		if diff := cmp.Diff(Of(asked, candidates), Of(asked, rapid.Permutation(candidates).Draw(t, "in another order"))); diff != "" {
			t.Error(diff)
		}
	})
}

// A check of all candidates one by one finds none that is better, and none that fits if
// nothing is recommended. Invalid candidates are never shown.
func TestNoCandidateIsBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := someCandidates(t, "")
		asked := someQuestion(t, prices(t, "0.04"))
		got := Of(asked, candidates)
		for _, size := range []*v1beta1.Size{&got.Size, got.RunnerUp, got.Nearest} {
			usable(t, candidates, size)
		}
		sound := false
		for _, c := range candidates {
			if !byHand(asked, c) || c.Trust != Valid {
				continue
			}
			sound = true
			if c.Variant.Hash.Cost() > got.Cost || c.Variant.Hash.Cost() == got.Cost && cpuByHand(asked, c) < milliCPU(t, got.TotalCPU) {
				t.Errorf("%s is better than %q", c.Variant.Name, got.Variant)
			}
		}
		if got.Variant == "" {
			if sound || got.BrokenBound == "" || got.Confidence != "" || got.Reason == "" {
				t.Errorf("nothing is recommended: %+v", got)
			}
			return
		}
		best := named(candidates, got.Variant)
		if !byHand(asked, best) || cpuByHand(asked, best) != milliCPU(t, got.TotalCPU) {
			t.Errorf("%s on %s exceeds a limit", got.Variant, got.TotalCPU)
		}
		if best.Trust == Suspect && (sound || got.Confidence != v1beta1.ConfidenceLow) {
			t.Errorf("a Suspect result is recommended although a Valid one fits, or with confidence %s", got.Confidence)
		}
	})
}

func named(candidates []Candidate, name string) Candidate {
	return candidates[slices.IndexFunc(candidates, func(c Candidate) bool { return c.Variant.Name == name })]
}

func usable(t *rapid.T, candidates []Candidate, size *v1beta1.Size) {
	if size == nil || size.Variant == "" {
		return
	}
	if shown := named(candidates, size.Variant); shown.Trust < Suspect {
		t.Errorf("%s is shown, with trust %d", size.Variant, shown.Trust)
	}
}

// replicasByHand adds replicas until they serve the demand, also with some of them down.
func replicasByHand(q Question, c Candidate) int64 {
	replicas := 1 + q.Survive
	for 100*replicas*c.Capacity < q.MilliPerSecond*(100+q.HeadroomPercent) || (replicas-q.Survive)*c.Capacity < q.MilliPerSecond {
		replicas++
	}
	return replicas
}

// carriedSlowly returns a lower bound at the slow speed.
func carriedSlowly(c Candidate) int64 { return 1000 * c.Served / max(1000, c.SizingPerMille) }

// mostServed returns the highest demand, times 1000, that so many replicas of a lower bound
// serve: with headroom, and also without headroom when Survive replicas are down.
func mostServed(q Question, c Candidate, replicas int64) int64 {
	together := min(replicas*c.Capacity, carriedSlowly(c))
	return min(together*100/(100+q.HeadroomPercent), (replicas-q.Survive)*c.Capacity)
}

func cpuByHand(q Question, c Candidate) int64 { return replicasByHand(q, c) * c.MilliCPU }

// byHand reports whether a candidate keeps all limits.
func byHand(q Question, c Candidate) bool {
	known := c.Served <= 0 || q.MilliPerSecond*(100+q.HeadroomPercent) <= 100*carriedSlowly(c)
	return c.Capacity > 0 && known && strengthOf(q, c) >= float64(q.MinimumCost) && replicasByHand(q, c) <= q.MaxReplicas &&
		(q.MaxMilliCPU == 0 || cpuByHand(q, c) <= q.MaxMilliCPU)
}

// The recommendation keeps the API's limits for any question, and its reason has at most three sentences.
func TestWhatIsToldFitsTheAPI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := someCandidates(t, "", "small")
		for i := range candidates {
			candidates[i].Reasons = slices.Repeat([]v1beta1.Reason{{Type: "GeneratorSaturated"}}, rapid.IntRange(0, 32).Draw(t, "reasons"))
		}
		q := someQuestion(t, prices(t, "99999999999.9999"))
		verifying(v1beta1.VerifyReplica, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) v1beta1.Verification {
			outcome := rapid.SampledFrom([]v1beta1.VerificationOutcome{v1beta1.VerificationMet, v1beta1.VerificationFailed, v1beta1.VerificationUndecided, v1beta1.VerificationNotRun, ""}).Draw(t, "outcome")
			v := tried(fmt.Sprintf("v%d", rapid.IntRange(0, 11).Draw(t, "variant")), rapid.Int32Range(1, 3).Draw(t, "replicas"), outcome)
			v.Message = "It was driven. It ended. It was counted"
			return v
		}), 0, 2).Draw(t, "verifications")...)(&q)
		got := Of(q, candidates)
		if len([]rune(got.Reason)) > 2048 || len(got.Changes) > 8 {
			t.Errorf("a reason of %d characters, %d changes", len(got.Reason), len(got.Changes))
		}
		if sentences := strings.Split(got.Reason, ". "); len(sentences) > 3 {
			t.Errorf("the reason has %d sentences: %s", len(sentences), got.Reason)
		}
		for _, change := range got.Changes {
			if change == "" || len([]rune(change)) > 512 {
				t.Errorf("a change of %d characters", len(change))
			}
		}
	})
}
