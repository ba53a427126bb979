package report

import (
	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/verdict"
)

// Row is a variant with all that is known of it.
type Row struct {
	// What is deployed.
	Variant v1alpha1.Variant
	// The numbers of the row, also of one that was predicted: those that a
	// prediction has. Its verdict is empty then.
	Result v1alpha1.VariantResult
	// CPU time of one login, in microseconds, measured or predicted.
	HashMicroseconds *int64
	// True where the model tells the numbers and nothing was measured.
	Predicted bool
	// True where the experiment's matrix names the variant.
	InMatrix bool
	// The variant's trials by repetition, converted to the experiment's reference
	// speed; none of a predicted one.
	Trials []*v1alpha1.SizingTrial
	// Those of them that may be believed: they have a result, and neither their own
	// verdict nor what all trials tell together makes it Invalid.
	Repetitions []*v1alpha1.SizingTrial
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
	deployed := variants(experiment, trials)
	believed := believable(trials)
	var all []Row
	for _, result := range experiment.Status.Results {
		row := measured(result, deployed, trials, believed)
		if len(row.Trials) == 0 && predicted[result.Variant] {
			continue
		}
		all = append(all, row)
	}
	for i := range experiment.Status.Predictions {
		all = append(all, foretold(&experiment.Status.Predictions[i]))
	}
	return all
}

// variants by name: what the trials deployed, and else what the matrix says. A
// matrix that can't be expanded has no rows that would want to know.
func variants(experiment *v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial) map[string]v1alpha1.Variant {
	named := map[string]v1alpha1.Variant{}
	if planned, err := matrix.Variants(experiment.Spec.Matrix); err == nil {
		for _, variant := range planned {
			named[variant.Name] = variant
		}
	}
	for i := range trials {
		named[trials[i].Spec.Variant.Name] = trials[i].Spec.Variant
	}
	return named
}

// believable tells of each trial whether its result may be believed.
func believable(trials []v1alpha1.SizingTrial) []bool {
	believed := make([]bool, len(trials))
	for i, told := range verdict.Together(trials) {
		believed[i] = told == v1alpha1.VerdictValid || told == v1alpha1.VerdictSuspect
	}
	return believed
}

func measured(result v1alpha1.VariantResult, deployed map[string]v1alpha1.Variant, trials []v1alpha1.SizingTrial, believed []bool) Row {
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
		if believed[i] {
			row.Repetitions = append(row.Repetitions, &trials[i])
		}
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

func foretold(p *v1alpha1.PredictedVariant) Row {
	row := Row{
		Predicted: true, InMatrix: p.InMatrix, HashMicroseconds: &p.HashMicroseconds,
		Variant: v1alpha1.Variant{
			Name: p.Variant, Algorithm: v1alpha1.AlgorithmBcrypt, Cost: p.Cost, CPULimit: p.CPULimit, Concurrency: p.Concurrency,
		},
		Result: v1alpha1.VariantResult{
			Variant: p.Variant, Algorithm: v1alpha1.AlgorithmBcrypt, Cost: p.Cost, CPULimit: p.CPULimit, NodePool: p.NodePool,
			BoundMilliPerSecond:    &p.BoundMilliPerSecond,
			CapacityMilliPerSecond: p.CapacityMilliPerSecond, CapacityInterval: p.CapacityInterval,
			ObjectiveMet: &p.ObjectiveMet, OfferedMilliPerSecond: &p.OfferedMilliPerSecond,
			P95Microseconds: p.P95Microseconds, P95Interval: p.P95Interval,
			Sizing: p.Sizing, Price: p.Price,
		},
	}
	if p.NodePool != "" {
		row.Variant.NodePool = &v1alpha1.NodePool{Name: p.NodePool}
	}
	if p.CapacityMilliPerSecond != nil {
		row.Result.CapacityMethod = v1alpha1.CapacityPredicted
	}
	return row
}
