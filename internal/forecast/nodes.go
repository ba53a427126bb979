package forecast

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

const milliPerCPU = 1000

// node is how a pod of one CPU limit was served, in thousandths of a CPU.
type node struct {
	limit int64
	// cpus is how many CPUs the pod could use at a time.
	cpus int32
	// quota tells whether a quota held it to its limit.
	quota bool
}

// nodes is how the pods of a node pool were served.
type nodes []node

func newNode(trial *v1alpha1.SizingTrial) node {
	cal := trial.Status.Calibration
	limit, _ := matrix.MilliCPU(trial.Spec.Variant.CPULimit) // one that is none has no trial
	cpus := int32(evidence.CPUs(cal.Cpuset))
	if cpus == 0 {
		cpus = cal.GoMaxProcs
	}
	return node{limit: limit, cpus: cpus, quota: cal.QuotaMilliCPU != nil}
}

// machine is what a container of a CPU limit would be given on such nodes, as
// its calibration tells it; false where that is not known. Limits that were
// served are served so again. Of others
//
//   - one of whole CPUs has CPUs of its own and no quota where one that was served
//     had (a static CPU manager), and as many as it says, up to as many as some pod had;
//   - any other has a quota, on the CPUs that pods with a quota share.
//
// A limit above the CPUs that pods were seen to have can't be told: nobody knows
// whether there are more.
func (n nodes) machine(limit int64) (v1alpha1.TrialCalibration, bool) {
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

// given is what a container has that may use so many CPUs.
func given(limit int64, cpus int32, quota bool) (v1alpha1.TrialCalibration, bool) {
	if cpus <= 0 || limit > int64(cpus)*milliPerCPU {
		return v1alpha1.TrialCalibration{}, false
	}
	cal := v1alpha1.TrialCalibration{GoMaxProcs: cpus}
	if quota {
		cal.QuotaMilliCPU = &limit
		// Go rounds a quota up to whole CPUs, and takes two at the least, where the
		// container has as many.
		cal.GoMaxProcs = min(cpus, max(2, int32((limit+milliPerCPU-1)/milliPerCPU)))
	}
	return cal, true
}

// exclusive tells whether whole CPUs are given for a pod's own.
func (n nodes) exclusive() bool {
	for _, seen := range n {
		if seen.limit%milliPerCPU == 0 && !seen.quota {
			return true
		}
	}
	return false
}

// most is the largest number of CPUs that a pod was seen to have.
func (n nodes) most() int32 {
	var most int32
	for _, seen := range n {
		most = max(most, seen.cpus)
	}
	return most
}

// shared is how many CPUs each pod with a quota was seen to have at the least;
// of nodes on which none was seen, 0.
func (n nodes) shared() int32 {
	var least int32
	for _, seen := range n {
		if seen.quota && (least == 0 || seen.cpus < least) {
			least = seen.cpus
		}
	}
	return least
}
