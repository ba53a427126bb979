package report

import (
	"slices"

	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// oldDefaults is the footnote if a stored price differs from what this version computes,
// because the operator that stored it had other defaults.
const oldDefaults = "The price of guesses is from a version of Hashmark with other defaults; run kubectl hashmark recommend to compute it again."

// guessesWords returns the footnote about what the prices of guesses assume. It is empty
// if the report shows no such price.
func (d Document) guessesWords() []string {
	tariff, err := pricing.Of(d.Experiment.Spec.Prices, nil)
	if err != nil {
		return nil
	}
	var footnotes []string
	for _, row := range d.Rows {
		price := row.Result.Price
		if price == nil || price.AttackerPerBillionGuesses == "" {
			continue
		}
		variant := row.Variant
		variant.Cost = row.Result.Cost
		if pricing.Text(tariff.PerBillionGuesses(variant)) != price.AttackerPerBillionGuesses {
			return []string{oldDefaults}
		}
		for _, sentence := range []string{tariff.Assumption(), tariff.AssumptionOf(variant)} {
			if sentence != "" && !slices.Contains(footnotes, sentence) {
				footnotes = append(footnotes, sentence)
			}
		}
	}
	return footnotes
}
