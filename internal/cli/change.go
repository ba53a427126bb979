package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/pricing"
)

// change holds the flags that replace parts of an experiment's objective, demand and prices.
type change struct{ flags []*specFlag }

// specFlag is a flag that sets a field of the spec.
type specFlag struct {
	flag, path string
	kind       kind
	usage      string
	// must says what the value must be. That of a number follows from its schema.
	must string
	// value is nil if the flag is not given.
	value any
}

// kind is how a flag's text becomes a value, by the name that help shows.
type kind string

const (
	numbers   kind = "int64"
	texts     kind = "string"
	demands   kind = "rate"
	prices    kind = "price"
	cpus      kind = "cpu"
	latencies kind = "duration" // in milliseconds
	hashes    kind = "stringSlice"
	rates     kind = "stringToInt64"
)

const flagCurrency, flagGuessesAt = "currency", "guesses-at"

// addTo adds the flags that every spec can have.
func (c *change) addTo(flags *pflag.FlagSet) {
	const aRate = "above 0 and at most 1000000, with up to three decimals, such as 20 or 0.5"
	const aCPU, aPrice, aCurrency = "a CPU quantity above 0, such as 8 or 7500m", "a decimal such as 0.04", "three capital letters, such as EUR"
	c.add(flags,
		specFlag{"rate", "demand.loginsPerSecond", demands, "logins per second to serve, such as 20 or 0.5", aRate, nil},
		specFlag{"headroom", "demand.headroomPercent", numbers, "spare capacity above the rate, in percent", "", nil},
		specFlag{"min-cost", "demand.minimumCost", numbers, "lowest acceptable bcrypt cost", "", nil},
		specFlag{"max-total-cpu", "demand.maxTotalCPU", cpus, "maximum CPU of all replicas together, such as 8 or 7500m", aCPU, nil},
		specFlag{"max-replicas", "demand.maxReplicas", numbers, "maximum number of replicas", "", nil},
		specFlag{"survive-replicas", "demand.surviveReplicas", numbers, "number of replicas that can be down while the others serve the rate without headroom", "", nil},
		specFlag{"p50", "objective.p50Milliseconds", latencies, "objective for the median latency, such as 100ms", "", nil},
		specFlag{"p95", "objective.p95Milliseconds", latencies, "objective for the p95 latency, such as 300ms", "", nil},
		specFlag{"p99", "objective.p99Milliseconds", latencies, "objective for the p99 latency, such as 500ms", "", nil},
		specFlag{"max-error-per-mille", "objective.maxErrorPerMille", numbers, "number of failed logins per thousand that the objective allows", "", nil},
		specFlag{flagCurrency, "prices.currency", texts, "currency of the prices, such as EUR, if the experiment has no prices", aCurrency, nil},
		specFlag{"per-cpu-hour", "prices.perCPUHour", prices, "price of a CPU per hour, for node pools without a price of their own", aPrice, nil},
		specFlag{"gpu-hour", "prices.gpuHour", prices, "price that an attacker pays for a GPU per hour", aPrice, nil},
		specFlag{"guesses-per-second", "prices.guessesPerSecondAtCost10", numbers, "guesses per second of such a GPU at bcrypt cost 10", "", nil},
	)
}

// addStored adds the flags about what only an experiment measures: other hashes than bcrypt, and memory.
func (c *change) addStored(flags *pflag.FlagSet) {
	recommended := slices.DeleteFunc(slices.Clone(password.Algorithms), func(a password.Algorithm) bool { return a == password.SHA256 })
	theHashes := fmt.Sprintf("one or more of %v, each once", recommended)
	const theRates = "names of hashes of the matrix, each once, with guesses per second from 1 to 1000000000000, such as argon=12000"
	c.add(flags,
		specFlag{"hashes", "demand.hashes", hashes, "hashes that can be recommended, such as bcrypt,argon2id", theHashes, nil},
		specFlag{flagGuessesAt, "matrix.hashes", rates, "guesses per second of such a GPU at a `hash` of the matrix, such as argon=12000", theRates, nil},
		specFlag{"per-gib-hour", "prices.perGiBHour", prices, "price of a GiB of memory per hour", "a decimal such as 0.005", nil},
	)
}

func (c *change) add(flags *pflag.FlagSet, added ...specFlag) {
	for i := range added {
		c.flags = append(c.flags, &added[i])
		flags.Var(&added[i], added[i].flag, added[i].usage)
	}
}

// String is empty, so that help shows no default.
func (f *specFlag) String() string { return "" }

// Type returns the kind.
func (f *specFlag) Type() string { return string(f.kind) }

// Set parses a value, and compares it with the schema of its field, since no API server checks it.
func (f *specFlag) Set(text string) error {
	limits := specSchema().field(f.path)
	value, err := f.parse(text)
	switch {
	case err == nil && limits.accepts(value):
		f.value = value
		return nil
	case f.kind == numbers:
		return fmt.Errorf("must be between %d and %d", limits.Minimum, limits.Maximum)
	case f.kind == latencies:
		return fmt.Errorf("must be whole milliseconds, from %s to %s", milliseconds(limits.Minimum), milliseconds(limits.Maximum))
	default:
		return errors.New("must be " + f.must)
	}
}

// errValue means that a text is no value of its kind. Set says what the text must be.
var errValue = errors.New("no such value")

func (f *specFlag) parse(text string) (any, error) {
	switch f.kind {
	case numbers:
		return strconv.ParseInt(text, 10, 64)
	case latencies:
		d, err := time.ParseDuration(text)
		if d%time.Millisecond != 0 {
			return nil, errValue
		}
		return d.Milliseconds(), err
	case demands, prices, cpus:
		return f.parseWritten(text)
	case hashes, rates:
		return f.parseList(text)
	default:
		return text, nil
	}
}

