package pricing

import (
	"fmt"
	"math/big"
	"strconv"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// dollars is the currency of the default price of a GPU.
	dollars = "USD"
	// gpuHourCents is the default price of a GPU for an hour. An RTX 5090 was rented for
	// 69 to 122 cents in 2026.
	gpuHourCents, centsPerDollar = 80, 100
	// guessesAtCost10 is how many guesses per second a GPU makes by default, at
	// referenceCost.
	guessesAtCost10  = 10_000
	referenceCost    = 10
	hoursPerYear     = 8760
	wattsPerKilowatt = 1000
)

// attacker is the hardware of an attacker. The zero attacker has no price.
type attacker struct {
	// tool is the hardware, such as "a GPU", and source says where its price comes from.
	tool, source string
	// hour is the price of an hour.
	hour *big.Rat
	// guesses is the rate per second at referenceCost; 0 counts as guessesAtCost10.
	guesses int64
	// rates has the guesses per second at controls, by name.
	rates map[string]int64
}

// attackerOf reads the price of an hour of guessing: on owned hardware if there is any, or
// else on a rented GPU, which has a default price only in dollars.
func attackerOf(prices *v1beta1.Prices, currency string) (attacker, error) {
	a := attacker{tool: "a GPU", guesses: guessesAtCost10}
	if prices.GuessesPerSecondPerGPUAtCost10 != nil {
		a.guesses = *prices.GuessesPerSecondPerGPUAtCost10
	}
	a.rates = map[string]int64{}
	for _, rate := range prices.AttackerRates {
		a.rates[rate.Control] = rate.GuessesPerSecond
	}
	if prices.AttackerHardware != nil {
		return a.owning(*prices.AttackerHardware, currency)
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

func (a attacker) owning(h v1beta1.AttackerHardware, currency string) (attacker, error) {
	const field = "prices.attackerHardware"
	if h.Watts < 1 || h.Years < 1 {
		return attacker{}, fmt.Errorf("%s: watts %d and years %d must be at least 1", field, h.Watts, h.Years)
	}
	price, err := Decimal(h.Price.String())
	if err != nil {
		return attacker{}, fmt.Errorf("%s.price: %w", field, err)
	}
	energy, err := Decimal(h.PerKilowattHour.String())
	if err != nil {
		return attacker{}, fmt.Errorf("%s.perKilowattHour: %w", field, err)
	}
	a.tool = "hardware"
	a.source = fmt.Sprintf("from %s: %s %s over %s, and %d W at %s %s per kWh",
		field, currency, h.Price.String(), units.Count(int64(h.Years), "year"), h.Watts, currency, h.PerKilowattHour.String())
	price.Quo(price, big.NewRat(int64(h.Years)*hoursPerYear, 1))
	a.hour = price.Add(price, energy.Mul(energy, big.NewRat(int64(h.Watts), wattsPerKilowatt)))
	return a, nil
}

// Assumption returns a sentence that says what PerBillionGuesses is computed from, or "" if
// there is no price of guesses.
func (t Tariff) Assumption() string {
	if t.attacker.hour == nil {
		return ""
	}
	return fmt.Sprintf("The price of guesses assumes %s that makes %s a second at bcrypt cost %d and costs %s %s an hour, %s.",
		t.attacker.tool, grouped(t.attacker.guesses), referenceCost, t.currency, Text(t.attacker.hour), t.attacker.source)
}

func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}
