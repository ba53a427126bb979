package measurement

import "github.com/hashmark-dev/hashmark/internal/evidence"

// Run is all that one load tells of itself.
type Run struct {
	// K6Version is the version of k6, such as v1.8.1.
	K6Version string
	// GoVersion is what k6 was built with.
	GoVersion string
	// ExitCode of k6, 0 for a run with numbers.
	ExitCode int
	// Steps in the plan's order, without the warm-up.
	Steps []StepResult
	// Reported is the index into Steps of the step that the variant's row is taken
	// from, -1 when the plan reports none.
	Reported int
	// Histogram of the reported step's successes; nil where there were none, or
	// where there was no room to hand it over.
	Histogram *Histogram
	// UnderWay are the requests under way at UnderWayPoints evenly spaced moments
	// of the reported step's counted part; nil as Histogram.
	UnderWay []int64
	// Timeline is how long hashes took over the whole load; nil where the service
	// does not time them, or its account could not be read.
	Timeline *Timeline
	// Generator is where k6 ran; nil when its evidence could not be read.
	Generator *Container
	// Services are the login service's pods whose evidence could be read, in the
	// order in which they were named to the generator.
	Services []ServicePod
}

// Container is what a container was given to run on.
type Container struct {
	// BootID of the kernel: containers that share it share a machine.
	BootID string
	// Cpuset is the list of CPUs that it may run on, such as 0-3,8.
	Cpuset string
	// QuotaMilliCPU is the CFS quota in thousandths of a CPU, 0 when there is none.
	QuotaMilliCPU int64
	// GoMaxProcs is how many threads may run Go code at a time.
	GoMaxProcs int32
}

// ServicePod is one pod of the login service.
type ServicePod struct {
	Container
	// Workers of its pool, 0 when unbounded.
	Workers int32
	// QueueLength of its pool, 0 when unbounded.
	QueueLength int32
	// MemoryPeakKiB is the most memory that the pod has used at any time; 0 where
	// that is not known.
	MemoryPeakKiB int32
}

// StepResult is what a step came to. Numbers behind a pointer are absent, never
// zero, when they were not measured.
type StepResult struct {
	// CountedMicroseconds is the length of the counted part.
	CountedMicroseconds int64

	// Scheduled logins of the counted part; the sum of the next six.
	Scheduled   int64
	OK          int64
	Refused     int64
	TimedOut    int64
	OtherErrors int64
	Cut         int64
	// NeverSent logins found no free caller, or no time, until the counted part ended.
	NeverSent int64

	// SentInWindow is how many of the scheduled were sent before the counted part
	// ended, or within SendingTolerance of that.
	SentInWindow int64
	// CompletedInWindow counts the 200s that were complete inside the counted part,
	// those of the settling part's logins included.
	CompletedInWindow int64
	// ThroughputMilliPerSecond is CompletedInWindow per second, times 1000. With
	// Saturation logins count by the share of their time that lies in the counted
	// part; it is absent below two completions.
	ThroughputMilliPerSecond *int64

	// P50, P95 and P99 are percentiles of latency in microseconds; absent where the
	// login of that rank failed, and below MinimumSuccesses.
	P50Microseconds *int64
	P95Microseconds *int64
	P99Microseconds *int64
	// MaxMicroseconds is the slowest success.
	MaxMicroseconds *int64
	// P95Interval holds the true p95 with 95 % confidence; absent below 72
	// successes, and where the login at its upper end failed.
	P95Interval *Interval
	// P50Interval and P99Interval hold the true p50 and p99; absent below 20 and 368
	// successes.
	P50Interval, P99Interval *Interval
	// SlowerThanP95 counts the logins that failed or took longer than the p95 of the plan's
	// objective. It is absent if the plan has no objective.
	SlowerThanP95 *int64
	// SlowerThanP50 and SlowerThanP99 count the same for the p50 and p99 of the objective;
	// absent where it has none.
	SlowerThanP50, SlowerThanP99 *int64
	// FirstHalfP50Microseconds and SecondHalfP50Microseconds are the median
	// latencies of the logins due in either half of the counted part, in open steps
	// only; absent as P50, each for its own half.
	FirstHalfP50Microseconds  *int64
	SecondHalfP50Microseconds *int64

	// LagP95Microseconds and LagP99Microseconds say how late logins were sent after
	// they were due; of those that were sent, however few, in open steps only.
	LagP95Microseconds *int64
	LagP99Microseconds *int64

	// Service is what the service used during the counted part, summed over its
	// pods; nil when the evidence of any of them is missing.
	Service *evidence.Delta
	// Generator is the same for the generator; idle, steal and busy time are not kept.
	Generator *evidence.Delta
	// ServiceInFlightAfterDrain are the logins that the service still had when the
	// drain ended, summed over its pods; absent as Service.
	ServiceInFlightAfterDrain *int64
}

// Failures are all scheduled logins that did not end in a complete 200.
func (s StepResult) Failures() int64 { return s.Scheduled - s.OK }

// Interval is a closed interval of latencies.
type Interval struct {
	LowMicroseconds, HighMicroseconds int64
}
