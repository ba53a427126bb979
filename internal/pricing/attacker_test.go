package pricing_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

func TestWhatABillionGuessesCost(t *testing.T) {
	for name, c := range map[string]struct {
		prices *v1beta1.Prices
		want   string
	}{
		// 10^9 guesses take 250/9 hours at 10,000 per second.
		"a GPU costs 0.80 USD an hour":         {&v1beta1.Prices{}, "22.22"},
		"its price can be in any currency":     {&v1beta1.Prices{Currency: "EUR", GPUHour: ptr.To(intstr.Parse("6"))}, "166.67"},
		"a GPU twice as fast halves the price": {&v1beta1.Prices{GuessesPerSecondAtCost10: ptr.To[int64](20_000)}, "11.11"},
		"prices.gpuHour replaces 0.80 USD":     {&v1beta1.Prices{Currency: "USD", GPUHour: ptr.To(intstr.Parse("1.5"))}, "41.67"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pricing.Text(of(t, c.prices).PerBillionGuesses(bcrypt(10))); got != c.want {
				t.Errorf("a billion guesses cost %s, want %s", got, c.want)
			}
		})
	}
}

func TestTheAssumptionNamesThePriceAndWhereItComesFrom(t *testing.T) {
	quick := &v1beta1.Prices{Currency: "EUR", GPUHour: ptr.To(intstr.Parse("2.5")), GuessesPerSecondAtCost10: ptr.To[int64](1_500_000)}
	for name, c := range map[string]struct {
		prices *v1beta1.Prices
		want   string
	}{
		"the default has a date": {&v1beta1.Prices{}, "The price of guesses assumes a GPU that makes 10,000 a second at bcrypt cost 10 and costs USD 0.80 an hour, " +
			"the default: what a rented RTX 5090 cost in 2026."},
		"the experiment's own rent": {quick, "The price of guesses assumes a GPU that makes 1,500,000 a second at bcrypt cost 10 and costs EUR 2.50 an hour, " +
			"as prices.gpuHour says."},
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
