package recommendation_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	. "github.com/hashmark-dev/hashmark/internal/recommendation"
	"github.com/hashmark-dev/hashmark/internal/units"
)

var limits = []int64{100, 250, 500, 1000, 2000, 4000}

// someCandidate runs anything, on any of the pools.
func someCandidate(t *rapid.T, name string, pools []string) Candidate {
	c := Candidate{
		Variant:   v1alpha1.Variant{Name: name, Algorithm: v1alpha1.AlgorithmBcrypt, Cost: rapid.Int32Range(8, 13).Draw(t, "cost")},
		MilliCPU:  rapid.SampledFrom(limits).Draw(t, "limit"),
		Standing:  rapid.SampledFrom([]Standing{Unusable, Hint, Doubtful, Sound, Sound}).Draw(t, "standing"),
		Predicted: rapid.Bool().Draw(t, "predicted"), Confirmed: rapid.Bool().Draw(t, "confirmed"), Respaced: rapid.Bool().Draw(t, "respaced"),
	}
	if c.Standing == Hint {
		c.Predicted = true
	}
	c.GivenMemory = rapid.SampledFrom([]int64{32 << 20, 128 << 20, 1 << 30}).Draw(t, "given memory")
	c.MemoryLimit = rapid.SampledFrom([]int64{0, 32 << 20, 1 << 30}).Draw(t, "memory limit")
	if pool := rapid.SampledFrom(pools).Draw(t, "pool"); pool != "" {
		c.Variant.NodePool = &v1alpha1.NodePool{Name: pool}
	}
	if rapid.IntRange(0, 4).Draw(t, "feasible") > 0 {
		c.Capacity = rapid.Int64Range(1, 60_000).Draw(t, "capacity")
		c.Found = c.Capacity + rapid.Int64Range(0, 20_000).Draw(t, "found above it")
		c.SlowPerMille = rapid.SampledFrom([]int64{0, 1000, 1001, 1090, 1500}).Draw(t, "slow")
		c.Carried = c.Capacity*rapid.SampledFrom([]int64{0, 0, 1, 3}).Draw(t, "replicas of a lower bound")*max(1000, c.SlowPerMille)/1000 - rapid.Int64Range(0, 2).Draw(t, "rounding")
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

// withOtherHashes makes controls with other hashes of some candidates: as strong as cost 8,
// 10.5 and 13 by the rates of someRates.
func withOtherHashes(t *rapid.T, candidates []Candidate) []Candidate {
	mixed := slices.Clone(candidates)
	for i := range mixed {
		if control := rapid.SampledFrom([]string{"", "", "weak", "even", "strong"}).Draw(t, "control"); control != "" {
			mixed[i].Variant.Algorithm, mixed[i].Variant.Control, mixed[i].Variant.Cost = v1alpha1.AlgorithmScrypt, control, 0
		}
	}
	return mixed
}

func someRates() []v1alpha1.AttackerRate {
	return []v1alpha1.AttackerRate{{Control: "weak", GuessesPerSecond: 40_000}, {Control: "even", GuessesPerSecond: 7_071}, {Control: "strong", GuessesPerSecond: 1_250}}
}

// strength of what is recommended, as a bcrypt cost; 0 of nothing.
func strength(q Question, told *v1alpha1.Recommendation, candidates []Candidate) float64 {
	for _, c := range candidates {
		if c.Variant.Name == told.Variant {
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

func prices(t rapid.TB, perCPUHour string, pools ...v1alpha1.NodePool) pricing.Tariff {
	t.Helper()
	tariff, err := pricing.Of(&v1alpha1.Prices{PerCPUHour: perCPUHour, AttackerRates: someRates()}, pools)
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

// More demand, more headroom, more replicas down, a smaller budget, fewer replicas, and
// a stricter objective, by which no capacity rises, never raise the cost, or the strength
// of another hash.
func TestAHarderQuestionNeverRaisesTheCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := withOtherHashes(t, someCandidates(t, "", "small", "big"))
		tariff := prices(t, "0.04", v1alpha1.NodePool{Name: "small", PerCPUHour: "0.02"}, v1alpha1.NodePool{Name: "big"})
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
				if stricter[i].Carried > 0 {
					stricter[i].Carried = rapid.Int64Range(1, stricter[i].Carried).Draw(t, "carried then")
				}
			}
		}
		if was, is := strength(asked, before, candidates), strength(harder, Of(harder, stricter), stricter); is > was {
			t.Errorf("what is as strong as cost %.1f is recommended, and before, for less, as cost %.1f", is, was)
		}
	})
}

// withMemory has a price of memory too.
func withMemory(t rapid.TB, perGiBHour string) pricing.Tariff {
	t.Helper()
	tariff, err := pricing.Of(&v1alpha1.Prices{PerCPUHour: "0.04", PerGiBHour: perGiBHour, AttackerRates: someRates()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return tariff
}

// Whoever adds up by hand what CPU and memory cost finds no size as strong for less money.
func TestNothingAsStrongIsCheaper(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := withOtherHashes(t, someCandidates(t, ""))
		perGiBHour := rapid.SampledFrom([]float64{0, 0.005, 1}).Draw(t, "price of memory")
		asked := someQuestion(t, withMemory(t, fmt.Sprint(perGiBHour)))
		asked.MinimumCost, asked.MaxMilliCPU = 4, 0
		for i := range candidates {
			// Most are as strong as each other, so that prices decide.
			candidates[i].Standing, candidates[i].Carried = Sound, 0
			candidates[i].Variant.Cost = min(candidates[i].Variant.Cost, 9)
		}
		told := Of(asked, candidates)
		if told.Variant == "" {
			return
		}
		price, err := strconv.ParseFloat(told.PricePerMonth, 64)
		if err != nil {
			t.Fatal(err)
		}
		if month := monthByHand(asked, named(candidates, told.Variant), perGiBHour); math.Abs(month-price) > 0.01 {
			t.Errorf("%s costs %.2f a month, and %.2f is told", told.Variant, month, price)
		}
		for _, c := range candidates {
			if !byHand(asked, c) || strengthOf(asked, c) != strength(asked, told, candidates) {
				continue
			}
			if month := monthByHand(asked, c, perGiBHour); month < price-0.01 {
				t.Errorf("%s costs %.2f a month, and %s, which is recommended, %.2f", c.Variant.Name, month, told.Variant, price)
			}
		}
	})
}

// monthByHand is the price of 730 hours, with 0.04 for a CPU-hour.
func monthByHand(q Question, c Candidate, perGiBHour float64) float64 {
	memory := c.MemoryLimit
	if memory == 0 {
		memory = c.GivenMemory
	}
	return 730 * float64(replicasByHand(q, c)) * (0.04*float64(c.MilliCPU)/1000 + perGiBHour*float64(memory)/(1<<30))
}

// At one price, more demand never takes fewer CPUs at the same cost.
func TestMoreDemandNeverTakesFewerCPUsAtACost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := someCandidates(t, "")
		asked := someQuestion(t, prices(t, "0.04"))
		before := Of(asked, candidates)
		asked.MilliPerSecond += rapid.Int64Range(1, 100_000).Draw(t, "more")
		after := Of(asked, candidates)
		if after.Cost == 0 || after.Cost != before.Cost {
			return
		}
		if was, is := milliCPU(t, before.TotalCPU), milliCPU(t, after.TotalCPU); is < was {
			t.Errorf("more demand takes %dm, and less took %dm", is, was)
		}
	})
}

