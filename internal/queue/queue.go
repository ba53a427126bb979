package queue

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// Turns is which trials begin now, and the positions of the waiting experiments.
type Turns struct {
	// Start holds the names of the trials that begin now, by their experiment's UID.
	Start map[types.UID][]string
	// Position is the queue position of each experiment that has not begun; 1 is next.
	Position map[types.UID]int32
}

// Decide returns the turns, with at most limit trials under load in total.
func Decide(experiments []v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial, limit int) Turns {
	lines, lastTurn := standings(experiments, trials)
	free := limit
	for i := range trials {
		if Active(&trials[i]) {
			free--
		}
	}
	turns := Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{}}
	var place int32
	for _, s := range inOrder(lines, lastTurn) {
		for len(s.waiting) > 0 && free > 0 && s.active < s.parallelism {
			turns.Start[s.uid] = append(turns.Start[s.uid], s.waiting[0].Name)
			s.waiting, s.active, free, s.begun = s.waiting[1:], s.active+1, free-1, true
		}
		if !s.begun && len(s.waiting) > 0 {
			place++
			turns.Position[s.uid] = place
		}
	}
	return turns
}

// Active reports whether a trial has a turn: it was given one, or it still deletes what it
// created after its turn was withdrawn.
func Active(trial *v1alpha1.SizingTrial) bool {
	return !Released(trial) && (!trial.Spec.Suspend || trial.Status.Phase == v1alpha1.TrialRunning)
}

// Released reports whether a trial has ended and everything it created is deleted.
func Released(trial *v1alpha1.SizingTrial) bool {
	return meta.IsStatusConditionTrue(trial.Status.Conditions, v1alpha1.ConditionReleased)
}

// standing is the state of an experiment in the queue.
type standing struct {
	uid         types.UID
	namespace   string
	created     time.Time
	parallelism int
	active      int
	begun       bool
	waiting     []*v1alpha1.SizingTrial
}

// standings returns the states of all experiments that can continue, and the time of each
// namespace's last turn.
func standings(experiments []v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial) (lines []*standing, lastTurn map[string]time.Time) {
	byUID := map[types.UID]*standing{}
	for i := range experiments {
		e := &experiments[i]
		if e.Status.Phase.Finished() || e.Spec.Suspend || e.Spec.Cancel || e.DeletionTimestamp != nil {
			continue
		}
		s := &standing{
			uid: e.UID, namespace: e.Namespace, created: e.CreationTimestamp.Time, parallelism: int(max(1, e.Spec.Parallelism)),
		}
		byUID[e.UID] = s
		lines = append(lines, s)
	}
	lastTurn = map[string]time.Time{}
	for i := range trials {
		note(byUID, lastTurn, &trials[i])
	}
	for _, s := range lines {
		slices.SortFunc(s.waiting, func(a, b *v1alpha1.SizingTrial) int { return cmp.Compare(a.Spec.Sequence, b.Spec.Sequence) })
	}
	return lines, lastTurn
}

// note adds what a trial shows about its experiment and its namespace.
func note(byUID map[types.UID]*standing, lastTurn map[string]time.Time, trial *v1alpha1.SizingTrial) {
	began := trial.Status.StartTime
	if began != nil && began.After(lastTurn[trial.Namespace]) {
		lastTurn[trial.Namespace] = began.Time
	}
	owner := metav1.GetControllerOf(trial)
	if owner == nil || byUID[owner.UID] == nil {
		return
	}
	s := byUID[owner.UID]
	switch {
	case Active(trial):
		s.active++
		s.begun = true
	case !Released(trial):
		s.waiting = append(s.waiting, trial)
	}
	s.begun = s.begun || began != nil
}

// inOrder sorts the experiments that began first, by age; then the waiting ones, one of
// each namespace in turn.
func inOrder(lines []*standing, lastTurn map[string]time.Time) []*standing {
	slices.SortFunc(lines, func(a, b *standing) int {
		return cmp.Or(a.created.Compare(b.created), strings.Compare(string(a.uid), string(b.uid)))
	})
	round := map[*standing]int{}
	seen := map[string]int{}
	for _, s := range lines {
		if !s.begun {
			round[s] = seen[s.namespace]
			seen[s.namespace]++
		}
	}
	slices.SortStableFunc(lines, func(a, b *standing) int {
		if a.begun != b.begun {
			return boolFirst(a.begun)
		}
		if a.begun {
			return 0
		}
		return cmp.Or(cmp.Compare(round[a], round[b]), lastTurn[a.namespace].Compare(lastTurn[b.namespace]))
	})
	return lines
}

// boolFirst sorts true before false.
func boolFirst(a bool) int {
	if a {
		return -1
	}
	return 1
}
