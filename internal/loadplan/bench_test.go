package loadplan_test

import (
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
)

// The longest step at the highest rate that the API allows.
func BenchmarkPoissonOfTheLongestStep(b *testing.B) {
	const rate, longest = 2000, 30 * time.Minute
	for b.Loop() {
		loadplan.Poisson(7, rate*int(longest.Seconds()), longest)
	}
}
