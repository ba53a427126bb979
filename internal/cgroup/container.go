package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const (
	nanosecondsPerMicrosecond = 1000
	milliPerCPU               = 1000
	cpuStat                   = "cpu.stat"
)

// ErrNoUsage means that no cgroup counts this container's CPU time.
var ErrNoUsage = errors.New("no cgroup counts the CPU time of this container")

// CPU is a container's share of the CPU and its use, counted since its cgroup was created.
type CPU struct {
	// QuotaMilliCPU is the CFS quota in thousandths of a CPU, 0 without a quota.
	QuotaMilliCPU int64
	// PeriodMicroseconds is the length of a quota period, 0 without a quota.
	PeriodMicroseconds int64
	// BurstMicroseconds is how much unused quota can be saved and used later, 0 without
	// burst, and in kernels without bursts.
	BurstMicroseconds int64
	// Periods in which the container had work to do, by the kernel's count.
	Periods int64
	// ThrottledPeriods is how many of them it was throttled in.
	ThrottledPeriods int64
	// ThrottledMicroseconds is how long it was throttled, summed over its CPUs.
	ThrottledMicroseconds int64
}

// Container is the cgroup of this process.
type Container struct {
	fsys    fs.FS
	version Version
	cpu     string // the folder of cpu.stat and the quota
	usage   string // the folder of the CPU time
	peak    string // the file that holds the peak of the memory; empty if it does not exist
	kills   string // the file that counts processes that were killed for their memory; empty if it does not exist
}

// Open finds the cgroup of this process in a file system whose root is the machine's. A
// process that no cgroup controls is not an error: it has Version None and no quota.
// Malformed files are an error.
func Open(fsys fs.FS) (*Container, error) {
	h, err := readHierarchies(fsys)
	if err != nil {
		return nil, fmt.Errorf("find this process's cgroup: %w", err)
	}
	c := &Container{fsys: fsys}
	// A hybrid machine mounts both. A controller is in only one of them; if it is bound to a
	// version 1 hierarchy, that one counts.
	if c.cpu = h.folder(fsys, V1, "cpu", cpuStat); c.cpu != "" {
		c.version = V1
		c.usage = h.folder(fsys, V1, "cpuacct", "cpuacct.usage")
	} else if c.cpu = h.folder(fsys, V2, "cpu", cpuStat); c.cpu != "" {
		c.version = V2
		c.usage = c.cpu
	}
	// Version 2 has the peak from Linux 5.19 on.
	c.peak = memoryFile(fsys, h, "memory.max_usage_in_bytes", "memory.peak")
	c.kills = memoryFile(fsys, h, "memory.oom_control", "memory.events")
	if _, err := c.CPU(); err != nil {
		return nil, err
	}
	return c, nil
}

// memoryFile returns the path of a file of the memory controller, which has another name in each version, or an empty string if
// the file does not exist. The memory controller can be in another hierarchy than the CPU's.
func memoryFile(fsys fs.FS, h hierarchies, v1, v2 string) string {
	for _, at := range []struct {
		version Version
		file    string
	}{{V1, v1}, {V2, v2}} {
		if folder := h.folder(fsys, at.version, "memory", at.file); folder != "" {
			return path.Join(folder, at.file)
		}
	}
	return ""
}

// MemoryPeakBytes returns the maximum memory that the container has used at any time, or 0
// if it is unknown.
func (c *Container) MemoryPeakBytes() int64 {
	if c.peak == "" {
		return 0
	}
	bytes, err := c.number(path.Base(c.peak), path.Dir(c.peak))
	if err != nil {
		return 0
	}
	return max(0, bytes)
}

// MemoryKills returns how many processes of the container the kernel has killed because its memory was used up, or 0 if it is
// unknown.
func (c *Container) MemoryKills() int64 {
	if c.kills == "" {
		return 0
	}
	text, err := fs.ReadFile(c.fsys, c.kills)
	if err != nil {
		return 0
	}
	counters, err := parseKeyed(string(text))
	if err != nil {
		return 0
	}
	return counters["oom_kill"]
}

// Version returns which hierarchy limits the container's CPU.
func (c *Container) Version() Version { return c.version }

