package verdict

import (
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// The thresholds of all checks and their sources. "Measured" means: on a two-core machine
// with k6 1.8.1 against the login service, as described in docs/decisions.
const (
	// lagSuspect and lagInvalid limit a percentile of the start lag, as a share of the same percentile of
	// latency but not below the given microseconds. k6 measured 1.8 ms at p99 with a seeded schedule on one core.
	lagSuspectShare, lagSuspectMicroseconds = 0.05, 5_000
	lagInvalidShare, lagInvalidMicroseconds = 0.20, 20_000

	// generatorCPUInvalid is the share of its CPU limit that a generator can use. k6's documentation recommends
	// 20 % to spare. Measured: above half a core the generator's own delays show in the latencies.
	generatorCPUInvalid = 0.80

	// throttledSuspect and throttledInvalid limit the share of the counted time for which a generator is
	// throttled. A stall of 100 ms in 10 s is 1 %, and delays every login that is due in it.
	throttledSuspect, throttledInvalid = 0.01, 0.05

	// missedSuspect and missedInvalid limit the share of scheduled logins that were not sent in the counted part.
	missedSuspect, missedInvalid = 0.01, 0.05

	// samplesForInterval is the smallest number of samples for an interval of p95, and samplesForP95 for a
	// 95th percentile below the maximum.
	samplesForInterval, samplesForP95 = loadplan.IntervalSamples, measurement.MinimumSuccesses

	// completionsForMaximum is the smallest number of completions for a maximum, which has an error of about
	// one, here 10 %. A saturation is planned to have at least twenty.
	completionsForMaximum = 10

	// overloadedShare is the share of the maximum above which a queue reaches no steady state within a step.
	overloadedShare = loadplan.SteadyBelow
	// overloadedFailures is the share of failed logins above which p95 would be the latency of a failure.
	overloadedFailures = 0.05

	// aboveBoundSuspect and aboveBoundInvalid limit CPU used ÷ CPU allowed in a step.
	// Quotas are exact to 1 %, measured: 0.995 to 1.009 in eighteen saturations.
	aboveBoundSuspect, aboveBoundInvalid = 1.02, 1.05

	// belowBoundSuspect (belowBoundUnbounded for unbounded goroutines) and belowBoundInvalid limit the same
	// from below if the service is saturated.
	belowBoundSuspect, belowBoundUnbounded, belowBoundInvalid = 0.95, 0.9, 0.5

	// belowQuotaSuspect is the same for a pool with a quota, which is exact, and quotaTolerance its error: a parent whose
	// quota leaves 97 % of it makes the capacity 2 to 5 % too high.
	belowQuotaSuspect, quotaTolerance = 0.98, 0.005

	// saturatedFrom is the share of the bound above which an open step saturates a service.
	saturatedFrom = 1.05

	// livenessFailures is how many failed probes in a row restart a container: Kubernetes'
	// default for failureThreshold.
	livenessFailures = 3

	// distinguishablePerMille is by how many thousandths the refusal of an unknown user may take more
	// or less time than that of a wrong password.
	distinguishablePerMille = 100

	// hashesForSpeed is the smallest number of timed hashes for the speed of a step. Each is timed to the
	// microsecond, and over half a second the speed was measured to vary by 7 %.
	hashesForSpeed = 3

	// shortestTimed is the shortest hash that determines what a service can serve: a request takes as much.
	shortestTimed = 500 * time.Microsecond

	// leastRise is the smallest rise of the hash time with the load that is a property of the variant, and certainRise
	// how many standard deviations of the drift it has to exceed. leastBusy is the share of its CPUs that a service has
	// to hash on in the busiest step. leastScatter is the smallest deviation of a second's speed, and unknownScatter
	// that without seconds, as on the machine that varies most.
	leastRise, certainRise, leastBusy = 0.03, 2.6, 0.3
	leastScatter, unknownScatter      = 0.005, 0.07
	// partOfDrift is the deviation of a drift that lasts three seconds ÷ that within five.
	partOfDrift = 1.6
	// refinements is how often the hash time at the capacity is corrected for how busy the service is there. leastIdle keeps that finite for a service that is busy at any rate.
	refinements, leastIdle = 4, 0.01

	// evenAtRandom is the probability of as even a share of the logins at random below which replicas may take turns. Two
	// replicas that do can't be far below it.
	evenAtRandom = 0.05
	// leastWait and leastWaitShare are the shortest wait of a user's own service for something else than its CPU that the
	// model includes, also as a share of the simulated median.
	leastWait, leastWaitShare = 2 * time.Millisecond, 0.03
	// saturatedCompanion is the share of its CPU limit above which a companion's limit is that of the load.
	saturatedCompanion = 0.9
	// longPause is the longest pause of a user's own service, as a share of the objective's p95.
	longPause = 0.5
	// ownPrior is the standard deviation of ln(measured ÷ simulated p95) of users' own services, before it is measured.
	// ownStepError is that of one step's, whose logins may take unequal times, and ownChange that of its change over the
	// whole range of utilisation.
	ownPrior, ownStepError, ownChange = 0.3, 0.1, 1.0

	// usualUtilisation is where the capacity of a user's own service is, until it is known.
	usualUtilisation = 0.8

	// steadyWithin is the largest ratio of a step's slowest to its fastest window at a constant speed.
	steadyWithin = 1.01

	// variationSuspect limits the effect of speed changes during the reported step on its p95.
	variationSuspect = 1.25

	// conversionDoubt is the part of the model's correction for another share of the bound that counts as its
	// error. Its p95 was found to be off by 5 % (one standard deviation) where it rises fivefold with the load.
	conversionDoubt = 0.1

	// courseDoubt is the error of the mean speed of a short part of a step, as a share of the range of the speed
	// in the step. Windows last a second, begin up to half a second late, and are rounded to 0.6 %. A sawtooth
	// of ±15 % changed p95 at 87 % of the bound by 1.33 times what the model predicts from its windows.
	courseDoubt = 0.05

	// othersInvalid limits the share of the service's CPUs that other processes use if the generator runs on
	// the same CPUs, and idleCoresSuspect the idle cores there.
	othersInvalid, idleCoresSuspect = 0.20, 1.0

	// stealSuspect and stealInvalid limit the share of the service's CPUs that the hypervisor gives to other
	// virtual machines. At 70 % load each percent that a login takes longer adds 3.4 % to p95, simulated.
	stealSuspect, stealInvalid = 0.02, 0.05

	// neighbourSuspect and neighbourInvalid limit the share of the service's CPUs that other processes use if
	// less than a whole core is idle. They are wider than for steal, because the service does not necessarily
	// need what a neighbour uses. A control plane on the service's only core uses up to 3 % of it at rest,
	// measured; a neighbour that never sleeps uses a fifth of a core or more at every measured load.
	neighbourSuspect, neighbourInvalid = 0.10, 0.25

	// resolutionSuspect limits the start lag as a share of p95, from which it cannot be distinguished.
	resolutionSuspect = 0.10

	// relaxationsRounding allows for plans that are rounded to milliseconds.
	relaxationsRounding = 0.99

	// samplesForHalves is the number of successes from which each half of a step has the twenty that a median
	// needs, except for one step in a million.
	samplesForHalves = 100

	// halvesSuspect limits the ratio of the medians of a step's halves, second ÷ first, ÷ the simulated one.
	halvesSuspect = 1.5

	// poolDisagrees and unboundedDisagrees limit how far measured ÷ simulated p95 of the same arrivals is from
	// 1, in either direction, beyond what the unknown phase of the quota's periods explains. Measured on a quiet
	// machine, a pool was within 0.94 to 1.08 and unbounded goroutines within 0.85 to 1.12. Both are for
	// steps that last as long as a steady state needs. Above modelledUtilisation, small differences in service time are
	// large differences in p95.
	poolDisagrees, unboundedDisagrees = 1.25, 1.5
	modelledUtilisation               = 0.9

	// poolValidated and unboundedValidated are the error of the model's p95 without disturbances, compared with
	// the service under real quotas.
	poolValidated, unboundedValidated = 0.10, 0.25

	// poolStepError and unboundedStepError are the errors of ln(measured ÷ simulated p95) that do not concern the service,
	// one standard deviation, of a step that lasts as long as a steady state needs: the times when logins really were
	// sent, and the speed between the seconds at which it is known. Measured over 24 stored steps of a pool, the whole deviation is 5 %.
	poolStepError, unboundedStepError = 0.04, 0.06

	// simulatedLonger is how many times as many logins the model draws for the capacity of a loaded variant as for a prediction.
	simulatedLonger = 4
	// sampledRate and sampledLatency are half of the 95 % interval of a predicted capacity because the model
	// draws 80,000 logins: as a share of the capacity, 1.96 ÷ √80,000 for their number, and more where
	// p95 is flat, per percent that the capacity falls with an objective that is 1 % stricter. Measured
	// over 40 draws each for cost 8 on half a CPU, one standard deviation: 0.6 % with an objective of 5 hashes, 0.5 % with
	// 10, 0.6 % with 20. With 20,000 logins it is 1.2, 1.2 and 1.1 %.
	sampledRate, sampledLatency = 0.007, 0.02

	// podRate is half of the 95 % interval of the capacity of a pod, relative to that of the next one on the same
	// machine: pods are assumed to scatter by 0.5 %, one standard deviation. The maxima of 12 trials scatter by 1.1 %,
	// in which that is included (docs/benchmarks.md, Drift).
	podRate = 0.01

	// nearEnough is the smallest ratio of a step's rate to the prediction for which the step supports it.
	nearEnough = 0.9
	// queueShows is the share of the bound from which the queue shows in p95, so that a step whose p95 is the
	// simulated one confirms the model: without a queue it is that of a single login.
	queueShows = 0.6

	// shortestModelled is the CPU time per login from which the model can be used.
	shortestModelled = loadplan.ShortestModelled

	// spreadRuns is the number of simulated runs behind an interval of p95: five of them are outside each end.
	spreadRuns = 200
	// gridPhases is the number of phases of the quota's periods over which a step is simulated.
	gridPhases = 20
	// mostRedrawn limits the logins of a run that is repeated, so that a judgement takes seconds.
	mostRedrawn = 2_000
	// MostSimulated limits the logins of any other run. p95 of more is so exact that the model adds hardly anything.
	MostSimulated = 20_000

	// limitTolerance limits how far the actual quota is from the requested limit. kubelet rounds it far less.
	limitTolerance = 0.01
)
