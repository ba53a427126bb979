package pricing

import (
	"fmt"
	"math"
	"math/big"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// publishedRates has the guesses per second of an RTX 5090 at OWASP's settings of Argon2id
// with one lane, by KiB of memory and iterations. docs/method.md has their formula and sources.
var publishedRates = map[[2]int32]int64{
	{47_104, 1}: 15_950,
	{19_456, 2}: 15_450,
	{12_288, 3}: 15_290,
	{9_216, 4}:  14_830,
	{7_168, 5}:  14_980,
}

const publishedWords = "The rate of the same GPU at OWASP's settings of Argon2id is computed from its memory bandwidth and a measurement of July 2025."

// highestCost is bcrypt's highest cost. A saved report can have any number.
const highestCost = 31

// Guesses returns how many guesses per second the attacker's GPU makes at the hash of a
// variant. It returns nil if that is unknown, and for a variant with sessions, because few
// of its requests are guesses. Published rates are those of the default GPU.
func (t Tariff) Guesses(v v1beta1.Variant) *big.Rat {
	hash, cost := v.Hash, v.Hash.Cost()
	switch {
	case hash.Sessions || cost < 0 || cost > highestCost:
		return nil
	case hash.Bcrypt != nil:
		return t.attacker.atCost(cost)
	}
	rate := ptr.Deref(hash.GuessesPerSecond, t.attacker.published(hash))
	if rate <= 0 {
		return nil
	}
	return big.NewRat(rate, 1)
}

// published returns the published guesses per second at a hash. It returns 0 if none are published, or if
// prices.guessesPerSecondAtCost10 describes another GPU than an RTX 5090.
func (a attacker) published(hash v1beta1.Hash) int64 {
	argon := hash.Argon2id
	if a.atReference() != guessesAtCost10 || argon == nil || argon.Parallelism != 1 {
		return 0
	}
	return publishedRates[[2]int32{argon.MemoryKiB, argon.Iterations}]
}

// atCost returns the guesses per second at a bcrypt cost. Each step up halves them.
func (a attacker) atCost(cost int32) *big.Rat {
	halved := big.NewRat(1<<referenceCost, int64(1)<<cost)
	return halved.Mul(halved, big.NewRat(a.atReference(), 1))
}

func (a attacker) atReference() int64 {
	if a.guesses <= 0 {
		return guessesAtCost10
	}
	return a.guesses
}

// BcryptCost returns the bcrypt cost at which the attacker makes as many guesses as at the
// hash of a variant: bcrypt's own cost, or a fraction such as 9.4 for another hash. It
// returns false if the guesses are unknown.
func (t Tariff) BcryptCost(v v1beta1.Variant) (float64, bool) {
	guesses := t.Guesses(v)
	if guesses == nil {
		return 0, false
	}
	if v.Hash.Bcrypt != nil {
		return float64(v.Hash.Cost()), true
	}
	ratio, _ := new(big.Rat).Quo(t.attacker.atCost(referenceCost), guesses).Float64()
	return referenceCost + math.Log2(ratio), true
}

// PerBillionGuesses returns what an attacker pays for a billion guesses at the hash of a
// variant.
func (t Tariff) PerBillionGuesses(v v1beta1.Variant) *big.Rat {
	perSecond := t.Guesses(v)
	if t.attacker.hour == nil || perSecond == nil {
		return nil
	}
	hours := new(big.Rat).Quo(big.NewRat(billion, secondsPerHour), perSecond)
	return hours.Mul(hours, t.attacker.hour)
}

// AssumptionOf returns the sentence about the guesses at another hash than bcrypt, or "" if it has
// no rate or no price.
func (t Tariff) AssumptionOf(v v1beta1.Variant) string {
	switch rate := v.Hash.GuessesPerSecond; {
	case v.Hash.Bcrypt != nil || t.PerBillionGuesses(v) == nil:
		return ""
	case rate != nil:
		return fmt.Sprintf("At hash %s it makes %s a second, as its guessesPerSecond says.", v.Hash.Name, grouped(*rate))
	default:
		return publishedWords
	}
}
