package model

import (
	"math/rand/v2"
	"slices"
	"time"
)

// phases is how many phases of the quota a result is averaged over.
const phases = 20

// Random streams of one seed.
const (
	phaseStream = iota + 1
	replicaStream
	arrivalStream
)

// Arrivals are the logins of a step. The service is empty when it begins.
type Arrivals struct {
	// Due has the due times from the step's beginning, in ascending order. The settling part
	// comes first.
	Due []time.Duration
	// Counted is the index of the first counted login.
	Counted int
}

// P95 returns the 95th percentile of the latencies of the counted logins, by nearest rank. It
// is the mean over 20 phases of the quota (and ways in which the replicas share the logins),
// or one run if nothing is random. Failures count as slower than every success. ok is false if
// the login at the percentile failed in any run, or if no login counts.
func (s Service) P95(a Arrivals, seed uint64) (p95 time.Duration, ok bool) {
	found := s.Percentiles(a, seed, 950)[0]
	if found == Failed {
		return 0, false
	}
	return found, true
}

// Percentiles returns percentiles of the same logins, given in thousandths, each the mean over
// the same runs as in P95. A percentile is Failed if P95 would return false for it.
func (s Service) Percentiles(a Arrivals, seed uint64, perMille ...int) []time.Duration {
	runs := 1
	if s.withDefaults().random() {
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

// Latencies returns the latencies of the counted logins, Failed for a login that failed. The
// quota is first refilled after the share phase, 0 to 1, of its period.
func (s Service) Latencies(a Arrivals, phase float64, seed uint64) []time.Duration {
	s = s.withDefaults()
	latencies := make([]time.Duration, len(a.Due))
	if s.Replicas == 1 {
		s.serve(phase, a.Due, latencies)
		return latencies[min(a.Counted, len(latencies)):]
	}
	s.share(a.Due, latencies, phase, seed)
	return latencies[min(a.Counted, len(latencies)):]
}

// IdleShare returns the share of a step's logins that find their replica idle, 0 to 1. It does not count those
// that arrive while the quota stalls the replica.
func (s Service) IdleShare(a Arrivals, seed uint64) float64 {
	s = s.withDefaults()
	source := stream(seed, replicaStream)
	var due []time.Duration
	for login, at := range a.Due {
		if s.replicaOf(login, source) == 0 {
			due = append(due, at)
		}
	}
	latencies := make([]time.Duration, len(due))
	s.serve(source.Float64(), due, latencies)
	var idle int
	var busy time.Duration
	for i, at := range due {
		if at >= busy {
			idle++
		}
		if latencies[i] != Failed {
			busy = max(busy, at+latencies[i])
		}
	}
	return float64(idle) / float64(max(1, len(due)))
}

// longestWake is the longest CPU time that waking an idle service can explain. Measured with bcrypt at cost 8, where
// a login takes 12 ms: 0.6 to 1 ms.
const longestWake = 2 * time.Millisecond

// WithoutWaking returns the CPU time of a login that follows another, and what a login takes in addition that
// finds the service idle. It follows from the mean CPU time of a step's logins, that of logins in a saturated
// service, and the share of the step's logins that find the service idle. Only those pay for waking: charging
// all of them makes the simulated queue of short hashes too long.
func WithoutWaking(mean, saturated time.Duration, idle float64) (cpu, wake time.Duration) {
	if mean <= saturated || idle <= 0 {
		return mean, 0
	}
	wake = min(longestWake, time.Duration(float64(mean-saturated)/idle))
	return mean - time.Duration(idle*float64(wake)), wake
}

// share sends each login to one of the replicas. Each replica's quota has its own
// phase; the first replica has the given one.
func (s Service) share(due, latencies []time.Duration, phase float64, seed uint64) {
	source := stream(seed, replicaStream)
	perReplica := make([][]int, s.Replicas)
	for login := range due {
		replica := s.replicaOf(login, source)
		perReplica[replica] = append(perReplica[replica], login)
	}
	for _, logins := range perReplica {
		own, took := make([]time.Duration, len(logins)), make([]time.Duration, len(logins))
		for i, login := range logins {
			own[i] = due[login]
		}
		s.serve(phase, own, took)
		for i, login := range logins {
			latencies[login] = took[i]
		}
		phase = source.Float64()
	}
}

// Spread returns how percentiles of a step, in thousandths, vary from run to run. Each run
// draws new arrivals and a new phase. For each percentile the result has its 2.5 and 97.5 %
// points over the runs, divided by the percentile of the logins of all runs together. OK is
// false if one of the three is a failed login.
func (s Service) Spread(draw func(run int) Arrivals, runs int, seed uint64, perMille ...int) []Spread {
	source := stream(seed, phaseStream)
	found := make([][]time.Duration, len(perMille))
	var all []time.Duration
	for run := range runs {
		latencies := s.Latencies(draw(run), source.Float64(), source.Uint64())
		all = append(all, latencies...)
		for i, percentile := range perMille {
			found[i] = append(found[i], Percentile(latencies, percentile))
		}
	}
	spreads := make([]Spread, len(perMille))
	for i, percentile := range perMille {
		spreads[i] = spreadOf(found[i], Percentile(all, percentile))
	}
	return spreads
}

// Spread is how a percentile varies from run to run, as multiples of that of all runs together. A short
// run often has few of the longest queues, so that its percentile is usually lower.
type Spread struct {
	Low, High float64
	OK        bool
}

func spreadOf(found []time.Duration, together time.Duration) Spread {
	runs := len(found)
	if runs < 1 {
		return Spread{}
	}
	slices.Sort(found)
	lowest, highest := found[runs*25/1000], found[runs-1-runs*25/1000]
	if highest == Failed || together == Failed || together <= 0 {
		return Spread{}
	}
	return Spread{Low: float64(lowest) / float64(together), High: float64(highest) / float64(together), OK: true}
}

func (s Service) replicaOf(login int, source *rand.Rand) int {
	if s.InTurn {
		return login % int(s.Replicas)
	}
	return source.IntN(int(s.Replicas))
}

func (s Service) random() bool { return s.binding() || s.Replicas > 1 }

// stream returns a random source that is always the same for the same seed and number.
func stream(seed uint64, number uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, number)) //nolint:gosec // a simulation must be repeatable, not unpredictable
}
