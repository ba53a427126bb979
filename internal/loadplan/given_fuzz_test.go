package loadplan

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// FuzzRate: an accepted rate is within its bounds, and is the written number rounded up to a
// thousandth.
func FuzzRate(f *testing.F) {
	for _, rate := range []string{"4", "0.5", "1e3", "2k", "2000", "2000.0001", "-1", "0", "1e-9", "1e309", "9223372036854775807", "1Ei", "+1", "٣"} {
		f.Add(rate)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rate, err := milliPerSecond(intstr.FromString(text))
		if err != nil {
			return
		}
		back := resource.NewMilliQuantity(rate, resource.DecimalSI)
		if written, least := resource.MustParse(text), resource.NewMilliQuantity(rate-1, resource.DecimalSI); rate < 1 || rate > fastestOpen ||
			written.Cmp(*back) > 0 || written.Cmp(*least) <= 0 {
			t.Errorf("accepted %q as %d thousandths", text, rate)
		}
	})
}
