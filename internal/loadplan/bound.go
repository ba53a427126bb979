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

// BoundMilliPerSecond is the most logins per second, times 1000, that the CPU
// of all replicas together could hash: nothing that is measured can pass it.
// What the calibration does not tell (a quota, a cpuset) does not limit.
// Without a hash time the bound is 0.
func BoundMilliPerSecond(replicas int32, variant v1alpha1.Variant, cal v1alpha1.TrialCalibration) int64 {
	if cal.HashMicroseconds <= 0 {
		return 0
	}
	return int64(replicas) * EffectiveMilliCPU(variant, cal) * microsPerSecond / cal.HashMicroseconds
}

// Workers is how many workers the variant's service has, 0 when it is unbounded.
func Workers(variant v1alpha1.Variant) int32 {
	if variant.Concurrency.Mode == v1alpha1.ConcurrencyUnbounded || variant.Concurrency.Workers == nil {
		return 0
	}
	return *variant.Concurrency.Workers
}

// EffectiveMilliCPU is how much CPU one replica can use for hashing, in
// thousandths: the smallest of what limits it. A worker uses as many CPUs at a
// time as its hash has threads.
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
