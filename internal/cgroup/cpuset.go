package cgroup

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Cpuset is the numbers of the CPUs that a process can run on, in ascending order.
type Cpuset []int

// String formats the set as the kernel does, such as 0-3,8; empty without a CPU.
func (c Cpuset) String() string {
	var list strings.Builder
	for i := 0; i < len(c); {
		last := i
		for last+1 < len(c) && c[last+1] == c[last]+1 {
			last++
		}
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(strconv.Itoa(c[i]))
		if last > i {
			list.WriteByte('-')
			list.WriteString(strconv.Itoa(c[last]))
		}
		i = last + 1
	}
	return list.String()
}

// Affinity returns the CPUs that this process can run on. It asks the scheduler and does
// not read cpuset.cpus, which is empty in a version 1 cgroup that only inherits and may not
// be mounted at all.
func Affinity() (Cpuset, error) {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return nil, fmt.Errorf("read the CPUs that this process can run on: %w", err)
	}
	cpus := make(Cpuset, 0, mask.Count())
	for cpu := 0; len(cpus) < cap(cpus); cpu++ {
		if mask.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpus, nil
}
