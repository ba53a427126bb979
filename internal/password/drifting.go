//go:build drift

package password

import (
	"sync"

	"github.com/hashmark-dev/hashmark/internal/password/drift"
)

// pacer is one for the whole process: all hashes are of one CPU.
var pacer = sync.OnceValue(drift.FromEnvironment)

// drifting slows a hash down by the schedule that the environment names.
func drifting(matches func(password []byte) bool) func(password []byte) bool {
	return func(password []byte) (is bool) {
		pacer().Run(func() { is = matches(password) })
		return is
	}
}
