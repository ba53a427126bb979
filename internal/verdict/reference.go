package verdict

import (
	"fmt"
	"strings"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Reference describes every reason for a verdict. docs/verdicts.md is generated from it.
type Reference []ReferenceRow

// ReferenceRow is one way in which a reason comes about.
type ReferenceRow struct {
	// Reason is one of v1alpha1's.
	Reason string
	// Verdicts that it leads to; a dash if it has none of its own.
	Verdicts string
	// Meaning, Threshold and Action say what was found, from which value on, and what to
	// do about it, in Markdown.
	Meaning, Threshold, Action string
}

// Markdown returns the rows as a table.
func (r Reference) Markdown() string {
	var text strings.Builder
	text.WriteString("| reason | verdict | what it means | threshold | what to do |\n|---|---|---|---|---|\n")
	for _, row := range r {
		fmt.Fprintf(&text, "| `%s` | %s | %s | %s | %s |\n", row.Reason, row.Verdicts, row.Meaning, row.Threshold, row.Action)
	}
	return text.String()
}

// AllReasons has a row for each way in which a reason comes about, in alphabetical order.
var AllReasons = Reference{
	{v1alpha1.ReasonAboveCPUBound, "Suspect, Invalid", "the service used more CPU than it was allowed in a step: the limit was lifted or not applied",
		fmt.Sprintf("CPU used ÷ CPU allowed: Suspect > %s, Invalid > %s", units.Ratio(aboveBoundSuspect), units.Ratio(aboveBoundInvalid)),
		"look at the node's kubelet and container runtime"},
	{v1alpha1.ReasonBelowCPUBound, "Suspect, Invalid", "the service was saturated and used less CPU than it could hash with: another process used it",
		fmt.Sprintf("CPU used ÷ CPU that it could hash with, in a step that saturated the service: Suspect < %s for a pool and < %s unbounded, Invalid < %s", units.Ratio(belowBoundSuspect), units.Ratio(belowBoundUnbounded), units.Ratio(belowBoundInvalid)),
		"measure again without the other process"},
	{v1alpha1.ReasonCostDoublingBroken, "Suspect, Invalid", "the ratio of the hash to the reference hash is off the [cost line](method.md#hash-times-and-the-cost-line) of the node pool: a calibration was disturbed",
		fmt.Sprintf("trial's ratio ÷ the line: Suspect off by > %s, Invalid off by > %s", percent(doublingSuspect), percent(doublingInvalid)),
		"measure again on a node where nothing else runs. With two costs both are reported, because it is unknown which of them was disturbed"},
	{v1alpha1.ReasonCPUUnused, "–", "the CPU limit is higher than what the workers can use. Reported from acceptance on, also as a warning event; not with sessions or `SHA256`",
		"CPU limit ÷ CPU that the workers can use, 1 CPU each (Argon2id: one for each lane): > 1",
		"the price includes CPU that is never used: set the `workers`, or the limit, that the message names"},
	{v1alpha1.ReasonEvidenceMissing, "Suspect", "something that the checks need could not be read, or the service was moved to other CPUs while the load ran",
		"any",
		"look at the message for what is missing"},
	{v1alpha1.ReasonEvidenceMissing, "Suspect", "an `Infeasible` variant whose calibration no other trial on the node pool confirms",
		fmt.Sprintf("no trial with the same hash within %s, and none with another cost", percent(doublingSuspect)),
		"add a cost or a CPU limit, or set `repetitions: 2`"},
	{v1alpha1.ReasonEvidenceMissing, "Suspect", "an `Infeasible` variant that was calibrated while the CPU was slow",
		"p95 of a login on an idle service, at the typical speed of all trials, ÷ objective: ≤ 1",
		"measure again"},
	{v1alpha1.ReasonEvidenceMissing, "Suspect", "`kubectl hashmark recommend` asks for a looser objective, and the variant was not loaded because it was `Infeasible` under the measured one: its capacity follows from the calibration alone",
		"any",
		"measure under this objective"},
	{v1alpha1.ReasonEvidenceMissing, "Suspect", "`kubectl hashmark recommend` asks for another objective, and an earlier version of Hashmark judged the trial, which stored less of its steps",
		"any",
		"measure again"},
	{v1alpha1.ReasonGeneratorSaturated, "Suspect, Invalid", "the generator sent logins late in a step that the service kept up with",
		fmt.Sprintf("start lag that one login in a hundred exceeds: Suspect > %s ms and > %s of p95, Invalid > %s ms and > %s of p95", units.Ratio(lagSuspectMicroseconds/1000.), percent(lagSuspectShare), units.Ratio(lagInvalidMicroseconds/1000.), percent(lagInvalidShare)),
		"raise `generator.cpuLimit`"},
	{v1alpha1.ReasonGeneratorSaturated, "Invalid", "logins were never sent though the service kept up",
		"any",
		"raise `generator.cpuLimit`"},
	{v1alpha1.ReasonGeneratorSaturated, "Invalid", "the generator was short of CPU in a step, so its own delay counts as latency",
		fmt.Sprintf("CPU used ÷ its CPU limit: > %s", percent(generatorCPUInvalid)),
		"raise `generator.cpuLimit`"},
	{v1alpha1.ReasonGeneratorThrottled, "Suspect, Invalid", "the generator's own quota stopped it during a step",
		fmt.Sprintf("share of the step's time: Suspect > %s, Invalid > %s", percent(throttledSuspect), percent(throttledInvalid)),
		"raise `generator.cpuLimit`"},
	{v1alpha1.ReasonInfeasible, "–", "a login on an idle service already takes longer than the objective, so no rate can meet it. The variant was not loaded",
		"p95 of a login on an idle service > objective",
		"lower the cost, or raise the CPU limit to what the message says"},
	{v1alpha1.ReasonLimitNotApplied, "Invalid", "the container was given another amount of CPU than its limit",
		fmt.Sprintf("off by > %s", percent(limitTolerance)),
		"look at the node's kubelet and container runtime"},
	{v1alpha1.ReasonLivenessFails, "–", "a liveness probe with a timeout of one second, every second, would have restarted a pod under load. The numbers stand",
		fmt.Sprintf("probes of one pod in a row without a successful response within a second, in any step: ≥ %d", livenessFailures),
		"set `workers`, so that logins wait in a queue and not on the CPU; let a service of your own compute no hash on its event loop, and only a few at a time; or give the probe a longer `timeoutSeconds` or `periodSeconds`"},
	{v1alpha1.ReasonModelDisagrees, "Suspect", "measured p95 of an open step is not what the [model](method.md#the-model) computes for the same logins",
		fmt.Sprintf("measured ÷ simulated p95, with the speed as it varied, of any open step up to %s load: a pool outside %s to %s, unbounded outside %s to %s", percent(modelledUtilisation), units.Ratio(1/poolDisagrees), units.Ratio(poolDisagrees), units.Ratio(1/unboundedDisagrees), units.Ratio(unboundedDisagrees)),
		"look for other load on the node, and measure again"},
	{v1alpha1.ReasonModelDisagrees, "Suspect", "the model's capacity contradicts a step, and the model did not expect that from the step's own logins",
		"the model's interval and the measured rates do not overlap",
		"look for other load on the node, and measure again"},
	{v1alpha1.ReasonModelDisagrees, "Suspect", "the service's CPU quota works in another way than the model's, which has no say in the capacity then",
		"periods other than 100 ms, or unused time is saved (CFS burst)",
		"measure on nodes whose kubelet has `cpuCFSQuotaPeriod: 100ms`, and where nothing sets a burst"},
	{v1alpha1.ReasonNoisyNeighbour, "Suspect, Invalid", "the hypervisor gave the service's CPUs to other machines (steal time) in a step",
		fmt.Sprintf("share of the service's CPUs: Suspect > %s, Invalid > %s", percent(stealSuspect), percent(stealInvalid)),
		"measure on hardware that is not shared"},
	{v1alpha1.ReasonNoisyNeighbour, "Suspect, Invalid", "processes other than the service's replicas used its CPUs in a step",
		fmt.Sprintf("share of the service's CPUs if less than one core was idle and the generator ran elsewhere: Suspect > %s, Invalid > %s", percent(neighbourSuspect), percent(neighbourInvalid)),
		"measure again on a node where nothing else runs"},
	{v1alpha1.ReasonNotSteady, "Suspect", "the reported step was too short for its queue to reach a steady state",
		fmt.Sprintf("counted time < %d·D ÷ (1−ρ)²", loadplan.SteadyRelaxations),
		"raise `maxStepSeconds` or `stepSeconds`, or offer less"},
	{v1alpha1.ReasonNotSteady, "Suspect", "the service got slower during the reported step, and its CPU did not",
		fmt.Sprintf("median latency of the second half ÷ that of the first, ÷ the same as simulated with the speed as it varied: > %s", units.Ratio(halvesSuspect)),
		"measure again on a node where nothing else runs, or with a longer `warmupSeconds`"},
	{v1alpha1.ReasonOverloaded, "–", "the reported step offered more than the service can serve, so p95 is absent. The other numbers stand",
		"see the [outcome](method.md#how-a-step-is-judged) `Overloaded`",
		"offer less, or give it more CPU"},
	{v1alpha1.ReasonPodAltered, "Invalid", "something such as a webhook changed the pods or the Deployment: containers, images, commands, environment, mounts, limits, privileges or probes are not those planned",
		"any",
		"exempt pods labelled `hashmark.dev/trial-uid` from whatever changes them"},
	{v1alpha1.ReasonRateNotAchieved, "Suspect, Invalid", "the generator did not send all logins inside the counted time of a step that the service kept up with",
		fmt.Sprintf("share not sent in time: Suspect > %s, Invalid > %s", percent(missedSuspect), percent(missedInvalid)),
		"raise `generator.cpuLimit`"},
	{v1alpha1.ReasonResolution, "Suspect", "the service is faster than the generator can time",
		fmt.Sprintf("start lag that one login in twenty exceeds, in the reported step: > %s of p95", percent(resolutionSuspect)),
		"raise `generator.cpuLimit`, or the cost"},
	{v1alpha1.ReasonSharedNode, "Suspect, Invalid", "the generator could run on the service's CPUs",
		fmt.Sprintf("Suspect if less than one core was idle there, or how the CPUs were used is unknown; Invalid if others took > %s of them", percent(othersInvalid)),
		"add a node for the generator (`generator.nodeSelector` of the chart), or leave it a core of its own. Nodes on one machine, as with kind, share its CPUs"},
	{v1alpha1.ReasonSpeedUnknown, "Suspect", "the CPU time per hash of a step is unknown, so its numbers are as observed and not at the reference speed",
		"any step with at least 20 hashes",
		"look at the generator's log for why the service's account could not be read"},
	{v1alpha1.ReasonSpeedUnknown, "Suspect", "the CPU in a step is another machine rather than the same one at another moment",
		fmt.Sprintf("time per hash ÷ the reference: < %s or > %s", units.Ratio(speed.Fastest), units.Ratio(speed.Slowest)),
		"name the kinds of machine in `matrix.nodePools`"},
	{v1alpha1.ReasonSpeedUnknown, "Suspect", "the speed changed so much within the reported step that p95 depends on when it did",
		fmt.Sprintf("simulated p95 with the speed as it varied ÷ with its mean: < %s or > %s", units.Ratio(1/variationSuspect), units.Ratio(variationSuspect)),
		"measure again, or raise `maxStepSeconds`"},
	{v1alpha1.ReasonSpeedUnknown, "Suspect", "the trials of a node pool ran on different machines, whose CPU models the message names",
		fmt.Sprintf("median speed of a trial ÷ the typical speed of all trials: < %s or > %s", units.Ratio(speed.Fastest), units.Ratio(speed.Slowest)),
		"name the kinds of machine in `matrix.nodePools`"},
	{v1alpha1.ReasonSpeedUnknown, "Suspect", "a trial ran on a CPU model that most trials of the node pool did not run on. Of two trials on two models both are reported, because it is unknown which is the odd one",
		"half of the node pool's trials or fewer ran on the same model",
		"name the kinds of machine in `matrix.nodePools`, or measure again"},
	{v1alpha1.ReasonTooFewSamples, "Suspect, Invalid", "the reported step had too few successful logins for an interval of p95, or for a p95",
		fmt.Sprintf("successes: Suspect < %d, Invalid < %d", samplesForInterval, samplesForP95),
		"raise `minSamples` and `maxStepSeconds`; in modes `Rates` and `Users` `stepSeconds`"},
	{v1alpha1.ReasonTooFewSamples, "Suspect", "the reported step was not run, because it could not gather enough logins",
		"any",
		"raise `maxStepSeconds` or the CPU limit, or lower the cost"},
	{v1alpha1.ReasonTooFewSamples, "Invalid", "the generator handed over no numbers of the reported step",
		"any",
		"check that operator and generator have the same version"},
	{v1alpha1.ReasonTooFewSamples, "Suspect", "too few logins were completed in the saturation for a maximum",
		fmt.Sprintf("completions: < %d", completionsForMaximum),
		"raise `maxStepSeconds` or the CPU limit, or lower the cost"},
	{v1alpha1.ReasonUsersDistinguishable, "–", "the time of a refused login says whether somebody has an account. Only with a user's own login service. The numbers stand",
		fmt.Sprintf("CPU time for an unknown user ÷ that for a wrong password: off 1 by > %s", percent(distinguishablePerMille/1000.0)),
		"compute a hash for unknown users, too"},
}
