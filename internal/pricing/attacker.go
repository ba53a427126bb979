package pricing

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const (
	// dollars is the currency of the default price of a GPU.
	dollars = "USD"
	// gpuHourCents is the default price of a GPU for an hour. An RTX 5090 was rented for
	// 69 to 122 cents in 2026.
	gpuHourCents, centsPerDollar = 80, 100
	// guessesAtCost10 is how many guesses per second a GPU makes by default, at
	// referenceCost.
	guessesAtCost10 = 10_000
	referenceCost   = 10
)

// attacker is the GPU of an attacker. The zero attacker has no price.
type attacker struct {
	// source says where its price comes from.
	source string
	// hour is the price of an hour.
	hour *big.Rat
	// guesses is the rate per second at referenceCost; 0 counts as guessesAtCost10.
	guesses int64
}

// attackerOf reads the price of an hour of guessing, which has a default only in dollars.
func attackerOf(prices *v1beta1.Prices, currency string) (attacker, error) {
	a := attacker{guesses: guessesAtCost10}
	if prices.GuessesPerSecondAtCost10 != nil {
		a.guesses = *prices.GuessesPerSecondAtCost10
	}
	if currency == dollars {
		a.hour, a.source = big.NewRat(gpuHourCents, centsPerDollar), "the default: what a rented RTX 5090 cost in 2026"
	}
	if prices.GPUHour != nil {
		a.source = "as prices.gpuHour says"
	}
	err := read(prices.GPUHour, "prices.gpuHour", &a.hour)
	return a, err
}

// Assumption returns a sentence that says what PerBillionGuesses is computed from, or "" if
// there is no price of guesses.
func (t Tariff) Assumption() string {
	if t.attacker.hour == nil {
		return ""
	}
	return fmt.Sprintf("The price of guesses assumes a GPU that makes %s a second at bcrypt cost %d and costs %s %s an hour, %s.",
		grouped(t.attacker.guesses), referenceCost, t.currency, Text(t.attacker.hour), t.attacker.source)
}

func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
