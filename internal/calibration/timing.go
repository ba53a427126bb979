package calibration

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Meter reads the clocks. Only differences are used.
type Meter struct {
	// CPU returns the CPU time that the calling thread has used, which computes bcrypt.
	CPU func() (time.Duration, error)
	// Wall returns the time by a monotonic clock.
	Wall func() time.Duration
}

// Limits limit how long hashes are timed.
type Limits struct {
	// Least is the minimum time, and LeastSamples the minimum number, of the samples of a
	// cost.
	Least        time.Duration
	LeastSamples int
	// Most is the maximum time of the samples, even if a minimum is not reached.
	Most time.Duration
	// Reference is the minimum time for the reference cost.
	Reference time.Duration
	// WarmUp is the minimum time before the first sample of a cost.
	WarmUp time.Duration
	// BlockCPU is the CPU time of a block, and BlockWall its time by the clock: a block
	// ends when it has reached one of them.
	BlockCPU, BlockWall time.Duration
}

// Standard limits: three seconds and ten hashes, within a minute; two seconds for the
// reference. Blocks are much shorter than the half second in which the speed of a rented
// CPU begins to change, also under a small quota. On a busy machine with two CPUs, the
// ratio of cost 10 scattered by 0.8 % with blocks of 100 ms, and by 0.2 % with blocks of 20
// ms.
var Standard = Limits{
	Least: 3 * time.Second, LeastSamples: 10, Most: time.Minute,
	Reference: 2 * time.Second, WarmUp: 500 * time.Millisecond,
	BlockCPU: 25 * time.Millisecond, BlockWall: 100 * time.Millisecond,
}

const (
	// referenceSamples is the minimum number of hashes at the reference cost: under the
	// smallest quota of a kernel, two seconds have time for only one.
	referenceSamples = 5
	// fewestSamples is the minimum for a spread. It takes precedence over every limit.
	fewestSamples = 2
	// unlimited is the time limit of preparing a hash that is never too slow.
	unlimited = math.MaxInt64
	// sampleTime is filled with several hashes if one takes less than half of it: reading
	// the clock around a hash of a microsecond would time the clock.
	sampleTime = time.Millisecond
)

// ErrTooSlow means that there is not enough time for even two hashes.
var ErrTooSlow = errors.New("a hash takes too long to be timed; raise the CPU limit, or use a cheaper hash")

// Calibrator times hashes.
type Calibrator struct {
	Meter  Meter
	Limits Limits
	// Prepare returns a function that computes one bcrypt hash of a cost.
	Prepare func(cost int32) (hash func() error, err error)
	// ReferenceCost is timed alternately with the hash, and must be lower than any cost
	// that has to be scaled.
	ReferenceCost int32
}

// Hash is what is timed, and the clock that times it.
type Hash struct {
	// Recipe describes the hash.
	Recipe string
	// CPU returns the CPU time that the hash used. A hash that uses several threads, or
	// leaves work to the runtime, requires the process's CPU time.
	CPU func() (time.Duration, error)
	// Prepare returns a function that computes one hash.
	Prepare func() (hash func() error, err error)
	// WarmUp is the minimum time before the first sample, if it is longer than that of the limits.
	WarmUp time.Duration
}

// Timing is how long hashes took.
type Timing struct {
	// Cost is the requested cost, and TimedCost the cost that was timed: lower if the
	// requested one was too slow. Both are 0 with another hash than bcrypt.
	Cost, TimedCost int32
	// Recipe describes another hash than bcrypt.
	Recipe string
	// CPU time and Wall time of one hash.
	CPU, Wall Statistics
	// Reference is the CPU time of one hash of the reference cost.
	Reference Statistics
	// Ratio is CPU time of one hash ÷ that of one reference hash, by blocks.
	Ratio Statistics
	// Blocks are the mean CPU times of a reference hash in each of its blocks, in seconds,
	// in chronological order.
	Blocks []float64
	// Samples of the timed hash.
	Samples []Sample
	// Length is how long hashes were timed, by the clock.
	Length time.Duration
	// UnknownUserPerMille is how long a login of somebody who has no account takes; see Result.
	UnknownUserPerMille *int64
}

// Sample is the time of one hash, or the mean of a batch.
type Sample struct{ CPU, Wall time.Duration }

