package telemetry

import (
	"cmp"
	"slices"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Told are the experiments that are told one by one, at most so many: those
// under way first, the one that began first before the others; then those that
// wait, the oldest first; then those that ended, the last one first. It says how
// many are left out.
func Told(experiments []v1alpha1.SizingExperiment, most int) (told []*v1alpha1.SizingExperiment, left int) {
	for i := range experiments {
		told = append(told, &experiments[i])
	}
	slices.SortFunc(told, func(a, b *v1alpha1.SizingExperiment) int {
		return cmp.Or(cmp.Compare(standing(a), standing(b)), cmp.Compare(moment(a), moment(b)), cmp.Compare(a.UID, b.UID))
	})
	if len(told) <= most {
		return told, 0
	}
	return told[:most], len(told) - most
}

// standing orders experiments: under way, waiting, ended.
func standing(e *v1alpha1.SizingExperiment) int {
	switch {
	case e.Status.Phase.Finished():
		return 2
	case e.Status.StartTime != nil:
		return 0
	default:
		return 1
	}
}

// moment orders experiments of one standing.
func moment(e *v1alpha1.SizingExperiment) int64 {
	switch {
	case standing(e) == 0:
		return e.Status.StartTime.Unix()
	case standing(e) == 2 && e.Status.CompletionTime != nil:
		return -e.Status.CompletionTime.Unix()
	default:
		return e.CreationTimestamp.Unix()
	}
}
