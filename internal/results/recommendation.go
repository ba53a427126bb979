package results

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Conclusion returns the message of an experiment's end, for its conditions and an event: the
// recommendation, if there is one, how the measurement ended, and how many variants of the
// matrix were predicted instead of measured.
func Conclusion(status *v1beta1.SizingExperimentStatus, prices *v1beta1.Prices, ended string) string {
	sentences := []string{ended}
	if recommended := Recommendation(status.Recommendation, prices); recommended != "" {
		sentences = []string{recommended, ended}
	}
	predicted := 0
	for _, p := range status.Predictions {
		if p.InMatrix {
			predicted++
		}
	}
	switch {
	case predicted == 1:
		sentences = append(sentences, "1 more was predicted")
	case predicted > 1:
		sentences = append(sentences, fmt.Sprintf("%d more were predicted", predicted))
	}
	return strings.Join(sentences, ". ")
}

// Recommendation returns the recommendation in a sentence, without its reason. It returns ""
// if there is no demand.
func Recommendation(r *v1beta1.Recommendation, prices *v1beta1.Prices) string {
	switch {
	case r == nil:
		return ""
	case r.Variant == "":
		return "No size is recommended: " + broken(r)
	}
	text := fmt.Sprintf("Recommended: %s, %s on %s CPU in all", Recommended(r), cmp.Or(r.Hash, fmt.Sprintf("cost %d", r.Cost)), r.TotalCPU)
	if r.PricePerMonth != "" && prices != nil {
		text += fmt.Sprintf(", %s %s a month", r.PricePerMonth, prices.Currency)
	}
	switch r.Verified {
	case v1beta1.VerificationMet:
		text += ", verified"
	case v1beta1.VerificationUndecided, v1beta1.VerificationNotRun:
		text += ", not verified"
	}
	return fmt.Sprintf("%s; confidence %s", text, r.Confidence)
}

func broken(r *v1beta1.Recommendation) string {
	why, known := map[v1beta1.Bound]string{
		v1beta1.BoundNoResult:        "no variant that can be recommended has a usable result",
		v1beta1.BoundVerification:    "two sizes were verified, and both missed the objective",
		v1beta1.BoundObjective:       "no rate meets the objective",
		v1beta1.BoundMinimumCost:     "no size serves the demand with a hash as strong as demand.minimumCost",
		v1beta1.BoundMaxTotalCPU:     "demand.maxTotalCPU is too low",
		v1beta1.BoundCapacityUnknown: "it is unknown whether any size serves the demand",
		v1beta1.BoundMaxReplicas:     "demand.maxReplicas is too low",
	}[r.BrokenBound]
	if !known {
		why = "no size serves the demand"
	}
	switch nearest := r.Nearest; {
	case nearest == nil:
		return why
	case nearest.Replicas == 0:
		return fmt.Sprintf("%s; the nearest is %s", why, nearest.Variant)
	default:
		return fmt.Sprintf("%s; the nearest is %s with %s CPU in all", why, units.Size(nearest.Replicas, nearest.Variant), nearest.TotalCPU)
	}
}

// PriceDifferences adds the difference in the price of a million logins to each row whose capacity is compared
// with the baseline's, from which the price follows. perMillion returns the exact price of a row, or nil if it
// has none: the prices in rows have few digits.
func PriceDifferences(rows []v1beta1.VariantResult, perMillion func(*v1beta1.VariantResult) *big.Rat) {
	prices := map[string]*big.Rat{}
	for i := range rows {
		prices[rows[i].Variant] = perMillion(&rows[i])
	}
	for i := range rows {
		compared := rows[i].Comparison
		if compared == nil || compared.Capacity == nil {
			continue
		}
		if share := PriceDifference(prices[rows[i].Variant], prices[compared.Against]); share != nil {
			compared.PricePerMillionLogins = &v1beta1.Difference{PerMille: *share}
		}
	}
}

// PriceDifference returns (price − base) ÷ base in thousandths, rounded half away from 0. It is nil if one of the
// two is nil, if the base is not above 0, and if the difference is too large for an integer of the API.
func PriceDifference(price, base *big.Rat) *int64 {
	if price == nil || base == nil || base.Sign() <= 0 {
		return nil
	}
	share := new(big.Rat).Sub(price, base)
	share.Quo(share, base).Mul(share, big.NewRat(1000, 1))
	rounded, _ := new(big.Int).SetString(share.FloatString(0), 10) // a number without decimals
	if !rounded.IsInt64() {
		return nil
	}
	return new(rounded.Int64())
}

// Verifies reports whether an experiment's recommendation is verified.
func Verifies(spec v1beta1.SizingExperimentSpec) bool {
	return spec.Demand != nil && !slices.Contains([]v1beta1.Verify{"", v1beta1.VerifyNone, v1beta1.VerifySame}, spec.Demand.Verify)
}

// Deciding returns text such as "Measuring c10-500m: it is saturated, and then driven at 6.5/s".
func Deciding(load v1beta1.DecisionLoad) string {
	if load.OfferedMilliPerSecond == 0 {
		return fmt.Sprintf("Measuring %s: it is driven at 70 %% of what its CPU can serve, and saturated", load.Variant)
	}
	return fmt.Sprintf("Measuring %s: it is saturated, and then driven at %s",
		load.Variant, units.Rate(&load.OfferedMilliPerSecond))
}

// Verifying returns text such as "Verifying 2×c10-500m: 1 replica is driven at 2.5/s".
func Verifying(v v1beta1.Verification) string {
	driven := "1 replica is"
	if v.DrivenReplicas != 1 {
		driven = fmt.Sprintf("%d replicas are", v.DrivenReplicas)
	}
	return fmt.Sprintf("Verifying %s: %s driven at %s", units.Size(v.Replicas, v.Variant), driven, units.Rate(&v.OfferedMilliPerSecond))
}

func verified(status *v1beta1.SizingExperimentStatus) string {
	if status.Recommendation == nil {
		return ""
	}
	switch status.Recommendation.Verified {
	case v1beta1.VerificationMet:
		return "yes"
	case v1beta1.VerificationFailed:
		return "no"
	case v1beta1.VerificationUndecided:
		return "undecided"
	}
	if n := len(status.Verifications); n > 0 && status.Verifications[n-1].Outcome == "" {
		return "running"
	}
	return ""
}
