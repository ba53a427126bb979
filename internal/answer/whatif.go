package answer

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/forecast"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/recommendation"
	"github.com/hashmark-dev/hashmark/internal/summary"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Why another question can't be answered, in sentences for whoever asked it.
var (
	// ErrNoDemand means that the question names no rate.
	ErrNoDemand = errors.New("there is no demand to answer: say how many logins per second must be served")
	// ErrUsers means that the experiment was driven by users, not at rates.
	ErrUsers = errors.New("this experiment was measured with mode: Users, where nobody comes before the last login was answered: it says nothing of logins per second; measure with mode: Capacity")
	// ErrNoTrials means that nothing was measured.
	ErrNoTrials = errors.New("this experiment has no trials, so that there is nothing to answer from; wait until some have ended")
)

// WhatIf answers another question from what an experiment measured, with no new
// load: the status as it would be, had the experiment had this spec. The spec
// holds another objective, demand or prices; matrix, service and load are those
// that were measured. Trials are judged anew from their stored steps and the model.
//
// Errors: ErrNoDemand, ErrUsers, ErrNoTrials, those of recommendation.CheckHashes, and those of Rows.
func WhatIf(experiment *v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial, spec v1alpha1.SizingExperimentSpec) (*v1alpha1.SizingExperimentStatus, error) {
	switch {
	case spec.Demand == nil:
		return nil, ErrNoDemand
	case experiment.Spec.Load.Mode == v1alpha1.LoadUsers:
		return nil, ErrUsers
	case len(trials) == 0:
		return nil, ErrNoTrials
	}
	if err := recommendation.CheckHashes(spec); err != nil {
		return nil, err
	}
	asked := judgedFor(spec.Objective, matrix.Measurements(trials))
	status := experiment.Status.DeepCopy()
	if !sameQuestion(experiment.Spec, spec) {
		// No size was verified for this question. Failures under the same objective still
		// limit the capacity.
		status.Verifications = slices.DeleteFunc(status.Verifications, func(v v1alpha1.Verification) bool {
			return v.Outcome != v1alpha1.VerificationFailed || experiment.Spec.Objective != spec.Objective
		})
		spec.Demand = spec.Demand.DeepCopy()
		spec.Demand.Verify = v1alpha1.VerifyNone
	}
	if err := Rows(spec, asked, status); err != nil {
		return nil, err
	}
	t, err := newTable(spec, asked, status.Verifications)
	if err != nil {
		return nil, err
	}
	// Whether the model is to be trusted was found out under the experiment's own
	// objective. Were it asked anew, a stricter objective could let it in.
	status.Predictions, _ = forecast.Of(spec, t.trials)
	t.recommend(status)
	status.Display = summary.ExperimentDisplay(status)
	return status, nil
}

// sameQuestion tells whether what was verified for one spec answers another: they ask
// for the same rate and the same objective. Prices may lead to another size, which then
// was not verified.
func sameQuestion(measured, asked v1alpha1.SizingExperimentSpec) bool {
	return measured.Objective == asked.Objective && equality.Semantic.DeepEqual(measured.Demand, asked.Demand)
}

// judgedFor are the trials as another objective would have had them.
func judgedFor(objective v1alpha1.Objective, trials []v1alpha1.SizingTrial) []v1alpha1.SizingTrial {
	asked := make([]v1alpha1.SizingTrial, len(trials))
	for i, trial := range trials {
		asked[i] = verdict.ForObjective(trial, objective)
	}
	return asked
}
