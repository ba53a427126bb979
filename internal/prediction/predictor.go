package prediction

import (
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/internal/speed"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Of predicts variants that were not measured, and checks the model against the rows of held-out variants.
// It does not set Sizing and Price. Only experiments with mode Capacity have predictions. The check is nil if
// only the corners were measured, and with measure: Decision, whose predictions follow what was measured.
//
// With measure: Decision, more reports whether the decision measures another variant, given the predicted capacities of the
// matrix. If it does, nothing else is predicted: that takes twice as long as the capacities, and does not change the
// decision. A nil more means no.
func Of(
	spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, rows []v1beta1.VariantResult,
	more func([]v1beta1.PredictedVariant) bool,
) ([]v1beta1.PredictedVariant, *v1beta1.ModelCheck) {
	f := newPredictor(spec, trials)
	if f == nil {
		return nil, nil
	}
	if !f.decides {
		return f.complete(f.inMatrix()), f.check(rows)
	}
	f.setShifts(rows)
	predicted, from := f.inMatrix()
	if more != nil && more(predicted) {
		return predicted, nil
	}
	return f.complete(predicted, from), nil
}

// ServiceOf returns one replica of a variant for the simulation. A measured variant has the
// CPU time per login of its own run; another has that of the corners. It returns false if too
// little is known, and for a variant that can't be modelled, such as one with sessions.
func ServiceOf(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial, variant v1beta1.Variant) (model.Service, bool) {
	spec.Service.Replicas = 1
	if variant.Hash.Sessions {
		return model.Service{}, false
	}
	if trial := typicalRun(trials, verdict.Combined(trials), variant.Name); trial != nil {
		own := trial.Spec
		own.Service.Replicas = 1
		service := model.NewService(own, *trial.Status.Calibration, login(trial))
		service.Wait = verdict.WaitPerLogin(trial)
		return service, true
	}
	f := newPredictor(spec, trials)
	if f == nil || variant.Hash.Bcrypt == nil {
		return model.Service{}, false
	}
	expected, known := f.expect(variant)
	return expected.service, known
}

type predictor struct {
	spec v1beta1.SizingExperimentSpec
	// variants are those of the matrix, measured are those of them that are measured.
	variants, measured []v1beta1.Variant
	trials             []v1beta1.SizingTrial
	// verdicts of the trials, including what all trials together show.
	verdicts []v1beta1.Verdict
	// corners has the names of the corners of the matrix.
	corners map[string]bool
	// pools has what the corners show, or with measure: Decision the calibrations.
	pools map[string]pool
	// decides means measure: Decision. shifts are measured ÷ predicted capacity of each kind of
	// concurrency on each node pool, by which its other predictions are multiplied.
	decides bool
	shifts  map[kind]float64
	// seed of the experiment, which all of its trials have.
	seed int64
}

// newPredictor returns the predictor of an experiment, or nil if nothing can be predicted.
func newPredictor(spec v1beta1.SizingExperimentSpec, trials []v1beta1.SizingTrial) *predictor {
	if spec.Load.Mode() != v1beta1.LoadCapacity || len(trials) == 0 {
		return nil
	}
	variants, err := matrix.Variants(spec.Matrix)
	if err != nil {
		return nil
	}
	measured, err := matrix.Measured(spec, trials)
	if err != nil {
		return nil
	}
	f := &predictor{
		spec: spec, variants: variants, measured: measured, trials: trials,
		verdicts: verdict.Combined(trials), corners: map[string]bool{}, seed: trials[0].Spec.Seed,
	}
	if matrix.Measuring(spec) == v1beta1.MeasureDecision {
		f.decides, f.pools = true, fromCalibrations(trials, f.verdicts)
		return f
	}
	for _, corner := range matrix.Corners(variants) {
		f.corners[corner.Name] = true
	}
	f.pools = fromCorners(f.corners, trials, f.verdicts)
	return f
}

// expectation is what is expected of a variant: its service, spec and calibration.
type expectation struct {
	service model.Service
	spec    v1beta1.SizingTrialSpec
	cal     handover.Calibration
	// scatter is the relative error of the CPU time of a login.
	scatter float64
}

func newExpectation(spec v1beta1.SizingTrialSpec, cal handover.Calibration, login time.Duration, scatter float64) expectation {
	cal.HashMicroseconds = login.Microseconds()
	return expectation{service: model.NewService(spec, cal, login), spec: spec, cal: cal, scatter: scatter}
}

// expect returns what the corners of a variant's node pool show about it. It returns false if
// they don't show enough, or if the hash is too short for the model.
func (f *predictor) expect(variant v1beta1.Variant) (expectation, bool) {
	corners := f.pools[speed.NodePool(variant)]
	login, timed := corners.login(variant.Hash.Cost())
	if !timed || !verdict.Modelled(login) {
		return expectation{}, false
	}
	login += corners.overhead
	limit, err := matrix.MilliCPU(variant.CPULimit)
	if err != nil {
		return expectation{}, false
	}
	cal, known := corners.nodes.machine(limit)
	if !known && f.decides {
		cal, known = corners.nodes.assumed(limit)
	}
	if !known {
		return expectation{}, false
	}
	return newExpectation(v1beta1.SizingTrialSpec{
		Variant: variant, Repetition: 1, Service: f.spec.Service, Generator: f.spec.Generator,
		Load: f.spec.Load, Objective: f.spec.Objective, Seed: f.seed,
	}, cal, login, corners.scatter+corners.overheadError.Seconds()/login.Seconds()), true
}
