package verdict

import (
	"fmt"
	"math"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// podAltered finds pods that something, such as a webhook, changed after they were created.
func podAltered(t *trial) []v1beta1.Reason {
	if len(t.Placement.Altered) == 0 {
		return nil
	}
	return finding(v1beta1.ReasonPodAltered, v1beta1.VerdictInvalid,
		"The pods that ran differ from the planned pods: %s. "+
			"Exclude pods with the label hashmark.dev/trial-uid from whatever changes them, such as an admission webhook",
		strings.Join(t.Placement.Altered, "; "))
}

// limitNotApplied finds a container whose CPU differs from its limit.
func limitNotApplied(t *trial) []v1beta1.Reason {
	planned, err := resource.ParseQuantity(t.Spec.Variant.CPULimit)
	if err != nil {
		return nil // the API refuses such a limit
	}
	var found []v1beta1.Reason
	for _, pod := range t.Run.Services {
		actual, by := float64(pod.QuotaMilliCPU), "a quota"
		if pod.QuotaMilliCPU == 0 {
			if !placed(pod.Container) {
				continue // unknown, which evidenceMissing reports
			}
			actual, by = float64(1000*evidence.CPUs(pod.Cpuset)), "a cpuset"
		}
		limit := float64(planned.MilliValue())
		off := math.Abs(actual-limit) / limit
		found = append(found, graded(v1beta1.ReasonLimitNotApplied, off, limitTolerance, limitTolerance,
			"The service was limited to %dm CPU (by %s) instead of %s: check the node's kubelet and container runtime",
			int64(actual), by, t.Spec.Variant.CPULimit)...)
	}
	return found
}

// evidenceMissing lists the evidence without which the numbers cannot be checked.
func evidenceMissing(t *trial) []v1beta1.Reason {
	missing := t.missingContainers()
	if planned := len(t.Plan.WithoutWarmup()); len(t.Run.Steps) != planned {
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
	return finding(v1beta1.ReasonEvidenceMissing, v1beta1.VerdictSuspect,
		"The numbers cannot be checked, because this evidence could not be read, or changed during the load: %s", strings.Join(missing, ", "))
}

// missingForModel lists what the model needs for a comparison with the reported step.
func (t *trial) missingForModel() []string {
	s := t.reported
	if s == nil || !s.settled() || !modelled(t.Spec.Variant, t.bound) || s.result.OK < samplesForHalves {
		return nil
	}
	var missing []string
	if s.result.Service != nil && s.cpu == 0 {
		missing = append(missing, "the service's own count of hashes in "+s.name())
	}
	if s.result.FirstHalfP50Microseconds == nil || s.result.SecondHalfP50Microseconds == nil {
		missing = append(missing, "the median latencies of both halves of "+s.name())
	}
	return missing
}

// missingContainers lists the containers whose machine or CPUs are unknown.
func (t *trial) missingContainers() []string {
	var missing []string
	if t.Run.Generator == nil || !placed(*t.Run.Generator) {
		missing = append(missing, "the CPUs of the generator")
	}
	if own := t.Spec.Service.Own; own != nil && len(t.Run.Companions) < len(own.Companions) {
		missing = append(missing, fmt.Sprintf("the CPU time of %d of %d companions", len(own.Companions)-len(t.Run.Companions), len(own.Companions)))
	}
	known := 0
	for _, pod := range t.Run.Services {
		if placed(pod.Container) {
			known++
		}
	}
	if replicas := int(t.Spec.Service.Replicas); known < replicas {
		missing = append(missing, fmt.Sprintf("the CPUs of %d of %d pods of the service", replicas-known, replicas))
	}
	return missing
}

func placed(c measurement.Container) bool {
	return c.BootID != "" && evidence.CPUs(c.Cpuset) > 0
}

// livenessFails finds the lowest load under which a liveness probe would have restarted a pod.
func livenessFails(t *trial) []v1beta1.Reason {
	var first *step
	for _, s := range t.steps {
		if s.result.Alive == nil || s.result.Alive.FailedInARow < livenessFailures {
			continue
		}
		if first == nil || s.Kind == loadplan.Open && (first.Kind != loadplan.Open || s.OfferedMilliPerSecond < first.OfferedMilliPerSecond) {
			first = s
		}
	}
	if first == nil {
		return nil
	}
	remedy := "Set workers, so that logins wait in a queue and not on the CPU"
	if t.Spec.Service.Own != nil {
		remedy = "Compute no hash on an event loop and only a few at a time" // workers only describes such a service
	}
	return finding(v1beta1.ReasonLivenessFails, "",
		"In %s a pod did not answer %d liveness probes in a row within 1s: a probe with timeoutSeconds: 1 and "+
			"periodSeconds: 1 would have restarted it. %s, or allow the probe more time",
		first.name(), first.result.Alive.FailedInARow, remedy)
}

// usersDistinguishable finds a service whose refusals take another time for users without an account.
func usersDistinguishable(t *trial) []v1beta1.Reason {
	perMille := t.Calibration.UnknownUserPerMille
	if perMille == nil || max(*perMille, 1000)-min(*perMille, 1000) <= distinguishablePerMille {
		return nil
	}
	return finding(v1beta1.ReasonUsersDistinguishable, "",
		"Refusing somebody who has no account takes %s of the CPU time of refusing a wrong password, so that the "+
			"time says who has an account. Do the same work for both, such as one hash", percent(float64(*perMille)/1000))
}

// servicePaused finds a user's own service that stood still. With several replicas, all of them did.
func servicePaused(t *trial, s *step) []v1beta1.Reason {
	if t.Spec.Service.Own == nil || s.simulated == nil || s.result.LongestPauseMicroseconds == nil {
		return nil
	}
	pause := microseconds(*s.result.LongestPauseMicroseconds)
	share := float64(pause-s.simulated.pause) / float64(time.Duration(t.Spec.Objective.P95Milliseconds)*time.Millisecond)
	return graded(v1beta1.ReasonServicePaused, share, longPause, math.Inf(1),
		"In %s, no login was answered for %s although several waited, and for at most %s in the simulation of the same logins (suspect if that is longer by %s of the objective's p95): the service stood still, for example to collect garbage, or for a lock or a backup. A pause that comes less than once a step is in the latencies of some steps only",
		s.name(), pause.Round(time.Millisecond), s.simulated.pause.Round(time.Millisecond), percent(longPause))
}

// companionSaturated finds a companion of a user's own service that had no CPU left: the load found its limit then.
func companionSaturated(t *trial) []v1beta1.Reason {
	var found []v1beta1.Reason
	for _, use := range t.Run.Companions {
		found = append(found, graded(v1beta1.ReasonCompanionSaturated, float64(use.BusiestPerMille)/1000, saturatedCompanion, saturatedCompanion,
			"Companion %s used %s of its CPU limit in a step (at most %s): the load found its limit and not the service's; raise its cpuLimit",
			use.Name, percent(float64(use.BusiestPerMille)/1000), percent(saturatedCompanion))...)
	}
	return found
}
