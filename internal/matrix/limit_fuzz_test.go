package matrix

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// The limit in a name must parse to the same limit: otherwise two variants could share a
// name, or a name could be wrong.
func FuzzShortestLimit(f *testing.F) {
	for _, limit := range []string{"250m", "0.5", "1", "1.5", "1e-3", "2k", "0", "-1", "1500u", "x"} {
		f.Add(limit)
	}
	f.Fuzz(func(t *testing.T, limit string) {
		milli, err := MilliCPU(limit)
		if err != nil {
			return
		}
		back, err := resource.ParseQuantity(Quantity(milli))
		if err != nil || back.MilliValue() != milli {
			t.Fatalf("%q became %q: %v, %v", limit, Quantity(milli), back, err)
		}
	})
}
