package calibration

import (
	"math"
	"testing"
)

// Under a quota of a quarter of a CPU the clock counts the stalls of every hash
// as well: by the clock, the variant would seem to hash four times as slowly.
func TestHashTimeUnderAQuotaIsNotTheClocks(t *testing.T) {
	t.Parallel()
	_, free := calibrator(1)
	_, held := calibrator(0.25)
	want, err := free.Run(10)
	if err != nil {
		t.Fatal(err)
	}
	got, err := held.Run(10)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.CPU.Mean-want.CPU.Mean) > want.CPU.Mean/1000 || got.Wall.Mean < 3*want.Wall.Mean {
		t.Errorf("a hash takes %v under a quota and %v without; by the clock %v and %v", got.CPU.Mean, want.CPU.Mean, got.Wall.Mean, want.Wall.Mean)
	}
}
