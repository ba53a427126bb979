package v1beta1_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestMilliPerSecond(t *testing.T) {
	for rate, want := range map[intstr.IntOrString]int64{
		intstr.FromInt32(20): 20_000, intstr.FromString("20"): 20_000, intstr.FromString("0.5"): 500, intstr.FromString("0.001"): 1,
		intstr.FromInt32(1_000_000): 1_000_000_000, intstr.FromString("1000000.001"): 0,
		intstr.FromInt32(0): 0, intstr.FromInt32(-5): 0, intstr.FromString("many"): 0, intstr.FromString(""): 0,
	} {
		if got := (&v1beta1.Demand{LoginsPerSecond: rate}).MilliPerSecond(); got != want {
			t.Errorf("%q is %d thousandths of a login per second, want %d", rate.String(), got, want)
		}
	}
}
