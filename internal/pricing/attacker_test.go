package pricing_test

import (
	"math/big"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// owning returns prices in dollars for an attacker who owns the hardware.
func owning(price string, watts int32, perKilowattHour string, years int32) *v1beta1.Prices {
	return &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04")), AttackerHardware: &v1beta1.AttackerHardware{
		Price: intstr.Parse(price), Watts: watts, PerKilowattHour: intstr.Parse(perKilowattHour), Years: years,
	}}
}

func TestWhatABillionGuessesCost(t *testing.T) {
	both := owning("8760", 1000, "0.20", 1)
	both.Currency, both.GPUHour = "EUR", ptr.To(intstr.Parse("3"))
	for name, c := range map[string]struct {
		prices *v1beta1.Prices
		want   string
	}{
		// 10^9 guesses take 250/9 hours at 10,000 per second.
		"a GPU costs 0.80 USD an hour":         {&v1beta1.Prices{}, "22.22"},
		"its price can be in any currency":     {&v1beta1.Prices{Currency: "EUR", GPUHour: ptr.To(intstr.Parse("6"))}, "166.67"},
		"a GPU twice as fast halves the price": {&v1beta1.Prices{GuessesPerSecondPerGPUAtCost10: ptr.To[int64](20_000)}, "11.11"},
		"prices.gpuHour replaces 0.80 USD":     {&v1beta1.Prices{Currency: "USD", GPUHour: ptr.To(intstr.Parse("1.5"))}, "41.67"},
		// 1 for the hour of the hardware, and 1 kWh: 1.20.
		"owned hardware costs its price by the hour, and electricity": {owning("8760", 1000, "0.20", 1), "33.33"},
		"it replaces rented hardware, in any currency":                {both, "33.33"},
		"over two years its price by the hour is half":                {owning("8760", 1000, "0.20", 2), "19.44"},
		"with free electricity only its price counts":                 {owning("8760", 1000, "0", 1), "27.78"},
		"with free hardware only electricity counts":                  {owning("0", 1000, "0.20", 1), "5.56"},
		"a bought RTX 5090 costs a fifth of a rented one":             {owning("2000", 575, "0.15", 3), "4.51"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pricing.Text(of(t, c.prices).PerBillionGuesses(bcrypt(10))); got != c.want {
				t.Errorf("a billion guesses cost %s, want %s", got, c.want)
			}
		})
	}
}

func TestTheAssumptionNamesThePriceAndWhereItComesFrom(t *testing.T) {
	quick, year := &v1beta1.Prices{Currency: "EUR", GPUHour: ptr.To(intstr.Parse("2.5")), GuessesPerSecondPerGPUAtCost10: ptr.To[int64](1_500_000)}, owning("0", 1000, "0.5", 1)
	year.GuessesPerSecondPerGPUAtCost10 = ptr.To[int64](100)
	for name, c := range map[string]struct {
		prices *v1beta1.Prices
		want   string
	}{
		"the default has a date": {&v1beta1.Prices{}, "The price of guesses assumes a GPU that makes 10,000 a second at bcrypt cost 10 and costs USD 0.80 an hour, " +
			"the default: what a rented RTX 5090 cost in 2026."},
		"the experiment's own rent": {quick, "The price of guesses assumes a GPU that makes 1,500,000 a second at bcrypt cost 10 and costs EUR 2.50 an hour, " +
			"as prices.gpuHour says."},
		"owned hardware": {owning("2000", 575, "0.15", 3), "The price of guesses assumes hardware that makes 10,000 a second at bcrypt cost 10 and costs USD 0.16 an hour, " +
			"from prices.attackerHardware: USD 2000 over 3 years, and 575 W at USD 0.15 per kWh."},
		"owned hardware for one year": {year, "The price of guesses assumes hardware that makes 100 a second at bcrypt cost 10 and costs USD 0.50 an hour, " +
			"from prices.attackerHardware: USD 0 over 1 year, and 1000 W at USD 0.5 per kWh."},
		"no default rent in euros": {&v1beta1.Prices{Currency: "EUR"}, ""},
		"no prices":                {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := of(t, c.prices).Assumption(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Owned hardware costs exactly as much as hardware rented at the same price by the hour.
func TestOwnedHardwareCostsItsHour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		years := rapid.Int32Range(1, 20).Draw(t, "years")
		watts := rapid.Int32Range(1, 100_000).Draw(t, "watts")
		hour := rapid.Int64Range(0, 1000).Draw(t, "price by the hour, in hundredths")
		energy := rapid.Int64Range(0, 1000).Draw(t, "price of a kilowatt-hour, in hundredths")
		cost := rapid.Int32Range(4, 16).Draw(t, "cost")
		hundredths := func(n int64) string { return big.NewRat(n, 100).FloatString(2) }
		owned := of(t, owning(hundredths(hour*int64(years)*8760), watts, hundredths(energy), years)).PerBillionGuesses(bcrypt(cost))
		rent := new(big.Rat).Add(big.NewRat(hour, 100), new(big.Rat).Mul(big.NewRat(energy, 100), big.NewRat(int64(watts), 1000)))
		rented := of(t, &v1beta1.Prices{GPUHour: ptr.To(intstr.Parse(rent.FloatString(5)))}).PerBillionGuesses(bcrypt(cost))
		if owned.Cmp(rented) != 0 {
			t.Errorf("owned it costs %v, rented %v", owned, rented)
		}
	})
}
