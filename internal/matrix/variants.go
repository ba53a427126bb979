package matrix

import (
	"cmp"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// ErrEmpty means that a matrix has neither costs nor hashes, or no CPU limits.
var ErrEmpty = errors.New("the matrix is empty: name at least one cost or hash and one CPU limit")

// DuplicateVariantError means that two points of a matrix would deploy the same thing under
// the same name.
type DuplicateVariantError struct {
	// Name of both variants.
	Name string
	// First and Second are the two points as written in the matrix.
	First, Second string
}

// Error names the two entries and says what to do.
func (e *DuplicateVariantError) Error() string {
	return fmt.Sprintf("two variants resolve to %s: %s, and %s; remove one of them", e.Name, e.First, e.Second)
}

// Variants returns every point of the matrix in the written order, costs and then hashes outermost, with
// the defaults filled in. An absent queue length stays absent, because it follows from the calibration.
//
// Errors: ErrEmpty, *DuplicateVariantError, and an invalid CPU limit.
func Variants(m v1beta1.Matrix) ([]v1beta1.Variant, error) {
	if len(m.Costs)+len(m.Hashes) == 0 || len(m.CPULimits) == 0 {
		return nil, ErrEmpty
	}
	var variants []v1beta1.Variant
	writtenAs := map[string]string{}
	for _, p := range points(m) {
		variant, err := p.resolve(len(m.Concurrency) > 1)
		if err != nil {
			return nil, err
		}
		if first, taken := writtenAs[variant.Name]; taken {
			return nil, &DuplicateVariantError{Name: variant.Name, First: first, Second: p.String()}
		}
		writtenAs[variant.Name] = p.String()
		variants = append(variants, variant)
	}
	return variants, nil
}

func points(m v1beta1.Matrix) []point {
	concurrency := m.Concurrency
	if len(concurrency) == 0 {
		concurrency = []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyWorkerPool}}
	}
	pools := []*v1beta1.NodePool{nil}
	if len(m.NodePools) > 0 {
		pools = nil
		for i := range m.NodePools {
			pools = append(pools, &m.NodePools[i])
		}
	}
	var all []point
	for _, hashing := range hashings(m) {
		for _, limit := range m.CPULimits {
			for _, c := range concurrency {
				for _, pool := range pools {
					all = append(all, point{hash: hashing, limit: limit.String(), concurrency: c, pool: pool})
				}
			}
		}
	}
	return all
}

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

// Quantity formats thousandths of a CPU as a quantity: whole CPUs as a plain number, anything else
// in thousandths, because a dot would split a name into two labels.
func Quantity(milli int64) string {
	return resource.NewMilliQuantity(milli, resource.DecimalSI).String()
}

// WholeCPUs rounds thousandths of a CPU up to whole CPUs.
func WholeCPUs(milli int64) int32 { return int32((milli + milliPerCPU - 1) / milliPerCPU) }

// point is one combination of the matrix's entries.
type point struct {
	hash        v1beta1.Hash
	limit       string
	concurrency v1beta1.Concurrency
	pool        *v1beta1.NodePool
}

func (p point) String() string {
	hash := fmt.Sprintf("cost %d", p.hash.Cost())
	if p.hash.Name != "" {
		hash = fmt.Sprintf("hash %s (%s)", p.hash.Name, Hashing(v1beta1.Variant{Hash: p.hash}))
	}
	text := fmt.Sprintf("%s with cpuLimit %q and %s", hash, p.limit, p.concurrency.Mode)
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

// resolve fills in the defaults and names the variant, by its concurrency only if that distinguishes variants.
func (p point) resolve(nameConcurrency bool) (v1beta1.Variant, error) {
	milli, err := MilliCPU(p.limit)
	if err != nil {
		return v1beta1.Variant{}, err
	}
	concurrency := *p.concurrency.DeepCopy()
	if concurrency.Mode == v1beta1.ConcurrencyWorkerPool && concurrency.Workers == nil {
		workers := WholeCPUs(milli)
		concurrency.Workers = &workers
	}
	variant := v1beta1.Variant{
		Name: cmp.Or(p.hash.Name, fmt.Sprintf("c%d", p.hash.Cost())) + "-" + Quantity(milli),
		Hash: *p.hash.DeepCopy(), CPULimit: p.limit, Concurrency: concurrency, NodePool: p.pool.DeepCopy(),
	}
	if nameConcurrency {
		variant.Name += "-" + concurrencyName(concurrency)
	}
	if p.pool != nil {
		variant.Name += "-" + p.pool.Name
	}
	return variant, nil
}

// concurrencyName is u, w<workers>, or w<workers>q<queue length>.
func concurrencyName(c v1beta1.Concurrency) string {
	if c.Mode == v1beta1.ConcurrencyUnbounded {
		return "u"
	}
	name := fmt.Sprintf("w%d", *c.Workers)
	if c.QueueLength != nil {
		name += fmt.Sprintf("q%d", *c.QueueLength)
	}
	return name
}
