package queue

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Situation is what turns are decided from.
type Situation struct {
	// Experiments are all experiments.
	Experiments []v1beta1.SizingExperiment
	// Trials are those of the experiments. Those of finished experiments are not needed.
	Trials []v1beta1.SizingTrial
	// Held are the turns that are taken: of trials, and of loads that outlived their trial.
	Held []types.NamespacedName
	// Loading are the trials whose generator runs, by UID. Others can't use their turn.
	Loading map[types.UID]bool
	// Failing are the trials that the operator has not been able to read or write for a while. Each
	// UID has the time of the last try.
	Failing map[types.UID]time.Time
	// History is what the namespaces have used of the turns until now.
	History History
	// Limit is the largest number of turns at the same time.
	Limit int
	// Now is the time of the decision.
	Now time.Time
}

// Turns is which trials begin now and which must wait again, and the positions of the experiments.
type Turns struct {
	// Start holds the trials that begin now, in the order in which they get their turns.
	Start []types.NamespacedName
	// Held are the turns that are taken now: with those in Start, and without those that were taken back
	// because their trials can't use them.
	Held []types.NamespacedName
	// Position is the queue position of each experiment that has not begun; 1 is next.
	Position map[types.UID]int32
	// History includes the turns that begin now.
	History History
}

// Decide returns the turns. No trial begins while an experiment is concluded.
func Decide(s Situation) Turns {
	q := newQueue(s)
	turns := Turns{}
	for free := s.Limit - len(q.taken); !q.concludes(); {
		next := q.next()
		if next == nil {
			break
		}
		if free <= 0 {
			if !q.takeBack(next) {
				break
			}
			free++
		}
		if free > 0 {
			turns.Start = append(turns.Start, q.give(next))
			free--
		}
	}
	turns.Held = Held(Holder(slices.Collect(maps.Keys(q.taken))))
	turns.Position, turns.History = q.positions(), q.history
	return turns
}

// Active reports whether a trial has a turn: it was given one, or it still deletes what it
// created after its turn was withdrawn. A trial that is being deleted has none, because what keeps
// it from being deleted may last for ever; its load is counted by its pods.
func Active(trial *v1beta1.SizingTrial) bool {
	switch {
	case Released(trial) || trial.DeletionTimestamp != nil:
		return false
	case trial.Spec.Suspend:
		return trial.Status.Phase == v1beta1.TrialRunning && !Waits(trial)
	}
	return true
}

// Released reports whether a trial has ended and everything it created is deleted.
func Released(trial *v1beta1.SizingTrial) bool {
	return meta.IsStatusConditionTrue(trial.Status.Conditions, v1beta1.ConditionReleased)
}

// Waits reports whether a trial waits for something other than its turn or its load, such as a quota.
func Waits(trial *v1beta1.SizingTrial) bool {
	return !Released(trial) && meta.IsStatusConditionTrue(trial.Status.Conditions, v1beta1.ConditionWaiting)
}

// Begun reports whether a trial has a turn, or had one and waits for something before it continues.
func Begun(trial *v1beta1.SizingTrial) bool {
	return Active(trial) || trial.DeletionTimestamp == nil && Waits(trial)
}

// Continues reports whether an experiment's trials can get turns.
func Continues(e *v1beta1.SizingExperiment) bool {
	return !e.Status.Phase.Finished() && !ptr.Deref(e.Spec.Suspend, false) && !ptr.Deref(e.Spec.Cancel, false) && e.DeletionTimestamp == nil
}

// Planned reports whether the trials of an experiment are those of its spec. Before the experiment
// begins, its spec can be edited, and its trials are then planned anew.
func Planned(e *v1beta1.SizingExperiment) bool {
	return e.Status.StartTime != nil || e.Status.ObservedGeneration == e.Generation
}

// Blocked reports whether an experiment waits for something other than its turn: its trials
// can't be created. It has no position, and does not block the queue.
func Blocked(e *v1beta1.SizingExperiment) bool {
	c := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionReconciling)
	return c != nil && c.Status == metav1.ConditionFalse && slices.Contains(blocking, c.Reason)
}

// blocking are the reasons why trials can't be created.
var blocking = []string{v1beta1.ReasonNameTaken, v1beta1.ReasonQuotaRefused, v1beta1.ReasonAdmissionRefused}

// Patience is how long a trial keeps its turn while it waits for something other than its load.
const Patience = 10 * time.Second

// RetryAfter is how long a trial that gave its turn back waits before it tries again, if nothing in
// the cluster shows that it could continue.
const RetryAfter = time.Minute

