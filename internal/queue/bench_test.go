package queue_test

import (
	"fmt"
	"testing"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

// A hundred waiting experiments of 64 trials each, more than expected in practice.
func BenchmarkDecideForAHundredExperiments(b *testing.B) {
	c := &cluster{}
	trials := make([]func(*v1beta1.SizingTrial), 64)
	for i := range trials {
		trials[i] = waits
	}
	for i := range 100 {
		c.add(fmt.Sprintf("team-%d", i%7), fmt.Sprintf("e%d", i), i, trials...)
	}
	for b.Loop() {
		queue.Decide(queue.Situation{Experiments: c.experiments, Trials: c.trials, Limit: 1, Now: noon})
	}
}
