package loadplan

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	// intervalSamples is the fewest logins that a p95 has a two-sided 95 %
	// interval from, by order statistics: 0.95^72 is the first below 2.5 %.
	intervalSamples = 72
	// p99Samples is the same for a p99: 0.99^368 is the first below 2.5 %.
	p99Samples = 368
	// longestPredicted bounds the counted part of the step at the predicted
	// capacity: near the bound a queue needs minutes to show its steady state,
	// and there the model is the better witness.
	longestPredicted = time.Minute
	// samePlacePercent of the bound is how near two steps may lie to count as
	// one: so much is within the error of a capacity.
	samePlacePercent = 3
)

// addPredicted adds a rung at the predicted capacity. One that runs takes the
// place of a fixed rung that it all but repeats; the reported rung stays, and
// stands for it.
func (s service) addPredicted(rungs []rung, load v1alpha1.Load, capacityMilli int64) []rung {
	near := func(r rung) bool {
		return math.Abs(float64(r.offered-capacityMilli)) <= float64(s.bound)*samePlacePercent/100
	}
	if slices.ContainsFunc(rungs, func(r rung) bool { return r.reported && near(r) }) {
		return rungs
	}
	predicted := s.predictedRung(load, capacityMilli)
	if predicted.leftOut == "" {
		rungs = slices.DeleteFunc(rungs, near)
	}
	return append(rungs, predicted)
}

func (s service) predictedRung(load v1alpha1.Load, capacityMilli int64) rung {
	offered := max(1, capacityMilli)
	longest := min(longestPredicted, time.Duration(load.MaxStepSeconds)*time.Second)
	load.MaxStepSeconds = int32(longest.Seconds())
	r := rung{
		index: predictedIndex(), predicted: true, offered: offered,
		percent: max(1, int32(math.Round(100*s.utilisation(offered)))),
	}
	steady := 20 * s.relaxation(offered)
	if steady > longest.Seconds() {
		r.requests = int(float64(offered) / milli * longest.Seconds())
		r.leftOut = fmt.Sprintf("The predicted capacity of %s is %d %% of the bound, where a step takes %s to show a steady state, of the %s that it may take; the answer there is predicted",
			perSecond(offered), r.percent, inWords(steady), longest)
		return r
	}
	r.requests = capacityRequests(load, offered, s.steadyRequests(offered))
	if r.requests < fewestSamples(load) {
		r.leftOut = fmt.Sprintf("The predicted capacity of %s offers %d logins in %s, of the %d that a p95 needs; the answer there is predicted",
			perSecond(offered), r.requests, longest, fewestSamples(load))
	}
	return r
}

// economise leaves out fixed rungs that a slow service can't afford. All rungs
// beside the reported one share the time of one longest step, or of four of the
// least length; the predicted capacity comes first, then what lies nearest to
// it, for what lies far off says little about where the answer is.
func (s service) economise(rungs []rung, load v1alpha1.Load, capacityMilli int64) {
	var extra []*rung
	for i := range rungs {
		if r := &rungs[i]; !r.reported && r.leftOut == "" {
			extra = append(extra, r)
		}
	}
	slices.SortStableFunc(extra, func(a, b *rung) int {
		return int(distance(a.offered, capacityMilli) - distance(b.offered, capacityMilli))
	})
	together := time.Duration(max(load.MaxStepSeconds, 4*load.StepSeconds)) * time.Second
	var spent time.Duration
	for _, r := range extra {
		takes := s.settling(r.offered) + time.Duration(countedMilliseconds(r.requests, r.offered))*time.Millisecond
		if !r.predicted && spent+takes > together {
			r.leftOut = fmt.Sprintf("%d %% of the bound takes %s; with the steps nearer to the predicted capacity, which take %s, that is more than the %s that all beside the reported step may take; raise load.maxStepSeconds to have it, too",
				r.percent, inWords(takes.Seconds()), inWords(spent.Seconds()), together)
			continue
		}
		spent += takes
	}
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// fewestSamples is what a step must be able to count to be worth its time. An
// experiment that asks for fewer gets fewer, and no interval.
func fewestSamples(load v1alpha1.Load) int {
	return min(intervalSamples, int(load.MinSamples))
}

// tooFew says why a fixed rung is left out, or nothing.
func (s service) tooFew(load v1alpha1.Load, r rung) string {
	if r.requests >= fewestSamples(load) {
		return ""
	}
	of, advice := "the bound", "or the CPU limit, or lower the cost"
	if s.cheap() {
		of, advice = "what the generator can drive", "or generator.cpuLimit"
	}
	return fmt.Sprintf("%d %% of %s offers %d logins in %d s, of the %d that a p95 needs; raise load.maxStepSeconds %s",
		r.percent, of, r.requests, load.MaxStepSeconds, fewestSamples(load), advice)
}

// perSecond is a rate as people read it.
func perSecond(offeredMilli int64) string {
	return fmt.Sprintf("%.3g/s", float64(offeredMilli)/milli)
}

// inWords is a time of seconds as people read it, or that there is no end to it.
func inWords(seconds float64) string {
	if seconds > time.Hour.Seconds() {
		return "more than an hour"
	}
	return fmt.Sprintf("%.0f s", seconds)
}
