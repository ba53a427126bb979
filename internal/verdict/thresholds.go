package verdict

// The thresholds of every check, in one place, with where each comes from.
// "Measured" means: on a two-core machine with k6 1.8.1 against the login
// service, as told in docs/decisions.
const (
	// lagSuspect and lagInvalid bound how late logins may be sent (99th percentile
	// of the start lag), as a share of p95 and at least so many microseconds. k6
	// measured 1.8 ms at p99 with a seeded schedule on one core: past 5 ms
	// something is in its way, and a lag is booked as the service's latency.
	lagSuspectShare, lagSuspectMicroseconds = 0.05, 5_000
	lagInvalidShare, lagInvalidMicroseconds = 0.20, 20_000

	// generatorCPUInvalid is the share of its CPU limit that a generator may use.
	// k6's documentation asks for 20 % to spare; measured, past half a core its own
	// delay shows in the latencies, long before it drops anything.
	generatorCPUInvalid = 0.80

	// throttledSuspect and throttledInvalid bound how long a generator may be
	// throttled, as a share of the counted time: a stall of 100 ms in 10 s is 1 %,
	// and delays every login due in it.
	throttledSuspect, throttledInvalid = 0.01, 0.05

	// missedSuspect and missedInvalid bound the share of scheduled logins that were
	// not sent inside the counted part: without them it is another rate than was
	// asked for.
	missedSuspect, missedInvalid = 0.01, 0.05

	// samplesForInterval is the least number of samples for which a two-sided 95 %
	// interval of p95 exists by order statistics (0.95^n must fall below 2.5 %);
	// samplesForP95 the least with a 95th percentile below the maximum.
	samplesForInterval, samplesForP95 = 72, 20

	// completionsForMaximum is the least number of completions that a maximum is
	// taken from: it is good to about one completion, here 10 %. A saturation is
	// planned to have at least twenty.
	completionsForMaximum = 10

	// overloadedShare of the maximum is where a step's queue no longer settles in
	// the time of a step: at 98 % load the relaxation time is 2,500 services.
	overloadedShare = 0.98
	// overloadedFailures is the share of logins that were sent in vain beyond which p95 would be
	// the latency of a failure.
	overloadedFailures = 0.05

	// aboveBoundSuspect and aboveBoundInvalid bound maximum ÷ calibrated bound.
	// A CPU can't hash faster than it hashes; quotas are exact to 1 %, measured.
	aboveBoundSuspect, aboveBoundInvalid = 1.02, 1.05

	// belowBoundSuspect and belowBoundInvalid bound the same from below. A pool
	// serves 98 %, unbounded goroutines 96 % of the bound, measured; under a quota
	// with few completions a little less. Below 85 % something else took the CPU.
	belowBoundSuspect, belowBoundInvalid = 0.85, 0.5

	// othersInvalid is the share of the service's CPUs that others may take when
	// the generator runs on the same CPUs; idleCoresSuspect is how many cores must
	// stand idle there for the two not to meet.
	othersInvalid, idleCoresSuspect = 0.20, 1.0

	// limitTolerance is how far the quota found may lie from the limit asked for.
	// kubelet rounds it to whole microseconds per period, far less than this.
	limitTolerance = 0.01
)
