package calibration

import (
	"math"
	"testing"
	"time"
)

func TestDefaultQueueLength(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		perSecond float64
		timeout   time.Duration
		want      int32
	}{
		"half the timeout's worth of hashes": {8.3, 10 * time.Second, 41},
		"at least one":                       {0.1, time.Second, 1},
		"at most 1,024":                      {1000, time.Minute, 1024},
		"one if the rate is unknown":         {0, 10 * time.Second, 1},
		"1,024 if the rate is infinite":      {math.Inf(1), 10 * time.Second, 1024},
	}
	for name, test := range tests {
		if got := DefaultQueueLength(test.perSecond, test.timeout); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
