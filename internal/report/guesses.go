package report

import "github.com/hashmark-dev/hashmark/internal/pricing"

// oldDefaults is the footnote if a stored price differs from what this version computes,
// because the operator that stored it had other defaults.
const oldDefaults = "The price of guesses is from a version of Hashmark with other defaults; kubectl hashmark recommend computes it anew."

// guessesWords is the footnote that says what the prices of guesses assume. It is empty
// if the report shows no such price.
func (d Document) guessesWords() []string {
	tariff, err := pricing.Of(d.Experiment.Spec.Prices, nil)
	if err != nil {
		return nil
	}
	var told []string
	for _, row := range d.Rows {
		price := row.Result.Price
		if price == nil || price.AttackerPerBillionGuesses == "" {
			continue
		}
		if !guessesCost(tariff, row.Result.Cost, price.AttackerPerBillionGuesses) {
			return []string{oldDefaults}
		}
		told = []string{tariff.Assumption()}
	}
	return told
}

// guessesCost reports whether price is what this version computes for guesses at a cost.
// A cost outside bcrypt's range, which a saved report may hold, has no price.
func guessesCost(tariff pricing.Tariff, cost int32, price string) bool {
	const lowest, highest = 4, 31
	return cost >= lowest && cost <= highest && pricing.Text(tariff.PerBillionGuesses(cost)) == price
}
