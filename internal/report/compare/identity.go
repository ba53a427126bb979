package compare

import (
	"strconv"

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
		memory: orZero(v.MemoryKiB), iterations: orZero(v.Iterations), parallel: orZero(v.Parallelism), sessions: v.Sessions,
		mode: v.Concurrency.Mode, workers: orZero(v.Concurrency.Workers), queue: orZero(v.Concurrency.QueueLength),
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

func orZero(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}
