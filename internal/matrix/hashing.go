package matrix

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// hashings returns a variant for each cost, and then for each control, that has only the fields which say how
// logins are checked, and the first part of its name. Controls have OWASP's recommended parameters, so
// that a trial's plan says what is measured.
func hashings(m v1beta1.Matrix) []v1beta1.Variant {
	var all []v1beta1.Variant
	for _, cost := range m.Costs {
		all = append(all, v1beta1.Variant{Name: fmt.Sprintf("c%d", cost), Algorithm: v1beta1.AlgorithmBcrypt, Cost: cost})
	}
	for _, c := range m.Controls {
		v := v1beta1.Variant{
			Name: c.Name, Control: c.Name, Algorithm: c.Algorithm, Cost: ptr.Deref(c.Cost, 0), Sessions: c.Sessions,
			MemoryKiB: c.MemoryKiB, Iterations: c.Iterations, Parallelism: c.Parallelism,
		}
		recipe := Recipe(v).WithDefaults()
		v.MemoryKiB, v.Iterations, v.Parallelism = orNil(recipe.MemoryKiB), orNil(recipe.Iterations), orNil(recipe.Parallelism)
		all = append(all, v)
	}
	return all
}

// Recipe returns how a variant hashes passwords.
func Recipe(v v1beta1.Variant) password.Recipe {
	return password.Recipe{
		Algorithm:   password.Algorithm(v.Algorithm),
		Cost:        v.Cost,
		MemoryKiB:   ptr.Deref(v.MemoryKiB, 0),
		Iterations:  ptr.Deref(v.Iterations, 0),
		Parallelism: ptr.Deref(v.Parallelism, 0),
	}
}

// Hashing describes how a variant checks logins, such as "bcrypt cost 10 with sessions".
func Hashing(v v1beta1.Variant) string {
	text := Recipe(v).String()
	if v.Sessions {
		text += " with sessions"
	}
	return text
}

func orNil(number int32) *int32 {
	if number == 0 {
		return nil
	}
	return &number
}

// Unused returns a sentence that says how much of a variant's CPU limit its workers can
// never use, and what to change. It returns "" if they can use all of it, and if requests
// and not hashes take the CPU.
func Unused(v v1beta1.Variant) string {
	limit, err := MilliCPU(v.CPULimit)
	workers := ptr.Deref(v.Concurrency.Workers, 0)
	if err != nil || workers == 0 || v.Sessions || v.Algorithm == v1beta1.AlgorithmSHA256 {
		return ""
	}
	lanes := Recipe(v).Lanes()
	usable := int64(workers*lanes) * milliPerCPU
	if usable >= limit {
		return ""
	}
	return fmt.Sprintf("%s has a limit of %s and %s, which can use %s: the rest is paid for and never used; set workers: %d, or cpuLimit: %s",
		v.Name, v.CPULimit, units.Count(int64(workers), "worker"), units.Count(usable/milliPerCPU, "CPU"),
		(WholeCPUs(limit)+lanes-1)/lanes, Quantity(usable))
}

// besideHashes is the memory that a login service needs besides that of its hashes, in bytes.
const besideHashes = 64 << 20

// LeastMemory returns the memory that a replica of a variant with a memory-hard hash needs, in
// bytes: 64 MiB, and the memory of a hash for each worker. It is 0 for other hashes.
func LeastMemory(v v1beta1.Variant) int64 {
	if v.MemoryKiB == nil {
		return 0
	}
	return besideHashes + int64(*v.MemoryKiB)*int64(ptr.Deref(v.Concurrency.Workers, 1))<<10
}

// CheckMemory returns an error if service.memoryLimit is too low for a measured variant.
//
// Errors include those of Measured.
func CheckMemory(spec v1beta1.SizingExperimentSpec) error {
	written := units.Written(spec.Service.MemoryLimit)
	limit, err := resource.ParseQuantity(written)
	if err != nil {
		return fmt.Errorf("service.memoryLimit %q is not a quantity: %w", written, err)
	}
	measured, err := Measured(spec.Matrix)
	if err != nil {
		return err
	}
	for _, v := range measured {
		if least := LeastMemory(v); limit.CmpInt64(least) < 0 {
			return fmt.Errorf("service.memoryLimit %s is too low for variant %s: %d workers that need %d KiB for each hash, and 64Mi, are %s; "+
				"raise service.memoryLimit to that, or lower the control's memoryKiB, the workers or the CPU limit",
				written, v.Name, ptr.Deref(v.Concurrency.Workers, 1), *v.MemoryKiB, resource.NewQuantity(least, resource.BinarySI))
		}
	}
	return nil
}