// entry is the state of an experiment in the queue.
type entry struct {
	experiment *v1beta1.SizingExperiment
	active     int
	begun      bool
	last       time.Time // when it had its last turn; zero: never
	ended      time.Time // when its last trial ended; zero: none has
	unfinished int       // the number of its trials that are not released
	waiting    []*v1beta1.SizingTrial
}

// queue is everything that turns are computed from.
type queue struct {
	Situation
	entries []*entry
	taken   map[types.NamespacedName]bool
	// turns is the number of turns that each namespace has.
	turns map[string]int
	// returnable are the trials that have a turn and can't use it, with the UID of the experiment whose other trials
	// could not use it either; "" if they could.
	returnable map[types.NamespacedName]types.UID
	history    History
	latest     time.Time
}

func newQueue(s Situation) *queue {
	q := &queue{
		Situation: s, taken: map[types.NamespacedName]bool{}, turns: map[string]int{},
		returnable: map[types.NamespacedName]types.UID{}, history: s.History,
	}
	byUID := map[types.UID]*entry{}
	for i := range s.Experiments {
		if e := &s.Experiments[i]; Continues(e) {
			byUID[e.UID] = &entry{experiment: e}
			q.entries = append(q.entries, byUID[e.UID])
		}
	}
	for _, name := range s.Held {
		q.take(name)
	}
	for i := range s.Trials {
		q.note(byUID, &s.Trials[i])
	}
	q.beginHeld()
	for _, s := range q.entries {
		slices.SortFunc(s.waiting, func(a, b *v1beta1.SizingTrial) int {
			return cmp.Or(cmp.Compare(len(a.Status.Attempts), len(b.Status.Attempts)), cmp.Compare(a.Spec.Sequence, b.Spec.Sequence))
		})
	}
	return q
}

func (q *queue) take(name types.NamespacedName) {
	if !q.taken[name] {
		q.taken[name] = true
		q.turns[name.Namespace]++
	}
}

func (q *queue) note(byUID map[types.UID]*entry, trial *v1beta1.SizingTrial) {
	q.noteTurn(trial)
	owner := metav1.GetControllerOfNoCopy(trial)
	if owner == nil || byUID[owner.UID] == nil {
		return
	}
	s, began := byUID[owner.UID], trial.Status.StartTime
	if began != nil {
		s.begun = true
		s.last, q.latest = later(s.last, began.Time), later(q.latest, began.Time)
	}
	if Released(trial) {
		if end := trial.Status.CompletionTime; end != nil {
			s.ended = later(s.ended, end.Time)
		}
		return
	}
	s.unfinished++
	switch {
	case q.taken[keyOf(trial)] && q.yields(trial):
		s.begun = true
	case q.taken[keyOf(trial)]:
		s.active++
		s.begun = true
	case inAttempt(trial):
		s.active++ // its pods may start, and it then continues
	case q.mayBegin(trial):
		s.waiting = append(s.waiting, trial)
	}
}

// noteTurn notes whether a trial has a turn, and whether others may have it. One that has just been given
// its turn again waits until its own next pass, and keeps the turn until then.
func (q *queue) noteTurn(trial *v1beta1.SizingTrial) {
	name := keyOf(trial)
	_, fails := q.Failing[trial.UID]
	idle := fails || Waits(trial)
	if Active(trial) && !trial.Spec.Suspend && !idle && len(q.taken) < q.Limit {
		q.take(name) // the Lease was lost
	}
	switch {
	case !q.taken[name] || !idle || q.Loading[trial.UID]:
	case q.yields(trial):
		q.returnable[name] = ""
	case q.Now.Sub(q.history.Given[name.String()]) >= Patience:
		q.returnable[name] = ptr.Deref(metav1.GetControllerOfNoCopy(trial), metav1.OwnerReference{}).UID
	}
}