// A lower bound never sizes beyond itself, whatever is told: sizes, what would be
// needed, and up to which demand.
func TestALowerBoundIsNotSizedBeyond(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := someCandidate(t, "v", []string{""})
		c.Capacity = max(1, c.Capacity)
		c.Carried = c.Capacity * rapid.Int64Range(1, 3).Draw(t, "replicas measured")
		asked := someQuestion(t, prices(t, "0.04"))
		beyond := asked.MilliPerSecond*(100+asked.HeadroomPercent) > 100*carriedSlowly(c)
		told := Of(asked, []Candidate{c})
		if told.Variant != "" {
			most := mostServed(asked, c, int64(told.Replicas))
			if most*(100+asked.HeadroomPercent) > 100*carriedSlowly(c) || !strings.Contains(strings.Join(told.Changes, " "), "Up to "+units.Rate(&most)+",") {
				t.Errorf("up to %d/1000 are served by a lower bound of %d/1000: %q", most, carriedSlowly(c), told.Changes)
			}
		}
		if beyond && (told.Replicas > 0 || told.Nearest != nil && told.Nearest.Replicas > 0 || asked.Sizing(c) != nil) {
			t.Errorf("%d/1000 are sized from a capacity of at least %d/1000: %+v", asked.MilliPerSecond, c.Carried, told)
		}
	})
}

// More replicas down never take fewer replicas of the variant that answers.
func TestMoreReplicasDownNeverTakeFewer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := someCandidate(t, "v", []string{""})
		c.Capacity = max(1, c.Capacity)
		asked := someQuestion(t, prices(t, "0.04"))
		before := asked.Sizing(c)
		asked.Survive++
		if after := asked.Sizing(c); (after == nil) != (before == nil) || after != nil && after.Replicas < before.Replicas {
			t.Errorf("with one more down it takes %+v, and before %+v", after, before)
		}
	})
}

