package loadplan

import (
	"fmt"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const (
	// fastestOpen is the API's bound on a rate: what one generator times honestly.
	fastestOpen = 2000 * milli
	// usualGeneratorMilliCPU is the operator's default for a generator, for specs
	// that name none.
	usualGeneratorMilliCPU = 500
	// generatorMicrosPerLogin is what a login costs a generator in CPU time, with
	// its records and its share of k6's start: 2.1 s for 4,250 logins at 425/s,
	// 1.5 s for 2,500 at 250/s (measured over loopback, k6 1.8.1, Zen 4). A CPU that
	// hashes slower needs as much longer.
	generatorMicrosPerLogin = 500
	// referenceCost is the cost of the hash that every calibration times.
	referenceCost = 8
	// generatorShare of its CPU limit is what a generator may be planned to use:
	// past it k6 begins to book its own delay as latency.
	generatorShare = 0.5
	// sessionAnswer is how long a login with a cookie takes at the most: it costs
	// no hash, but may meet a stall of the quota.
	sessionAnswer = quotaPeriod
)

// generatorCeiling is the highest rate, times 1000, that the generator times
// honestly within its CPU limit, if its CPU is as slow as the service's.
func generatorCeiling(generator v1alpha1.Generator, cal v1alpha1.TrialCalibration) (int64, error) {
	milliCPU := int64(usualGeneratorMilliCPU)
	if generator.CPULimit != "" {
		var err error
		if milliCPU, err = matrix.MilliCPU(generator.CPULimit); err != nil {
			return 0, fmt.Errorf("the generator's CPU limit: %w", err)
		}
	}
	usual := guessedHash(v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmBcrypt, Cost: referenceCost})
	slower := max(1, float64(cal.ReferenceMicroseconds)/usual)
	perSecond := generatorShare * float64(milliCPU) / milli * microsPerSecond / generatorMicrosPerLogin / slower
	return min(fastestOpen, int64(perSecond*milli)), nil
}

// cheap tells that the generator gives out before the service does. A service
// with sessions hashes only once a caller; its bound says nothing of the rest.
func (s service) cheap() bool { return s.sessions || s.bound > s.ceiling }

// most is the highest rate, times 1000, that shares are taken of: the bound,
// or what the generator can drive.
func (s service) most() int64 {
	if s.cheap() {
		return s.ceiling
	}
	return s.bound
}

// sessionCallers keep the rate up with answers that need no hash. There are few
// of them, because each logs in once in each step: their logins must be hashed
// within half a timeout.
func (s service) sessionCallers(offeredMilli int64) int {
	needed := int(math.Ceil(float64(offeredMilli)/milli*sessionAnswer.Seconds())) + spareCallers
	patient := int(math.Floor(s.timeout.Seconds()/2/s.interval.Seconds())) * int(s.replicas)
	return max(1, min(needed, patient, mostCallers))
}

// sessionSettling lets every caller of an open step log in once, and what was
// due meanwhile catch up.
func (s service) sessionSettling(offeredMilli int64) time.Duration {
	return s.closedSettling(s.sessionCallers(offeredMilli))
}
