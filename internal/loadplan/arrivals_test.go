package loadplan_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

func TestDueTimesAreSortedCountedAndWithinTheStep(t *testing.T) {
	for _, n := range []int{0, 1, 2, 17, 5000} {
		for _, over := range []time.Duration{time.Millisecond, 3 * time.Second, 30 * time.Minute} {
			for name, due := range map[string][]time.Duration{
				"Poisson": loadplan.Poisson(uint32(n), n, over),
				"Uniform": loadplan.Uniform(n, over),
			} {
				if len(due) != n {
					t.Errorf("%s of %d over %s: got %d due times", name, n, over, len(due))
				}
				if !slices.IsSorted(due) {
					t.Errorf("%s of %d over %s: due times are not sorted", name, n, over)
				}
				if n > 0 && (due[0] < 0 || due[n-1] >= over) {
					t.Errorf("%s of %d over %s: due times span %s to %s", name, n, over, due[0], due[n-1])
				}
			}
		}
	}
}

// With other due times from the same seed, results could not be compared with those of an earlier
// release, and loadplan.Version must increase.
func TestTheDueTimesOfAStepStayTheSame(t *testing.T) {
	for name, test := range map[string]struct {
		step loadplan.Step
		want []time.Duration
	}{
		"a Poisson step with a settling part, whose seed wraps around": {
			loadplan.Step{Arrivals: "Poisson", SettleMilliseconds: 300, CountedMilliseconds: 1000, SettleRequests: 5, Requests: 4, Seed: math.MaxUint32},
			[]time.Duration{112_567, 132_024, 177_618, 261_284, 293_150, 342_622, 342_803, 950_417, 1_175_185},
		},
		"a uniform step with a settling part": {
			loadplan.Step{Arrivals: "Uniform", SettleMilliseconds: 700, CountedMilliseconds: 3000, SettleRequests: 2, Requests: 3},
			[]time.Duration{175_000, 525_000, 1_200_000, 2_200_000, 3_200_000},
		},
		"a step without logins": {loadplan.Step{Arrivals: "Poisson", CountedMilliseconds: 1000}, nil},
	} {
		var got []time.Duration
		for _, due := range test.step.Due() {
			got = append(got, due/time.Microsecond)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: due times in µs (-want +got):\n%s", name, diff)
		}
	}
}

// The Kolmogorov-Smirnov distance of n draws from their distribution exceeds 1.63 ÷ √n with a
// probability of 1 %. The seeds are fixed, so the test can't fail at random.
func TestGapsOfAMillionArrivalsAreExponential(t *testing.T) {
	const n, rate = 1_000_000, 50.0
	for _, seed := range []uint32{1, 42, 0xdeadbeef} {
		due := loadplan.Poisson(seed, n, time.Duration(n/rate*float64(time.Second)))
		gaps := make([]float64, n)
		previous := time.Duration(0)
		for k, at := range due {
			gaps[k] = (at - previous).Seconds()
			previous = at
		}
		exponential := func(x float64) float64 { return 1 - math.Exp(-rate*x) }
		if distance := kolmogorovSmirnov(gaps, exponential); distance > 1.63/math.Sqrt(n) {
			t.Errorf("seed %d: the gaps lie %.6f from the exponential distribution", seed, distance)
		}
	}
}

// The counts of a Poisson process have a variance equal to their mean; those of evenly spaced
// arrivals have no variance. A hundred thousand counts of ten show the ratio to half a
// percent.
func TestCountsOfAMillionArrivalsVaryAsTheirMean(t *testing.T) {
	const seconds, rate = 100_000, 10
	over := seconds * time.Second
	for _, seed := range []uint32{1, 42, 0xdeadbeef} {
		if got := dispersion(loadplan.Poisson(seed, seconds*rate, over), seconds); math.Abs(got-1) > 0.02 {
			t.Errorf("seed %d: the index of dispersion of Poisson arrivals is %.4f, not 1 within 0.02", seed, got)
		}
	}
	if got := dispersion(loadplan.Uniform(seconds*rate, over), seconds); got > 0.01 {
		t.Errorf("the index of dispersion of uniform arrivals is %.3f, not about 0", got)
	}
}

func TestSettlingAndCountedPatternsAreIndependent(t *testing.T) {
	a, b := loadplan.Poisson(11, 1000, time.Second), loadplan.Poisson(12, 1000, time.Second)
	shared := 0
	for _, due := range a {
		if _, found := slices.BinarySearch(b, due); found {
			shared++
		}
	}
	// Two independent patterns of 1,000 in a million microseconds share about one.
	if shared > 8 {
		t.Errorf("neighbouring seeds share %d of 1,000 due times", shared)
	}
}

func kolmogorovSmirnov(sample []float64, cumulative func(float64) float64) float64 {
	slices.Sort(sample)
	n, distance := float64(len(sample)), 0.0
	for i, x := range sample {
		expected := cumulative(x)
		distance = max(distance, expected-float64(i)/n, float64(i+1)/n-expected)
	}
	return distance
}

func dispersion(due []time.Duration, seconds int) float64 {
	counts := make([]float64, seconds)
	for _, at := range due {
		counts[int(at/time.Second)]++
	}
	mean := float64(len(due)) / float64(seconds)
	variance := 0.0
	for _, count := range counts {
		variance += (count - mean) * (count - mean)
	}
	return variance / float64(seconds-1) / mean
}