// What is told does not depend on the order of what there is to choose from.
func TestTheOrderOfCandidatesDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := withOtherHashes(t, someCandidates(t, "", "small", "free"))
		asked := someQuestion(t, rapid.SampledFrom([]pricing.Tariff{
			prices(t, "0.04", v1alpha1.NodePool{Name: "free", PerCPUHour: "0"}), withMemory(t, "0.005"), prices(t, "", v1alpha1.NodePool{Name: "free", PerCPUHour: "0.01"}),
		}).Draw(t, "tariff"))
		if diff := cmp.Diff(Of(asked, candidates), Of(asked, rapid.Permutation(candidates).Draw(t, "in another order"))); diff != "" {
			t.Error(diff)
		}
	})
}

// Whoever tries all candidates one by one finds none that is better, and none
// where none is recommended. Numbers that may not be believed are never told.
func TestNoCandidateIsBetter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := someCandidates(t, "")
		asked := someQuestion(t, prices(t, "0.04"))
		told := Of(asked, candidates)
		for _, size := range []*v1alpha1.Size{&told.Size, told.RunnerUp, told.Nearest} {
			believable(t, candidates, size)
		}
		sound := false
		for _, c := range candidates {
			if !byHand(asked, c) || c.Standing != Sound {
				continue
			}
			sound = true
			if c.Variant.Cost > told.Cost || c.Variant.Cost == told.Cost && cpuByHand(asked, c) < milliCPU(t, told.TotalCPU) {
				t.Errorf("%s is better than %q", c.Variant.Name, told.Variant)
			}
		}
		if told.Variant == "" {
			if sound || told.BrokenBound == "" || told.Confidence != "" || told.Reason == "" {
				t.Errorf("nothing is recommended: %+v", told)
			}
			return
		}
		best := named(candidates, told.Variant)
		if !byHand(asked, best) || cpuByHand(asked, best) != milliCPU(t, told.TotalCPU) {
			t.Errorf("%s on %s breaks a bound", told.Variant, told.TotalCPU)
		}
		if best.Standing == Doubtful && (sound || told.Confidence != v1alpha1.ConfidenceLow) {
			t.Errorf("a Suspect result answers beside a Valid one, or with confidence %s", told.Confidence)
		}
	})
}

func named(candidates []Candidate, name string) Candidate {
	return candidates[slices.IndexFunc(candidates, func(c Candidate) bool { return c.Variant.Name == name })]
}

func believable(t *rapid.T, candidates []Candidate, size *v1alpha1.Size) {
	if size == nil || size.Variant == "" {
		return
	}
	if found := named(candidates, size.Variant); found.Standing < Doubtful {
		t.Errorf("%s is told, of standing %d", size.Variant, found.Standing)
	}
}

// replicasByHand counts up until they carry the demand, and with those down as well.
func replicasByHand(q Question, c Candidate) int64 {
	replicas := 1 + q.Survive
	for 100*replicas*c.Capacity < q.MilliPerSecond*(100+q.HeadroomPercent) || (replicas-q.Survive)*c.Capacity < q.MilliPerSecond {
		replicas++
	}
	return replicas
}

// carriedSlowly is what a lower bound is worth at the slow speed.
func carriedSlowly(c Candidate) int64 { return 1000 * c.Carried / max(1000, c.SlowPerMille) }

// mostServed is the highest demand, times 1000, that so many replicas of a lower bound
// serve: with headroom, and without it when those are down that may be.
func mostServed(q Question, c Candidate, replicas int64) int64 {
	together := min(replicas*c.Capacity, carriedSlowly(c))
	return min(together*100/(100+q.HeadroomPercent), (replicas-q.Survive)*c.Capacity)
}

func cpuByHand(q Question, c Candidate) int64 { return replicasByHand(q, c) * c.MilliCPU }

// byHand tells whether a candidate keeps all bounds.
func byHand(q Question, c Candidate) bool {
	known := c.Carried <= 0 || q.MilliPerSecond*(100+q.HeadroomPercent) <= 100*carriedSlowly(c)
	return c.Capacity > 0 && known && strengthOf(q, c) >= float64(q.MinimumCost) && replicasByHand(q, c) <= q.MaxReplicas &&
		(q.MaxMilliCPU == 0 || cpuByHand(q, c) <= q.MaxMilliCPU)
}

// What is told keeps within the API's bounds, whatever is asked.
func TestWhatIsToldFitsTheAPI(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		candidates := someCandidates(t, "", "small")
		for i := range candidates {
			candidates[i].Reasons = slices.Repeat([]v1alpha1.Reason{{Type: "GeneratorSaturated"}}, rapid.IntRange(0, 32).Draw(t, "reasons"))
		}
		told := Of(someQuestion(t, prices(t, "99999999999.9999")), candidates)
		if len([]rune(told.Reason)) > 2048 || len(told.Changes) > 8 {
			t.Errorf("a reason of %d characters, %d changes", len(told.Reason), len(told.Changes))
		}
		for _, change := range told.Changes {
			if change == "" || len([]rune(change)) > 512 {
				t.Errorf("a change of %d characters", len(change))
			}
		}
	})
}
