package sizing_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
	. "github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// argon2id makes a candidate a control with OWASP's setting of 19,456 KiB, as the matrix
// fills it in.
func argon2id(c *Candidate) {
	c.Variant.Algorithm, c.Variant.Control, c.Variant.Cost = v1beta1.AlgorithmArgon2id, "argon", 0
	c.Variant.MemoryKiB, c.Variant.Iterations, c.Variant.Parallelism = ptr.To[int32](19_456), ptr.To[int32](2), ptr.To[int32](1)
}

func hashes(of ...v1beta1.Algorithm) func(*Question) { return func(q *Question) { q.Hashes = of } }

func TestTheHashThatCostsAnAttackerMostAnswers(t *testing.T) {
	rate := func(perSecond int64) func(*Question) {
		return func(q *Question) {
			q.Tariff, _ = pricing.Of(&v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("0.04")), AttackerRates: []v1beta1.AttackerRate{{Control: "argon", GuessesPerSecond: perSecond}}}, nil)
		}
	}
	both := hashes(v1beta1.AlgorithmBcrypt, v1beta1.AlgorithmArgon2id)
	weak := []Candidate{replica("c8-1", 8, 1000, 68_100), replica("argon-1", 0, 1000, 30_000, argon2id)}
	candidates := []Candidate{replica("c8-1", 8, 1000, 68_100), replica("c10-1", 10, 1000, 15_900), replica("argon-1", 0, 1000, 30_000, argon2id)}
	for name, c := range map[string]struct {
		question   Question
		candidates []Candidate
		variant    string
		says       string
	}{
		"bcrypt at cost 10 costs more than OWASP's setting": {fivePerSecond(both), candidates, "c10-1", "bcrypt cost 10 is the strongest"},
		"OWASP's setting is below the minimum":              {fivePerSecond(both), weak, "", "costs an attacker as much as bcrypt at cost 9.4, below minimumCost 10"},
		"it is recommended if the minimum is lower":         {fivePerSecond(both, demanding(20), withinCPU(1000), atLeast(9)), candidates, "argon-1", "as much as bcrypt at cost 9.4"},
		"at fewer guesses per second it is stronger":        {fivePerSecond(both, rate(1_000)), candidates, "argon-1", "as much as bcrypt at cost 13.3"},
		"between equal hashes the price decides":            {fivePerSecond(both, rate(10_000), demanding(20)), candidates, "argon-1", "as much as bcrypt at cost 10"},
		"no hash is strong enough":                          {fivePerSecond(both, atLeast(16)), candidates, "", "No size serves 5/s with 30 % headroom (6.5/s) with a hash at least as strong as bcrypt at cost 16"},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(c.question, c.candidates)
			if got.Variant != c.variant || !strings.Contains(got.Reason, c.says) {
				t.Errorf("recommended is %q, want %q and %q in\n%s", got.Variant, c.variant, c.says, got.Reason)
			}
			if (got.Hash != "") != (c.variant == "argon-1") {
				t.Errorf("its hash is %q", got.Hash)
			}
		})
	}
}

