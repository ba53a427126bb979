package queue

import (
	"math"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

// Holder writes the trials that have a turn as the holder of a Lease: namespace/name, sorted
// and separated by commas.
func Holder(trials []types.NamespacedName) string {
	var names []string
	for _, trial := range trials {
		names = append(names, trial.String())
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ",")
}

// Held reads what Holder wrote. It ignores everything else, so that a Lease that was edited by
// hand can't stop the queue.
func Held(holder string) []types.NamespacedName {
	var trials []types.NamespacedName
	for part := range strings.SplitSeq(holder, ",") {
		namespace, name, found := strings.Cut(part, "/")
		if found && namespace != "" && name != "" {
			trials = append(trials, types.NamespacedName{Namespace: namespace, Name: name})
		}
	}
	return trials
}

// exactPositions is the number of positions that are shown exactly.
const exactPositions = 10

// Near reports whether an experiment at a position creates its trials already.
func Near(position int32) bool { return position <= exactPositions }

// Shown returns a position as it is written into the status: exactly from 1 to 10, and then rounded
// up to 20, 50, 100, 200, 500 and so on. Each position that is shown is one more experiment that is
// rewritten at every turn.
func Shown(position int32) int32 {
	if position <= exactPositions {
		return position
	}
	for step := int64(exactPositions); ; step *= 10 {
		for _, times := range []int64{2, 5, 10} {
			if shown := times * step; int64(position) <= shown {
				return int32(min(shown, math.MaxInt32))
			}
		}
	}
}
