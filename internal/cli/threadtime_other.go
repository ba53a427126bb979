//go:build !linux

package cli

import (
	"fmt"
	"runtime"
	"time"
)

// threadTime returns an error, because the CPU time of a thread is read on Linux only.
// The wall clock is no replacement: other work on the machine makes a hash look slower.
func threadTime() (time.Duration, error) {
	return 0, fmt.Errorf("calibrate can't read the CPU time of a hash on %s; run it on Linux, preferably on one of your nodes", runtime.GOOS)
}
