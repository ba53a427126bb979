package model

import (
	"slices"
	"time"
)

// Percentile returns a percentile of latencies, in thousandths, by nearest rank, as package
// measurement does. It returns Failed if the login at that rank failed, or without
// latencies. It reorders the latencies.
func Percentile(latencies []time.Duration, perMille int) time.Duration {
	if len(latencies) == 0 {
		return Failed
	}
	return ranked(latencies, max(0, (perMille*len(latencies)+999)/1000-1))
}

// ranked returns the value that would be at a place if the values were sorted. It sorts only as much as
// necessary (Hoare's selection): sorting would take most of the time of a search for the capacity.
func ranked(values []time.Duration, place int) time.Duration {
	const fewEnough = 32
	for len(values) > fewEnough {
		pivot := middleOf(values[0], values[len(values)/2], values[len(values)-1])
		below, above := partition(values, pivot)
		switch {
		case place < below:
			values = values[:below]
		case place >= above:
			values, place = values[above:], place-above
		default:
			return pivot
		}
	}
	slices.Sort(values)
	return values[place]
}

// partition moves values below the pivot to the front and values above it to the end, and
// returns where the equal ones begin and end. There are many equal values, because every login
// on an idle service takes one hash.
func partition(values []time.Duration, pivot time.Duration) (below, above int) {
	above = len(values)
	for i := 0; i < above; {
		switch v := values[i]; {
		case v < pivot:
			values[i], values[below] = values[below], v
			below++
			i++
		case v > pivot:
			above--
			values[i], values[above] = values[above], v
		default:
			i++
		}
	}
	return below, above
}

func middleOf(a, b, c time.Duration) time.Duration {
	return max(min(a, b), min(max(a, b), c))
}

func failedShare(latencies []time.Duration) float64 {
	failed := 0
	for _, latency := range latencies {
		if latency == Failed {
			failed++
		}
	}
	return float64(failed) / float64(max(1, len(latencies)))
}
