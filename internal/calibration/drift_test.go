package calibration

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// drift returns how long work takes at a moment, relative to the machine's usual speed.
type drift func(at time.Duration) float64

// drifting returns the calibrator of a machine whose hashes take 34 µs + 55.25 µs × 2^cost
// of work, and whose speed changes over time.
func drifting(speed drift) Calibrator {
	var now time.Duration
	return Calibrator{
		Meter: Meter{
			CPU:  func() (time.Duration, error) { return now, nil },
			Wall: func() time.Duration { return now },
		},
		Limits: Standard,
		Prepare: func(cost int32) (func() error, error) {
			hash := func() error {
				const slice = 5 * time.Millisecond
				left := time.Duration(34_000 + 55_250*math.Exp2(float64(cost)))
				for ; left > 0; left -= slice {
					now += time.Duration(float64(min(left, slice)) * speed(now))
				}
				return nil
			}
			return hash, hash()
		},
		ReferenceCost: 8,
	}
}

// sawtooth rises from −15 to +15 % within 40 s, and falls at once.
func sawtooth(phase time.Duration) drift {
	return func(at time.Duration) float64 {
		_, part := math.Modf((at + phase).Seconds() / 40)
		return 0.85 + 0.3*part
	}
}

// swing goes up and down by 15 % within 40 s.
func swing(phase time.Duration) drift {
	return func(at time.Duration) float64 { return 1 + 0.15*math.Sin(2*math.Pi*(at+phase).Seconds()/40) }
}

// walk is a random walk that returns to the middle: with a spread of 7 %, it is
// correlated by 0.84 over half a second and 0.5 over two, as was measured on a
// rented machine.
func walk(seed uint64) drift {
	const step, memory, spread = 50 * time.Millisecond, 3.0, 0.07
	random := rand.New(rand.NewPCG(seed, 5))
	keep := math.Exp(-step.Seconds() / memory)
	values := []float64{spread * random.NormFloat64()}
	return func(at time.Duration) float64 {
		for len(values) <= int(at/step) {
			values = append(values, keep*values[len(values)-1]+spread*math.Sqrt(1-keep*keep)*random.NormFloat64())
		}
		return 1 + values[at/step]
	}
}

func TestTheRatioDoesNotDependOnTheCPUsSpeed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cost int32
		// tolerance: a slow hash is itself as long as the speed takes to change.
		tolerance float64
	}{
		"a quick cost":            {4, 0.005},
		"the usual cost":          {10, 0.005},
		"a cost of 0.2 s a hash":  {12, 0.01},
		"a cost of 0.45 s a hash": {13, 0.02},
	} {
		for kind, speed := range map[string]func(run int) drift{
			"sawtooth": func(run int) drift { return sawtooth(time.Duration(run) * 1300 * time.Millisecond) },
			"swing":    func(run int) drift { return swing(time.Duration(run) * 1300 * time.Millisecond) },
			"walk":     func(run int) drift { return walk(uint64(run)) },
		} {
			t.Run(name+", "+kind, func(t *testing.T) {
				t.Parallel()
				var worst float64
				missed := 0
				for run := range 31 {
					got, err := drifting(speed(run)).Run(test.cost)
					if err != nil {
						t.Fatal(err)
					}
					want := (34 + 55.25*math.Exp2(float64(test.cost))) / (34 + 55.25*256)
					off := math.Abs(got.Ratio.Mean/want - 1)
					worst = max(worst, off)
					// The interval can't show how the speed changes within a block.
					if off > got.Ratio.HalfWidth/want+0.001 {
						missed++
					}
				}
				if worst > test.tolerance || missed > 0 {
					t.Errorf("the ratio is off by %.2f %%, and %d times by more than its interval", 100*worst, missed)
				}
			})
		}
	}
}
