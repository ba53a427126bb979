package matrix

import (
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// hashings returns the hash of each cost, and then the others, as written.
func hashings(m v1beta1.Matrix) []v1beta1.Hash {
	var all []v1beta1.Hash
	for _, cost := range m.Costs {
		all = append(all, v1beta1.BcryptHash(cost))
	}
	return append(all, m.Hashes...)
}

// Costs returns each cost of a matrix once, whether it is in costs or in hashes, in the written order.
func Costs(m v1beta1.Matrix) []int32 {
	var costs []int32
	for _, hash := range hashings(m) {
		if hash.IsCost() && !slices.Contains(costs, hash.Cost()) {
			costs = append(costs, hash.Cost())
		}
	}
	return costs
}

// Recipe returns how a variant hashes passwords.
func Recipe(v v1beta1.Variant) password.Recipe {
	hash := v.Hash
	recipe := password.Recipe{Algorithm: password.Algorithm(hash.Kind()), Cost: hash.Cost()}
	switch {
	case hash.Argon2id != nil:
		recipe.MemoryKiB, recipe.Iterations, recipe.Parallelism = hash.Argon2id.MemoryKiB, hash.Argon2id.Iterations, hash.Argon2id.Parallelism
	case hash.Scrypt != nil:
		recipe.MemoryKiB, recipe.Parallelism = hash.Scrypt.MemoryKiB, hash.Scrypt.Parallelism
	case hash.PBKDF2 != nil:
		recipe.Digest, recipe.Iterations = string(hash.PBKDF2.Digest), hash.PBKDF2.Iterations
	}
	return recipe
}

// Parameter is an environment variable that says how passwords are hashed.
type Parameter struct{ Name, Value string }

// Parameters returns the variables that describe the hash of a variant, in a fixed order. A hash with other has none.
func Parameters(v v1beta1.Variant) []Parameter {
	recipe := Recipe(v)
	if recipe.Algorithm == password.Other {
		return nil
	}
	all := []Parameter{{envvar.Algorithm, string(recipe.Algorithm)}}
	for _, number := range []struct {
		name  string
		value int32
	}{
		{envvar.Cost, recipe.Cost},
		{envvar.MemoryKiB, recipe.MemoryKiB},
		{envvar.Iterations, recipe.Iterations},
		{envvar.Parallelism, recipe.Parallelism},
	} {
		if number.value != 0 {
			all = append(all, Parameter{number.name, strconv.Itoa(int(number.value))})
		}
	}
	if recipe.Digest != "" {
		all = append(all, Parameter{envvar.Digest, recipe.Digest})
	}
	return all
}

// Hashing describes how a variant checks logins, such as "bcrypt cost 10 with sessions".
func Hashing(v v1beta1.Variant) string {
	text := Recipe(v).String()
	if v.Hash.Sessions {
		text += " with sessions"
	}
	return text
}

// Unused returns a sentence that says how much of a variant's CPU limit its workers can
// never use, and what to change. It returns "" if they can use all of it, and if requests
// and not hashes take the CPU.
func Unused(v v1beta1.Variant) string {
	limit, err := MilliCPU(v.CPULimit)
	workers := ptr.Deref(v.Concurrency.Workers, 0)
	if err != nil || workers == 0 || v.Hash.Sessions || v.Hash.SHA256 != nil {
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

// AllUnused returns the sentences of Unused for the variants of a matrix. It includes those that are only predicted,
// because all of them are priced.
func AllUnused(m v1beta1.Matrix) []string {
	variants, _ := Variants(m) // a matrix that can't be expanded is refused
	var sentences []string
	for _, variant := range variants {
		if unused := Unused(variant); unused != "" {
			sentences = append(sentences, unused)
		}
	}
	return sentences
}

// besideHashes is the memory that a login service needs besides that of its hashes, in bytes.
const besideHashes = 64 << 20

// LeastMemory returns the memory that a replica of a variant with a memory-hard hash needs, in
// bytes: 64 MiB, and the memory of a hash for each worker. It is 0 for other hashes.
func LeastMemory(v v1beta1.Variant) int64 {
	recipe := Recipe(v)
	if !recipe.MemoryHard() {
		return 0
	}
	return besideHashes + int64(recipe.MemoryKiB)*int64(ptr.Deref(v.Concurrency.Workers, 1))<<10
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
	measured, err := Measured(spec, nil)
	if err != nil {
		return err
	}
	for _, v := range measured {
		least := LeastMemory(v)
		if spec.Service.Own != nil && least > 0 {
			// What another program needs beside its hashes is not known.
			if least -= besideHashes; limit.CmpInt64(least) < 0 {
				return fmt.Errorf("service.memoryLimit %s is too low for variant %s: logins that hash at the same time need %s for their hashes alone; raise service.memoryLimit, or lower the hash's memoryKiB or the workers",
					written, v.Name, resource.NewQuantity(least, resource.BinarySI))
			}
			continue
		}
		if limit.CmpInt64(least) < 0 {
			return fmt.Errorf("service.memoryLimit %s is too low for variant %s: %d workers that need %d KiB for each hash, and 64Mi, are %s; "+
				"raise service.memoryLimit to that, or lower the hash's memoryKiB, the workers or the CPU limit",
				written, v.Name, ptr.Deref(v.Concurrency.Workers, 1), Recipe(v).MemoryKiB, resource.NewQuantity(least, resource.BinarySI))
		}
	}
	return nil
}
