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
	// Start holds the trials that begin now, in the order in which they get their turns.
	Start []types.NamespacedName
	// Position is the queue position of each experiment that has not begun; 1 is next.
	Position map[types.UID]int32
}

// Decide returns the turns, with at most limit trials under load in total. The trials that
// hold a turn are those in held and those that are [Active]. Trials of finished experiments
// are not needed, unless they are active. No trial begins while an experiment is concluded.
func Decide(experiments []v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial, held []types.NamespacedName, limit int, now time.Time) Turns {
	q := newLine(experiments, trials, held)
	turns := Turns{}
	for free := limit - len(q.taken); free > 0 && !q.concludes(now); free-- {
		next := q.next()
		if next == nil {
			break
		}
		turns.Start = append(turns.Start, q.give(next))
	}
	turns.Position = q.positions()
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

// Continues reports whether an experiment's trials can get turns.
func Continues(e *v1alpha1.SizingExperiment) bool {
	return !e.Status.Phase.Finished() && !e.Spec.Suspend && !e.Spec.Cancel && e.DeletionTimestamp == nil
}

// Blocked reports whether an experiment waits for something other than its turn: its trials
// can't be created. It has no position, so that it doesn't keep others at a distance.
func Blocked(e *v1alpha1.SizingExperiment) bool {
	c := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionProgressing)
	return c != nil && c.Status == metav1.ConditionFalse && slices.Contains(blocking, c.Reason)
}

// blocking are the reasons why trials can't be created.
var blocking = []string{v1alpha1.ReasonNameTaken, v1alpha1.ReasonQuotaRefused, v1alpha1.ReasonAdmissionRefused}

// standing is the state of an experiment in the queue.
type standing struct {
	experiment *v1alpha1.SizingExperiment
	active     int
	begun      bool
	last       time.Time // when it had its last turn; zero: never
	ended      time.Time // when its last trial ended; zero: none has
	waiting    []*v1alpha1.SizingTrial
}

// line is everything that turns are computed from.
type line struct {
	standings []*standing
	taken     map[types.NamespacedName]bool
	// lastTurn is when each namespace had its last turn.
	lastTurn map[string]time.Time
	latest   time.Time
}

func newLine(experiments []v1alpha1.SizingExperiment, trials []v1alpha1.SizingTrial, held []types.NamespacedName) *line {
	q := &line{taken: map[types.NamespacedName]bool{}, lastTurn: map[string]time.Time{}}
	byUID := map[types.UID]*standing{}
	for i := range experiments {
		e := &experiments[i]
		q.served(e.Namespace, e.Status.CompletionTime)
		if Continues(e) {
			byUID[e.UID] = &standing{experiment: e}
			q.standings = append(q.standings, byUID[e.UID])
		}
	}
	for _, name := range held {
		q.taken[name] = true
	}
	for i := range trials {
		q.note(byUID, &trials[i])
	}
	q.beginHeld()
	for _, s := range q.standings {
		slices.SortFunc(s.waiting, func(a, b *v1alpha1.SizingTrial) int { return cmp.Compare(a.Spec.Sequence, b.Spec.Sequence) })
	}
	return q
}

// served notes that a namespace had a turn at some time. The end of a finished experiment
// stands for the turns of its trials, which need not be listed.
func (q *line) served(namespace string, at *metav1.Time) {
	if at == nil {
		return
	}
	if at.After(q.lastTurn[namespace]) {
		q.lastTurn[namespace] = at.Time
	}
	if at.After(q.latest) {
		q.latest = at.Time
	}
}

// note adds what a trial shows about its experiment and its namespace.
func (q *line) note(byUID map[types.UID]*standing, trial *v1alpha1.SizingTrial) {
	name := keyOf(trial)
	if Active(trial) {
		q.taken[name] = true
	}
	began := trial.Status.StartTime
	q.served(trial.Namespace, began)
	owner := metav1.GetControllerOfNoCopy(trial)
	if owner == nil || byUID[owner.UID] == nil {
		return
	}
	s := byUID[owner.UID]
	switch {
	case q.taken[name]:
		s.active++
		s.begun = true
	case !Released(trial):
		s.waiting = append(s.waiting, trial)
	case trial.Status.CompletionTime != nil && trial.Status.CompletionTime.After(s.ended):
		s.ended = trial.Status.CompletionTime.Time
	}
	if began != nil {
		s.begun = true
		if began.After(s.last) {
			s.last = began.Time
		}
	}
}

