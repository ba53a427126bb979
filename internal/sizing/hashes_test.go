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

// argon2id gives a candidate OWASP's setting of 19,456 KiB.
func argon2id(c *Candidate) {
	c.Variant.Hash = v1beta1.Hash{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}
}

func hashes(of ...v1beta1.HashKind) func(*Question) { return func(q *Question) { q.Hashes = of } }

func TestTheHashThatCostsAnAttackerMostAnswers(t *testing.T) {
	rated := func(perSecond int64) []Candidate {
		argon := replica("argon-1", 0, 1000, 30_000, argon2id)
		argon.Variant.Hash.GuessesPerSecond = &perSecond
		return []Candidate{replica("c8-1", 8, 1000, 68_100), replica("c10-1", 10, 1000, 15_900), argon}
	}
	both := hashes(v1beta1.HashBcrypt, v1beta1.HashArgon2id)
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
		"at fewer guesses per second it is stronger":        {fivePerSecond(both), rated(1_000), "argon-1", "as much as bcrypt at cost 13.3"},
		"between equal hashes the price decides":            {fivePerSecond(both, priced(t), demanding(20)), rated(10_000), "argon-1", "as much as bcrypt at cost 10"},
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
	bcrypt := v1beta1.Variant{Hash: v1beta1.BcryptHash(10)}
	session, bcryptSession, again, unknown, rated := argon, bcrypt, bcrypt, argon, argon
	session.Hash.Sessions, bcryptSession.Hash.Sessions, again.Hash.Name = true, true, "again"
	unknown.Hash.Argon2id = &v1beta1.Argon2id{MemoryKiB: 19_457, Iterations: 2, Parallelism: 1}
	rated.Hash.Argon2id, rated.Hash.GuessesPerSecond = unknown.Hash.Argon2id, ptr.To[int64](12_000)
	for name, c := range map[string]struct {
		hashes  []v1beta1.HashKind
		variant v1beta1.Variant
		want    bool
	}{
		"a cost of the matrix":                {nil, bcrypt, true},
		"a hash that is not asked for":        {nil, argon, false},
		"a hash that is asked for":            {[]v1beta1.HashKind{v1beta1.HashArgon2id}, argon, true},
		"a cost, but bcrypt is not asked for": {[]v1beta1.HashKind{v1beta1.HashArgon2id}, bcrypt, false},
		"a cost that has a name":              {[]v1beta1.HashKind{v1beta1.HashBcrypt}, again, true},
		"bcrypt with sessions":                {nil, bcryptSession, false},
		"a hash with sessions":                {[]v1beta1.HashKind{v1beta1.HashArgon2id}, session, false},
		"a hash whose guesses are unknown":    {[]v1beta1.HashKind{v1beta1.HashArgon2id}, unknown, false},
		"a hash with guesses of its own":      {[]v1beta1.HashKind{v1beta1.HashArgon2id}, rated, true},
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
				Hashes: []v1beta1.Hash{{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}}, {Name: "scrypt", Scrypt: &v1beta1.Scrypt{MemoryKiB: 131_072, Parallelism: 1}}},
			},
			Demand: &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5)},
			Prices: &v1beta1.Prices{},
		}
		change(&s)
		return s
	}
	asks := func(of ...v1beta1.HashKind) func(*v1beta1.SizingExperimentSpec) {
		return func(s *v1beta1.SizingExperimentSpec) { s.Demand.Hashes = of }
	}
	for name, c := range map[string]struct {
		change func(*v1beta1.SizingExperimentSpec)
		want   string // "" if there is no error
	}{
		"no hashes":                        {func(*v1beta1.SizingExperimentSpec) {}, ""},
		"no demand":                        {func(s *v1beta1.SizingExperimentSpec) { s.Demand = nil }, ""},
		"OWASP's own setting":              {asks(v1beta1.HashBcrypt, v1beta1.HashArgon2id), ""},
		"a hash that is not in the matrix": {asks(v1beta1.HashPBKDF2), "demand.hashes has pbkdf2, but the matrix has no such hash without sessions; add one to matrix.hashes, or remove pbkdf2 from demand.hashes"},
		"only with sessions": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Hashes[0].Sessions = true
			asks(v1beta1.HashArgon2id)(s)
		}, "without sessions"},
		"a hash without a published rate": {asks(v1beta1.HashScrypt), "set its guessesPerSecond, such as {name: scrypt, guessesPerSecond: 12000}, or remove scrypt from demand.hashes"},
		"guesses of its own make it known": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Hashes[1].GuessesPerSecond = ptr.To[int64](5000)
			asks(v1beta1.HashScrypt)(s)
		}, ""},
		"a setting without a published rate": {func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Hashes[0].Argon2id.MemoryKiB = 65_536
			asks(v1beta1.HashArgon2id)(s)
		}, "are unknown"},
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

// A matrix with one hash compares none, so that a size does not need its strength. Without guesses per second, minimumCost
// is not checked.
func TestTheOnlyHashIsSizedByItsRate(t *testing.T) {
	only := func(hash v1beta1.Hash, prices *v1beta1.Prices) *v1beta1.SizingExperimentStatus {
		spec := small(func(s *v1beta1.SizingExperimentSpec) {
			s.Matrix.Costs, s.Matrix.Hashes, s.Prices = nil, []v1beta1.Hash{hash}, prices
			s.Load = v1beta1.Load{Capacity: &v1beta1.CapacityLoad{}, RequestTimeoutSeconds: 10}
		})
		if err := CheckHashes(spec); err != nil {
			t.Fatal(err)
		}
		return concluded(t, spec, held(t, spec, hash.Name+"-500m", 4_000, v1beta1.VerdictValid))
	}
	prices := &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))}
	argon := &v1beta1.Argon2id{MemoryKiB: 7168, Iterations: 5, Parallelism: 1}
	for name, test := range map[string]struct {
		hash     v1beta1.Hash
		says     string
		attacker bool
	}{
		"an unknown hash":         {v1beta1.Hash{Name: "plain", Other: &v1beta1.Other{}}, "The strength of its hash is unknown, so minimumCost was not checked", false},
		"PBKDF2 without guesses":  {v1beta1.Hash{Name: "django", PBKDF2: &v1beta1.PBKDF2{Iterations: 1_000_000, Digest: v1beta1.DigestSHA256}}, "is unknown, so minimumCost was not checked", false},
		"a hash that is too weak": {v1beta1.Hash{Name: "owasp", Argon2id: argon}, "below minimumCost 10", true},
		"a hash with guesses":     {v1beta1.Hash{Name: "owasp", Argon2id: argon, GuessesPerSecond: ptr.To[int64](1000)}, "costs an attacker as much as bcrypt at cost 13.3", true},
	} {
		t.Run(name, func(t *testing.T) {
			status := only(test.hash, prices)
			got := status.Recommendation
			if !strings.Contains(got.Reason, test.says) || strings.Contains(got.Reason, "ost 0") {
				t.Errorf("the reason is %s, want %q", got.Reason, test.says)
			}
			if test.says == "below minimumCost 10" {
				return
			}
			if got.Variant != test.hash.Name+"-500m" || got.Replicas != 2 || got.PricePerMonth == "" || (got.AttackerPricePerBillionGuesses != "") != test.attacker {
				t.Errorf("recommended is %+v", got)
			}
			if row := status.Results[0]; row.Price == nil || row.Sizing == nil {
				t.Errorf("the row is %+v", row)
			}
		})
	}
}
