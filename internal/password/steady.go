//go:build !drift

package password

// drifting returns the hash unchanged, because this build is not for tests.
func drifting(matches func(password []byte) bool) func(password []byte) bool { return matches }
