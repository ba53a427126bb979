package verdict

import "time"

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
	// the time of a step: at 98 % load D/(1−ρ)² is 2,500 services.
	overloadedShare = 0.98
	// overloadedFailures is the share of logins that were sent in vain beyond which p95 would be
	// the latency of a failure.
	overloadedFailures = 0.05

	// aboveBoundSuspect and aboveBoundInvalid bound CPU used ÷ CPU allowed in a step.
	// Quotas are exact to 1 %, measured: 0.995 to 1.009 in eighteen saturations.
	aboveBoundSuspect, aboveBoundInvalid = 1.02, 1.05

	// belowBoundSuspect, for unbounded goroutines belowBoundUnbounded, and
	// belowBoundInvalid bound the same from below where the service is saturated. What
	// it does not use then, something else does, or the callers are too slow to keep it
	// busy.
	belowBoundSuspect, belowBoundUnbounded, belowBoundInvalid = 0.95, 0.9, 0.5

	// saturatedFrom is the share of the bound from which on an open step saturates a
	// service.
	saturatedFrom = 1.05

	// hashesForSpeed is the fewest timed hashes that the speed of a step is taken from.
	// Over half a second the speed was measured to vary by 7 %, and each hash is timed
	// to the microsecond.
	hashesForSpeed = 3

	// shortestTimed is the shortest hash that rules what a service can serve: below it
	// the request itself takes as much CPU.
	shortestTimed = 500 * time.Microsecond

	// steadyWithin is how far apart the fastest and the slowest window of a step may
	// lie for the speed to count as constant.
	steadyWithin = 1.01

	// variationSuspect bounds what the changes of the speed inside the reported step
	// do to its p95.
	variationSuspect = 1.25

	// conversionDoubt is the share of what the model made of another share of the bound
	// that counts as unsure. The model's p95 was found to be off by 5 % (one standard
	// deviation) where it rises fivefold with the load.
	conversionDoubt = 0.1

	// courseDoubt is the share of the range of the speed inside a step that the mean
	// speed of a short stretch of it may be off by: windows last a second, begin up to
	// half a second late, and are rounded to 0.6 %. A sawtooth of ±15 % was measured to
	// move p95 at 87 % of the bound by 1.33 times what the model made of its windows.
	courseDoubt = 0.05

	// settlingRelaxations is how many times D/(1−ρ)² a step must have settled, or
	// counted beyond what it needs.
	settlingRelaxations = 5.0

	// othersInvalid is the share of the service's CPUs that others may take when
	// the generator runs on the same CPUs; idleCoresSuspect is how many cores must
	// stand idle there for the two not to meet.
	othersInvalid, idleCoresSuspect = 0.20, 1.0

	// stealSuspect and stealInvalid bound the share of the service's CPUs that went
	// to other machines. At 70 % load each percent that a login takes longer adds
	// 3.4 % to p95, simulated.
	stealSuspect, stealInvalid = 0.02, 0.05

	// neighbourSuspect and neighbourInvalid bound the share of the service's CPUs
	// that other processes may take where not a whole core stands idle. It is wider
	// than for steal, because what a neighbour takes need not be what the service
	// wanted: a control plane on the service's only core takes up to 3 % of it at
	// rest, measured, and more in the bursts that a trial's own pods cause. A
	// neighbour that never sleeps takes all that the service leaves, at any load
	// that is measured a fifth of a core or more.
	neighbourSuspect, neighbourInvalid = 0.10, 0.25

	// resolutionSuspect is the share of p95 that the start lag may be: what is late
	// by a tenth of what is measured can no longer be told from it.
	resolutionSuspect = 0.10

	// relaxations is how many times D/(1−ρ)² a step's counted part must last: over
	// fewer a p95 depends on where the queue began. The relaxation time of M/D/1 is
	// near 2D/(1−ρ)², so that these are about ten of them. Plans are rounded to
	// milliseconds, which relaxationsRounding allows for.
	relaxations, relaxationsRounding = 20.0, 0.99

	// samplesForHalves is the number of successes from which on each half of a step
	// has the twenty that a median is told of, but for one in a million.
	samplesForHalves = 100

	// halvesSuspect is how far apart the medians of a step's halves may lie, second
	// ÷ first, beyond what the same arrivals come to in the simulation.
	halvesSuspect = 1.5

	// poolDisagrees and unboundedDisagrees are how far measured ÷ simulated p95 of
	// the same arrivals may lie from 1, either way, up to modelledUtilisation, beyond
	// what the unknown phase of the quota's grid explains.
	// Measured on a quiet machine, a pool lay within 0.94 to 1.08 and unbounded
	// goroutines within 0.85 to 1.12; near saturation small differences in service
	// time are large ones in p95, and the comparison says nothing.
	poolDisagrees, unboundedDisagrees = 1.25, 1.5
	modelledUtilisation               = 0.9

	// poolValidated and unboundedValidated are how far the model's p95 was found to
	// be off where nothing disturbs, held against the service under real quotas: no
	// forecast is taken to be more exact.
	poolValidated, unboundedValidated = 0.10, 0.25

	// nearEnough is the share of a forecast that a step must have held for the two
	// to agree about it.
	nearEnough = 0.9

	// shortestModelled is the CPU time per login from which on hashing rules
	// latency. Below it the network's and the generator's own delays, about a
	// millisecond together, are no longer small beside it.
	shortestModelled = 2 * time.Millisecond

	// spreadRuns are the simulated runs that an interval of p95 comes from: five of
	// them lie beyond either end.
	spreadRuns = 200
	// gridPhases are the phases of the quota's grid over which a step is simulated.
	gridPhases = 20
	// mostRedrawn and mostSimulated bound the logins of a run that is repeated, and
	// of one that is not, so that a judgement takes seconds: p95 of more logins than
	// these hardly leaves anything for a model to say.
	mostRedrawn, mostSimulated = 2_000, 20_000

	// limitTolerance is how far the quota found may lie from the limit asked for.
	// kubelet rounds it to whole microseconds per period, far less than this.
	limitTolerance = 0.01
)
