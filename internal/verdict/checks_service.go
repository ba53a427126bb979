package verdict

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
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
			if !placed(pod.Container) {
				continue // unknown, which evidenceMissing tells
			}
			given, by = float64(1000*evidence.CPUs(pod.Cpuset)), "CPUs of its own"
		}
		limit := float64(planned.MilliValue())
		off := math.Abs(given-limit) / limit
		found = append(found, graded(LimitNotApplied, off, limitTolerance, limitTolerance,
			"The service was limited to %gm CPU (by %s) instead of %s; look at the node's kubelet and container runtime",
			given, by, t.Spec.Variant.CPULimit)...)
	}
	return found
}

// evidenceMissing: what could not be checked is not believed.
func evidenceMissing(t *trial) []v1alpha1.Reason {
	missing := t.missingContainers()
	if planned := t.plannedSteps(); len(t.Run.Steps) != planned {
		missing = append(missing, fmt.Sprintf("%d of %d planned steps", planned-len(t.Run.Steps), planned))
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

// missingContainers names the containers of which it is not known what they
// were given to run on.
func (t *trial) missingContainers() []string {
	var missing []string
	if t.Run.Generator == nil || !placed(*t.Run.Generator) {
		missing = append(missing, "what the generator was given")
	}
	known := 0
	for _, pod := range t.Run.Services {
		if placed(pod.Container) {
			known++
		}
	}
	if replicas := int(t.Spec.Service.Replicas); known < replicas {
		missing = append(missing, fmt.Sprintf("what %d of %d pods of the service were given", replicas-known, replicas))
	}
	return missing
}

// placed tells whether it is known which CPUs of which machine a container had.
func placed(c measurement.Container) bool {
	return c.BootID != "" && evidence.CPUs(c.Cpuset) > 0
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

// belowCPUBound: the service was saturated and served far less than its CPU can
// hash. With Rates and Users the maximum need not be a saturated one.
func belowCPUBound(t *trial) []v1alpha1.Reason {
	if t.maximum == nil || t.bound <= 0 || t.Spec.Load.Mode != v1alpha1.LoadCapacity {
		return nil
	}
	ratio := float64(*t.maximum) / float64(t.bound)
	return graded(BelowCPUBound, -ratio, -belowBoundSuspect, -belowBoundInvalid,
		"The service served only %.3g of what its CPU could hash when it was calibrated (suspect below %g, invalid below %g); something else used its CPUs. Measure again on a quiet node",
		ratio, belowBoundSuspect, belowBoundInvalid)
}

// tooFewSamples: p95 of a handful of logins is chance, and so is a maximum of a
// handful of completions.
func tooFewSamples(t *trial) []v1alpha1.Reason {
	found := fewCompletions(t)
	switch {
	case t.reported == nil:
		found = append(found, leftOut(t))
	case !t.reported.overloaded:
		found = append(found, fewSuccesses(t.reported)...)
	}
	return found
}

func fewSuccesses(s *step) []v1alpha1.Reason {
	const advice = "Raise load.minSamples and load.maxStepSeconds, or load.stepSeconds"
	ok := s.result.OK
	switch {
	case ok < samplesForP95:
		return []v1alpha1.Reason{{
			Type: TooFewSamples, Verdict: v1alpha1.VerdictInvalid,
			Message: fmt.Sprintf("%s had %d successes; below %d there is no p95. %s", capital(s.name()), ok, samplesForP95, advice),
		}}
	case ok < samplesForInterval:
		return []v1alpha1.Reason{{
			Type: TooFewSamples, Verdict: v1alpha1.VerdictSuspect,
			Message: fmt.Sprintf("%s had %d successes; below %d p95 has no interval. %s", capital(s.name()), ok, samplesForInterval, advice),
		}}
	default:
		return nil
	}
}

func fewCompletions(t *trial) []v1alpha1.Reason {
	var found []v1alpha1.Reason
	for _, s := range t.steps {
		if s.Kind == loadplan.Saturation && s.result.CompletedInWindow < completionsForMaximum {
			found = append(found, v1alpha1.Reason{
				Type: TooFewSamples, Verdict: v1alpha1.VerdictSuspect,
				Message: fmt.Sprintf("The saturation saw %d completions; below %d there is no maximum. Raise load.maxStepSeconds or the CPU limit, or lower the cost",
					s.result.CompletedInWindow, completionsForMaximum),
			})
		}
	}
	return found
}

// leftOut says why there is no reported step. One that the plan left out takes
// only p95 away, and the plan says why; any other would leave a row empty.
func leftOut(t *trial) v1alpha1.Reason {
	for _, left := range t.NotRun {
		if left.Reported {
			return v1alpha1.Reason{Type: TooFewSamples, Verdict: v1alpha1.VerdictSuspect, Message: left.Message}
		}
	}
	return v1alpha1.Reason{
		Type: TooFewSamples, Verdict: v1alpha1.VerdictInvalid,
		Message: "The generator handed over no numbers of the reported step; see that operator and generator are of one version",
	}
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
