package telemetry

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Select returns the experiments with their own series, at most so many, and the number of
// those that are left out. Started experiments come first, in the order of their start;
// then waiting ones, the oldest first; then finished ones, the last one first.
func Select(experiments []v1alpha1.SizingExperiment, most int) (selected []*v1alpha1.SizingExperiment, left int) {
	for i := range experiments {
		selected = append(selected, &experiments[i])
	}
	slices.SortFunc(selected, func(a, b *v1alpha1.SizingExperiment) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(moment(a), moment(b)), cmp.Compare(a.UID, b.UID))
	})
	if len(selected) <= most {
		return selected, 0
	}
	return selected[:most], len(selected) - most
}

// rank orders experiments: started, waiting, finished.
func rank(e *v1alpha1.SizingExperiment) int {
	switch {
	case e.Status.Phase.Finished():
		return 2
	case e.Status.StartTime != nil:
		return 0
	default:
		return 1
	}
}

// moment orders experiments of the same rank.
func moment(e *v1alpha1.SizingExperiment) int64 {
	switch {
	case rank(e) == 0:
		return e.Status.StartTime.Unix()
	case rank(e) == 2 && e.Status.CompletionTime != nil:
		return -e.Status.CompletionTime.Unix()
	default:
		return e.CreationTimestamp.Unix()
	}
}
