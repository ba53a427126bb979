//go:build !drift

package password

// drifting leaves a hash as it is: this is no service of the tests.
func drifting(matches func(password []byte) bool) func(password []byte) bool { return matches }
