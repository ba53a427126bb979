package pricing

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const (
	hoursPerMonth  = 730
	secondsPerHour = 3600
	milli          = 1000
	million        = 1_000_000
	billion        = 1_000_000_000
	gibibyte       = 1 << 30
)

// Tariff has the prices of CPUs, memory and an attacker's GPUs. The zero Tariff has no prices.
// Its methods return nil for an unknown price.
type Tariff struct {
	currency string
	cpuHour  *big.Rat
	// gibHour is the price of a GiB of memory for an hour; nil if memory is free.
	gibHour  *big.Rat
	pools    map[string]*big.Rat
	attacker attacker
}

// Resources are the thousandths of a CPU and the bytes of memory that replicas are paid for.
type Resources struct{ MilliCPU, MemoryBytes int64 }

// Of returns the tariff of an experiment. The price of a node pool replaces the general one.
// If prices is nil, the tariff has no prices, also not those of pools. Of returns an error if
// a price is not a decimal, or if the hardware has no watts or years.
func Of(prices *v1beta1.Prices, pools []v1beta1.NodePool) (Tariff, error) {
	if prices == nil {
		return Tariff{}, nil
	}
	t := Tariff{currency: cmp.Or(prices.Currency, dollars), pools: map[string]*big.Rat{}}
	var err error
	t.attacker, err = attackerOf(prices, t.currency)
	err = cmp.Or(read(prices.PerCPUHour, "prices.perCPUHour", &t.cpuHour), read(prices.PerGiBHour, "prices.perGiBHour", &t.gibHour), err)
	if err != nil {
		return Tariff{}, err
	}
	for _, pool := range pools {
		price := t.cpuHour
		if err := read(pool.PerCPUHour, fmt.Sprintf("perCPUHour of node pool %s", pool.Name), &price); err != nil {
			return Tariff{}, err
		}
		t.pools[pool.Name] = price
	}
	return t, nil
}

// read parses a price into *price. An absent one leaves it unchanged.
func read(written *intstr.IntOrString, field string, price **big.Rat) error {
	if written == nil {
		return nil
	}
	decimal, err := Decimal(written.String())
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	*price = decimal
	return nil
}

func (t Tariff) hour(pool string, r Resources) *big.Rat {
	price, own := t.pools[pool]
	if !own {
		price = t.cpuHour
	}
	if price == nil {
		return nil
	}
	total := new(big.Rat).Mul(price, big.NewRat(r.MilliCPU, milli))
	if t.gibHour != nil {
		total.Add(total, new(big.Rat).Mul(t.gibHour, big.NewRat(r.MemoryBytes, gibibyte)))
	}
	return total
}

// PerMonth returns what resources cost on a node pool in a month.
func (t Tariff) PerMonth(pool string, r Resources) *big.Rat {
	price := t.hour(pool, r)
	if price == nil {
		return nil
	}
	return price.Mul(price, big.NewRat(hoursPerMonth, 1))
}

// PerMillionLogins returns what a million logins cost on some resources, at a rate in
// thousandths of a login per second. It returns nil if the rate is 0.
func (t Tariff) PerMillionLogins(pool string, r Resources, milliPerSecond int64) *big.Rat {
	price := t.hour(pool, r)
	if price == nil || milliPerSecond <= 0 {
		return nil
	}
	perHour := new(big.Rat).Mul(big.NewRat(milliPerSecond, milli), big.NewRat(secondsPerHour, 1))
	return price.Mul(price.Quo(price, perHour), big.NewRat(million, 1))
}

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

// plain matches a decimal as the API does. big.Rat alone would accept more formats.
var plain = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)

// Decimal parses a price such as "0.04" exactly. It returns an error for anything else than
// a plain decimal, such as "4e-2", "1/25" or "-1".
func Decimal(text string) (*big.Rat, error) {
	if plain.MatchString(text) {
		if price, ok := new(big.Rat).SetString(text); ok {
			return price, nil
		}
	}
	return nil, fmt.Errorf("price %q is not a decimal such as 0.04", text)
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

func digits(text string) int {
	return len(strings.TrimLeft(strings.ReplaceAll(text, ".", ""), "0"))
}
