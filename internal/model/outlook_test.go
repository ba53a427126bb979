package model_test

import (
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashmark-dev/hashmark/internal/model"
)

func TestAnOutlookFindsTheCapacityInATenthOfTheTime(t *testing.T) {
	for name, s := range services() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, times := range []time.Duration{2, 4, 12} {
				limit := atMost(times * s.NoLoadP95())
				want, got := s.LongCapacity(limit, 3), s.NewOutlook(false, 3).Capacity(limit)
				if math.Abs(got/want-1) > 0.03 {
					t.Errorf("p95 within %d times the idle one: %.4g/s, and %.4g/s from the long runs", times, got, want)
				}
			}
		})
	}
}

// Four times the logins halve the error.
func TestALongerOutlookVariesLess(t *testing.T) {
	t.Parallel()
	s := services()["pool on a CPU"]
	limit := atMost(4 * s.NoLoadP95())
	var short, long []float64
	for seed := range uint64(40) {
		outlook := s.NewOutlook(false, seed)
		short, long = append(short, math.Log(outlook.Capacity(limit))), append(long, math.Log(outlook.Longer(4).Capacity(limit)))
	}
	if less, more := stat.StdDev(long, nil), stat.StdDev(short, nil); less > 0.75*more {
		t.Errorf("the capacity varies by %.2g with four times the logins, and by %.2g without", less, more)
	}
}

func TestAnOutlookRisesWithTheLimit(t *testing.T) {
	for name, s := range services() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outlook, last := s.NewOutlook(false, 3), 0.0
			for times := 0.9; times < 40; times *= 1.05 {
				limit := model.Limit{P95: time.Duration(times * float64(s.NoLoadP95())), ErrorShare: 0.01}
				got := outlook.Capacity(limit)
				strict := limit
				strict.ErrorShare = 0
				if got < last || outlook.Capacity(strict) > got {
					t.Fatalf("within %v: %.5g/s, %.5g/s within less, %.5g/s with fewer failures", limit.P95, got, last, outlook.Capacity(strict))
				}
				if times < 1 && got != 0 {
					t.Fatalf("%.5g/s within less than an idle service takes", got)
				}
				last = got
			}
			if last <= 0 || last > model.MostShare*s.MaxPerSecond() {
				t.Errorf("%.5g/s, of a maximum of %.5g/s", last, s.MaxPerSecond())
			}
		})
	}
}
