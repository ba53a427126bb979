package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

const (
	// cpuHierarchy is where cgroup v1 limits CPU time.
	cpuHierarchy = "/sys/fs/cgroup/cpu"
	// heaviest is the largest weight that the kernel takes, 256 times the usual
	// one: the model knows no neighbours, so that there should be none to speak of.
	heaviest = 262_144

	periodMicroseconds = 100_000
	fileMode           = 0o644
	programMode        = 0o755
)

// quota is a control group with a CPU limit.
type quota struct{ folder string }

// newQuota makes a group; 0 thousandths of a CPU are no limit.
func newQuota(name string, milliCPU int64) (quota, error) {
	q := quota{filepath.Join(cpuHierarchy, name)}
	if err := os.Mkdir(q.folder, programMode); err != nil {
		return quota{}, fmt.Errorf("make a control group: %w", err)
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

// remove takes the group away, which must be empty.
func (q quota) remove() error { return os.Remove(q.folder) }

// within writes a program that runs another inside the group from its first
// moment: the Go runtime looks at its limit as it starts. The generator's
// real-time priority is given up first, which quotas don't apply to.
func (q quota) within(folder, binary string) (string, error) {
	wrapper := filepath.Join(folder, "within")
	text := fmt.Sprintf("#!/bin/sh\nchrt --other --pid 0 $$ && echo $$ > %s/cgroup.procs || exit 1\nexec %s \"$@\"\n", q.folder, binary)
	return wrapper, os.WriteFile(wrapper, []byte(text), programMode)
}
