package cgroup

import (
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// GoMaxProcs is how many threads may run Go code at a time. The runtime takes it
// from the cpuset and the quota and changes it when they change, so that it is
// asked anew each time.
func GoMaxProcs() int32 {
	return int32(runtime.GOMAXPROCS(0))
}

// ProcessCPUTime is the CPU time that this process has used, user and system,
// by getrusage. A thread that is running right now is counted up to its last
// scheduler tick, so that the answer may be a few milliseconds behind: fine over
// a step of seconds.
func ProcessCPUTime() (time.Duration, error) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read the CPU time of this process: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// ThreadCPUTime is the CPU time that the calling thread has used; the caller
// holds its thread by runtime.LockOSThread.
//
// It reads the thread's CPU clock and not getrusage(RUSAGE_THREAD), though both
// report the same counter: getrusage does not bring it up to date first. On
// Linux 6.18 at 250 ticks a second a loop of 0.45 ms read 0 to 1.13 ms by
// getrusage, and 0.45 ms by the clock; a hash of cost 4 takes 0.9 ms. The
// thread's time is preferred to the process's because the latter includes the
// garbage collector and whatever else the runtime does beside the hash.
func ThreadCPUTime() (time.Duration, error) {
	return cpuClock(unix.CLOCK_THREAD_CPUTIME_ID, "thread")
}

// AllThreadsCPUTime is the CPU time that this process has used, by its CPU clock
// and so up to this moment, which ProcessCPUTime is not. It is for what has
// threads of its own, and includes what the runtime does beside.
func AllThreadsCPUTime() (time.Duration, error) {
	return cpuClock(unix.CLOCK_PROCESS_CPUTIME_ID, "process")
}

func cpuClock(clock int32, of string) (time.Duration, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(clock, &now); err != nil {
		return 0, fmt.Errorf("read the CPU time of this %s: %w", of, err)
	}
	return time.Duration(now.Nano()), nil
}
