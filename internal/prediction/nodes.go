package prediction

import (
	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const milliPerCPU = 1000

// node is what a pod got for its CPU limit.
type node struct {
	// limit is the CPU limit in thousandths of a CPU.
	limit int64
	// cpus is how many CPUs the pod could use at a time.
	cpus int32
	// quota reports whether the pod had a CPU quota.
	quota bool
}

// nodes is what the pods of a node pool got for their CPU limits.
type nodes []node

func newNode(trial *v1alpha1.SizingTrial) node {
	cal := trial.Status.Calibration
	limit, _ := matrix.MilliCPU(trial.Spec.Variant.CPULimit) // an invalid limit has no trial
	cpus := int32(evidence.CPUs(cal.Cpuset))
	if cpus == 0 {
		cpus = cal.GoMaxProcs
	}
	return node{limit: limit, cpus: cpus, quota: cal.QuotaMilliCPU != nil}
}

// machine returns what a container with a CPU limit would get on such nodes, in the form of
// its calibration, or false if that is unknown. A limit that a pod had gets the same again.
// For other limits:
//
//   - A limit of whole CPUs has exclusive CPUs and no quota if a pod with whole CPUs had (a static
//     CPU manager): as many CPUs as the limit, up to the highest number of CPUs of any pod.
//   - Any other limit has a quota, on the CPUs that pods with a quota share.
//
// A limit above the CPUs that pods had is unknown, because the nodes may not have more CPUs.
func (n nodes) machine(limit int64) (handover.Calibration, bool) {
	for _, seen := range n {
		if seen.limit == limit {
			return given(limit, seen.cpus, seen.quota)
		}
	}
	if limit%milliPerCPU == 0 && n.exclusive() {
		return given(limit, min(int32(limit/milliPerCPU), n.most()), false)
	}
	return given(limit, n.shared(), true)
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
		cal.GoMaxProcs = min(cpus, max(2, int32((limit+milliPerCPU-1)/milliPerCPU)))
	}
	return cal, true
}

// exclusive reports whether pods with whole CPUs have exclusive CPUs.
func (n nodes) exclusive() bool {
	for _, seen := range n {
		if seen.limit%milliPerCPU == 0 && !seen.quota {
			return true
		}
	}
	return false
}

// most returns the highest number of CPUs of any pod.
func (n nodes) most() int32 {
	var most int32
	for _, seen := range n {
		most = max(most, seen.cpus)
	}
	return most
}

// shared returns the lowest number of CPUs of the pods with a quota, or 0 if no pod had a
// quota.
func (n nodes) shared() int32 {
	var least int32
	for _, seen := range n {
		if seen.quota && (least == 0 || seen.cpus < least) {
			least = seen.cpus
		}
	}
	return least
}
