package cli

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// change holds the flags of recommend, which replace parts of an experiment's
// objective, demand and prices.
type change struct {
	given *pflag.FlagSet

	rate, headroom, minCost, maxReplicas, survive int32
	maxTotalCPU                                   string
	p50, p95, p99                                 time.Duration
	maxErrors                                     int32
	hashes                                        []string
	attackerRates                                 map[string]int64
	currency, perCPUHour, perGiBHour, gpuHour     string
	guesses                                       int64
}

// The names of the flags.
const (
	flagRate          = "rate"
	flagHeadroom      = "headroom"
	flagMinCost       = "min-cost"
	flagMaxTotalCPU   = "max-total-cpu"
	flagMaxReplicas   = "max-replicas"
	flagSurvive       = "survive-replicas"
	flagP50           = "p50"
	flagP95           = "p95"
	flagP99           = "p99"
	flagHashes        = "hashes"
	flagPerGiBHour    = "per-gib-hour"
	flagAttackerRates = "attacker-rates"
	flagMaxErrors     = "max-error-per-mille"
	flagCurrency      = "currency"
	flagPerCPUHour    = "per-cpu-hour"
	flagGPUHour       = "gpu-hour"
	flagGuesses       = "guesses-per-second"
)

func (c *change) addTo(flags *pflag.FlagSet) {
	c.given = flags
	flags.Int32Var(&c.rate, flagRate, 0, "logins per second to serve")
	flags.Int32Var(&c.headroom, flagHeadroom, 0, "spare capacity above the rate, in percent")
	flags.Int32Var(&c.minCost, flagMinCost, 0, "lowest acceptable bcrypt cost")
	flags.StringVar(&c.maxTotalCPU, flagMaxTotalCPU, "", "maximum CPU of all replicas together, such as 8 or 7500m")
	flags.Int32Var(&c.maxReplicas, flagMaxReplicas, 0, "maximum number of replicas")
	flags.Int32Var(&c.survive, flagSurvive, 0, "number of replicas that can be down while the others serve the rate without headroom")
	flags.DurationVar(&c.p50, flagP50, 0, "objective for the median latency, such as 100ms")
	flags.DurationVar(&c.p95, flagP95, 0, "objective for the p95 latency, such as 300ms")
	flags.DurationVar(&c.p99, flagP99, 0, "objective for the p99 latency, such as 500ms")
	flags.Int32Var(&c.maxErrors, flagMaxErrors, 0, "number of failed logins per thousand that the objective allows")
	flags.StringVar(&c.currency, flagCurrency, "", "currency of the prices, such as EUR, if the experiment has no prices")
	flags.StringVar(&c.perCPUHour, flagPerCPUHour, "", "price of a CPU per hour, for node pools without a price of their own")
	flags.StringVar(&c.gpuHour, flagGPUHour, "", "price that an attacker pays for a GPU per hour, instead of prices.attackerHardware")
	flags.Int64Var(&c.guesses, flagGuesses, 0, "guesses per second of such a GPU at bcrypt cost 10")
}

// bounds returns the limits that the API's schema sets, since no API server checks the
// flags.
func (c *change) bounds() []struct {
	flag            string
	value, low, top int64
} {
	return []struct {
		flag            string
		value, low, top int64
	}{
		{flagRate, int64(c.rate), 1, 1_000_000},
		{flagHeadroom, int64(c.headroom), 0, 400},
		{flagMinCost, int64(c.minCost), 4, 16},
		{flagMaxReplicas, int64(c.maxReplicas), 1, 10_000},
		{flagSurvive, int64(c.survive), 0, 3},
		{flagMaxErrors, int64(c.maxErrors), 0, 50},
		{flagGuesses, c.guesses, 1, 1_000_000_000_000},
	}
}

