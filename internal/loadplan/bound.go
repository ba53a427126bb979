package loadplan

import (
	"k8s.io/utils/cpuset"

	api "github.com/hashmark-dev/hashmark/api/v1alpha1"
)

const (
	milli           = 1000
	microsPerSecond = 1_000_000
)

// BoundMilliPerSecond is the most logins per second, times 1000, that the CPU
// of all replicas together could hash: nothing that is measured can pass it.
// Workers is 0 for an unbounded service. What the calibration does not tell
// (a quota, a cpuset) does not limit. Without a hash time the bound is 0.
func BoundMilliPerSecond(replicas, workers int32, cal api.TrialCalibration) int64 {
	if cal.HashMicroseconds <= 0 {
		return 0
	}
	return int64(replicas) * effectiveMilliCPU(workers, cal) * microsPerSecond / cal.HashMicroseconds
}

// Workers is how many workers the variant's service has, 0 when it is unbounded.
func Workers(variant api.Variant) int32 {
	if variant.Concurrency.Mode == api.ConcurrencyUnbounded || variant.Concurrency.Workers == nil {
		return 0
	}
	return *variant.Concurrency.Workers
}

// effectiveMilliCPU is how much CPU one replica can use for hashing, in
// thousandths: the smallest of what limits it.
func effectiveMilliCPU(workers int32, cal api.TrialCalibration) int64 {
	effective := int64(cal.GoMaxProcs) * milli
	if workers > 0 {
		effective = min(effective, int64(workers)*milli)
	}
	if cal.QuotaMilliCPU != nil && *cal.QuotaMilliCPU > 0 {
		effective = min(effective, *cal.QuotaMilliCPU)
	}
	if cpus := cpusOf(cal.Cpuset); cpus > 0 {
		effective = min(effective, cpus*milli)
	}
	return effective
}

// cpusOf counts the CPUs of a kernel list such as 0-3,8. A list that is absent
// or unreadable counts as 0: it is evidence, and what it lacks is judged later.
func cpusOf(list string) int64 {
	set, err := cpuset.Parse(list)
	if err != nil {
		return 0
	}
	return int64(set.Size())
}
