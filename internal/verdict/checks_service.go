package verdict

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// podAltered: something changed the pods on their way, as a webhook may.
func podAltered(t *trial) []v1alpha1.Reason {
	if len(t.Placement.Altered) == 0 {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: PodAltered, Verdict: v1alpha1.VerdictInvalid,
		Message: "The pods that ran are not those that were planned: " + strings.Join(t.Placement.Altered, "; ") +
			". Exempt pods labelled hashmark.dev/trial-uid from whatever injects or rewrites",
	}}
}

// limitNotApplied: the container was given another amount of CPU than its limit.
func limitNotApplied(t *trial) []v1alpha1.Reason {
	planned, err := resource.ParseQuantity(t.Spec.Variant.CPULimit)
	if err != nil {
		return nil // the API refuses such a limit
	}
	var found []v1alpha1.Reason
	for _, pod := range t.Run.Services {
		given, by := float64(pod.QuotaMilliCPU), "a quota"
		if pod.QuotaMilliCPU == 0 {
			given, by = float64(1000*evidence.CPUs(pod.Cpuset)), "CPUs of its own"
		}
		off := math.Abs(given/float64(planned.MilliValue()) - 1)
		found = append(found, graded(LimitNotApplied, off, limitTolerance, limitTolerance,
			"The service was limited to %gm CPU (by %s) instead of %s; look at the node's kubelet and container runtime",
			given, by, t.Spec.Variant.CPULimit)...)
	}
	return found
}

// evidenceMissing: what could not be checked is not believed.
func evidenceMissing(t *trial) []v1alpha1.Reason {
	var missing []string
	if t.Run.Generator == nil {
		missing = append(missing, "what the generator was given")
	}
	if len(t.Run.Services) < int(t.Spec.Service.Replicas) {
		missing = append(missing, fmt.Sprintf("what %d of %d pods of the service were given",
			int(t.Spec.Service.Replicas)-len(t.Run.Services), t.Spec.Service.Replicas))
	}
	for _, s := range t.steps {
		if s.result.Service == nil {
			missing = append(missing, "the service's CPU time in "+s.name())
		}
		if s.result.Generator == nil {
			missing = append(missing, "the generator's CPU time in "+s.name())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: EvidenceMissing, Verdict: v1alpha1.VerdictSuspect,
		Message: "These could not be read, so that nothing speaks for the numbers: " + strings.Join(missing, ", "),
	}}
}

// sharedNode: the generator could run on the service's CPUs.
func sharedNode(t *trial) []v1alpha1.Reason {
	shared := t.sharing()
	if shared == nil {
		return nil
	}
	const advice = "add a node for the generator, or leave it a core of its own"
	if !shared.measured {
		return []v1alpha1.Reason{{
			Type: SharedNode, Verdict: v1alpha1.VerdictSuspect,
			Message: "The generator could run on the service's CPUs, and how these were used is not known; " + advice,
		}}
	}
	found := graded(SharedNode, shared.othersShare, othersInvalid, othersInvalid,
		"The generator could run on the service's CPUs, of which others took %s (invalid from %s); %s",
		percent(shared.othersShare), percent(othersInvalid), advice)
	idle := shared.idleShare * shared.cpus
	if idle < idleCoresSuspect {
		found = append(found, v1alpha1.Reason{
			Type: SharedNode, Verdict: v1alpha1.VerdictSuspect,
			Message: fmt.Sprintf("The generator could run on the service's CPUs, and only %.2g cores stood idle there (suspect below %g); %s",
				idle, idleCoresSuspect, advice),
		})
	}
	return found
}

// aboveCPUBound: more logins were served than the CPU can hash.
func aboveCPUBound(t *trial) []v1alpha1.Reason {
	if t.maximum == nil || t.bound <= 0 {
		return nil
	}
	ratio := float64(*t.maximum) / float64(t.bound)
	return graded(AboveCPUBound, ratio, aboveBoundSuspect, aboveBoundInvalid,
		"The service served %.3g times what its CPU could hash when it was calibrated (suspect above %g, invalid above %g); something disturbed the calibration or lifted the limit. Measure again on a quiet node",
		ratio, aboveBoundSuspect, aboveBoundInvalid)
}

// tooFewSamples: p95 of a handful of logins is chance.
func tooFewSamples(t *trial) []v1alpha1.Reason {
	if t.reported == nil {
		return leftOut(t)
	}
	if t.reported.overloaded {
		return nil
	}
	ok := t.reported.result.OK
	found := v1alpha1.Reason{Type: TooFewSamples}
	switch {
	case ok < samplesForP95:
		found.Verdict = v1alpha1.VerdictInvalid
		found.Message = fmt.Sprintf("%s had %d successes; below %d there is no p95. Raise maxStepSeconds or minSamples (or stepSeconds)",
			capital(t.reported.name()), ok, samplesForP95)
	case ok < samplesForInterval:
		found.Verdict = v1alpha1.VerdictSuspect
		found.Message = fmt.Sprintf("%s had %d successes; below %d p95 has no interval. Raise maxStepSeconds or minSamples (or stepSeconds)",
			capital(t.reported.name()), ok, samplesForInterval)
	default:
		return nil
	}
	return []v1alpha1.Reason{found}
}

// leftOut says why the reported step was not run at all.
func leftOut(t *trial) []v1alpha1.Reason {
	for _, left := range t.NotRun {
		if left.Reported {
			return []v1alpha1.Reason{{Type: TooFewSamples, Verdict: v1alpha1.VerdictSuspect, Message: left.Message}}
		}
	}
	return nil
}

// overloaded explains a p95 that is absent. It is no verdict: a service that
// can't keep up is a result.
func overloaded(t *trial) []v1alpha1.Reason {
	if t.reported == nil || !t.reported.overloaded {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: Overloaded,
		Message: fmt.Sprintf("%s asked for more than the service can serve (%s of the logins failed), so that p95 would only tell how long it was driven; offer less, or give it more CPU",
			capital(t.reported.name()), percent(t.reported.failedShare())),
	}}
}

func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
