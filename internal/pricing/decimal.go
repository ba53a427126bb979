package pricing

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

const (
	// cents is the fewest decimals that money is read with.
	cents = 2
	// significant digits tell two prices apart that are far below a cent.
	significant = 2
	// mostDecimals ends the search in a price that is next to nothing, within the 32
	// characters that the API has for prices.
	mostDecimals = 28
)

// plain is a decimal as the API's pattern has it: neither sign nor exponent, of
// which big.Rat would read more than money has.
var plain = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// Decimal reads a price such as "0.04" exactly. What is no plain decimal, as
// "4e-2", "1/25", or "-1", is an error.
func Decimal(text string) (*big.Rat, error) {
	if !plain.MatchString(text) {
		return nil, fmt.Errorf("price %q is not a decimal such as 0.04", text)
	}
	price, ok := new(big.Rat).SetString(text)
	if !ok {
		return nil, fmt.Errorf("price %q is not a decimal such as 0.04", text)
	}
	return price, nil
}

// Text is a price as money is read: to the cent, and below ten cents with two
// digits that count, as 0.0083. Empty where the price is not known.
func Text(price *big.Rat) string {
	if price == nil {
		return ""
	}
	text := price.FloatString(cents)
	for decimals := cents + 1; price.Sign() > 0 && digits(text) < significant && decimals <= mostDecimals; decimals++ {
		text = price.FloatString(decimals)
	}
	return text
}

// digits that count are those from the first that is not 0.
func digits(text string) int {
	return len(strings.TrimLeft(strings.ReplaceAll(text, ".", ""), "0"))
}
