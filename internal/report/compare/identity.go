package compare

import (
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// identity is equal for variants that measure the same configuration. Their names can
// differ: if there is only one kind of concurrency, it is not part of the name.
type identity struct {
	algorithm                          v1alpha1.Algorithm
	control, limit, pool               string
	cost, memory, iterations, parallel int32
	sessions                           bool
	mode                               v1alpha1.ConcurrencyMode
	workers, queue                     int32
}

func identify(v v1alpha1.Variant) identity {
	id := identity{
		algorithm: v.Algorithm, control: v.Control, limit: limitOf(v), cost: v.Cost,
		memory: ptr.Deref(v.MemoryKiB, 0), iterations: ptr.Deref(v.Iterations, 0), parallel: ptr.Deref(v.Parallelism, 0), sessions: v.Sessions,
		mode: v.Concurrency.Mode, workers: ptr.Deref(v.Concurrency.Workers, 0), queue: ptr.Deref(v.Concurrency.QueueLength, 0),
	}
	if v.NodePool != nil {
		id.pool = v.NodePool.Name
	}
	return id
}

// limitOf returns the same text for equal limits, such as 1 and 1000m.
func limitOf(v v1alpha1.Variant) string {
	milli, err := matrix.MilliCPU(v.CPULimit)
	if err != nil {
		return v.CPULimit
	}
	return strconv.FormatInt(milli, 10)
}
