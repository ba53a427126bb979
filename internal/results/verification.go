package results

import (
	"fmt"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Verifies reports whether an experiment's recommendation is verified.
func Verifies(spec v1alpha1.SizingExperimentSpec) bool {
	return spec.Demand != nil && (spec.Demand.Verify == v1alpha1.VerifyReplica || spec.Demand.Verify == v1alpha1.VerifyFull)
}

// Verifying returns text such as "Verifying 2×c10-500m: 1 replica is driven at 2.5/s".
func Verifying(v v1alpha1.Verification) string {
	driven := "1 replica is"
	if v.DrivenReplicas != 1 {
		driven = fmt.Sprintf("%d replicas are", v.DrivenReplicas)
	}
	return fmt.Sprintf("Verifying %d×%s: %s driven at %s", v.Replicas, v.Variant, driven, units.Rate(&v.OfferedMilliPerSecond))
}

// verified returns "yes", "no", "undecided" or "running", or "" if the recommendation was not
// verified.
func verified(status *v1alpha1.SizingExperimentStatus) string {
	if status.Recommendation == nil {
		return ""
	}
	switch status.Recommendation.Verified {
	case v1alpha1.VerificationMet:
		return "yes"
	case v1alpha1.VerificationFailed:
		return "no"
	case v1alpha1.VerificationUndecided:
		return "undecided"
	}
	if n := len(status.Verifications); n > 0 && status.Verifications[n-1].Outcome == "" {
		return "running"
	}
	return ""
}
