package drift

import (
	"errors"
	"fmt"
	"time"
)

// Moment is when a hash begins.
type Moment struct {
	// Serving is false while the login service calibrates.
	Serving bool
	// Since is the time since the process began its first hash.
	Since time.Duration
	// Hash is the number of hashes that the process began before this one.
	Hash int64
	// Shared is true if another hash of the process runs.
	Shared bool
}

// Schedule returns the factor of the CPU time of a hash that begins at a moment: 1 is the
// steady service, 1.2 is slower.
type Schedule func(Moment) float64

const (
	// sawtoothWidth is how far the sawtooth goes above and below 1.
	sawtoothWidth = 0.15
	// sawtoothPeriod is its period. It begins in the middle of a tooth.
	sawtoothPeriod = 40 * time.Second

	slower = 1.2
	faster = 0.8
	// FasterFrom is the first hash of the service that the schedule "faster" makes fast,
	// counted from 0. It counts hashes and not seconds, so that they are in the same step
	// of a plan on any machine.
	FasterFrom = 200
	// FasterUntil is the first hash after them that is not made fast.
	FasterUntil = 350
)

// ErrSchedule means that no schedule has that name.
var ErrSchedule = errors.New("unknown schedule")

// Named returns the schedule with a name:
//
//	steady     1 throughout
//	sawtooth   from 0.85 to 1.15 in 40 s, and down at once
//	slower     1 while the service calibrates, 1.2 while it serves
//	faster     0.8 in some hashes of the service, else 1
//	busy10, busy30, busy45     10, 30 or 45 % more while another hash runs
//
// The error wraps ErrSchedule.
func Named(name string) (Schedule, error) {
	switch name {
	case "steady":
		return func(Moment) float64 { return 1 }, nil
	case "sawtooth":
		return sawtooth, nil
	case "slower":
		return afterCalibration, nil
	case "faster":
		return inTheMiddle, nil
	case "busy10":
		return busier(0.10), nil
	case "busy30":
		return busier(0.30), nil
	case "busy45":
		return busier(0.45), nil
	default:
		return nil, fmt.Errorf("%w: %q; it must be steady, sawtooth, slower, faster, busy10, busy30 or busy45", ErrSchedule, name)
	}
}

func sawtooth(m Moment) float64 {
	at := (m.Since + sawtoothPeriod/2) % sawtoothPeriod
	return 1 + sawtoothWidth*(2*at.Seconds()/sawtoothPeriod.Seconds()-1)
}

func afterCalibration(m Moment) float64 {
	if m.Serving {
		return slower
	}
	return 1
}

func inTheMiddle(m Moment) float64 {
	if m.Serving && m.Hash >= FasterFrom && m.Hash < FasterUntil {
		return faster
	}
	return 1
}

// busier is a core whose threads slow each other down.
func busier(share float64) Schedule {
	return func(m Moment) float64 {
		if m.Shared {
			return 1 + share
		}
		return 1
	}
}
