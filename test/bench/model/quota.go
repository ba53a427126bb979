package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

const (
	// cpuHierarchy is the folder of cgroup v1's CPU controller.
	cpuHierarchy = "/sys/fs/cgroup/cpu"
	// heaviest is the kernel's largest weight, 256 times the default. The model does not
	// include neighbours, so they should get as little CPU as possible.
	heaviest = 262_144

	periodMicroseconds = 100_000
	fileMode           = 0o644
	programMode        = 0o755
)

// quota is a control group with a CPU limit.
type quota struct{ folder string }

// newQuota creates a group; 0 means no limit.
func newQuota(name string, milliCPU int64) (quota, error) {
	q := quota{filepath.Join(cpuHierarchy, name)}
	if err := os.Mkdir(q.folder, programMode); err != nil {
		return quota{}, fmt.Errorf("creating a control group: %w", err)
	}
	limit := int64(-1)
	if milliCPU > 0 {
		limit = milliCPU * periodMicroseconds / 1000
	}
	err := errors.Join(
		q.set("cpu.shares", heaviest),
		q.set("cpu.cfs_period_us", periodMicroseconds),
		q.set("cpu.cfs_quota_us", limit))
	if err != nil {
		return quota{}, errors.Join(err, q.remove())
	}
	return q, nil
}

func (q quota) set(file string, value int64) error {
	return os.WriteFile(filepath.Join(q.folder, file), []byte(strconv.FormatInt(value, 10)), fileMode)
}

// remove deletes the group, which must be empty.
func (q quota) remove() error { return os.Remove(q.folder) }

// within writes a program that runs another inside the group from its start, because the Go
// runtime reads its limit when it starts. It first resets the generator's real-time priority,
// which quotas do not apply to.
func (q quota) within(folder, binary string) (string, error) {
	wrapper := filepath.Join(folder, "within")
	text := fmt.Sprintf("#!/bin/sh\nchrt --other --pid 0 $$ && echo $$ > %s/cgroup.procs || exit 1\nexec %s \"$@\"\n", q.folder, binary)
	return wrapper, os.WriteFile(wrapper, []byte(text), programMode)
}
