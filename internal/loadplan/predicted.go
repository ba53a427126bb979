package loadplan

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// IntervalSamples is the smallest number of logins for a two-sided 95 % interval of p95 by order
// statistics: 0.95^72 is the first below 2.5 %.
const IntervalSamples = 72

const (
	// p99Samples is IntervalSamples for p99: 0.99^368 is the first below 2.5 %.
	p99Samples = 368
	// longestPredicted limits the counted part of the step at the predicted capacity. Near the bound a queue
	// needs minutes to reach its steady state, and the model is more exact than a measurement.
	longestPredicted = time.Minute
	// samePlacePercent is the distance, in percent of the bound, at which two steps count as
	// the same: it is within the error of a capacity.
	samePlacePercent = 3
)

// addPredicted adds a step at the predicted capacity and drops fixed steps close to it, except the
// reported one, which is kept instead.
func (s service) addPredicted(rates []heldRate, load v1beta1.Load, capacityMilli int64) []heldRate {
	near := func(r heldRate) bool {
		return distance(r.OfferedMilliPerSecond, capacityMilli) <= s.bound*samePlacePercent/100
	}
	if slices.ContainsFunc(rates, func(r heldRate) bool { return r.Reported && near(r) }) {
		return rates
	}
	predicted := s.predictedRate(load, capacityMilli)
	if predicted.Message == "" {
		rates = slices.DeleteFunc(rates, near)
	}
	return append(rates, predicted)
}

func (s service) predictedRate(load v1beta1.Load, capacityMilli int64) heldRate {
	offered := max(1, capacityMilli)
	longest := min(longestPredicted, time.Duration(load.MaxStepSeconds())*time.Second)
	load = withLimits(load, load.MinSamples(), int32(longest.Seconds()))
	r := heldRate{predictedIndex(), NotRun{
		LoadPercent:           max(1, int32(math.Round(100*s.utilisation(offered)))),
		OfferedMilliPerSecond: offered, Predicted: true,
	}}
	steady := SteadyRelaxations * s.relaxation(offered)
	if steady > longest.Seconds() {
		r.Requests = int(float64(offered) / milli * longest.Seconds())
		r.Message = fmt.Sprintf("The predicted capacity of %s is %d %% of the bound, where a step needs %s to reach a steady state but can take only %s; the result there is predicted",
			units.PerSecond(float64(offered)), r.LoadPercent, inWords(steady), longest)
		return r
	}
	r.Requests = capacityRequests(load, offered, s.steadyRequests(offered, SteadyRelaxations))
	if r.Requests < fewestSamples(load) {
		r.Message = fmt.Sprintf("At the predicted capacity of %s, a step offers %d logins in %s, but p95 needs %d; the result there is predicted",
			units.PerSecond(float64(offered)), r.Requests, longest, fewestSamples(load))
	}
	return r
}

// keepWithinBudget leaves out fixed rates that a slow service has no time for. All rates except the
// reported one share the time of one longest step, or of four of the shortest length. Rates far from the
// predicted capacity show little about it, so the closest come first.
func (s service) keepWithinBudget(rates []heldRate, load v1beta1.Load, capacityMilli int64) {
	var extra []*heldRate
	for i := range rates {
		if r := &rates[i]; !r.Reported && r.Message == "" {
			extra = append(extra, r)
		}
	}
	slices.SortStableFunc(extra, func(a, b *heldRate) int {
		return int(distance(a.OfferedMilliPerSecond, capacityMilli) - distance(b.OfferedMilliPerSecond, capacityMilli))
	})
	budget := time.Duration(max(load.MaxStepSeconds(), 4*load.StepSeconds)) * time.Second
	var spent time.Duration
	for _, r := range extra {
		takes := s.settling(r.OfferedMilliPerSecond) + time.Duration(countedMilliseconds(r.Requests, r.OfferedMilliPerSecond))*time.Millisecond
		if !r.Predicted && spent+takes > budget {
			r.Message = fmt.Sprintf("The step at %d %% of the bound takes %s; with the steps closer to the predicted capacity, which take %s, that is more than the %s for all steps except the reported one: raise load.capacity.maxStepSeconds to include it",
				r.LoadPercent, inWords(takes.Seconds()), inWords(spent.Seconds()), budget)
			continue
		}
		spent += takes
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// fewestSamples returns the number of logins that makes a step worth its time. An
// experiment that requests fewer gets fewer, and no interval.
func fewestSamples(load v1beta1.Load) int {
	return min(IntervalSamples, int(load.MinSamples()))
}

func (s service) tooFew(load v1beta1.Load, r heldRate) string {
	if r.Requests >= fewestSamples(load) {
		return ""
	}
	limit, advice := "the bound", "or the CPU limit, or lower the cost"
	if s.generatorLimited() {
		limit, advice = "what the generator can drive", "or generator.cpuLimit"
	}
	return fmt.Sprintf("The step at %d %% of %s offers %d logins in %d s, but p95 needs %d: raise load.capacity.maxStepSeconds %s",
		r.LoadPercent, limit, r.Requests, load.MaxStepSeconds(), fewestSamples(load), advice)
}

func inWords(seconds float64) string {
	if seconds > time.Hour.Seconds() {
		return "more than an hour"
	}
	return units.Number(math.Round(seconds)) + " s"
}
