package report

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Row is a variant with all that is known of it.
type Row struct {
	// The numbers of the row, also of one that was predicted: those that a
	// prediction has. Its verdict is empty then.
	Result v1alpha1.VariantResult
	// How the service deals with several logins at once; its mode is empty where
	// nothing says so.
	Concurrency v1alpha1.Concurrency
	// CPU time of one login, in microseconds, measured or predicted.
	HashMicroseconds *int64
	// True where the model tells the numbers and nothing was measured.
	Predicted bool
	// True where the experiment's matrix names the variant.
	InMatrix bool
	// The variant's trials by repetition; none of a predicted one.
	Trials []*v1alpha1.SizingTrial
	// The trial whose reported step the row shows: its steps, its distribution and
	// its requests under way belong to the row's p95. Nil where none has a result.
	Shown *v1alpha1.SizingTrial
}

// rows are the measured variants and then the predicted ones. A variant that
// measure: Corners left out has a prediction in the place of a row that would
// wait for ever.
func rows(experiment *v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial) []Row {
	predicted := map[string]bool{}
	for _, p := range experiment.Status.Predictions {
		predicted[p.Variant] = true
	}
	var all []Row
	for _, result := range experiment.Status.Results {
		row := measured(result, trials)
		if len(row.Trials) == 0 && predicted[result.Variant] {
			continue
		}
		all = append(all, row)
	}
	for _, p := range experiment.Status.Predictions {
		all = append(all, foretold(p))
	}
	return all
}

func measured(result v1alpha1.VariantResult, trials []v1alpha1.SizingTrial) Row {
	row := Row{Result: result, InMatrix: true}
	if result.Calibration != nil {
		row.HashMicroseconds = &result.Calibration.HashMicroseconds
	}
	for i := range trials {
		if trials[i].Spec.Variant.Name == result.Variant {
			row.Trials = append(row.Trials, &trials[i])
		}
	}
	if len(row.Trials) > 0 {
		row.Concurrency = row.Trials[0].Spec.Variant.Concurrency
	}
	row.Shown = shown(result, row.Trials)
	return row
}

// shown is the trial that the row's p95 was taken from: a row of several
// repetitions shows the median one as it is. Without a p95 it is the first with
// a result of the same verdict, or else with any.
func shown(row v1alpha1.VariantResult, trials []*v1alpha1.SizingTrial) *v1alpha1.SizingTrial {
	var best *v1alpha1.SizingTrial
	score := 0
	for _, trial := range trials {
		if found := likeness(row, trial.Status.Result); found > score {
			best, score = trial, found
		}
	}
	return best
}

func likeness(row v1alpha1.VariantResult, result *v1alpha1.VariantResult) int {
	switch {
	case result == nil:
		return 0
	case row.P95Microseconds != nil && result.P95Microseconds != nil && *row.P95Microseconds == *result.P95Microseconds:
		return 4
	case result.Verdict == row.Verdict:
		return 3
	case result.Verdict != v1alpha1.VerdictInvalid:
		return 2
	default:
		return 1
	}
}

func foretold(p v1alpha1.PredictedVariant) Row {
	return Row{
		Predicted: true, InMatrix: p.InMatrix, Concurrency: p.Concurrency, HashMicroseconds: &p.HashMicroseconds,
		Result: v1alpha1.VariantResult{
			Variant: p.Variant, Algorithm: v1alpha1.AlgorithmBcrypt, Cost: p.Cost, CPULimit: p.CPULimit, NodePool: p.NodePool,
			BoundMilliPerSecond:    &p.BoundMilliPerSecond,
			CapacityMilliPerSecond: p.CapacityMilliPerSecond, CapacityInterval: p.CapacityInterval,
			CapacityMethod: v1alpha1.CapacityPredicted, ObjectiveMet: &p.ObjectiveMet,
			OfferedMilliPerSecond: &p.OfferedMilliPerSecond, P95Microseconds: p.P95Microseconds, P95Interval: p.P95Interval,
			Sizing: p.Sizing, Price: p.Price,
		},
	}
}
