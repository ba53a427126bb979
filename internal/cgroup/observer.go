package cgroup

import (
	"crypto/rand"
	"fmt"
	"io/fs"
	"runtime"
	"time"

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
