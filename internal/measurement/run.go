package measurement

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// Run is the result of one load.
type Run struct {
	// K6Version is the version of k6, such as v1.8.1.
	K6Version string
	// GoVersion is the Go version that k6 was built with.
	GoVersion string
	// ExitCode of k6, 0 for a run with numbers.
	ExitCode int
	// Steps in the plan's order, without the warm-up.
	Steps []StepResult
	// Reported is the index into Steps of the step that the variant's row is taken from, or
	// -1 if the plan reports none.
	Reported int
	// UnderWay is the number of requests under way at UnderWayPoints evenly spaced moments of
	// the reported step's counted part; nil if the handover had no room for it.
	UnderWay []int64
	// Timeline is the hash time over the whole load; nil if the service does not time hashes,
	// or if its GET /speed could not be read.
	Timeline *Timeline
	// IdleHashNanoseconds is the mean CPU time of a hash after the load, when the service computed one at
	// a time; 0 if unknown.
	IdleHashNanoseconds int64
	// Generator is the container of k6; nil if its evidence could not be read.
	Generator *Container
	// Services are the login service's pods whose evidence could be read, in the order in
	// which the generator got them.
	Services []ServicePod
	// Companions are the companions of a user's own login service whose evidence could be read.
	Companions []handover.CompanionUse
}

// Container is the machine and the CPUs of a container.
type Container struct {
	// BootID of the kernel: containers with the same ID share a machine.
	BootID string
	// Cpuset is the list of CPUs that the container can run on, such as 0-3,8.
	Cpuset string
	// QuotaMilliCPU is the CFS quota in thousandths of a CPU, 0 without a quota.
	QuotaMilliCPU int64
	// GoMaxProcs is how many threads can run Go code at a time.
	GoMaxProcs int32
}

// ServicePod is one pod of the login service.
type ServicePod struct {
	Container
	// Workers of its pool, 0 if unbounded.
	Workers int32
	// QueueLength of its pool, 0 if unbounded.
	QueueLength int32
	// MemoryPeakKiB is the most memory that the pod has used at any time; 0 if unknown.
	MemoryPeakKiB int32
}

// StepResult is the result of a step. Pointers are nil if the number was not measured.
type StepResult struct {
	// StepResult has what a trial's status has too. Its percentiles are nil if the login of that rank
	// failed, and below MinimumSuccesses; the start lag is that of all logins that were sent, however
	// few.
	handover.StepResult
	// CountedMicroseconds is the length of the counted part.
	CountedMicroseconds int64
	// SentInWindow is the number of scheduled logins that were sent before the counted part
	// ended, or at most SendingTolerance later.
	SentInWindow int64
	// CompletedInWindow is the number of 200 responses that were complete in the counted
	// part, including those to logins of the settling part. The throughput is this per second, but in a
	// saturation, where it is nil below two completions.
	CompletedInWindow int64

	// Service is what the service used during the counted part, summed over its pods; nil if
	// the evidence of a pod is missing.
	Service *evidence.Delta
	// Generator is the same for the generator, without idle, steal and busy time.
	Generator *evidence.Delta
	// ServiceInFlightAfterDrain is the number of logins in the service when the drain ended,
	// summed over its pods; nil like Service.
	ServiceInFlightAfterDrain *int64
}

// Outcome is how a login ended.
type Outcome uint8

const (
	// Cut means that the login was sent and had no response when the step's drain ended.
	Cut Outcome = iota
	// OK is a complete 200 response.
	OK
	// Refused is a 503 response: the service's queue was full.
	Refused
	// TimedOut means that the caller gave up.
	TimedOut
	// OtherError is any other response, or a missing one.
	OtherError
)

// Record is one login that was sent. A login that was due but never sent has no record.
// Times are relative to the plan's zero.
type Record struct {
	// Step is the index into the plan's steps, including the warm-up.
	Step int
	// Index counts the logins of the step. In open steps the first SettleRequests are those
	// of the settling part.
	Index int
	// Due is when the login should have been sent. In closed steps it is Sent.
	Due time.Duration
	// Sent is when the login was sent.
	Sent time.Duration
	// Ended is when the response was complete or the login failed. It has no meaning if the
	// outcome is Cut.
	Ended   time.Duration
	Outcome Outcome
}
