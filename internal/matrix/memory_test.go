package matrix

import (
	"strings"
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// A hash of Argon2id takes 19,456 KiB by default, one of Scrypt 131,072 KiB.
func TestTheMemoryLimitIsEnoughForEveryWorker(t *testing.T) {
	argon2id := v1alpha1.Control{Name: "argon2id", Algorithm: v1alpha1.AlgorithmArgon2id}
	scrypt := v1alpha1.Control{Name: "scrypt", Algorithm: v1alpha1.AlgorithmScrypt}
	pools := func(workers ...int32) []v1alpha1.Concurrency {
		var all []v1alpha1.Concurrency
		for _, n := range workers {
			all = append(all, v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyWorkerPool, Workers: ptr.To(n)})
		}
		return all
	}
	for name, test := range map[string]struct {
		limit string
		cpus  []string
		of    v1alpha1.Control
		pools []v1alpha1.Concurrency
		least string
	}{
		// 64 Mi + 3 × 19,456 KiB = 123,904 KiB
		"exactly as much as three workers need":      {"123904Ki", nil, argon2id, pools(3), ""},
		"one KiB less":                               {"123903Ki", nil, argon2id, pools(3), "121Mi"},
		"three workers by the CPU limit":             {"123904Ki", []string{"2500m"}, argon2id, nil, ""},
		"three workers by the CPU limit, a KiB less": {"123903Ki", []string{"2500m"}, argon2id, nil, "121Mi"},
		"in one of two pools":                        {"123903Ki", nil, argon2id, pools(1, 3), "121Mi"},
		"a default Scrypt":                           {"128Mi", nil, scrypt, nil, "192Mi"},
		"a smaller Scrypt":                           {"128Mi", nil, v1alpha1.Control{Name: "scrypt", Algorithm: v1alpha1.AlgorithmScrypt, MemoryKiB: ptr.To[int32](65536)}, nil, ""},
		"parts of a byte":                            {"134217728500m", nil, argon2id, nil, ""},
		"a hash that is not memory-hard":             {"32Mi", nil, v1alpha1.Control{Name: "cheap", Algorithm: v1alpha1.AlgorithmSHA256}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			spec := v1alpha1.SizingExperimentSpec{
				Matrix:  v1alpha1.Matrix{Costs: []int32{8}, Controls: []v1alpha1.Control{test.of}, CPULimits: test.cpus, Concurrency: test.pools},
				Service: v1alpha1.Service{MemoryLimit: test.limit},
			}
			if spec.Matrix.CPULimits == nil {
				spec.Matrix.CPULimits = []string{"1"}
			}
			err := CheckMemory(spec)
			if test.least == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if test.least != "" && (err == nil || !strings.Contains(err.Error(), test.limit+" is too low") || !strings.Contains(err.Error(), test.least)) {
				t.Errorf("want a refusal that names %s, got %v", test.least, err)
			}
		})
	}
}