var (
	decimal  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?$`)
	currency = regexp.MustCompile(`^[A-Z]{3}$`)
)

// addStored adds the flags about what only an experiment measures: controls and memory.
func (c *change) addStored(flags *pflag.FlagSet) {
	flags.StringSliceVar(&c.hashes, flagHashes, nil, "hashes that can be recommended, such as Bcrypt,Argon2id")
	flags.StringToInt64Var(&c.attackerRates, flagAttackerRates, nil, "guesses per second of an attacker by `control`, such as argon=12000")
	flags.Lookup(flagAttackerRates).DefValue = "" // help shows an empty map otherwise
	flags.StringVar(&c.perGiBHour, flagPerGiBHour, "", "price of a GiB of memory per hour")
}

// check returns an error for the first flag that the API would refuse.
func (c *change) check() error {
	for _, b := range c.bounds() {
		if c.given.Changed(b.flag) && (b.value < b.low || b.value > b.top) {
			return fmt.Errorf("--%s %d: must be between %d and %d", b.flag, b.value, b.low, b.top)
		}
	}
	for _, rule := range []struct {
		flag, value, must string
		holds             bool
	}{
		{flagP50, c.p50.String(), inMilliseconds, isLatency(c.p50)},
		{flagP95, c.p95.String(), inMilliseconds, isLatency(c.p95)},
		{flagP99, c.p99.String(), inMilliseconds, isLatency(c.p99)},
		{flagMaxTotalCPU, c.maxTotalCPU, "a CPU quantity above 0, such as 8 or 7500m", positive(c.maxTotalCPU)},
		{flagCurrency, c.currency, "three capital letters, such as EUR", currency.MatchString(c.currency)},
		{flagPerCPUHour, c.perCPUHour, "a decimal such as 0.04", isPrice(c.perCPUHour)},
		{flagPerGiBHour, c.perGiBHour, "a decimal such as 0.005", isPrice(c.perGiBHour)},
		{flagGPUHour, c.gpuHour, "a decimal such as 0.80", isPrice(c.gpuHour)},
		{flagAttackerRates, fmt.Sprint(c.attackerRates), "names of controls with guesses per second from 1 to 1000000000000, such as argon=12000", areRates(c.attackerRates)},
		{flagHashes, strings.Join(c.hashes, ","), "one or more of Bcrypt, Argon2id, Scrypt and PBKDF2, each once", areHashes(c.hashes)},
	} {
		if c.given.Changed(rule.flag) && !rule.holds {
			return fmt.Errorf("--%s %s: must be %s", rule.flag, rule.value, rule.must)
		}
	}
	return nil
}

const inMilliseconds = "whole milliseconds, from 1ms to 1m"

func isLatency(d time.Duration) bool {
	return d >= time.Millisecond && d <= time.Minute && d%time.Millisecond == 0
}

// areHashes reports whether the API accepts the names as hashes.
func areHashes(names []string) bool {
	known := []v1alpha1.Algorithm{v1alpha1.AlgorithmBcrypt, v1alpha1.AlgorithmArgon2id, v1alpha1.AlgorithmScrypt, v1alpha1.AlgorithmPBKDF2}
	for i, name := range names {
		if !slices.Contains(known, v1alpha1.Algorithm(name)) || slices.Contains(names[:i], name) {
			return false
		}
	}
	return len(names) > 0
}

// areRates reports whether the API accepts the rates.
func areRates(rates map[string]int64) bool {
	for _, rate := range rates {
		if rate < 1 || rate > 1_000_000_000_000 {
			return false
		}
	}
	return len(rates) > 0 && len(rates) <= 8
}

func positive(cpu string) bool {
	quantity, err := resource.ParseQuantity(cpu)
	return err == nil && quantity.Sign() > 0
}

func isPrice(text string) bool {
	return decimal.MatchString(text) && len(text) <= 16
}

// applyWithDemand returns a copy of the spec, changed by the flags. It returns an error
// if the result has no demand.
func (c *change) applyWithDemand(given v1alpha1.SizingExperimentSpec) (v1alpha1.SizingExperimentSpec, error) {
	spec, err := c.apply(given)
	if err == nil && spec.Demand == nil {
		err = errNoRate
	}
	return spec, err
}

var errNoRate = fmt.Errorf("the login rate is missing; set --%s to the logins per second to serve", flagRate)

// apply returns a copy of the spec, changed by the flags.
func (c *change) apply(given v1alpha1.SizingExperimentSpec) (v1alpha1.SizingExperimentSpec, error) {
	spec := *given.DeepCopy()
	if own := spec.Prices; own != nil && c.given.Changed(flagCurrency) && own.Currency != c.currency {
		return spec, fmt.Errorf("its prices are in %s and can't be converted to %s; remove --%s", own.Currency, c.currency, flagCurrency)
	}
	if err := c.percentiles(&spec); err != nil {
		return spec, err
	}
	set(c, flagMaxErrors, &spec.Objective.MaxErrorPerMille, c.maxErrors)
	c.demand(&spec)
	c.prices(&spec)
	if spec.Demand != nil && spec.Demand.LoginsPerSecond == 0 {
		return spec, errNoRate
	}
	return spec, nil
}

// percentiles sets the objective's percentiles that were given as flags. They must rise,
// and can't be above the timeout, since a login that takes longer has failed.
func (c *change) percentiles(spec *v1alpha1.SizingExperimentSpec) error {
	o, timeout := &spec.Objective, time.Duration(spec.Load.RequestTimeoutSeconds)*time.Second
	for _, p := range []struct {
		flag  string
		value time.Duration
		field *int32
	}{{flagP50, c.p50, &o.P50Milliseconds}, {flagP95, c.p95, &o.P95Milliseconds}, {flagP99, c.p99, &o.P99Milliseconds}} {
		if !c.given.Changed(p.flag) {
			continue
		}
		if p.value > timeout {
			return fmt.Errorf("its logins timed out after %s, so that a %s of %s was not measured; lower --%s, or measure with a longer load.requestTimeoutSeconds", timeout, p.flag, p.value, p.flag)
		}
		*p.field = int32(p.value.Milliseconds())
	}
	switch {
	case o.P50Milliseconds > o.P95Milliseconds:
		return fmt.Errorf("a p50 of %d ms is above the p95 of %d ms; lower --%s, or raise --%s", o.P50Milliseconds, o.P95Milliseconds, flagP50, flagP95)
	case o.P99Milliseconds > 0 && o.P99Milliseconds < o.P95Milliseconds:
		return fmt.Errorf("a p99 of %d ms is below the p95 of %d ms; raise --%s, or lower --%s", o.P99Milliseconds, o.P95Milliseconds, flagP99, flagP95)
	}
	return nil
}

func (c *change) demand(spec *v1alpha1.SizingExperimentSpec) {
	if !c.any(flagRate, flagHeadroom, flagMinCost, flagMaxTotalCPU, flagMaxReplicas, flagSurvive, flagHashes) {
		return
	}
	if spec.Demand == nil {
		spec.Demand = &v1alpha1.Demand{}
	}
	set(c, flagRate, &spec.Demand.LoginsPerSecond, c.rate)
	set(c, flagHeadroom, &spec.Demand.HeadroomPercent, &c.headroom)
	set(c, flagMinCost, &spec.Demand.MinimumCost, &c.minCost)
	set(c, flagMaxTotalCPU, &spec.Demand.MaxTotalCPU, c.maxTotalCPU)
	set(c, flagMaxReplicas, &spec.Demand.MaxReplicas, &c.maxReplicas)
	set(c, flagSurvive, &spec.Demand.SurviveReplicas, &c.survive)
	if c.given.Changed(flagHashes) {
		spec.Demand.Hashes = nil
		for _, name := range c.hashes {
			spec.Demand.Hashes = append(spec.Demand.Hashes, v1alpha1.Algorithm(name))
		}
	}
}

func (c *change) prices(spec *v1alpha1.SizingExperimentSpec) {
	if !c.any(flagCurrency, flagPerCPUHour, flagPerGiBHour, flagGPUHour, flagGuesses, flagAttackerRates) {
		return
	}
	if spec.Prices == nil {
		spec.Prices = &v1alpha1.Prices{Currency: "USD"}
	}
	set(c, flagCurrency, &spec.Prices.Currency, c.currency)
	set(c, flagPerCPUHour, &spec.Prices.PerCPUHour, c.perCPUHour)
	set(c, flagPerGiBHour, &spec.Prices.PerGiBHour, c.perGiBHour)
	set(c, flagGPUHour, &spec.Prices.GPUHour, c.gpuHour)
	// The API refuses two prices for the same hour.
	set(c, flagGPUHour, &spec.Prices.AttackerHardware, nil)
	if c.given.Changed(flagAttackerRates) {
		spec.Prices.AttackerRates = nil
		for _, control := range slices.Sorted(maps.Keys(c.attackerRates)) {
			spec.Prices.AttackerRates = append(spec.Prices.AttackerRates, v1alpha1.AttackerRate{Control: control, GuessesPerSecond: c.attackerRates[control]})
		}
	}
	set(c, flagGuesses, &spec.Prices.GuessesPerSecondPerGPUAtCost10, &c.guesses)
}

func (c *change) any(flags ...string) bool {
	return slices.ContainsFunc(flags, c.given.Changed)
}

// set sets the field to the flag's value if the flag was given.
func set[T any](c *change, flag string, field *T, value T) {
	if c.given.Changed(flag) {
		*field = value
	}
}
