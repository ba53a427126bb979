package pricing

import (
	"fmt"
	"math/big"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	hoursPerMonth  = 730
	secondsPerHour = 3600
	milli          = 1000
	million        = 1_000_000
	billion        = 1_000_000_000
	gibibyte       = 1 << 30
)

// Tariff is what CPUs, memory and an attacker's GPUs cost. The zero Tariff knows no
// prices. Each of its methods gives nil for a price that is not known.
type Tariff struct {
	currency string
	cpuHour  *big.Rat
	// gibHour is the price of a GiB of memory for an hour; nil where memory is free.
	gibHour  *big.Rat
	pools    map[string]*big.Rat
	attacker attacker
}

// Resources are what replicas are paid for: thousandths of a CPU, and bytes of memory.
type Resources struct{ MilliCPU, MemoryBytes int64 }

// Of reads the prices of an experiment: those of node pools go before the
// general one. Without prices the tariff knows none, whatever pools say. Errors:
// a price that is no decimal, and hardware without watts or years.
func Of(prices *v1alpha1.Prices, pools []v1alpha1.NodePool) (Tariff, error) {
	if prices == nil {
		return Tariff{}, nil
	}
	t := Tariff{currency: prices.Currency, pools: map[string]*big.Rat{}}
	if t.currency == "" {
		t.currency = dollars
	}
	if err := read(prices.PerCPUHour, "prices.perCPUHour", &t.cpuHour); err != nil {
		return Tariff{}, err
	}
	if err := read(prices.PerGiBHour, "prices.perGiBHour", &t.gibHour); err != nil {
		return Tariff{}, err
	}
	var err error
	if t.attacker, err = attackerOf(prices, t.currency); err != nil {
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

// read a price where there is one, and leave what stands otherwise.
func read(text, field string, price **big.Rat) error {
	if text == "" {
		return nil
	}
	found, err := Decimal(text)
	if err != nil {
		return fmt.Errorf("%s: %w", field, err)
	}
	*price = found
	return nil
}

// Currency that prices are told in, three letters; empty where none are.
func (t Tariff) Currency() string { return t.currency }

// hour is the price of resources for an hour.
func (t Tariff) hour(pool string, of Resources) *big.Rat {
	price, own := t.pools[pool]
	if !own {
		price = t.cpuHour
	}
	if price == nil {
		return nil
	}
	total := new(big.Rat).Mul(price, big.NewRat(of.MilliCPU, milli))
	if t.gibHour != nil {
		total.Add(total, new(big.Rat).Mul(t.gibHour, big.NewRat(of.MemoryBytes, gibibyte)))
	}
	return total
}

// PerMonth is what resources cost on a node pool in a month.
func (t Tariff) PerMonth(pool string, of Resources) *big.Rat {
	price := t.hour(pool, of)
	if price == nil {
		return nil
	}
	return price.Mul(price, big.NewRat(hoursPerMonth, 1))
}

// PerMillionLogins is what a million logins cost on some resources, at a rate in
// thousandths of a login per second. Not known where nobody logs in.
func (t Tariff) PerMillionLogins(pool string, of Resources, milliPerSecond int64) *big.Rat {
	price := t.hour(pool, of)
	if price == nil || milliPerSecond <= 0 {
		return nil
	}
	perHour := new(big.Rat).Mul(big.NewRat(milliPerSecond, milli), big.NewRat(secondsPerHour, 1))
	return price.Mul(price.Quo(price, perHour), big.NewRat(million, 1))
}
