package results_test

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// TestPriceDifferencesUseExactPrices compares prices that have a difference of 24
// thousandths when rounded to two digits, 0.0083 and 0.0085, but 14 when exact.
func TestPriceDifferencesUseExactPrices(t *testing.T) {
	capacity := &v1beta1.Difference{PerMille: 1}
	compared := func(name string) v1beta1.VariantResult {
		return v1beta1.VariantResult{Variant: name, Comparison: &v1beta1.Comparison{Against: "base", Capacity: capacity}}
	}
	prices := map[string]*big.Rat{"base": big.NewRat(83_400, 1e7), "dearer": big.NewRat(84_600, 1e7), "half": big.NewRat(41_700, 1e7), "same": big.NewRat(83_400, 1e7), "absurd": big.NewRat(1e18, 1), "free": new(big.Rat)}
	tests := map[string]struct {
		row  v1beta1.VariantResult
		want *v1beta1.Difference
	}{
		"a dearer one":        {compared("dearer"), &v1beta1.Difference{PerMille: 14}},
		"one at half a price": {compared("half"), &v1beta1.Difference{PerMille: -500}},
		"one that costs the same, which is a difference of 0": {compared("same"), &v1beta1.Difference{}},
		"one that is too large for an integer":                {compared("absurd"), nil},
		"one without a price":                                 {compared("unpriced"), nil},
		"one whose capacity is not compared": {
			v1beta1.VariantResult{Variant: "half", Comparison: &v1beta1.Comparison{Against: "base", P95: capacity}}, nil},
		"one whose baseline has no price": {
			v1beta1.VariantResult{Variant: "half", Comparison: &v1beta1.Comparison{Against: "unpriced", Capacity: capacity}}, nil},
		"one whose baseline is free": {
			v1beta1.VariantResult{Variant: "half", Comparison: &v1beta1.Comparison{Against: "free", Capacity: capacity}}, nil},
		"one that is not compared": {v1beta1.VariantResult{Variant: "half"}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rows := []v1beta1.VariantResult{{Variant: "base"}, test.row}
			results.PriceDifferences(rows, func(r *v1beta1.VariantResult) *big.Rat { return prices[r.Variant] })
			var got *v1beta1.Difference
			if rows[1].Comparison != nil {
				got = rows[1].Comparison.PricePerMillionLogins
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
		})
	}
}
