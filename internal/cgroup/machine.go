package cgroup

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
	"k8s.io/utils/cpuset"

	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// Ticks is how the CPUs of a set have spent their time since the machine started, for all
// processes.
type Ticks struct {
	// IdleMicroseconds with nothing to run, including waiting for a disk.
	IdleMicroseconds int64
	// StealMicroseconds that the hypervisor gave to other machines.
	StealMicroseconds int64
	// BusyMicroseconds of work.
	BusyMicroseconds int64
}

// ReadTicks adds up the lines of /proc/stat for the CPUs of a set. A CPU without a line is
// an error.
func ReadTicks(fsys fs.FS, cpus cpuset.CPUSet) (Ticks, error) {
	text, err := fs.ReadFile(fsys, "proc/stat")
	if err != nil {
		return Ticks{}, err
	}
	ticks, err := parseTicks(string(text), cpus)
	if err != nil {
		return Ticks{}, fmt.Errorf("proc/stat: %w", err)
	}
	return ticks, nil
}

// parseTicks stops at the first line that is not a CPU's, because those come first.
func parseTicks(text string, cpus cpuset.CPUSet) (Ticks, error) {
	wanted := make(map[string]bool, cpus.Size())
	for _, cpu := range cpus.List() {
		wanted["cpu"+strconv.Itoa(cpu)] = true
	}
	var sum Ticks
	for line := range strings.Lines(text) {
		if len(wanted) == 0 || !strings.HasPrefix(line, "cpu") {
			break
		}
		fields := strings.Fields(line)
		if !wanted[fields[0]] {
			continue
		}
		if err := sum.add(fields[1:]); err != nil {
			return Ticks{}, fmt.Errorf("%s: %w", fields[0], err)
		}
		delete(wanted, fields[0])
	}
	for cpu := range wanted {
		return Ticks{}, fmt.Errorf("no line for %s", cpu)
	}
	return sum, nil
}

// The columns of a CPU's line (proc_stat(5)). Guest time, which follows, is already part of
// user time.
const (
	columnIdle   = 3
	columnIOWait = 4
	columnSteal  = 7
	columns      = 8
)

func (t *Ticks) add(fields []string) error {
	if len(fields) < columns {
		return fmt.Errorf("%d columns, want at least %d", len(fields), columns)
	}
	for column, field := range fields[:columns] {
		ticks, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return err
		}
		switch column {
		case columnIdle, columnIOWait:
			t.IdleMicroseconds += ticks * evidence.TickMicroseconds
		case columnSteal:
			t.StealMicroseconds += ticks * evidence.TickMicroseconds
		default:
			t.BusyMicroseconds += ticks * evidence.TickMicroseconds
		}
	}
	return nil
}

// BootID returns the ID that the kernel draws when it starts: two containers with the same
// ID share a machine, whatever names their nodes have.
func BootID(fsys fs.FS) (string, error) {
	text, err := fs.ReadFile(fsys, "proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	return strings.TrimSpace(string(text)), nil
}

// CPUModel returns the CPU model as the kernel reports it. Kernels on ARM only report the
// numbers of implementer and part, which are combined. It returns "" if the kernel reports
// neither.
func CPUModel(fsys fs.FS) (string, error) {
	text, err := fs.ReadFile(fsys, "proc/cpuinfo")
	if err != nil {
		return "", err
	}
	return parseModel(string(text)), nil
}

func parseModel(text string) string {
	var implementer, part string
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "model name":
			return value
		case "CPU implementer":
			implementer = value
		case "CPU part":
			part = value
		}
	}
	if implementer == "" && part == "" {
		return ""
	}
	return fmt.Sprintf("implementer %s part %s", implementer, part)
}

// Cores returns all CPUs of the cores to which some CPUs belong: with hyper-threading, two threads share a
// core. It is empty if each of these cores has one thread, or if the kernel doesn't say.
func Cores(fsys fs.FS, cpus cpuset.CPUSet) cpuset.CPUSet {
	shared, all := false, cpus
	for _, cpu := range cpus.List() {
		text, err := fs.ReadFile(fsys, fmt.Sprintf("sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu))
		siblings, parseErr := cpuset.Parse(strings.TrimSpace(string(text)))
		if err != nil || parseErr != nil {
			return cpuset.New()
		}
		shared, all = shared || siblings.Size() > 1, all.Union(siblings)
	}
	if !shared {
		return cpuset.New()
	}
	return all
}

// Affinity returns the CPUs that this process can run on. It asks the scheduler and does
// not read cpuset.cpus, which is empty in a version 1 cgroup that only inherits and may not
// be mounted at all.
func Affinity() (cpuset.CPUSet, error) {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return cpuset.CPUSet{}, fmt.Errorf("read the CPUs that this process can run on: %w", err)
	}
	var cpus []int
	for cpu := 0; len(cpus) < mask.Count(); cpu++ {
		if mask.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	return cpuset.New(cpus...), nil
}