// CPU reads the quota and the counters of throttling.
func (c *Container) CPU() (CPU, error) {
	if c.version == None {
		return CPU{}, nil
	}
	stat, err := c.keyed(cpuStat)
	if err != nil {
		return CPU{}, err
	}
	cpu := CPU{Periods: stat["nr_periods"], ThrottledPeriods: stat["nr_throttled"]}
	if c.version == V1 {
		cpu.ThrottledMicroseconds = stat["throttled_time"] / nanosecondsPerMicrosecond
		err = c.quotaV1(&cpu)
	} else {
		cpu.ThrottledMicroseconds = stat["throttled_usec"]
		err = c.quotaV2(&cpu)
	}
	return cpu, err
}

// UsageMicroseconds returns the CPU time of every process that ever ran in the container.
// The error is ErrNoUsage if no cgroup counts it.
func (c *Container) UsageMicroseconds() (int64, error) {
	switch {
	case c.usage == "":
		return 0, ErrNoUsage
	case c.version == V1:
		nanoseconds, err := c.number("cpuacct.usage", c.usage)
		return nanoseconds / nanosecondsPerMicrosecond, err
	}
	stat, err := c.keyed(cpuStat)
	return stat["usage_usec"], err
}

// quotaV1 reads cpu.cfs_quota_us, which is -1 without a quota, cpu.cfs_period_us and
// cpu.cfs_burst_us. A kernel without CFS bandwidth control does not have the files: no
// quota.
func (c *Container) quotaV1(cpu *CPU) error {
	quota, err := c.number("cpu.cfs_quota_us", c.cpu)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	period, err := c.number("cpu.cfs_period_us", c.cpu)
	if err != nil {
		return err
	}
	if quota == -1 {
		return nil
	}
	return errors.Join(cpu.limit(quota, period), c.burst(cpu, "cpu.cfs_burst_us"))
}

// quotaV2 reads cpu.max (a quota or the word max, and the period) and cpu.max.burst. The
// root cgroup does not have the files: no quota.
func (c *Container) quotaV2(cpu *CPU) error {
	text, err := fs.ReadFile(c.fsys, path.Join(c.cpu, "cpu.max"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	fields := strings.Fields(string(text))
	if len(fields) != 2 {
		return fmt.Errorf("cpu.max holds %q, not a quota and a period", text)
	}
	if fields[0] == "max" {
		return nil
	}
	quota, quotaErr := strconv.ParseInt(fields[0], 10, 64)
	period, periodErr := strconv.ParseInt(fields[1], 10, 64)
	if err := errors.Join(quotaErr, periodErr); err != nil {
		return fmt.Errorf("cpu.max holds %q: %w", text, err)
	}
	return errors.Join(cpu.limit(quota, period), c.burst(cpu, "cpu.max.burst"))
}

// burst reads how much quota can be saved; kernels before 5.14 do not have the file.
func (c *Container) burst(cpu *CPU, file string) error {
	burst, err := c.number(file, c.cpu)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case burst < 0 || burst > maxMicroseconds:
		return fmt.Errorf("%s: the burst is %d µs; it must not be negative", file, burst)
	}
	cpu.BurstMicroseconds = burst
	return nil
}

// maxMicroseconds prevents overflows; the kernel's own limits are smaller (about 2^44 µs
// for a quota, a second for a period).
const maxMicroseconds = 1 << 50

func (cpu *CPU) limit(quota, period int64) error {
	if quota <= 0 || period <= 0 || max(quota, period) > maxMicroseconds {
		return fmt.Errorf("invalid quota of %d µs in a period of %d µs", quota, period)
	}
	cpu.QuotaMilliCPU = (quota*milliPerCPU + period/2) / period
	cpu.PeriodMicroseconds = period
	return nil
}

func (c *Container) number(file, folder string) (int64, error) {
	text, err := fs.ReadFile(c.fsys, path.Join(folder, file))
	if err != nil {
		return 0, err
	}
	value, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", file, err)
	}
	return value, nil
}

// keyed reads a file whose lines are a name and a number.
func (c *Container) keyed(file string) (map[string]int64, error) {
	text, err := fs.ReadFile(c.fsys, path.Join(c.cpu, file))
	if err != nil {
		return nil, err
	}
	values, err := parseKeyed(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return values, nil
}

func parseKeyed(text string) (map[string]int64, error) {
	values := make(map[string]int64)
	for line := range strings.Lines(text) {
		name, number, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			return nil, fmt.Errorf("line %q is not a name and a number", line)
		}
		value, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("line %q: %w", line, err)
		}
		values[name] = value
	}
	return values, nil
}
