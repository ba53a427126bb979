package forecast

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/simulation"
)

// Of predicts variants that were not measured, and holds the model against those
// that were but that it was not given. Nothing is predicted, and no check is
// told, of an experiment whose matrix is none. Sizing and Price stay absent.
func Of(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) ([]v1alpha1.PredictedVariant, *v1alpha1.ModelCheck) {
	return nil, nil
}

// ServiceOf is the model of a variant: of one that was measured with its own CPU
// time per login, of another with what the corners say. False where too little
// is known, and for a variant that the model does not know, as one with sessions.
func ServiceOf(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial, variant v1alpha1.Variant) (simulation.Service, bool) {
	return simulation.Service{}, false
}