// yields reports whether a trial waits because its last attempt was disturbed, so that any other may go first.
func (q *queue) yields(trial *v1beta1.SizingTrial) bool {
	waits := meta.FindStatusCondition(trial.Status.Conditions, v1beta1.ConditionWaiting)
	return Waits(trial) && waits.Reason == v1beta1.ReasonDisturbed
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func inAttempt(trial *v1beta1.SizingTrial) bool {
	n := len(trial.Status.Attempts)
	return n > 0 && trial.Status.Attempts[n-1].EndTime == nil
}

// mayBegin reports whether a trial without a turn could use one.
func (q *queue) mayBegin(trial *v1beta1.SizingTrial) bool {
	if trial.DeletionTimestamp != nil {
		return false
	}
	tried, fails := q.Failing[trial.UID]
	if waits := meta.FindStatusCondition(trial.Status.Conditions, v1beta1.ConditionWaiting); Waits(trial) {
		tried, fails = waits.LastTransitionTime.Time, true
	}
	return !fails || q.Now.Sub(tried) >= RetryAfter
}

// beginHeld puts experiments whose trial has a turn and has not begun behind all others of their
// namespace: that turn is the newest.
func (q *queue) beginHeld() {
	for _, s := range q.entries {
		if s.active > 0 && s.last.IsZero() {
			q.serve(s)
		}
	}
}

func (q *queue) serve(s *entry) {
	q.latest = q.latest.Add(time.Nanosecond)
	s.last = q.latest
}

// longestConclusion is how long turns wait for the conclusion of an experiment. One that fails
// again and again must not hold up the others.
const longestConclusion = 30 * time.Second

// concludes reports whether an experiment is being concluded: all its trials have ended. A
// conclusion simulates for seconds, and would take that CPU time from a load.
func (q *queue) concludes() bool {
	return slices.ContainsFunc(q.entries, func(s *entry) bool {
		return s.unfinished == 0 && q.Now.Sub(s.ended) < longestConclusion && !Blocked(s.experiment)
	})
}

func (q *queue) next() *entry {
	var first *entry
	for _, s := range q.entries {
		if len(s.waiting) == 0 || s.active >= int(ptr.Deref(s.experiment.Spec.Parallelism, 1)) || !Planned(s.experiment) {
			continue
		}
		if first == nil || q.compare(s, first) < 0 {
			first = s
		}
	}
	return first
}

// compare orders experiments by what their namespace uses, by when they had their own last turn, and
// then by age.
func (q *queue) compare(a, b *entry) int {
	return cmp.Or(
		q.byUse(a, b),
		a.last.Compare(b.last),
		byAge(a, b),
	)
}

// byUse orders experiments by the turns that their namespace has now, and then by the turn time that it
// has used.
func (q *queue) byUse(a, b *entry) int {
	x, y := a.experiment.Namespace, b.experiment.Namespace
	return cmp.Or(cmp.Compare(q.turns[x], q.turns[y]), cmp.Compare(q.history.used(x), q.history.used(y)))
}

// byAge orders experiments by the second of their creation, and then by name.
func byAge(a, b *entry) int {
	return cmp.Or(
		a.experiment.CreationTimestamp.Compare(b.experiment.CreationTimestamp.Time),
		strings.Compare(a.experiment.Namespace, b.experiment.Namespace),
		strings.Compare(a.experiment.Name, b.experiment.Name),
	)
}

// takeBack takes back the turn of a trial of another experiment that can't use it.
func (q *queue) takeBack(next *entry) bool {
	for _, name := range Held(Holder(slices.Collect(maps.Keys(q.returnable)))) { // in the order of their names
		if q.returnable[name] == next.experiment.UID {
			continue
		}
		delete(q.returnable, name)
		delete(q.taken, name)
		q.turns[name.Namespace]--
		return true
	}
	return false
}

func (q *queue) give(s *entry) types.NamespacedName {
	name := keyOf(s.waiting[0])
	s.waiting, s.active, s.begun = s.waiting[1:], s.active+1, true
	q.take(name)
	q.history = q.history.give(name)
	q.serve(s)
	return name
}

// positions numbers the experiments that have not begun: one of each namespace in turn, the
// namespace that has used the least first, and within a namespace the oldest first.
func (q *queue) positions() map[types.UID]int32 {
	waiting := slices.DeleteFunc(slices.Clone(q.entries), func(s *entry) bool { return s.begun || Blocked(s.experiment) })
	slices.SortFunc(waiting, byAge)
	round, seen := map[*entry]int{}, map[string]int{}
	for _, s := range waiting {
		round[s] = seen[s.experiment.Namespace]
		seen[s.experiment.Namespace]++
	}
	slices.SortStableFunc(waiting, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(round[a], round[b]), q.byUse(a, b))
	})
	positions := map[types.UID]int32{}
	for i, s := range waiting {
		positions[s.experiment.UID] = int32(i + 1)
	}
	return positions
}

func keyOf(trial *v1beta1.SizingTrial) types.NamespacedName {
	return types.NamespacedName{Namespace: trial.Namespace, Name: trial.Name}
}
