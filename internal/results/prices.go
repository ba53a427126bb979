package results

import (
	"math/big"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// PriceDifferences adds the difference in the price of a million logins to each row that is
// compared with the baseline. It is computed from the exact prices, because the prices in rows
// have few digits. perMillion returns the price of a row, or nil if it has none. Rows whose
// capacities are not compared are not changed: the price, and the chance of its difference,
// follow from the capacity.
func PriceDifferences(rows []v1alpha1.VariantResult, perMillion func(*v1alpha1.VariantResult) *big.Rat) {
	prices := map[string]*big.Rat{}
	for i := range rows {
		prices[rows[i].Variant] = perMillion(&rows[i])
	}
	for i := range rows {
		compared := rows[i].Comparison
		if compared == nil || compared.Capacity == nil {
			continue
		}
		own, base := prices[rows[i].Variant], prices[compared.Against]
		if own == nil || base == nil || base.Sign() <= 0 {
			continue
		}
		if share := perMille(own, base); share.IsInt64() {
			compared.PricePerMillionLogins = &v1alpha1.Difference{PerMille: share.Int64()}
		}
	}
}

// perMille returns (a − b) ÷ b in thousandths, rounded half away from 0. For very different
// prices the result can be too large for an integer of the API.
func perMille(a, b *big.Rat) *big.Int {
	share := new(big.Rat).Sub(a, b)
	share.Quo(share, b).Mul(share, big.NewRat(1000, 1))
	rounded, _ := new(big.Int).SetString(share.FloatString(0), 10) // a number without decimals
	return rounded
}
