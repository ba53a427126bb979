package loadplan

import (
	"fmt"
	"math"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/password"
)

const (
	// fastestOpen is the API's limit of a rate: what one generator can time correctly.
	fastestOpen = 2000 * milli
	// usualGeneratorMilliCPU is the operator's default.
	usualGeneratorMilliCPU = 500
	// generatorMicrosPerLogin is the CPU time of a generator per login, including its records
	// and its share of k6's start: 2.1 s for 4,250 logins at 425/s, 1.5 s for 2,500 at 250/s
	// (measured over loopback, k6 1.8.1, Zen 4). On a CPU that hashes slower, it is longer by
	// the same factor.
	generatorMicrosPerLogin = 500
	// generatorShare is the share of its CPU limit that a generator is planned to use. Above
	// it, k6's own delays begin to show as latency.
	generatorShare = 0.5
	// sessionAnswer is the longest time of a login with a cookie: it needs no hash, but the
	// quota can throttle it.
	sessionAnswer = evidence.UsualPeriod
)

// generatorCeiling returns the highest rate, times 1000, that a generator can time correctly within its CPU
// limit, if its CPU is as slow as the service's.
func generatorCeiling(generator v1beta1.Generator, cal handover.Calibration) (int64, error) {
	milliCPU, err := GeneratorMilliCPU(generator)
	if err != nil {
		return 0, err
	}
	usual := password.Recipe{Algorithm: password.Bcrypt, Cost: password.ReferenceCost}.GuessedTime()
	slower := max(1, float64(cal.ReferenceMicroseconds)/float64(usual.Microseconds()))
	perSecond := generatorShare * float64(milliCPU) / milli * microsPerSecond / generatorMicrosPerLogin / slower
	return min(fastestOpen, int64(perSecond*milli)), nil
}

// GeneratorMilliCPU returns the CPU limit of a generator, in thousandths: by default the operator's own default.
func GeneratorMilliCPU(generator v1beta1.Generator) (int64, error) {
	if generator.CPULimit == nil {
		return usualGeneratorMilliCPU, nil
	}
	milliCPU, err := matrix.MilliCPU(generator.CPULimit.String())
	if err != nil {
		return 0, fmt.Errorf("the generator's CPU limit: %w", err)
	}
	return milliCPU, nil
}

// generatorLimited reports whether the generator reaches its limit before the service does.
// With sessions, the service hashes only once per caller, so its bound does not limit the
// rest.
func (s service) generatorLimited() bool { return s.sessions || s.bound > s.ceiling }

// highestRate returns the rate, times 1000, of which steps are shares: the bound, or what
// the generator can drive.
func (s service) highestRate() int64 {
	if s.generatorLimited() {
		return s.ceiling
	}
	return s.bound
}

// sessionCallers returns enough callers for the rate when responses need no hash. They are few, because
// each has to log in once within half a timeout.
func (s service) sessionCallers(offeredMilli int64) int {
	needed := int(math.Ceil(float64(offeredMilli)/milli*sessionAnswer.Seconds())) + spareCallers
	patient := int(math.Floor(s.timeout.Seconds()/2/s.interval.Seconds())) * int(s.replicas)
	return max(1, min(needed, patient, mostCallers))
}

// sessionSettling is the time in which every caller can log in once, and catch up.
func (s service) sessionSettling(offeredMilli int64) time.Duration {
	return s.closedSettling(s.sessionCallers(offeredMilli))
}
