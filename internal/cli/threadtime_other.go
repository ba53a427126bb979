//go:build !linux

package cli

import (
	"fmt"
	"runtime"
	"time"
)

// threadTime is the CPU time that the calling thread has used, which is read on Linux
// only. By the clock a hash would seem as slow as whatever else the machine does.
func threadTime() (time.Duration, error) {
	return 0, fmt.Errorf("calibrate can't read the CPU time of a hash on %s; run it on Linux, best on one of your nodes", runtime.GOOS)
}
