package v1beta1

import "github.com/hashmark-dev/hashmark/api/handover"

// The API server refuses a status with more, or with longer messages. With them, the status of an
// experiment fits into an object.
const (
	// MaxReasons is the largest number of reasons of a result.
	MaxReasons = 6
	// MaxReasonMessage is the length of the longest message of a reason, in characters.
	MaxReasonMessage = 344
	// MaxMessage is that of a step, of a capacity, and of what a running trial does.
	MaxMessage = 512
	// MaxRunning is the largest number of running trials that the progress names.
	MaxRunning = 16
)

// Reasons for a verdict. docs/verdicts.md describes each with its thresholds.
const (
	// ReasonAboveCPUBound means that the service used more CPU than it was allowed.
	ReasonAboveCPUBound = "AboveCPUBound"
	// ReasonBelowCPUBound means that a saturated service used less CPU than it could.
	ReasonBelowCPUBound = "BelowCPUBound"
	// ReasonCompanionSaturated means that a companion of the service used almost all of its CPU, so that the load found its
	// limit and not the service's.
	ReasonCompanionSaturated = "CompanionSaturated"
	// ReasonCostDoublingBroken means that a hash time is off the line of the costs. Only all
	// trials of an experiment together show it, so it is in rows and never in trials.
	ReasonCostDoublingBroken = "CostDoublingBroken"
	// ReasonCPUUnused means that the CPU limit is larger than what the workers can use. It is
	// in the row, and in a warning event when the experiment is accepted. It does not affect
	// the verdict: the numbers are right, but the variant costs more than it needs to.
	ReasonCPUUnused = "CPUUnused"
	// ReasonEvidenceMissing means that a check could not be made.
	ReasonEvidenceMissing = "EvidenceMissing"
	// ReasonGeneratorSaturated means that the load generator could not keep up.
	ReasonGeneratorSaturated = "GeneratorSaturated"
	// ReasonGeneratorThrottled means that its quota stopped the load generator.
	ReasonGeneratorThrottled = handover.GeneratorThrottled
	// ReasonInfeasible means that no rate can meet the objective, and that there was no load.
	// It does not affect the verdict.
	ReasonInfeasible = "Infeasible"
	// ReasonLimitNotApplied means that the container had another CPU limit than planned.
	ReasonLimitNotApplied = "LimitNotApplied"
	// ReasonLivenessFails means that a liveness probe would have restarted a pod under load. It
	// does not affect the verdict.
	ReasonLivenessFails = "LivenessFails"
	// ReasonModelDisagrees means that the measurement and the model contradict each other.
	ReasonModelDisagrees = "ModelDisagrees"
	// ReasonNoisyNeighbour means that other work used the service's CPUs.
	ReasonNoisyNeighbour = "NoisyNeighbour"
	// ReasonNotSteady means that the reported step had no steady state.
	ReasonNotSteady = "NotSteady"
	// ReasonOverloaded means that the reported step offered more than the service can serve.
	// It does not affect the verdict.
	ReasonOverloaded = "Overloaded"
	// ReasonPodAltered means that something changed the pods.
	ReasonPodAltered = "PodAltered"
	// ReasonRateNotAchieved means that logins were not sent within their step.
	ReasonRateNotAchieved = "RateNotAchieved"
	// ReasonReplicasInTurn means that the replicas take turns, as behind kube-proxy in IPVS mode. It does not
	// affect the verdict, because the model includes it.
	ReasonReplicasInTurn = "ReplicasInTurn"
	// ReasonResolution means that the service is faster than the generator can time.
	ReasonResolution = "Resolution"
	// ReasonServicePaused means that the service answered no login for some time although logins waited.
	ReasonServicePaused = "ServicePaused"
	// ReasonSharedNode means that the load generator ran on the service's CPUs.
	ReasonSharedNode = "SharedNode"
	// ReasonSlowerUnderLoad means that hashes take longer the busier the service is, by its own load. It
	// does not affect the verdict, because the numbers include it.
	ReasonSlowerUnderLoad = "SlowerUnderLoad"
	// ReasonSpeedUnknown means that numbers could not be converted to the reference speed.
	ReasonSpeedUnknown = "SpeedUnknown"
	// ReasonTooFewSamples means that too few logins were counted.
	ReasonTooFewSamples = "TooFewSamples"
	// ReasonUsersDistinguishable means that the time of a refused login says whether somebody has an
	// account. It does not affect the verdict.
	ReasonUsersDistinguishable = "UsersDistinguishable"
)
