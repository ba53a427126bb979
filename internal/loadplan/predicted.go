package loadplan

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	// IntervalSamples is the smallest number of logins for a two-sided 95 % interval of p95
	// by order statistics: 0.95^72 is the first below 2.5 %.
	IntervalSamples = 72
	// p99Samples is the same for p99: 0.99^368 is the first below 2.5 %.
	p99Samples = 368
	// longestPredicted limits the counted part of the step at the predicted capacity. Near the
	// bound a queue needs minutes to reach its steady state, and the model is more exact than
	// a measurement.
	longestPredicted = time.Minute
	// samePlacePercent is the distance, in percent of the bound, at which two steps count as
	// the same: it is within the error of a capacity.
	samePlacePercent = 3
)

// addPredicted adds a step at the predicted capacity and drops fixed steps close to it, except the
// reported one, which is kept instead.
func (s service) addPredicted(rates []heldRate, load v1alpha1.Load, capacityMilli int64) []heldRate {
	near := func(r heldRate) bool {
		return math.Abs(float64(r.offered-capacityMilli)) <= float64(s.bound)*samePlacePercent/100
	}
	if slices.ContainsFunc(rates, func(r heldRate) bool { return r.reported && near(r) }) {
		return rates
	}
	predicted := s.predictedRate(load, capacityMilli)
	if predicted.leftOut == "" {
		rates = slices.DeleteFunc(rates, near)
	}
	return append(rates, predicted)
}

func (s service) predictedRate(load v1alpha1.Load, capacityMilli int64) heldRate {
	offered := max(1, capacityMilli)
	longest := min(longestPredicted, time.Duration(load.MaxStepSeconds)*time.Second)
	load.MaxStepSeconds = int32(longest.Seconds())
	r := heldRate{
		index: predictedIndex(), predicted: true, offered: offered,
		percent: max(1, int32(math.Round(100*s.utilisation(offered)))),
	}
	steady := SteadyRelaxations * s.relaxation(offered)
	if steady > longest.Seconds() {
		r.requests = int(float64(offered) / milli * longest.Seconds())
		r.leftOut = fmt.Sprintf("The predicted capacity of %s is %d %% of the bound, where a step needs %s to reach a steady state but can take only %s; the result there is predicted",
			units.PerSecond(float64(offered)), r.percent, inWords(steady), longest)
		return r
	}
	r.requests = capacityRequests(load, offered, s.steadyRequests(offered))
	if r.requests < fewestSamples(load) {
		r.leftOut = fmt.Sprintf("At the predicted capacity of %s, a step offers %d logins in %s, but p95 needs %d; the result there is predicted",
			units.PerSecond(float64(offered)), r.requests, longest, fewestSamples(load))
	}
	return r
}

// economise leaves out fixed rates that a slow service has no time for. All rates except
// the reported one share the time of one longest step, or of four of the shortest length.
// The predicted capacity comes first, then the rates closest to it, because rates far from
// it show little about the capacity.
func (s service) economise(rates []heldRate, load v1alpha1.Load, capacityMilli int64) {
	var extra []*heldRate
	for i := range rates {
		if r := &rates[i]; !r.reported && r.leftOut == "" {
			extra = append(extra, r)
		}
	}
	slices.SortStableFunc(extra, func(a, b *heldRate) int {
		return int(distance(a.offered, capacityMilli) - distance(b.offered, capacityMilli))
	})
	budget := time.Duration(max(load.MaxStepSeconds, 4*load.StepSeconds)) * time.Second
	var spent time.Duration
	for _, r := range extra {
		takes := s.settling(r.offered) + time.Duration(countedMilliseconds(r.requests, r.offered))*time.Millisecond
		if !r.predicted && spent+takes > budget {
			r.leftOut = fmt.Sprintf("The step at %d %% of the bound takes %s; with the steps closer to the predicted capacity, which take %s, that is more than the %s for all steps except the reported one: raise load.maxStepSeconds to include it",
				r.percent, inWords(takes.Seconds()), inWords(spent.Seconds()), budget)
			continue
		}
		spent += takes
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// fewestSamples returns the number of logins that makes a step worth its time. An
// experiment that requests fewer gets fewer, and no interval.
func fewestSamples(load v1alpha1.Load) int {
	return min(IntervalSamples, int(load.MinSamples))
}

// tooFew says why a fixed rate is left out, or returns "".
func (s service) tooFew(load v1alpha1.Load, r heldRate) string {
	if r.requests >= fewestSamples(load) {
		return ""
	}
	limit, advice := "the bound", "or the CPU limit, or lower the cost"
	if s.generatorLimited() {
		limit, advice = "what the generator can drive", "or generator.cpuLimit"
	}
	return fmt.Sprintf("The step at %d %% of %s offers %d logins in %d s, but p95 needs %d: raise load.maxStepSeconds %s",
		r.percent, limit, r.requests, load.MaxStepSeconds, fewestSamples(load), advice)
}

// inWords formats a time in seconds, which can be infinite.
func inWords(seconds float64) string {
	if seconds > time.Hour.Seconds() {
		return "more than an hour"
	}
	return units.Number(math.Round(seconds)) + " s"
}
