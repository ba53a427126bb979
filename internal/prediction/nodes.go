package prediction

import (
	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const milliPerCPU = 1000

type node struct {
	limit int64
	// cpus is how many CPUs the pod could use at a time.
	cpus int32
	// quota reports whether the pod had a CPU quota.
	quota bool
}

type nodes []node

func newNode(trial *v1beta1.SizingTrial) node {
	cal := trial.Status.Calibration
	limit, _ := matrix.MilliCPU(trial.Spec.Variant.CPULimit) // an invalid limit has no trial
	cpus := int32(evidence.CPUs(cal.Cpuset))
	if cpus == 0 {
		cpus = cal.GoMaxProcs
	}
	return node{limit: limit, cpus: cpus, quota: cal.QuotaMilliCPU != nil}
}

// machine returns what a container with a CPU limit would get on such nodes, in the form of its
// calibration. A limit that a pod had gets the same again. Whole CPUs are exclusive if a pod with whole CPUs
// had no quota (a static CPU manager). Any other limit has a quota, on the CPUs that pods with a quota share.
// A limit above the CPUs that pods had is unknown.
func (n nodes) machine(limit int64) (handover.Calibration, bool) {
	// most is the highest number of CPUs of any pod, and shared the lowest of those with a quota.
	exclusive, most, shared := false, int32(0), int32(0)
	for _, seen := range n {
		if seen.limit == limit {
			return given(limit, seen.cpus, seen.quota)
		}
		exclusive = exclusive || seen.limit%milliPerCPU == 0 && !seen.quota
		most = max(most, seen.cpus)
		if seen.quota && (shared == 0 || seen.cpus < shared) {
			shared = seen.cpus
		}
	}
	if limit%milliPerCPU == 0 && exclusive {
		return given(limit, min(matrix.WholeCPUs(limit), most), false)
	}
	return given(limit, shared, true)
}

// assumed returns what a container with a part of a CPU would get if only pods with CPUs of their own were seen: the others
// share at least as many CPUs.
func (n nodes) assumed(limit int64) (handover.Calibration, bool) {
	most := int32(0)
	for _, seen := range n {
		most = max(most, seen.cpus)
	}
	return given(limit, max(2, most), limit < int64(most)*milliPerCPU)
}

// given returns the calibration of a container with a CPU limit that can use so many CPUs, or
// false if the limit is above them.
func given(limit int64, cpus int32, quota bool) (handover.Calibration, bool) {
	if cpus <= 0 || limit > int64(cpus)*milliPerCPU {
		return handover.Calibration{}, false
	}
	cal := handover.Calibration{Surroundings: handover.Surroundings{GoMaxProcs: cpus}}
	if quota {
		cal.QuotaMilliCPU = &limit
		// Go rounds a quota up to whole CPUs, and uses at least two if the container has
		// as many.
		cal.GoMaxProcs = min(cpus, max(2, matrix.WholeCPUs(limit)))
	}
	return cal, true
}
