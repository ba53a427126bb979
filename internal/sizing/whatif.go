package sizing

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Reasons why WhatIf can't return a recommendation, for the user.
var (
	// ErrNoDemand means that the demand is missing.
	ErrNoDemand = errors.New("the demand is missing: set how many logins per second must be served")
	// ErrUsers means that the experiment was driven by users instead of at rates.
	ErrUsers = errors.New("this experiment was measured with load.users, in which a user logs in again only after the last login was answered, so it does not show how many logins per second a size serves; measure with load.capacity")
	// ErrNoTrials means that nothing was measured.
	ErrNoTrials = errors.New("this experiment has no trials yet; wait until some have ended")
)

// WhatIf returns the status that the experiment would have with another spec, without new
// load. The spec has another objective, demand or prices; its matrix, service and load must be
// those of the experiment. Trials are judged again from their stored steps and the model.
//
// It returns ErrNoDemand, ErrUsers, ErrNoTrials, or the errors of CheckHashes
// and Rows.
func WhatIf(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial, spec v1beta1.SizingExperimentSpec) (*v1beta1.SizingExperimentStatus, error) {
	switch {
	case spec.Demand == nil:
		return nil, ErrNoDemand
	case experiment.Spec.Load.Mode() == v1beta1.LoadUsers:
		return nil, ErrUsers
	case len(trials) == 0:
		return nil, ErrNoTrials
	}
	if err := CheckHashes(spec); err != nil {
		return nil, err
	}
	asked := judgedFor(spec.Objective, trials)
	status := experiment.Status.DeepCopy()
	if !sameQuestion(experiment.Spec, spec) {
		// No size was verified for this question. Failures under the same objective still
		// limit the capacity.
		status.Verifications = slices.DeleteFunc(status.Verifications, func(v v1beta1.Verification) bool {
			return v.Outcome != v1beta1.VerificationFailed || !equality.Semantic.DeepEqual(experiment.Spec.Objective, spec.Objective)
		})
		spec.Demand = spec.Demand.DeepCopy()
		spec.Demand.Verify = v1beta1.VerifyNone
	}
	t, err := newTable(spec, asked, status.Verifications)
	if err != nil {
		return nil, err
	}
	t.rows(status)
	// The check of the model under the experiment's own objective still applies. If it were
	// repeated, the model could pass under a stricter objective.
	status.Predictions, _ = prediction.Of(spec, t.trials, status.Results, nil)
	t.question.MeasuredOnly = t.decides && sameQuestion(experiment.Spec, spec)
	t.recommend(status)
	status.Display = results.ExperimentDisplay(spec.Demand, status)
	return status, nil
}

// sameQuestion reports whether verifications for one spec apply to another: both have the
// same demand and the same objective. Other prices can lead to another size, which then is
// not verified.
func sameQuestion(measured, asked v1beta1.SizingExperimentSpec) bool {
	return equality.Semantic.DeepEqual(measured.Objective, asked.Objective) &&
		equality.Semantic.DeepEqual(unquoted(measured.Demand), unquoted(asked.Demand))
}

// unquoted returns a demand whose numbers are written without quotes where they can be: 8 and "8" are the same.
func unquoted(demand *v1beta1.Demand) *v1beta1.Demand {
	if demand == nil {
		return nil
	}
	plain := demand.DeepCopy()
	plain.LoginsPerSecond = intstr.Parse(plain.LoginsPerSecond.String())
	if plain.MaxTotalCPU != nil {
		*plain.MaxTotalCPU = intstr.Parse(plain.MaxTotalCPU.String())
	}
	return plain
}

// judgedFor returns the trials judged under another objective. Verifications show only the speed of their pods.
func judgedFor(objective v1beta1.Objective, trials []v1beta1.SizingTrial) []v1beta1.SizingTrial {
	asked := make([]v1beta1.SizingTrial, len(trials))
	for i, trial := range trials {
		if asked[i] = trial; trial.Spec.Role != v1beta1.RoleVerification {
			asked[i] = verdict.ForObjective(trial, objective)
		}
	}
	return asked
}
