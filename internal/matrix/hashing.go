package matrix

import (
	"fmt"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/password"
)

// hashing is an entry of the matrix's costs or controls: how logins are checked.
type hashing struct {
	// name is its part of the variants' names.
	name string
	// text describes it for people.
	text string
	// variant has only the hashing fields set.
	variant v1alpha1.Variant
}

// hashings returns the costs, then the controls, in the matrix's order.
func hashings(m v1alpha1.Matrix) []hashing {
	var all []hashing
	for _, cost := range m.Costs {
		all = append(all, hashing{
			name: fmt.Sprintf("c%d", cost), text: fmt.Sprintf("cost %d", cost),
			variant: v1alpha1.Variant{Algorithm: v1alpha1.AlgorithmBcrypt, Cost: cost},
		})
	}
	for _, control := range m.Controls {
		all = append(all, controlHashing(control))
	}
	return all
}

// controlHashing fills in OWASP's recommended parameters, so that a trial's plan says what
// is measured.
func controlHashing(c v1alpha1.Control) hashing {
	variant := v1alpha1.Variant{Algorithm: c.Algorithm, Sessions: c.Sessions, Control: c.Name,
		MemoryKiB: c.MemoryKiB, Iterations: c.Iterations, Parallelism: c.Parallelism}
	if c.Cost != nil {
		variant.Cost = *c.Cost
	}
	recipe := Recipe(variant).WithDefaults()
	variant.MemoryKiB, variant.Iterations, variant.Parallelism = orNil(recipe.MemoryKiB), orNil(recipe.Iterations), orNil(recipe.Parallelism)
	return hashing{name: c.Name, text: fmt.Sprintf("control %s (%s)", c.Name, Hashing(variant)), variant: variant}
}

// Recipe returns how a variant hashes passwords.
func Recipe(v v1alpha1.Variant) password.Recipe {
	return password.Recipe{
		Algorithm:   password.Algorithm(v.Algorithm),
		Cost:        v.Cost,
		MemoryKiB:   ptr.Deref(v.MemoryKiB, 0),
		Iterations:  ptr.Deref(v.Iterations, 0),
		Parallelism: ptr.Deref(v.Parallelism, 0),
	}
}

// Hashing describes how a variant checks logins, such as "bcrypt cost 10 with sessions".
func Hashing(v v1alpha1.Variant) string {
	text := Recipe(v).String()
	if v.Sessions {
		text += " with sessions"
	}
	return text
}

// orNil returns nil for 0, which stands for a parameter that the algorithm does not have.
func orNil(number int32) *int32 {
	if number == 0 {
		return nil
	}
	return &number
}
