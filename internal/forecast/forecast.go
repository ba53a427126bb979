package forecast

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/prediction"
	"github.com/hashmark-dev/hashmark/internal/simulation"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Of predicts variants that were not measured, and holds the model against those
// that were measured and that it was not given. Sizing and Price stay absent.
//
// Only experiments of mode Capacity have predictions: the others ask for rates or
// users of their own. There is no check where nothing was measured beside the
// corners.
func Of(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) ([]v1alpha1.PredictedVariant, *v1alpha1.ModelCheck) {
	f := newForecast(spec, trials)
	if f == nil {
		return nil, nil
	}
	return f.predictions(), f.check()
}

// ServiceOf is one replica of a variant as the model sees it: of a variant that
// was measured with the CPU time per login of its own run, of another with what
// the corners say. False where too little is known, and for a variant that the
// model does not know, as one with sessions.
func ServiceOf(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial, variant v1alpha1.Variant) (simulation.Service, bool) {
	spec.Service.Replicas = 1
	if variant.Sessions {
		return simulation.Service{}, false
	}
	if trial := typicalRun(trials, verdict.Together(trials), variant.Name); trial != nil {
		own := trial.Spec
		own.Service.Replicas = 1
		return prediction.Model(own, *trial.Status.Calibration, login(trial)), true
	}
	f := newForecast(spec, trials)
	if f == nil || variant.Algorithm != v1alpha1.AlgorithmBcrypt {
		return simulation.Service{}, false
	}
	expected, known := f.expect(variant)
	return expected.service, known
}

// forecast is an experiment with what its corners tell.
type forecast struct {
	spec v1alpha1.SizingExperimentSpec
	// variants of the matrix, and those of them that are measured.
	variants, measured []v1alpha1.Variant
	trials             []v1alpha1.SizingTrial
	// verdicts of the trials, with what all of them tell together.
	verdicts []v1alpha1.Verdict
	pools    map[string]pool
	// seed of the experiment, which all of its trials have.
	seed int64
}

// newForecast is nil where nothing can be predicted.
func newForecast(spec v1alpha1.SizingExperimentSpec, trials []v1alpha1.SizingTrial) *forecast {
	mode := spec.Load.Mode
	if mode != v1alpha1.LoadCapacity && mode != "" || len(trials) == 0 {
		return nil
	}
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return nil
	}
	measured, err := matrix.Measured(spec.Matrix)
	if err != nil {
		return nil
	}
	f := &forecast{
		spec: spec, variants: variants, measured: measured, trials: trials,
		verdicts: verdict.Together(trials), seed: trials[0].Spec.Seed,
	}
	f.pools = fromCorners(variants, trials, f.verdicts)
	return f
}

// expectation is the service that the model expects of a variant.
type expectation struct {
	service simulation.Service
	spec    v1alpha1.SizingTrialSpec
	cal     v1alpha1.TrialCalibration
	scatter float64
}

// expect is what the corners of a variant's node pool say of it; false where
// they don't say enough, or the model has no say in what is so quick.
func (f *forecast) expect(variant v1alpha1.Variant) (expectation, bool) {
	of := f.pools[speed.NodePool(variant)]
	login, timed := of.login(variant.Cost)
	if !timed || !verdict.Modelled(login) {
		return expectation{}, false
	}
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		return expectation{}, false
	}
	cal, known := of.nodes.machine(limit)
	if !known {
		return expectation{}, false
	}
	cal.HashMicroseconds = login.Microseconds()
	e := expectation{cal: cal, scatter: of.scatter, spec: v1alpha1.SizingTrialSpec{
		Variant: variant, Repetition: 1, Service: f.spec.Service, Generator: f.spec.Generator,
		Load: f.spec.Load, Objective: f.spec.Objective, Seed: f.seed,
	}}
	e.service = prediction.Model(e.spec, cal, login)
	return e, true
}
