package matrix

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// point is one combination of the matrix's entries, as written in the matrix.
type point struct {
	hashing     hashing
	limit       string
	concurrency v1alpha1.Concurrency
	pool        *v1alpha1.NodePool
}

// String describes the combined entries of the matrix.
func (p point) String() string {
	text := fmt.Sprintf("%s with cpuLimit %q and %s", p.hashing.text, p.limit, p.concurrency.Mode)
	if p.concurrency.Workers != nil {
		text += fmt.Sprintf(" of %d workers", *p.concurrency.Workers)
	}
	if p.concurrency.QueueLength != nil {
		text += fmt.Sprintf(" with queueLength %d", *p.concurrency.QueueLength)
	}
	if p.pool != nil {
		text += fmt.Sprintf(" on node pool %s", p.pool.Name)
	}
	return text
}

// resolve fills in the defaults and names the variant. The concurrency is part of the name
// only if it distinguishes variants.
func (p point) resolve(nameConcurrency bool) (v1alpha1.Variant, error) {
	milli, err := MilliCPU(p.limit)
	if err != nil {
		return v1alpha1.Variant{}, err
	}
	concurrency := *p.concurrency.DeepCopy()
	if concurrency.Mode == v1alpha1.ConcurrencyWorkerPool && concurrency.Workers == nil {
		workers := wholeCPUs(milli)
		concurrency.Workers = &workers
	}
	variant := *p.hashing.variant.DeepCopy()
	variant.Name = fmt.Sprintf("%s-%s", p.hashing.name, shortestLimit(milli))
	if nameConcurrency {
		variant.Name += "-" + concurrencyName(concurrency)
	}
	if p.pool != nil {
		variant.Name += "-" + p.pool.Name
	}
	variant.CPULimit, variant.Concurrency, variant.NodePool = p.limit, concurrency, p.pool.DeepCopy()
	return variant, nil
}

// concurrencyName is u, w<workers>, or w<workers>q<queue length>. The queue length is
// omitted if it will follow from the calibration.
func concurrencyName(c v1alpha1.Concurrency) string {
	if c.Mode == v1alpha1.ConcurrencyUnbounded {
		return "u"
	}
	name := fmt.Sprintf("w%d", *c.Workers)
	if c.QueueLength != nil {
		name += fmt.Sprintf("q%d", *c.QueueLength)
	}
	return name
}
