package matrix

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	milliPerCPU = 1000
	// maxCPUs is the API's limit, checked here too so that no sum can overflow.
	maxCPUs = 64
)

// MilliCPU returns a CPU limit in thousandths of a CPU. Finer parts are rounded up, as in
// Kubernetes. A limit that is not a quantity, not above 0, or above 64 CPUs is an error.
func MilliCPU(limit string) (int64, error) {
	quantity, err := resource.ParseQuantity(limit)
	if err != nil {
		return 0, fmt.Errorf("CPU limit %q is not a quantity such as 250m or 1: %w", limit, err)
	}
	milli := quantity.MilliValue()
	if milli <= 0 || milli > maxCPUs*milliPerCPU {
		return 0, fmt.Errorf("CPU limit %q must be above 0 and at most %d CPUs", limit, maxCPUs)
	}
	return milli, nil
}

// shortestLimit formats a limit for a name: whole CPUs as a plain number, anything else in
// thousandths, because a dot would split a name into two labels.
func shortestLimit(milli int64) string {
	if milli%milliPerCPU == 0 {
		return strconv.FormatInt(milli/milliPerCPU, 10)
	}
	return strconv.FormatInt(milli, 10) + "m"
}

// wholeCPUs rounds a limit up to whole CPUs.
func wholeCPUs(milli int64) int32 {
	return int32((milli + milliPerCPU - 1) / milliPerCPU)
}
