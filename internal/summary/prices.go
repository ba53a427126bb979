package summary

import (
	"math/big"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// PriceDifferences adds to each row that is compared with the baseline how the
// price of a million logins differs, rounded once, from the exact prices: those
// that rows show have few digits. perMillion gives a row's, nil where it has
// none. Rows whose capacities are not compared are left as they are: the price
// follows from the capacity, and so does its chance.
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

// perMille is (a − b) ÷ b in thousandths, rounded half away from 0. Prices that
// have little to do with each other give more than an integer of the API holds.
func perMille(a, b *big.Rat) *big.Int {
	share := new(big.Rat).Sub(a, b)
	share.Quo(share, b).Mul(share, big.NewRat(1000, 1))
	rounded, _ := new(big.Int).SetString(share.FloatString(0), 10) // a number without decimals
	return rounded
}
