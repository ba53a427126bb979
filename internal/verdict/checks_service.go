package verdict

import (
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
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
	missing = append(missing, t.missingForModel()...)
	if len(missing) == 0 {
		return nil
	}
	return []v1alpha1.Reason{{
		Type: EvidenceMissing, Verdict: v1alpha1.VerdictSuspect,
		Message: "These could not be read, or changed while the load ran, so that nothing speaks for the numbers: " + strings.Join(missing, ", "),
	}}
}

// missingForModel names what the model can't do without to hold the reported
// step against what it expects. Fewer logins than these need not have it.
func (t *trial) missingForModel() []string {
	s := t.reported
	if s == nil || !s.settled() || !t.modelled() || s.result.OK < samplesForHalves {
		return nil
	}
	var missing []string
	if s.result.Service != nil && s.cpu == 0 {
		missing = append(missing, "the service's own count of hashes in "+s.name())
	}
	if s.result.FirstHalfP50Microseconds == nil || s.result.SecondHalfP50Microseconds == nil {
		missing = append(missing, "how the latency of its first half compares with that of its second")
	}
	return missing
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

func capital(sentence string) string { return strings.ToUpper(sentence[:1]) + sentence[1:] }
