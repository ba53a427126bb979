package model

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestRankedIsWhatSortingFinds(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		values := make([]time.Duration, 1+source.IntN(300))
		for i := range values {
			values[i] = time.Duration(source.IntN(1 + source.IntN(300)))
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		place := source.IntN(len(values))
		if got := ranked(values, place); got != sorted[place] {
			t.Fatalf("place %d of %v holds %v", place, sorted, got)
		}
	}
}

func TestP95IsTheNearestRank(t *testing.T) {
	for n, want := range map[int]time.Duration{1: 1, 19: 19, 20: 19, 21: 20, 100: 95, 101: 96} {
		values := make([]time.Duration, n)
		for i := range values {
			values[i] = time.Duration(n - i)
		}
		if got := Percentile(values, 950); got != want {
			t.Errorf("p95 of 1 to %d is %d, want %d", n, got, want)
		}
	}
	if got := Percentile(nil, 950); got != Failed {
		t.Errorf("p95 of nothing is %v", got)
	}
}
