package cgroup

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// Observer takes readings of this process and its container.
type Observer struct {
	container *Container
	fsys      fs.FS
	bootID    string
	instance  string
	started   time.Time
}

// Observe begins to observe: the uptime of the readings counts from here, and their
// instance ID is drawn here, so that a restart is visible. The file system's root is the
// machine's, os.DirFS("/").
func Observe(fsys fs.FS) (*Observer, error) {
	container, err := Open(fsys)
	if err != nil {
		return nil, err
	}
	bootID, err := BootID(fsys)
	if err != nil {
		return nil, fmt.Errorf("read the boot ID: %w", err)
	}
	return &Observer{
		container: container,
		fsys:      fsys,
		bootID:    bootID,
		instance:  rand.Text(),
		started:   time.Now(),
	}, nil
}

// Container returns the cgroup under observation.
func (o *Observer) Container() *Container { return o.container }

// Uptime returns the age of the process, the clock of a reading's UptimeMicroseconds.
func (o *Observer) Uptime() time.Duration { return time.Since(o.started) }

// Read takes a reading with the CPU time of this process.
func (o *Observer) Read() (evidence.Reading, error) {
	return o.read(func() (int64, error) {
		used, err := ProcessCPUTime()
		return used.Microseconds(), err
	})
}

// ReadContainer takes a reading with the CPU time of every process in the container,
// including children of this one that still run; getrusage counts a child only after it has
// ended.
func (o *Observer) ReadContainer() (evidence.Reading, error) {
	return o.read(o.container.UsageMicroseconds)
}

// MemoryKills returns how many processes of the container were killed because its memory was used up.
func (o *Observer) MemoryKills() int64 { return o.container.MemoryKills() }

func (o *Observer) read(cpuMicroseconds func() (int64, error)) (evidence.Reading, error) {
	cpus, err := Affinity()
	if err != nil {
		return evidence.Reading{}, err
	}
	used, err := cpuMicroseconds()
	if err != nil {
		return evidence.Reading{}, err
	}
	cpu, err := o.container.CPU()
	if err != nil {
		return evidence.Reading{}, err
	}
	ticks, err := ReadTicks(o.fsys, cpus)
	if err != nil {
		return evidence.Reading{}, err
	}
	return evidence.Reading{
		InstanceID:            o.instance,
		BootID:                o.bootID,
		Cpuset:                cpus.String(),
		GoVersion:             runtime.Version(),
		GoMaxProcs:            GoMaxProcs(),
		UptimeMicroseconds:    o.Uptime().Microseconds(),
		CPUMicroseconds:       used,
		QuotaMilliCPU:         cpu.QuotaMilliCPU,
		PeriodMicroseconds:    cpu.PeriodMicroseconds,
		ThrottledPeriods:      cpu.ThrottledPeriods,
		ThrottledMicroseconds: cpu.ThrottledMicroseconds,
		MemoryPeakBytes:       o.container.MemoryPeakBytes(),
		CPUIdleMicroseconds:   ticks.IdleMicroseconds,
		CPUStealMicroseconds:  ticks.StealMicroseconds,
		CPUBusyMicroseconds:   ticks.BusyMicroseconds,
	}, nil
}

// GoMaxProcs returns how many threads can run Go code at a time. The runtime derives it
// from the cpuset and the quota and changes it when they change, so it is read again each
// time.
func GoMaxProcs() int32 {
	return int32(runtime.GOMAXPROCS(0))
}

// ProcessCPUTime returns the CPU time that this process has used, user and system, by
// getrusage. A thread that is running right now is counted up to its last scheduler tick,
// so that the result may be a few milliseconds too low, which is acceptable over a step of
// seconds.
func ProcessCPUTime() (time.Duration, error) {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0, fmt.Errorf("read the CPU time of this process: %w", err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// ThreadCPUTime returns the CPU time that the calling thread has used. The caller must hold
// its thread by runtime.LockOSThread.
//
// It reads the thread's CPU clock and not getrusage(RUSAGE_THREAD). Both report the same
// counter, but getrusage does not update it first. On Linux 6.18 at 250 ticks a second a
// loop of 0.45 ms read 0 to 1.13 ms by getrusage, and 0.45 ms by the clock; a hash of cost
// 4 takes 0.9 ms. The thread's time is preferred to the process's, which includes the
// garbage collector and other work of the runtime.
func ThreadCPUTime() (time.Duration, error) {
	return cpuClock(unix.CLOCK_THREAD_CPUTIME_ID, "this thread")
}

// AllThreadsCPUTime returns the CPU time that this process has used, by its CPU clock and
// therefore up to this moment, unlike ProcessCPUTime. It is for hashes that use several
// threads, and includes the runtime's other work.
func AllThreadsCPUTime() (time.Duration, error) {
	return cpuClock(unix.CLOCK_PROCESS_CPUTIME_ID, "this process")
}

// CPUTimeOf returns the CPU time that another process has used, by its CPU clock. The number of that
// clock is made of the PID, as clock_getcpuclockid(3) does.
func CPUTimeOf(pid int) (time.Duration, error) {
	const sched = 2 // CPUCLOCK_SCHED, of all threads
	return cpuClock(int32(^pid<<3|sched), fmt.Sprintf("process %d", pid))
}

func cpuClock(clock int32, owner string) (time.Duration, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(clock, &now); err != nil {
		return 0, fmt.Errorf("read the CPU time of %s: %w", owner, err)
	}
	return time.Duration(now.Nano()), nil
}
