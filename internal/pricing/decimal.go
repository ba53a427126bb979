package pricing

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

const (
	// cents is the smallest number of decimals of a price.
	cents = 2
	// significant is how many digits a price below ten cents has at least, so that small
	// prices can be distinguished.
	significant = 2
	// mostDecimals limits the decimals of a price that is almost 0, within the 32
	// characters that the API allows for prices.
	mostDecimals = 28
)

// plain matches a decimal as in the API's pattern, without sign and exponent. big.Rat alone
// would accept more formats.
var plain = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// Decimal parses a price such as "0.04" exactly. It returns an error for anything else than
// a plain decimal, such as "4e-2", "1/25" or "-1".
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

// Text formats a price: to the cent, and below ten cents with two significant digits, such
// as 0.0083. It returns "" if the price is unknown.
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

// digits returns the number of significant digits, from the first that is not 0.
func digits(text string) int {
	return len(strings.TrimLeft(strings.ReplaceAll(text, ".", ""), "0"))
}
