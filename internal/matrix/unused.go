package matrix

import (
	"fmt"
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Unused returns a sentence that says how much of a variant's CPU limit its workers can
// never use, and what to change. It returns "" if they can use all of it, and if requests
// and not hashes take the CPU.
func Unused(v v1alpha1.Variant) string {
	limit, err := MilliCPU(v.CPULimit)
	workers := ptr.Deref(v.Concurrency.Workers, 0)
	if err != nil || workers == 0 || v.Sessions || v.Algorithm == v1alpha1.AlgorithmSHA256 {
		return ""
	}
	lanes := Recipe(v).Lanes()
	usable := int64(workers*lanes) * milliPerCPU
	if usable >= limit {
		return ""
	}
	return fmt.Sprintf("%s has a limit of %s and %s, which can use %s: %s paid for and never used; set workers: %d, or cpuLimit: %s",
		v.Name, v.CPULimit, counted(int64(workers), "worker"), counted(usable/milliPerCPU, "CPU"), amount(limit-usable),
		(wholeCPUs(limit)+lanes-1)/lanes, shortestLimit(usable))
}

// amount returns a text such as "1 CPU is", "2 CPUs are" or "500m are".
func amount(milli int64) string {
	switch {
	case milli == milliPerCPU:
		return "1 CPU is"
	case milli%milliPerCPU == 0:
		return counted(milli/milliPerCPU, "CPU") + " are"
	default:
		return shortestLimit(milli) + " are"
	}
}

// counted returns a text such as "1 worker" or "2 workers".
func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.FormatInt(n, 10) + " " + what
}
