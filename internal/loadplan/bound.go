package loadplan

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const (
	milli           = 1000
	microsPerSecond = 1_000_000
)

// BoundMilliPerSecond returns the largest number of logins per second, times 1000, that the
// CPU of all replicas together can hash. No measurement can exceed it. What is unknown (a
// quota, a cpuset) does not limit. Without a hash time the bound is 0.
func BoundMilliPerSecond(replicas int32, variant v1alpha1.Variant, cal v1alpha1.TrialCalibration) int64 {
	if cal.HashMicroseconds <= 0 {
		return 0
	}
	return int64(replicas) * EffectiveMilliCPU(variant, cal) * microsPerSecond / cal.HashMicroseconds
}

// Workers returns the number of workers of the variant's service, 0 if it is unbounded.
func Workers(variant v1alpha1.Variant) int32 {
	if variant.Concurrency.Mode == v1alpha1.ConcurrencyUnbounded || variant.Concurrency.Workers == nil {
		return 0
	}
	return *variant.Concurrency.Workers
}

// EffectiveMilliCPU returns how much CPU one replica can use for hashing, in thousandths:
// the smallest of its limits. A worker uses as many CPUs at a time as its hash has threads.
func EffectiveMilliCPU(variant v1alpha1.Variant, cal v1alpha1.TrialCalibration) int64 {
	effective := int64(cal.GoMaxProcs) * milli
	if workers := Workers(variant); workers > 0 {
		effective = min(effective, int64(workers*matrix.Recipe(variant).Lanes())*milli)
	}
	if cal.QuotaMilliCPU != nil && *cal.QuotaMilliCPU > 0 {
		effective = min(effective, *cal.QuotaMilliCPU)
	}
	if cpus := int64(evidence.CPUs(cal.Cpuset)); cpus > 0 {
		effective = min(effective, cpus*milli)
	}
	return effective
}
