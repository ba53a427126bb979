package matrix

import (
	"fmt"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

const (
	// VerificationLogins is the minimum number of logins that decide a verification.
	VerificationLogins = 150
	// VerificationSeconds is the maximum time that a verification holds its rate.
	VerificationSeconds = 600
)

// VerificationName returns the name of the SizingTrial of an experiment's first or second
// verification.
func VerificationName(exp *v1beta1.SizingExperiment, variant string, number int) string {
	return fmt.Sprintf("%s-%s-verify-%d-%s", exp.Name, variant, number, shortUID(exp.UID))
}

// verifications returns the planned trials of status.verifications whose variant is in the matrix.
func verifications(exp *v1beta1.SizingExperiment, after int32, seed int64) []PlannedTrial {
	variants, err := Variants(exp.Spec.Matrix)
	if err != nil {
		return nil
	}
	var trials []PlannedTrial
	for i, v := range exp.Status.Verifications {
		for _, variant := range variants {
			// The name of an abandoned entry may belong to an object of someone else.
			if v.Outcome == v1beta1.VerificationNotRun || variant.Name != v.Variant || v.TrialName != VerificationName(exp, v.Variant, i+1) {
				continue
			}
			number := int32(i + 1)
			spec := trialSpec(exp, variant, number, after+number, seed)
			spec.Role = v1beta1.RoleVerification
			spec.Service.Replicas = v.DrivenReplicas
			spec.Load = verificationLoad(exp.Spec.Load, v.OfferedMilliPerSecond)
			trials = append(trials, PlannedTrial{Name: v.TrialName, Spec: spec})
		}
	}
	return trials
}

func verificationLoad(load v1beta1.Load, milliPerSecond int64) v1beta1.Load {
	milliPerSecond = max(1, milliPerSecond)
	first := (VerificationLogins*1000 + milliPerSecond - 1) / milliPerSecond
	return v1beta1.Load{
		Rates: &v1beta1.RatesLoad{
			PerSecond: []intstr.IntOrString{decimal(milliPerSecond)},
			Arrivals:  ptr.To(v1beta1.ArrivalsPoisson),
		},
		StepSeconds:           int32(min(first, VerificationSeconds)),
		WarmupSeconds:         load.WarmupSeconds,
		RequestTimeoutSeconds: load.RequestTimeoutSeconds,
	}
}

// decimal formats thousandths as a rate of the API: 5, or "2.5".
func decimal(milli int64) intstr.IntOrString {
	return intstr.Parse(strconv.FormatFloat(float64(milli)/1000, 'f', -1, 64))
}

// Measurements returns the trials that measure a variant of the matrix, without calibrations and
// verifications.
func Measurements(trials []v1beta1.SizingTrial) []v1beta1.SizingTrial {
	return slices.DeleteFunc(Timed(trials), func(t v1beta1.SizingTrial) bool {
		return t.Spec.Role == v1beta1.RoleCalibration
	})
}

// Timed returns the trials from which the speed of a node pool and the time of its hashes follow: all but the
// verifications.
func Timed(trials []v1beta1.SizingTrial) []v1beta1.SizingTrial {
	return slices.DeleteFunc(slices.Clone(trials), func(t v1beta1.SizingTrial) bool {
		return t.Spec.Role == v1beta1.RoleVerification
	})
}
