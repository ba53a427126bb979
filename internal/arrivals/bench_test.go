package arrivals_test

import (
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/arrivals"
)

// The longest step at the highest rate that the API allows.
func BenchmarkPoissonOfTheLongestStep(b *testing.B) {
	const rate, longest = 2000, 30 * time.Minute
	for b.Loop() {
		arrivals.Poisson(7, rate*int(longest.Seconds()), longest)
	}
}
