package loadplan

import (
	"testing"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestBoundIsWhatTheScarcestResourceAllows(t *testing.T) {
	none := func(c *handover.Calibration) { c.QuotaMilliCPU = nil }
	unbounded := v1beta1.Variant{Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyUnbounded}}
	pool := v1beta1.Variant{Concurrency: v1beta1.Concurrency{Mode: v1beta1.ConcurrencyWorkerPool, Workers: ptr.To[int32](1)}}
	threaded := pool
	threaded.Hash = v1beta1.Hash{Argon2id: &v1beta1.Argon2id{Parallelism: 2}}
	tests := map[string]struct {
		replicas int32
		variant  v1beta1.Variant
		cal      handover.Calibration
		want     int64
	}{
		"the quota limits":                       {1, unbounded, calibrated(), 25_000},
		"the documented example holds":           {1, pool, calibrated(hashTakes(60_123)), 8_316},
		"workers limit":                          {1, pool, calibrated(none), 50_000},
		"a worker uses every thread of its hash": {1, threaded, calibrated(none), 100_000},
		"GOMAXPROCS limits":                      {1, unbounded, calibrated(none, func(c *handover.Calibration) { c.GoMaxProcs = 1 }), 50_000},
		"the cpuset limits":                      {1, unbounded, calibrated(none, func(c *handover.Calibration) { c.GoMaxProcs, c.Cpuset = 8, "0-1,5" }), 150_000},
		"an unknown cpuset does not limit":       {1, unbounded, calibrated(none, func(c *handover.Calibration) { c.GoMaxProcs, c.Cpuset = 4, "" }), 200_000},
		"an invalid cpuset does not limit":       {1, unbounded, calibrated(none, func(c *handover.Calibration) { c.GoMaxProcs, c.Cpuset = 4, "3-1" }), 200_000},
		"replicas add up":                        {3, pool, calibrated(), 75_000},
		"without a hash time it is 0":            {1, pool, handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: 1}}, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := BoundMilliPerSecond(test.replicas, test.variant, test.cal); got != test.want {
				t.Errorf("bound is %d, want %d", got, test.want)
			}
		})
	}
}

func TestStepSeedsOfOneExperimentNeverShareAPattern(t *testing.T) {
	used := map[uint32]string{}
	for repetition := int32(1); repetition <= 10; repetition++ {
		for step := warmupIndex; step < 24; step++ {
			seed := StepSeed(7, repetition, step)
			for _, s := range []uint32{seed, seed + 1} {
				if other, taken := used[s]; taken {
					t.Fatalf("repetition %d step %d draws from %d, as %s does", repetition, step, s, other)
				}
				used[s] = "an earlier one"
			}
		}
	}
}
