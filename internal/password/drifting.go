//go:build drift

package password

import (
	"sync"

	"github.com/hashmark-dev/hashmark/test/drift"
)

// pacer is shared by the whole process, because all hashes run on one CPU.
var pacer = sync.OnceValue(drift.FromEnvironment)

// drifting slows a hash down by the schedule in the environment.
func drifting(matches func(password []byte) bool) func(password []byte) bool {
	return func(password []byte) (is bool) {
		pacer().Run(func() { is = matches(password) })
		return is
	}
}
