package evidence

import "testing"

// FuzzCPUs: a list of CPUs is expanded to at most MostCPUs, and overlaps itself unless it is empty
// or invalid.
func FuzzCPUs(f *testing.F) {
	for _, list := range []string{"", "0", "0-3,8", "0-4095", "0-9999999999", "3-1", "1,1", "-1", "0-", ",", "0-3\n", "٣"} {
		f.Add(list, "0-3")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		count := CPUs(a)
		if count < 0 || count > MostCPUs {
			t.Errorf("%q has %d CPUs", a, count)
		}
		if Overlap(a, a) != (count > 0) {
			t.Errorf("%q with %d CPUs overlaps itself: %t", a, count, Overlap(a, a))
		}
		if Overlap(a, b) != Overlap(b, a) {
			t.Errorf("%q and %q overlap only in one order", a, b)
		}
		if set, err := parse(a); err == nil && CPUs(set.String()) != count && set.Size() > 0 && len(set.String()) <= mostListBytes {
			t.Errorf("%q has %d CPUs, and %q %d", a, count, set, CPUs(set.String()))
		}
	})
}
