package simulation

import (
	"math/rand/v2"
	"slices"
	"time"
)

// phases is over how many phases of the quota's grid an answer is averaged.
const phases = 20

// Streams of chance that one seed is split into.
const (
	phaseStream = iota + 1
	replicaStream
	arrivalStream
)

// Arrivals are the logins of a step. The service is empty when it begins.
type Arrivals struct {
	// Due is when each login is due, from the step's beginning, rising; the
	// settling part comes first.
	Due []time.Duration
	// Counted is the index of the first login that counts.
	Counted int
}

// P95 is the 95th percentile of the latencies of the logins that count, by
// nearest rank: the mean over 20 phases of the quota's grid (and ways by which
// the replicas share the logins), or one run where nothing is by chance.
// Failures count as slower than every success: ok is false where the percentile
// is one, in any phase, and where no login counts.
func (s Service) P95(a Arrivals, seed uint64) (p95 time.Duration, ok bool) {
	found := s.Percentiles(a, seed, p95PerMille)[0]
	if found == Failed {
		return 0, false
	}
	return found, true
}

// Percentiles are others of the same logins, in thousandths, each the mean over the same
// runs as P95; Failed where P95 would not be ok.
func (s Service) Percentiles(a Arrivals, seed uint64, perMille ...int) []time.Duration {
	runs := 1
	if s.whole().chancy() {
		runs = phases
	}
	source := stream(seed, phaseStream)
	means := make([]time.Duration, len(perMille))
	for run := range runs {
		phase := (float64(run) + source.Float64()) / float64(runs)
		latencies := s.Latencies(a, phase, source.Uint64())
		for i, percentile := range perMille {
			if found := Percentile(latencies, percentile); found == Failed || means[i] == Failed {
				means[i] = Failed
			} else {
				means[i] += found
			}
		}
	}
	for i := range means {
		if means[i] != Failed {
			means[i] /= time.Duration(runs)
		}
	}
	return means
}

// Latencies are those of the logins that count, Failed for one that failed. The
// quota is first refilled after the share phase, 0 to 1, of its period.
func (s Service) Latencies(a Arrivals, phase float64, seed uint64) []time.Duration {
	s = s.whole()
	latencies := make([]time.Duration, len(a.Due))
	if s.Replicas == 1 {
		newPod(s, phase).serve(a.Due, latencies)
		return latencies[min(a.Counted, len(latencies)):]
	}
	s.share(a.Due, latencies, phase, seed)
	return latencies[min(a.Counted, len(latencies)):]
}

// share sends each login to one of the replicas by chance. Their quotas have a
// grid each, the first of them that of the phase.
func (s Service) share(due, latencies []time.Duration, phase float64, seed uint64) {
	source := stream(seed, replicaStream)
	of := make([][]int, s.Replicas)
	for login := range due {
		replica := source.IntN(int(s.Replicas))
		of[replica] = append(of[replica], login)
	}
	for _, logins := range of {
		own, took := make([]time.Duration, len(logins)), make([]time.Duration, len(logins))
		for i, login := range logins {
			own[i] = due[login]
		}
		newPod(s, phase).serve(own, took)
		for i, login := range logins {
			latencies[login] = took[i]
		}
		phase = source.Float64()
	}
}

// Spread returns how percentiles of a step, in thousandths, vary from run to run. Each run
// draws its arrivals and its phase anew. For each percentile the result has its 2.5 and
// 97.5 % points over the runs, divided by its median. OK is false if one of the three is a
// failed login.
func (s Service) Spread(draw func(run int) Arrivals, runs int, seed uint64, perMille ...int) []Spread {
	source := stream(seed, phaseStream)
	found := make([][]time.Duration, len(perMille))
	for run := range runs {
		latencies := s.Latencies(draw(run), source.Float64(), source.Uint64())
		for i, percentile := range perMille {
			found[i] = append(found[i], Percentile(latencies, percentile))
		}
	}
	spreads := make([]Spread, len(perMille))
	for i := range found {
		spreads[i].Low, spreads[i].High, spreads[i].OK = scatter(found[i])
	}
	return spreads
}

// Spread is where a percentile lies from run to run, as multiples of its median.
type Spread struct {
	Low, High float64
	OK        bool
}

func scatter(found []time.Duration) (low, high float64, ok bool) {
	runs := len(found)
	if runs < 1 {
		return 0, 0, false
	}
	slices.Sort(found)
	median, lowest, highest := found[(runs-1)/2], found[runs*25/1000], found[runs-1-runs*25/1000]
	if highest == Failed || median <= 0 {
		return 0, 0, false
	}
	return float64(lowest) / float64(median), float64(highest) / float64(median), true
}

// chancy tells whether latencies depend on more than the arrivals.
func (s Service) chancy() bool { return s.binding() || s.Replicas > 1 }

// stream is a source of chance that is the same for the same seed for ever.
func stream(seed uint64, of uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, of)) //nolint:gosec // a simulation must be repeatable, not unpredictable
}
