package generator

import (
	"testing"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

func TestHowUnevenlyPodsShareTheLogins(t *testing.T) {
	const unknown = -1
	for name, test := range map[string]struct {
		hashes []int64
		want   int64
	}{
		"one pod":            {[]int64{500}, unknown},
		"no hashes":          {[]int64{0, 0, 0}, unknown},
		"pods in turn":       {[]int64{167, 167, 166}, 2},
		"at random":          {[]int64{111, 100, 89}, 1210},
		"one pod has it all": {[]int64{300, 0, 0}, mostSpread},
	} {
		var pods []evidence.Delta
		for _, n := range test.hashes {
			pods = append(pods, evidence.Delta{Hashes: n})
		}
		got := int64(unknown)
		if found := spread(pods); found != nil {
			got = *found
		}
		if got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}