// Run times hashes of a bcrypt cost. The error is the hash's or the meter's own.
func (c Calibrator) Run(cost int32) (Timing, error) {
	reference, err := c.start(c.bcrypt(c.ReferenceCost), unlimited)
	if err != nil {
		return Timing{}, err
	}
	if cost == c.ReferenceCost {
		return c.alone(reference)
	}
	timed, err := c.affordable(cost, reference)
	if err != nil {
		return Timing{}, err
	}
	subject, err := c.start(c.bcrypt(timed), unlimited)
	if err != nil {
		return Timing{}, err
	}
	timing, err := c.alternate(subject, reference)
	if err != nil {
		return Timing{}, err
	}
	timing.Cost, timing.TimedCost = cost, timed
	if timed != cost {
		_, referenceWall := summarise(reference.samples)
		timing.CPU = scale(timing.Reference, timing.CPU, c.ReferenceCost, timed, cost)
		timing.Wall = scale(referenceWall, timing.Wall, c.ReferenceCost, timed, cost)
		timing.Ratio = scale(itself, timing.Ratio, c.ReferenceCost, timed, cost)
	}
	return timing, nil
}

// RunOther times a hash other than bcrypt, which has no cost to scale by: a slow hash gets fewer samples, at
// least two. The error is the hash's or the meter's own, or wraps ErrTooSlow.
func (c Calibrator) RunOther(hash Hash) (Timing, error) {
	reference, err := c.start(c.bcrypt(c.ReferenceCost), unlimited)
	if err != nil {
		return Timing{}, err
	}
	subject, err := c.start(hash, c.Limits.Most/fewestSamples)
	if err != nil {
		return Timing{}, err
	}
	timing, err := c.alternate(subject, reference)
	timing.Recipe = hash.Recipe
	return timing, err
}

// mostPairs and longestPairs limit how often, and for how long, Compare runs both functions.
const (
	mostPairs    = 20
	longestPairs = 5 * time.Second
)

// Compare returns the CPU time of one function ÷ that of another, in thousandths. It runs them
// alternately, at least once each, and adds up the times: a single one can be off by a tick of the
// scheduler. The error is a function's, or the clock's.
func (c Calibrator) Compare(cpu func() (time.Duration, error), one, other func() error) (int64, error) {
	var spent [2]time.Duration
	begin := c.Meter.Wall()
	for pair := 0; pair < mostPairs && (pair == 0 || c.Meter.Wall()-begin < longestPairs); pair++ {
		for i, run := range []func() error{one, other} {
			before, err := cpu()
			if err != nil {
				return 0, err
			}
			if err := run(); err != nil {
				return 0, err
			}
			after, err := cpu()
			if err != nil {
				return 0, err
			}
			spent[i] += after - before
		}
	}
	return int64(1000 * max(0, spent[0]) / max(1, spent[1])), nil
}

// affordable returns the cost itself, or the highest cost below it whose samples, with the
// hash that prepares them, fit into the time limit. The cost is at least one above the
// reference, because a line needs two costs. The first half of the reference's time
// determines what fits.
func (c Calibrator) affordable(cost int32, reference *stopwatch) (int32, error) {
	if cost <= c.ReferenceCost+1 {
		return cost, nil
	}
	if err := reference.until(c.Limits.Reference/2, referenceSamples); err != nil {
		return 0, err
	}
	_, wall := summarise(reference.samples)
	for timed := cost; timed > c.ReferenceCost+1; timed-- {
		perHash := wall.Mean * math.Exp2(float64(timed-c.ReferenceCost))
		if perHash*float64(c.Limits.LeastSamples+1) <= c.Limits.Most.Seconds() {
			return timed, nil
		}
	}
	return c.ReferenceCost + 1, nil
}

func (c Calibrator) bcrypt(cost int32) Hash {
	return Hash{
		Recipe:  fmt.Sprintf("cost %d", cost),
		Prepare: func() (func() error, error) { return c.Prepare(cost) },
		CPU:     c.Meter.CPU,
	}
}

func summarise(samples []Sample) (cpu, wall Statistics) {
	cpuSeconds, wallSeconds := make([]float64, len(samples)), make([]float64, len(samples))
	for i, s := range samples {
		cpuSeconds[i], wallSeconds[i] = s.CPU.Seconds(), s.Wall.Seconds()
	}
	return Summarise(cpuSeconds), Summarise(wallSeconds)
}

// longestDefaultQueue limits DefaultQueueLength: a longer queue is not a buffer any more,
// whatever the rate.
const longestDefaultQueue = 1024

// DefaultQueueLength returns how many logins a pool lets wait by default: what a service
// can hash in half the time that its callers wait, 1 to 1,024. The other half is left for
// the hash itself and for throttling by a quota: a login that times out in the queue has
// taken the place of one that could have been answered.
func DefaultQueueLength(hashesPerSecond float64, requestTimeout time.Duration) int32 {
	served := hashesPerSecond * requestTimeout.Seconds() / 2
	return int32(max(1, min(longestDefaultQueue, served)))
}
