package calibration

import (
	"math"
	"testing"
)

// Under a quota of a quarter of a CPU the wall clock includes the throttling of every hash:
// by the clock, the variant would seem to hash four times as slowly.
func TestHashTimeUnderAQuotaIsNotTheClocks(t *testing.T) {
	t.Parallel()
	_, free := calibrator(1)
	_, limited := calibrator(0.25)
	want, err := free.Run(10)
	if err != nil {
		t.Fatal(err)
	}
	got, err := limited.Run(10)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.CPU.Mean-want.CPU.Mean) > want.CPU.Mean/1000 || got.Wall.Mean < 3*want.Wall.Mean {
		t.Errorf("a hash takes %v under a quota and %v without; by the clock %v and %v", got.CPU.Mean, want.CPU.Mean, got.Wall.Mean, want.Wall.Mean)
	}
}
