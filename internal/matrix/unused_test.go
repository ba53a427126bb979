package matrix

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestACPULimitThatTheWorkersCanNotUseIsTold(t *testing.T) {
	pool := func(workers int32) []v1alpha1.Concurrency {
		return []v1alpha1.Concurrency{{Mode: v1alpha1.ConcurrencyWorkerPool, Workers: &workers}}
	}
	argon := v1alpha1.Control{Name: "argon", Algorithm: v1alpha1.AlgorithmArgon2id, Parallelism: ptr.To(int32(2))}
	tests := map[string]struct {
		limit       string
		concurrency []v1alpha1.Concurrency
		control     *v1alpha1.Control
		want        string
	}{
		"one worker beyond one CPU": {"1500m", pool(1), nil,
			"c10-1500m has a limit of 1500m and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"a limit as it was written": {"1.5", pool(1), nil,
			"c10-1500m has a limit of 1.5 and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"a whole CPU": {"2", pool(1), nil,
			"c10-2 has a limit of 2 and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"several": {"64", pool(2), nil,
			"c10-64 has a limit of 64 and 2 workers, which can use 2 CPUs: the rest is paid for and never used; set workers: 64, or cpuLimit: 2"},
		"a thousandth of a CPU": {"1001m", pool(1), nil,
			"c10-1001m has a limit of 1001m and 1 worker, which can use 1 CPU: the rest is paid for and never used; set workers: 2, or cpuLimit: 1"},
		"as many workers as CPUs":                 {"2", pool(2), nil, ""},
		"more workers than CPUs":                  {"500m", pool(4), nil, ""},
		"as many workers as there are by default": {"1500m", nil, nil, ""},
		"a goroutine for each login":              {"4", []v1alpha1.Concurrency{{Mode: v1alpha1.ConcurrencyUnbounded}}, nil, ""},
		"a hash with two lanes uses two CPUs":     {"2", pool(1), &argon, ""},
		"but not a third CPU": {"2500m", pool(1), &argon,
			"argon-2500m has a limit of 2500m and 1 worker, which can use 2 CPUs: the rest is paid for and never used; set workers: 2, or cpuLimit: 2"},
		"with sessions requests take the CPU": {"2", pool(1), &v1alpha1.Control{
			Name: "session", Algorithm: v1alpha1.AlgorithmBcrypt, Cost: ptr.To[int32](10), Sessions: true}, ""},
		"with a cheap hash requests take the CPU": {"2", pool(1), &v1alpha1.Control{Name: "cheap", Algorithm: v1alpha1.AlgorithmSHA256}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := v1alpha1.Matrix{CPULimits: []string{test.limit}, Concurrency: test.concurrency}
			if test.control != nil {
				m.Controls = []v1alpha1.Control{*test.control}
			} else {
				m.Costs = []int32{10}
			}
			variants, err := Variants(m)
			if err != nil || len(variants) != 1 {
				t.Fatalf("%d variants, %v", len(variants), err)
			}
			if got := Unused(variants[0]); got != test.want {
				t.Errorf("it says %q, want %q", got, test.want)
			}
		})
	}
}