// beginHeld puts experiments whose trial has a turn and has not begun behind all others: that
// turn is the newest.
func (q *line) beginHeld() {
	for _, s := range q.standings {
		if s.active > 0 && s.last.IsZero() {
			q.serve(s)
		}
	}
}

// serve notes that an experiment has a turn now.
func (q *line) serve(s *standing) {
	q.latest = q.latest.Add(time.Nanosecond)
	s.last, q.lastTurn[s.experiment.Namespace] = q.latest, q.latest
}

// longestConclusion is how long turns wait for the conclusion of an experiment. One that fails
// again and again must not hold up the others.
const longestConclusion = time.Minute

// concludes reports whether an experiment is being concluded: all its trials have ended. A
// conclusion simulates for seconds, and would take that CPU time from a load.
func (q *line) concludes(now time.Time) bool {
	return slices.ContainsFunc(q.standings, func(s *standing) bool {
		return s.active == 0 && len(s.waiting) == 0 && now.Sub(s.ended) < longestConclusion && !Blocked(s.experiment)
	})
}

// next returns the experiment whose trial begins next, or nil.
func (q *line) next() *standing {
	var first *standing
	for _, s := range q.standings {
		if len(s.waiting) == 0 || s.active >= int(max(1, s.experiment.Spec.Parallelism)) {
			continue
		}
		if first == nil || q.compare(s, first) < 0 {
			first = s
		}
	}
	return first
}

// compare orders experiments by the last turn of their namespace, then by their own, and then
// by age.
func (q *line) compare(a, b *standing) int {
	return cmp.Or(
		q.lastTurn[a.experiment.Namespace].Compare(q.lastTurn[b.experiment.Namespace]),
		a.last.Compare(b.last),
		byAge(a, b),
	)
}

// byAge orders experiments by the second of their creation, and then by name.
func byAge(a, b *standing) int {
	return cmp.Or(
		a.experiment.CreationTimestamp.Compare(b.experiment.CreationTimestamp.Time),
		strings.Compare(a.experiment.Namespace, b.experiment.Namespace),
		strings.Compare(a.experiment.Name, b.experiment.Name),
	)
}

// give gives the experiment's next trial its turn.
func (q *line) give(s *standing) types.NamespacedName {
	name := keyOf(s.waiting[0])
	s.waiting, s.active, s.begun = s.waiting[1:], s.active+1, true
	q.taken[name] = true
	q.serve(s)
	return name
}

// positions numbers the experiments that have not begun: one of each namespace in turn, the
// namespace whose last turn was longest ago first, and within a namespace the oldest first.
func (q *line) positions() map[types.UID]int32 {
	waiting := slices.DeleteFunc(slices.Clone(q.standings), func(s *standing) bool { return s.begun || Blocked(s.experiment) })
	slices.SortFunc(waiting, byAge)
	round, seen := map[*standing]int{}, map[string]int{}
	for _, s := range waiting {
		round[s] = seen[s.experiment.Namespace]
		seen[s.experiment.Namespace]++
	}
	slices.SortStableFunc(waiting, func(a, b *standing) int {
		return cmp.Or(cmp.Compare(round[a], round[b]),
			q.lastTurn[a.experiment.Namespace].Compare(q.lastTurn[b.experiment.Namespace]))
	})
	positions := map[types.UID]int32{}
	for i, s := range waiting {
		positions[s.experiment.UID] = int32(i + 1)
	}
	return positions
}

func keyOf(trial *v1alpha1.SizingTrial) types.NamespacedName {
	return types.NamespacedName{Namespace: trial.Namespace, Name: trial.Name}
}
