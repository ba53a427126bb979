package pricing_test

import (
	"math/big"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

func of(t rapid.TB, prices *v1beta1.Prices, pools ...v1beta1.NodePool) pricing.Tariff {
	t.Helper()
	tariff, err := pricing.Of(prices, pools)
	if err != nil {
		t.Fatal(err)
	}
	return tariff
}

func TestServing(t *testing.T) {
	tariff := of(t, &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))},
		v1beta1.NodePool{Name: "small", PerCPUHour: ptr.To(intstr.Parse("0.0525"))}, v1beta1.NodePool{Name: "plain"})
	for name, c := range map[string]struct {
		price *big.Rat
		want  string
	}{
		"half a CPU for 730 hours":                 {tariff.PerMonth("", cpu(500)), "14.60"},
		"a pool's own price is used first":         {tariff.PerMonth("small", cpu(1000)), "38.33"},
		"a pool without one has the general price": {tariff.PerMonth("plain", cpu(1000)), "29.20"},
		"a million logins at 5/s on half a CPU":    {tariff.PerMillionLogins("", cpu(500), 5000), "1.11"},
		"twice the rate halves what a login costs": {tariff.PerMillionLogins("", cpu(500), 10_000), "0.56"},
		"a rate of 0 has no price":                 {tariff.PerMillionLogins("", cpu(500), 0), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pricing.Text(c.price); got != c.want {
				t.Errorf("costs %s, want %s", got, c.want)
			}
		})
	}
}

func TestWhatIsNotKnownHasNoPrice(t *testing.T) {
	for name, tariff := range map[string]pricing.Tariff{
		"without prices nothing has a price, also not on a pool": of(t, nil, v1beta1.NodePool{Name: "small", PerCPUHour: ptr.To(intstr.Parse("1"))}),
		"the zero tariff has no prices":                          {},
		"in euros a GPU has no default price":                    of(t, &v1beta1.Prices{Currency: "EUR"}),
	} {
		t.Run(name, func(t *testing.T) {
			for what, price := range map[string]*big.Rat{
				"month": tariff.PerMonth("small", cpu(1000)), "million logins": tariff.PerMillionLogins("small", cpu(1000), 1000), "billion guesses": tariff.PerBillionGuesses(bcrypt(10)),
			} {
				if price != nil {
					t.Errorf("a %s costs %s", what, pricing.Text(price))
				}
			}
		})
	}
}

func TestAnErrorNamesThePriceThatIsNone(t *testing.T) {
	for field, err := range map[string]error{
		"prices.perGiBHour":           second(pricing.Of(&v1beta1.Prices{PerGiBHour: ptr.To(intstr.Parse("cheap"))}, nil)),
		"prices.perCPUHour":           second(pricing.Of(&v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("cheap"))}, nil)),
		"prices.gpuHour":              second(pricing.Of(&v1beta1.Prices{GPUHour: ptr.To(intstr.Parse("1/3"))}, nil)),
		"perCPUHour of node pool big": second(pricing.Of(&v1beta1.Prices{}, []v1beta1.NodePool{{Name: "big", PerCPUHour: ptr.To(intstr.Parse("1e3"))}})),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%s: error %v", field, err)
		}
	}
}

func second(_ pricing.Tariff, err error) error { return err }

// Prices scale exactly with CPUs, rates and the price of an hour.
func TestPricesScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hour := rapid.Int64Range(1, 1_000_000).Draw(t, "price of a CPU-hour in millionths")
		once := of(t, &v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse(big.NewRat(hour, 1_000_000).FloatString(6)))})
		twice := of(t, &v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse(big.NewRat(2*hour, 1_000_000).FloatString(6)))})
		milli := rapid.Int64Range(1, 64_000).Draw(t, "milli CPUs")
		replicas := rapid.Int64Range(1, 10_000).Draw(t, "replicas")
		rate := rapid.Int64Range(1, 1_000_000_000).Draw(t, "logins per 1000 s")
		cost := rapid.Int32Range(4, 15).Draw(t, "cost")
		by := func(price *big.Rat, factor int64) *big.Rat { return new(big.Rat).Mul(price, big.NewRat(factor, 1)) }
		for what, pair := range map[string][2]*big.Rat{
			"a month of all replicas":                {once.PerMonth("", cpu(replicas*milli)), by(once.PerMonth("", cpu(milli)), replicas)},
			"a month at twice the price":             {twice.PerMonth("", cpu(milli)), by(once.PerMonth("", cpu(milli)), 2)},
			"a million logins at twice the price":    {twice.PerMillionLogins("", cpu(milli), rate), by(once.PerMillionLogins("", cpu(milli), rate), 2)},
			"a million logins at half the rate":      {once.PerMillionLogins("", cpu(milli), rate), by(once.PerMillionLogins("", cpu(milli), 2*rate), 2)},
			"a billion guesses at the next cost":     {once.PerBillionGuesses(bcrypt(cost + 1)), by(once.PerBillionGuesses(bcrypt(cost)), 2)},
			"a month and the logins that come in it": {once.PerMonth("", cpu(milli)), new(big.Rat).Mul(once.PerMillionLogins("", cpu(milli), rate), big.NewRat(730*3600*rate, 1000*1_000_000))},
		} {
			if pair[0].Cmp(pair[1]) != 0 {
				t.Errorf("%s: %v, want %v", what, pair[0], pair[1])
			}
		}
	})
}
