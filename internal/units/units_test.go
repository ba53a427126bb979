package units_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/internal/units"
)

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0µs":     units.Latency(new(int64)),
		"980µs":   units.Latency(ptr.To[int64](980)),
		"1ms":     units.Latency(ptr.To[int64](1000)),
		"9.99ms":  units.Latency(ptr.To[int64](9_994)),
		"556ms":   units.Latency(ptr.To[int64](556_013)),
		"60.1ms":  units.Latency(ptr.To[int64](60_123)),
		"1s":      units.Latency(ptr.To[int64](999_500)),
		"999ms":   units.Latency(ptr.To[int64](999_499)),
		"1.23s":   units.Latency(ptr.To[int64](1_230_000)),
		"0.001/s": units.Rate(ptr.To[int64](1)),
		"0.048/s": units.Rate(ptr.To[int64](48)),
		"0.43/s":  units.Rate(ptr.To[int64](430)),
		"8.24/s":  units.Rate(ptr.To[int64](8_240)),
		"17.3/s":  units.Rate(ptr.To[int64](17_313)),
		"103/s":   units.Rate(ptr.To[int64](103_000)),
		"+91.1 %": units.Difference(ptr.To[int64](911)),
		"−3.4 %":  units.Difference(ptr.To[int64](-34)),
		"+0.1 %":  units.Difference(ptr.To[int64](1)),
		"±0 %":    units.Difference(new(int64)),
		"67 %":    units.Share(ptr.To[int64](670)),
		"58.5 %":  units.Share(ptr.To[int64](585)),
		"0.949":   units.Ratio(0.949),
		"1.07":    units.Ratio(1.0701),
		"12.3":    units.Ratio(12.34),
		"0":       units.Number(0),
		"10":      units.Number(9.996),
		"100":     units.Number(99.96),
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestWrittenIsWhatTheUserWrote(t *testing.T) {
	for _, want := range []string{"8", "8.0", "7500m"} {
		if got := units.Written(ptr.To(intstr.Parse(want))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestAbsentNumbersAreEmpty(t *testing.T) {
	if got := units.Latency(nil) + units.Rate(nil) + units.Difference(nil) + units.Share(nil) + units.Written(nil); got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}
