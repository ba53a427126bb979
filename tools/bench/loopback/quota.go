package loopback

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
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

	// A group can be deleted once the kernel has removed its last process.
	removalTries    = 1000
	removalInterval = 10 * time.Millisecond
)

// Quota is a control group with a CPU limit.
type Quota struct{ folder string }

// NewQuota creates a group; 0 means no limit.
func NewQuota(name string, milliCPU int64) (Quota, error) {
	q := Quota{filepath.Join(cpuHierarchy, name)}
	if err := os.Mkdir(q.folder, programMode); err != nil {
		return Quota{}, fmt.Errorf("creating a control group: %w", err)
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
		return Quota{}, errors.Join(err, q.Remove())
	}
	return q, nil
}

func (q Quota) set(file string, value int64) error {
	return os.WriteFile(filepath.Join(q.folder, file), []byte(strconv.FormatInt(value, 10)), fileMode)
}

// Remove ends what still runs in the group, and deletes it.
func (q Quota) Remove() error {
	var last error
	for range removalTries {
		inside, err := os.ReadFile(filepath.Join(q.folder, "cgroup.procs"))
		if err != nil {
			return err
		}
		for text := range strings.FieldsSeq(string(inside)) {
			if pid, err := strconv.Atoi(text); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL) // fails if it has just ended
			}
		}
		if last = os.Remove(q.folder); last == nil {
			return nil
		}
		time.Sleep(removalInterval)
	}
	return fmt.Errorf("removing a control group: %w", last)
}

// Within writes a program that runs a command inside the group from its start, because the Go
// runtime reads its limit when it starts. The program's arguments are added to the command. It
// first resets the generator's real-time priority, which quotas do not apply to.
func (q Quota) Within(folder, command string) (string, error) {
	wrapper := filepath.Join(folder, filepath.Base(q.folder))
	text := fmt.Sprintf("#!/bin/sh\nchrt --other --pid 0 $$ && echo $$ > %s/cgroup.procs || exit 1\nexec %s \"$@\"\n", q.folder, command)
	return wrapper, os.WriteFile(wrapper, []byte(text), programMode)
}