// aLoginRate matches a rate as the API does.
var aLoginRate = regexp.MustCompile(`^[0-9]+([.][0-9]{1,3})?$`)

// parseWritten returns a value that the spec has as a number or as a text.
func (f *specFlag) parseWritten(text string) (any, error) {
	value, allowed := intstr.Parse(text), false
	switch f.kind {
	case demands:
		allowed = aLoginRate.MatchString(text) && (&v1beta1.Demand{LoginsPerSecond: value}).MilliPerSecond() > 0
	case prices:
		_, err := pricing.Decimal(text)
		allowed = err == nil
	case cpus:
		quantity, err := resource.ParseQuantity(text)
		allowed = err == nil && quantity.Sign() > 0
	}
	if !allowed {
		return nil, errValue
	}
	return value, nil
}

// parseList adds the elements of a text to those of an earlier flag of the same name.
func (f *specFlag) parseList(text string) (any, error) {
	all, _ := f.value.([]any)
	for element := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(element, "=")
		switch guesses, err := strconv.ParseInt(number, 10, 64); {
		case f.kind == rates && err != nil:
			return nil, err
		case f.kind == rates:
			all = append(all, map[string]any{"name": name, "guessesPerSecond": guesses})
		case element == string(v1beta1.HashSHA256):
			return nil, errValue // by a rule of the API
		default:
			all = append(all, element)
		}
	}
	return all, nil
}

// applyWithDemand returns a copy of the spec, changed by the flags. It returns an error
// if the result has no demand.
func (c *change) applyWithDemand(given v1beta1.SizingExperimentSpec) (v1beta1.SizingExperimentSpec, error) {
	spec, err := c.apply(given)
	if err == nil && spec.Demand == nil {
		err = errNoRate
	}
	return spec, err
}

var errNoRate = errors.New("the login rate is missing; set --rate to the logins per second to serve")

// apply returns a copy of the spec, changed by the flags.
func (c *change) apply(given v1beta1.SizingExperimentSpec) (v1beta1.SizingExperimentSpec, error) {
	spec := *given.DeepCopy()
	patch, err := c.patch(&given)
	if err != nil {
		return spec, err
	}
	if err := merge(&spec, patch); err != nil {
		return spec, err
	}
	if err := c.setGuesses(spec.Matrix.Hashes); err != nil {
		return spec, err
	}
	if spec.Prices != nil && spec.Prices.Currency == "" {
		spec.Prices.Currency = "USD"
	}
	if spec.Demand != nil && spec.Demand.MilliPerSecond() == 0 {
		return spec, errNoRate
	}
	return spec, rising(spec.Objective)
}

// setGuesses sets the guesses per second of the hashes that a flag names.
func (c *change) setGuesses(all []v1beta1.Hash) error {
	for _, f := range c.flags {
		if f.kind != rates || f.value == nil {
			continue
		}
		for _, element := range f.value.([]any) {
			given := element.(map[string]any)
			at := slices.IndexFunc(all, func(h v1beta1.Hash) bool { return h.Name == given["name"] && h.Bcrypt == nil })
			if at < 0 {
				return fmt.Errorf("the matrix has no hash %s other than bcrypt; name one of matrix.hashes in --%s", given["name"], f.flag)
			}
			all[at].GuessesPerSecond = ptr.To(given["guessesPerSecond"].(int64))
		}
	}
	return nil
}

// merge changes a spec by a JSON merge patch.
func merge(spec *v1beta1.SizingExperimentSpec, patch []byte) error {
	document, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	if document, err = jsonpatch.MergePatch(document, patch); err != nil {
		return err
	}
	*spec = v1beta1.SizingExperimentSpec{}
	return json.Unmarshal(document, spec)
}

// patch returns the fields of a spec that the flags set, as JSON.
func (c *change) patch(given *v1beta1.SizingExperimentSpec) ([]byte, error) {
	changed := map[string]map[string]any{}
	for _, f := range c.flags {
		if f.value == nil || f.kind == rates {
			continue
		}
		if err := f.fits(given); err != nil {
			return nil, err
		}
		part, name, _ := strings.Cut(f.path, ".")
		if changed[part] == nil {
			changed[part] = map[string]any{}
		}
		changed[part][name] = f.value
	}
	return json.Marshal(changed)
}

// fits returns an error if the experiment can't have the value. A percentile can't be above the timeout, since a login
// that takes longer has failed.
func (f *specFlag) fits(given *v1beta1.SizingExperimentSpec) error {
	if own := given.Prices; f.flag == flagCurrency && own != nil && own.Currency != f.value {
		return fmt.Errorf("its prices are in %s and can't be converted to %s; remove --%s", own.Currency, f.value, f.flag)
	}
	if latency, is := f.value.(int64); is && f.kind == latencies && latency > int64(given.Load.RequestTimeoutSeconds)*1000 {
		timeout := time.Duration(given.Load.RequestTimeoutSeconds) * time.Second
		return fmt.Errorf("its logins timed out after %s, so that a %s of %s was not measured; lower --%s, or measure with a longer load.requestTimeoutSeconds",
			timeout, f.flag, milliseconds(latency), f.flag)
	}
	return nil
}

func rising(o v1beta1.Objective) error {
	p50, p95, p99 := ptr.Deref(o.P50Milliseconds, 0), o.P95Milliseconds, ptr.Deref(o.P99Milliseconds, o.P95Milliseconds)
	switch {
	case p50 > p95:
		return fmt.Errorf("a p50 of %d ms is above the p95 of %d ms; lower --p50, or raise --p95", p50, p95)
	case p99 < p95:
		return fmt.Errorf("a p99 of %d ms is below the p95 of %d ms; raise --p99, or lower --p95", p99, p95)
	}
	return nil
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
