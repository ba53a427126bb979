package pricing_test

import (
	"math"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

func bcrypt(cost int32) v1beta1.Variant {
	return v1beta1.Variant{Hash: v1beta1.BcryptHash(cost)}
}

func cpu(milli int64) pricing.Resources { return pricing.Resources{MilliCPU: milli} }

func argon2id(kib, iterations, parallelism int32) v1beta1.Variant {
	return v1beta1.Variant{Hash: v1beta1.Hash{
		Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: kib, Iterations: iterations, Parallelism: parallelism},
	}}
}

// at sets the guesses per second at the hash of a variant.
func at(v v1beta1.Variant, guessesPerSecond int64) v1beta1.Variant {
	v.Hash.GuessesPerSecond = &guessesPerSecond
	return v
}

// The published rates follow the rule of memory traffic, with the share of it that was
// measured: 11,465 of 13,351 guesses per second at 16,384 KiB and three iterations.
func TestThePublishedRatesFollowTheRuleOfMemoryTraffic(t *testing.T) {
	rule := func(kib, iterations float64) float64 { return 1792e9 / (1024 * kib * (3*iterations - 1)) }
	share := 11_465 / rule(16_384, 3)
	for _, owasp := range [][2]int32{{47_104, 1}, {19_456, 2}, {12_288, 3}, {9_216, 4}, {7_168, 5}} {
		guesses := of(t, nil).Guesses(argon2id(owasp[0], owasp[1], 1))
		if guesses == nil {
			t.Errorf("%d KiB, %d iterations: the guesses are unknown", owasp[0], owasp[1])
			continue
		}
		got, _ := guesses.Float64()
		if want := share * rule(float64(owasp[0]), float64(owasp[1])); math.Abs(got/want-1) > 0.002 {
			t.Errorf("%d KiB, %d iterations: %.0f guesses/s, want %.0f", owasp[0], owasp[1], got, want)
		}
	}
}

func TestHowManyGuessesAnAttackerMakes(t *testing.T) {
	session, again := argon2id(19_456, 2, 1), bcrypt(11)
	session.Hash.Sessions, again.Hash.Name = true, "again"
	scrypt := v1beta1.Variant{Hash: v1beta1.Hash{Name: "scrypt", Scrypt: &v1beta1.Scrypt{MemoryKiB: 131_072, Parallelism: 1}}}
	for name, c := range map[string]struct {
		prices  *v1beta1.Prices
		variant v1beta1.Variant
		guesses string // "" if unknown
		cost    float64
	}{
		"bcrypt at cost 10":                             {nil, bcrypt(10), "10000", 10},
		"each step up halves them":                      {nil, bcrypt(12), "2500", 12},
		"each step down doubles them":                   {nil, bcrypt(9), "20000", 9},
		"the experiment's own GPU":                      {&v1beta1.Prices{GuessesPerSecondAtCost10: ptr.To[int64](800)}, bcrypt(11), "400", 11},
		"OWASP's first setting of Argon2id":             {nil, argon2id(47_104, 1, 1), "15950", 9.326},
		"another setting is unknown":                    {nil, argon2id(65_536, 3, 1), "", 0},
		"a setting with two lanes is unknown":           {nil, argon2id(19_456, 2, 2), "", 0},
		"scrypt is unknown":                             {nil, scrypt, "", 0},
		"on another GPU a published setting is unknown": {&v1beta1.Prices{GuessesPerSecondAtCost10: ptr.To[int64](20_000)}, argon2id(19_456, 2, 1), "", 0},
		"a cost beyond bcrypt's":                        {nil, bcrypt(1 << 30), "", 0},
		"a cost below any":                              {nil, bcrypt(math.MinInt32), "", 0},
		"the hash's own rate":                           {nil, at(argon2id(65_536, 3, 4), 1250), "1250", 13},
		"the own rate replaces a published one":         {nil, at(argon2id(19_456, 2, 1), 1250), "1250", 13},
		"the own rate makes scrypt known":               {nil, at(scrypt, 1250), "1250", 13},
		"requests with a session are not guesses":       {nil, at(session, 1250), "", 0},
		"bcrypt with a name is like other bcrypt":       {nil, again, "5000", 11},
		"no hash": {nil, v1beta1.Variant{}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			tariff := of(t, c.prices)
			guesses := tariff.Guesses(c.variant)
			if known := c.guesses != ""; known != (guesses != nil) || known && guesses.RatString() != c.guesses {
				t.Errorf("%v guesses/s, want %s", guesses, c.guesses)
			}
			if cost, known := tariff.BcryptCost(c.variant); known != (c.guesses != "") || math.Abs(cost-c.cost) > 0.001 {
				t.Errorf("the hash is as strong as cost %.3f (%t), want %.3f", cost, known, c.cost)
			}
		})
	}
}

func TestTheStrongerHashCostsAnAttackerMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.Int64Range(1, 1_000_000_000).Draw(t, "rate")
		cost := rapid.Int32Range(4, 16).Draw(t, "cost")
		tariff, argon := of(t, &v1beta1.Prices{}), at(argon2id(65_536, 3, 1), rate)
		strength, _ := tariff.BcryptCost(argon)
		other, own := tariff.PerBillionGuesses(argon), tariff.PerBillionGuesses(bcrypt(cost))
		if difference := strength - float64(cost); math.Abs(difference) > 1e-9 && (difference > 0) != (other.Cmp(own) > 0) {
			t.Errorf("strength %g and cost %d: prices %v and %v", strength, cost, other, own)
		}
	})
}

func TestMemoryIsPaidForByTheGiB(t *testing.T) {
	prices := &v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("0.04")), PerGiBHour: ptr.To(intstr.Parse("0.005"))}
	replica := pricing.Resources{MilliCPU: 500, MemoryBytes: 512 << 20}
	// (0.5 × 0.04 + 0.5 × 0.005) × 730
	if got := pricing.Text(of(t, prices).PerMonth("", replica)); got != "16.43" {
		t.Errorf("a month costs %s, want 16.43", got)
	}
	if free := pricing.Text(of(t, &v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("0.04"))}).PerMonth("", replica)); free != "14.60" {
		t.Errorf("with free memory it costs %s, want 14.60", free)
	}
	// 0.0225 an hour, and 3,600 logins in it.
	if got := pricing.Text(of(t, prices).PerMillionLogins("", replica, 1000)); got != "6.25" {
		t.Errorf("a million logins cost %s, want 6.25", got)
	}
}

func TestTheAssumptionOfAnotherHash(t *testing.T) {
	for name, c := range map[string]struct {
		prices  *v1beta1.Prices
		variant v1beta1.Variant
		want    string
	}{
		"the hash's own rate":            {&v1beta1.Prices{}, at(argon2id(65_536, 3, 1), 12_500), "At hash argon it makes 12,500 a second, as its guessesPerSecond says."},
		"a published rate has a date":    {&v1beta1.Prices{}, argon2id(19_456, 2, 1), "July 2025"},
		"bcrypt has no other assumption": {&v1beta1.Prices{}, bcrypt(10), ""},
		"without prices there is none":   {nil, argon2id(19_456, 2, 1), ""},
		"an unknown rate has none":       {&v1beta1.Prices{}, argon2id(65_536, 3, 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := of(t, c.prices).AssumptionOf(c.variant)
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
