package evidence

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"k8s.io/utils/cpuset"
)

const (
	// UsualPeriod is the kernel's default length of a quota period.
	UsualPeriod = 100 * time.Millisecond
	// TickMicroseconds is the unit of the kernel's idle, steal and busy time: a hundredth of a second on
	// every architecture that Go and Kubernetes run on (USER_HZ, time(7)).
	TickMicroseconds = 10_000
)

// Reading has the counters of one container at one moment. They count from the start of the
// process, of its cgroup, or of the kernel, so only differences are meaningful.
type Reading struct {
	// InstanceID is random for each start of the process. Another ID means a restart.
	InstanceID string `json:"instanceID"`
	// BootID of the kernel. Two containers with the same ID share a machine.
	BootID string `json:"bootID"`
	// Cpuset is the list of CPUs that the process can run on, such as 0-3,8.
	Cpuset string `json:"cpuset"`
	// GoVersion is the Go version that the process was built with.
	GoVersion string `json:"goVersion"`
	// GoMaxProcs is how many threads can run Go code at a time.
	GoMaxProcs int32 `json:"goMaxProcs"`

	// UptimeMicroseconds is the age of the process by a monotonic clock.
	UptimeMicroseconds int64 `json:"uptimeMicroseconds"`
	// CPUMicroseconds is the process's own CPU time, user and system.
	CPUMicroseconds int64 `json:"cpuMicroseconds"`

	// QuotaMilliCPU is the CFS quota in thousandths of a CPU, 0 without a quota.
	QuotaMilliCPU int64 `json:"quotaMilliCPU,omitempty"`
	// PeriodMicroseconds is the length of a quota period, 0 without a quota.
	PeriodMicroseconds int64 `json:"periodMicroseconds,omitempty"`
	// ThrottledPeriods counts the periods in which the cgroup was throttled.
	ThrottledPeriods int64 `json:"throttledPeriods"`
	// ThrottledMicroseconds is how long it was throttled.
	ThrottledMicroseconds int64 `json:"throttledMicroseconds"`

	// MemoryPeakBytes is the most memory that the container has used at any time; 0 if it
	// is unknown.
	MemoryPeakBytes int64 `json:"memoryPeakBytes,omitempty"`

	// CPUIdleMicroseconds, CPUStealMicroseconds and CPUBusyMicroseconds are the
	// kernel's counters, summed over the CPUs of the cpuset.
	CPUIdleMicroseconds  int64 `json:"cpuIdleMicroseconds"`
	CPUStealMicroseconds int64 `json:"cpuStealMicroseconds"`
	CPUBusyMicroseconds  int64 `json:"cpuBusyMicroseconds"`
}

// Service is the response to GET /evidence of a login service.
type Service struct {
	Reading
	// Hashes that were finished.
	Hashes int64 `json:"hashes"`
	// TimedHashes are the hashes that were timed by the CPU clock of their thread.
	// HashMicroseconds is their CPU time.
	TimedHashes      int64 `json:"timedHashes,omitempty"`
	HashMicroseconds int64 `json:"hashMicroseconds,omitempty"`
	// Refused logins: the queue was full.
	Refused int64 `json:"refused"`
	// Abandoned logins: the caller gave up before its hash began.
	Abandoned int64 `json:"abandoned"`
	// Sessions counts requests that were accepted by a session cookie, without a hash.
	Sessions int64 `json:"sessions,omitempty"`
	// InFlight logins, waiting or being hashed, at this moment.
	InFlight int64 `json:"inFlight"`
	// Queued logins at this moment.
	Queued int64 `json:"queued"`
	// Workers of the pool, 0 if unbounded.
	Workers int32 `json:"workers"`
	// QueueLength of the pool, 0 if unbounded.
	QueueLength int32 `json:"queueLength"`
}

// ReadyPath is where the container of a user's own login service says whether the service is ready, beside its evidence.
const ReadyPath = "/ready"

// MostCPUs is the largest number of CPUs in a list.
const MostCPUs = 4096

// mostListBytes is the largest length of a list.
const mostListBytes = 1024

// parse parses a kernel list of CPUs such as 0-3,8. The list comes from a container, which can
// write anything, and a range is expanded in memory. So a list that is too long, or has a CPU
// that no machine has, is refused first.
func parse(list string) (cpuset.CPUSet, error) {
	if len(list) > mostListBytes {
		return cpuset.CPUSet{}, fmt.Errorf("the list of CPUs has %d bytes; at most %d are allowed", len(list), mostListBytes)
	}
	for number := range strings.FieldsFuncSeq(list, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(number); err != nil || n >= MostCPUs {
			return cpuset.CPUSet{}, fmt.Errorf("the list of CPUs has a CPU %s; the highest is %d", number, MostCPUs-1)
		}
	}
	return cpuset.Parse(list)
}

// CPUs returns the number of CPUs in a kernel list such as 0-3,8. It is 0 if the list is
// missing or invalid, which is judged elsewhere.
func CPUs(list string) int {
	set, err := parse(list)
	if err != nil {
		return 0
	}
	return set.Size()
}

// Overlap reports whether two kernel lists have a CPU in common.
func Overlap(a, b string) bool {
	first, errFirst := parse(a)
	second, errSecond := parse(b)
	return errFirst == nil && errSecond == nil && !first.Intersection(second).IsEmpty()
}

// MostSpeedSeconds is the largest number of seconds in one response to GET /speed.
const MostSpeedSeconds = 4000

// Speed is the response to GET /speed of a login service: the timed hashes of each second
// of its uptime, by the clock of Reading.UptimeMicroseconds. A hash counts in the second
// that contains its midpoint.
type Speed struct {
	// From is the first second in the lists.
	From int64 `json:"from"`
	// Nanoseconds is the CPU time of the timed hashes of each second, starting with From.
	Nanoseconds []int64 `json:"nanoseconds"`
	// Hashes is the number of timed hashes of each second. Seconds after the last timed hash
	// are not listed.
	Hashes []int64 `json:"hashes"`
}
