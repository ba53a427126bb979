package report

import "github.com/hashmark-dev/hashmark/internal/pricing"

// otherGuesses is told of prices that are not those of this program: the operator
// that answered had other defaults.
const otherGuesses = "The price of guesses is from a version of Hashmark with other defaults; kubectl hashmark recommend computes it anew."

// guessesWords says what the prices of guesses assume; nothing where there are
// none.
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
			return []string{otherGuesses}
		}
		told = []string{tariff.Assumption()}
	}
	return told
}

// guessesCost tells whether this is what guesses at a cost come to. A saved report
// may hold any number for a cost, but none beyond bcrypt's has a price.
func guessesCost(tariff pricing.Tariff, cost int32, price string) bool {
	const lowest, highest = 4, 31
	return cost >= lowest && cost <= highest && pricing.Text(tariff.PerBillionGuesses(cost)) == price
}
