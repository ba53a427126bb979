package report

import (
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Row is a variant with its results.
type Row struct {
	// What is deployed.
	Variant v1beta1.Variant
	// The numbers of the row. A predicted variant has only the numbers of the prediction,
	// and no verdict.
	Result v1beta1.VariantResult
	// CPU time of one hash in microseconds, measured or predicted.
	HashMicroseconds *int64
	// True if the numbers are the model's and nothing was measured.
	Predicted bool
	// True if the variant is in the experiment's matrix.
	InMatrix bool
	// The variant's trials by repetition. Empty for a predicted variant.
	Trials []*v1beta1.SizingTrial
	// The trials with a usable result: neither their own verdict nor that of all trials
	// together is Invalid.
	Repetitions []*v1beta1.SizingTrial
	// The trial whose reported step the row shows: its steps, its distribution and its
	// requests under way belong to the row's p95. Nil if no trial has a result.
	Shown *v1beta1.SizingTrial
	// The reported step of that trial, or nil if it was not run.
	Step *v1beta1.Step
}

// rows returns the measured variants followed by the predicted ones. A variant that
// measure: Corners does not measure has only the row of its prediction.
func rows(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) []Row {
	predicted := map[string]bool{}
	for _, p := range experiment.Status.Predictions {
		predicted[p.Variant] = true
	}
	deployed := variants(experiment, trials)
	usable := usableTrials(trials)
	var all []Row
	for _, result := range experiment.Status.Results {
		row := measuredRow(result, deployed, trials, usable)
		if len(row.Trials) == 0 && predicted[result.Variant] {
			continue
		}
		all = append(all, row)
	}
	for i := range experiment.Status.Predictions {
		all = append(all, predictedRow(&experiment.Status.Predictions[i]))
	}
	return all
}

// variants returns the variants by name: those that the trials deployed, and otherwise
// those of the matrix. If the matrix can't be expanded, no rows need it.
func variants(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) map[string]v1beta1.Variant {
	byName := map[string]v1beta1.Variant{}
	if planned, err := matrix.Variants(experiment.Spec.Matrix); err == nil {
		for _, variant := range planned {
			byName[variant.Name] = variant
		}
	}
	for i := range trials {
		byName[trials[i].Spec.Variant.Name] = trials[i].Spec.Variant
	}
	return byName
}

func usableTrials(trials []v1beta1.SizingTrial) []bool {
	usable := make([]bool, len(trials))
	for i, together := range verdict.Combined(trials) {
		usable[i] = together == v1beta1.VerdictValid || together == v1beta1.VerdictSuspect
	}
	return usable
}

func measuredRow(result v1beta1.VariantResult, deployed map[string]v1beta1.Variant, trials []v1beta1.SizingTrial, usable []bool) Row {
	row := Row{Result: result, InMatrix: true, Variant: deployed[result.Variant]}
	row.Variant.Name = result.Variant
	if result.Calibration != nil {
		row.HashMicroseconds = &result.Calibration.HashMicroseconds
	}
	for i := range trials {
		if trials[i].Spec.Variant.Name != result.Variant {
			continue
		}
		row.Trials = append(row.Trials, &trials[i])
		if usable[i] {
			row.Repetitions = append(row.Repetitions, &trials[i])
		}
		if row.Shown == nil && result.TrialName != "" && trials[i].Name == result.TrialName {
			row.Shown, row.Step = &trials[i], loadplan.ReportedStep(&trials[i].Status)
		}
	}
	return row
}

func predictedRow(p *v1beta1.PredictedVariant) Row {
	row := Row{
		Predicted: true, InMatrix: p.InMatrix, HashMicroseconds: &p.HashMicroseconds,
		Variant: v1beta1.Variant{
			Name: p.Variant, Hash: v1beta1.BcryptHash(p.Cost), CPULimit: p.CPULimit, Concurrency: p.Concurrency,
		},
		Result: v1beta1.VariantResult{
			Variant: p.Variant, Hash: v1beta1.BcryptHash(p.Cost), CPULimit: p.CPULimit, NodePool: p.NodePool,
			BoundMilliPerSecond:    &p.BoundMilliPerSecond,
			CapacityMilliPerSecond: p.CapacityMilliPerSecond, CapacityInterval: p.CapacityInterval,
			ObjectiveMet: &p.ObjectiveMet, OfferedMilliPerSecond: &p.OfferedMilliPerSecond,
			P95Microseconds: p.P95Microseconds, P95Interval: p.P95Interval,
			Sizing: p.Sizing, Price: p.Price,
		},
	}
	if p.NodePool != "" {
		row.Variant.NodePool = &v1beta1.NodePool{Name: p.NodePool}
	}
	if p.CapacityMilliPerSecond != nil {
		row.Result.CapacityMethod = v1beta1.CapacityPredicted
	}
	return row
}
