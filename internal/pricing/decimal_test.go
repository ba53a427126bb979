package pricing_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/internal/pricing"
)

func TestText(t *testing.T) {
	for name, c := range map[string]struct {
		price *big.Rat
		want  string
	}{
		"an unknown price is empty":                   {nil, ""},
		"a price of 0 has cents":                      {new(big.Rat), "0.00"},
		"money has cents":                             {big.NewRat(146, 10), "14.60"},
		"above ten cents a price is rounded to cents": {big.NewRat(123456, 10000), "12.35"},
		"half a cent is rounded up":                   {big.NewRat(1005, 1000), "1.01"},
		"a third has two decimals":                    {big.NewRat(1, 3), "0.33"},
		"below ten cents two digits count":            {big.NewRat(83, 1000), "0.083"},
		"below a cent too":                            {big.NewRat(83, 10000), "0.0083"},
		"rounding up to another digit keeps two":      {big.NewRat(996, 100000), "0.010"},
		"a large price has no separators":             {big.NewRat(123456789, 1), "123456789.00"},
		"a tiny price is not 0":                       {big.NewRat(12, 1_000_000_000_000), "0.000000000012"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := pricing.Text(c.price); got != c.want {
				t.Errorf("reads %q, want %q", got, c.want)
			}
		})
	}
}

func TestDecimalTakesPlainDecimalsOnly(t *testing.T) {
	for text, want := range map[string]*big.Rat{
		"0":                big.NewRat(0, 1),
		"3":                big.NewRat(3, 1),
		"0.04":             big.NewRat(1, 25),
		"007.50":           big.NewRat(15, 2),
		"0.00000000000001": big.NewRat(1, 100_000_000_000_000),
	} {
		got, err := pricing.Decimal(text)
		if err != nil || got.Cmp(want) != 0 {
			t.Errorf("%s reads %v (%v), want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "+1", "1e3", "1/25", "0x10", "1_000", ".5", "1.", "1,5", " 1", "1\n", "Inf", "NaN", "٣"} {
		if got, err := pricing.Decimal(text); err == nil {
			t.Errorf("%q is taken for %v", text, got)
		}
	}
}

// A parsed price is neither negative nor rounded, and parsing its text returns the price to
// within half a cent.
func FuzzDecimal(f *testing.F) {
	for _, text := range []string{"0", "0.04", "3", "1e3", "1/25", "99999999999999.9", "0.00000000000001", "-1", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		price, err := pricing.Decimal(text)
		if err != nil {
			return
		}
		if price.Sign() < 0 {
			t.Fatalf("%q is negative", text)
		}
		_, decimals, _ := strings.Cut(text, ".")
		if exact := price.FloatString(len(decimals)); strings.TrimLeft(exact, "0") != strings.TrimLeft(text, "0") {
			t.Fatalf("%q reads %s", text, exact)
		}
		again, err := pricing.Decimal(pricing.Text(price))
		if err != nil {
			t.Fatalf("the text of %q is not a decimal: %v", text, err)
		}
		if off := new(big.Rat).Sub(again, price); off.Abs(off).Cmp(big.NewRat(1, 200)) > 0 {
			t.Fatalf("the text of %q is %s", text, pricing.Text(price))
		}
	})
}
