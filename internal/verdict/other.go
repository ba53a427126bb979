package verdict

import "github.com/hashmark-dev/hashmark/api/v1alpha1"

// ForObjective is the trial as it would have been judged under another objective.
func ForObjective(trial v1alpha1.SizingTrial, objective v1alpha1.Objective) v1alpha1.SizingTrial {
	return trial
}