func TestWhichHashesMayAnswer(t *testing.T) {
	argon := replica("argon-1", 0, 1000, 1, argon2id).Variant
	session, again, unknown := argon, v1beta1.Variant{Algorithm: v1beta1.AlgorithmBcrypt, Control: "again", Cost: 10}, argon
	session.Sessions = true
	unknown.MemoryKiB = ptr.To[int32](19_457)
	bcrypt := v1beta1.Variant{Algorithm: v1beta1.AlgorithmBcrypt, Cost: 10}
	for name, c := range map[string]struct {
		hashes  []v1beta1.Algorithm
		variant v1beta1.Variant
		want    bool
	}{
		"a cost of the matrix":                {nil, bcrypt, true},
		"a control that is not in hashes":     {nil, argon, false},
		"a control that is in hashes":         {[]v1beta1.Algorithm{v1beta1.AlgorithmArgon2id}, argon, true},
		"a cost, but Bcrypt is not in hashes": {[]v1beta1.Algorithm{v1beta1.AlgorithmArgon2id}, bcrypt, false},
		"a bcrypt control":                    {[]v1beta1.Algorithm{v1beta1.AlgorithmBcrypt}, again, false},
		"a control with sessions":             {[]v1beta1.Algorithm{v1beta1.AlgorithmArgon2id}, session, false},
		"a control whose guesses are unknown": {[]v1beta1.Algorithm{v1beta1.AlgorithmArgon2id}, unknown, false},
	} {
		if got := fivePerSecond(hashes(c.hashes...)).Admits(c.variant); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestHashesThatCannotAnswerAreRefused(t *testing.T) {
	spec := func(change func(*v1beta1.SizingExperimentSpec)) v1beta1.SizingExperimentSpec {
		s := v1beta1.SizingExperimentSpec{
			Matrix: v1beta1.Matrix{
				Costs: []int32{10}, CPULimits: fixture.Limits("1"),
				Controls: []v1beta1.Control{{Name: "argon", Algorithm: v1beta1.AlgorithmArgon2id}, {Name: "scrypt", Algorithm: v1beta1.AlgorithmScrypt}},
			},
			Demand: &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5)},
			Prices: &v1beta1.Prices{},
		}
		change(&s)
		return s
	}
	asks := func(of ...v1beta1.Algorithm) func(*v1beta1.SizingExperimentSpec) {
		return func(s *v1beta1.SizingExperimentSpec) { s.Demand.Hashes = of }
	}
	for name, c := range map[string]struct {
		change func(*v1beta1.SizingExperimentSpec)
		want   string // "" if there is no error
	}{
		"no hashes":                        {func(*v1beta1.SizingExperimentSpec) {}, ""},
		"no demand":                        {func(s *v1beta1.SizingExperimentSpec) { s.Demand = nil }, ""},
		"OWASP's own setting":              {asks(v1beta1.AlgorithmBcrypt, v1beta1.AlgorithmArgon2id), ""},
		"a hash that is not in the matrix": {asks(v1beta1.AlgorithmPBKDF2), "demand.hashes has PBKDF2, but no control without sessions has it; add one to matrix.controls, or remove PBKDF2 from demand.hashes"},
		"only with sessions": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Controls[0].Sessions = true
			asks(v1beta1.AlgorithmArgon2id)(s)
		}, "without sessions"},
		"a hash without a published rate": {asks(v1beta1.AlgorithmScrypt), "set prices.attackerRates, such as [{control: scrypt, guessesPerSecond: 12000}], or remove Scrypt from demand.hashes"},
		"an attacker rate makes it known": {func(s *v1beta1.SizingExperimentSpec) {
			s.Prices.AttackerRates = []v1beta1.AttackerRate{{Control: "scrypt", GuessesPerSecond: 5000}}
			asks(v1beta1.AlgorithmScrypt)(s)
		}, ""},
		"a setting without a published rate": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Controls[0].MemoryKiB = ptr.To[int32](65_536)
			asks(v1beta1.AlgorithmArgon2id)(s)
		}, "are unknown"},
		"a rate for a control that does not exist": {func(s *v1beta1.SizingExperimentSpec) {
			s.Prices.AttackerRates = []v1beta1.AttackerRate{{Control: "argn", GuessesPerSecond: 5000}}
		}, "prices.attackerRates names control argn, which is not in matrix.controls"},
	} {
		t.Run(name, func(t *testing.T) {
			err := CheckHashes(spec(c.change))
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestTheMemoryLimitIsToldAndPaidFor(t *testing.T) {
	q := fivePerSecond()
	q.Tariff, _ = pricing.Of(&v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("0.04")), PerGiBHour: ptr.To(intstr.Parse("0.008"))}, nil)
	const half = 512 << 20
	measured := replica("c10-500m", 10, 500, 7_140, func(c *Candidate) { c.MemoryLimit, c.GivenMemory = half, 2*half })
	given := replica("c10-500m", 10, 500, 7_140, func(c *Candidate) { c.GivenMemory = 2 * half })
	// (0.5 × 0.04 + 0.5 × 0.008) × 730, and with a GiB (0.02 + 0.008) × 730.
	if got := Of(q, []Candidate{measured}); got.MemoryLimit != "512Mi" || got.PricePerMonth != "17.52" {
		t.Errorf("measured: %s for %s a month", got.MemoryLimit, got.PricePerMonth)
	}
	if got := Of(q, []Candidate{given}); got.MemoryLimit != "" || got.PricePerMonth != "20.44" {
		t.Errorf("not measured: %q for %s a month", got.MemoryLimit, got.PricePerMonth)
	}
}
