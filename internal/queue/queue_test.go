package queue_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// cluster holds experiments with their trials.
type cluster struct {
	experiments []v1beta1.SizingExperiment
	trials      []v1beta1.SizingTrial
	failing     map[types.UID]time.Time
	history     queue.History
}

// add adds an experiment that was created this many minutes after noon.
func (c *cluster) add(namespace, name string, minute int, trials ...func(*v1beta1.SizingTrial)) *v1beta1.SizingExperiment {
	c.experiments = append(c.experiments, v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID(name),
			CreationTimestamp: metav1.NewTime(noon.Add(time.Duration(minute) * time.Minute)),
		},
		Spec: v1beta1.SizingExperimentSpec{Parallelism: ptr.To[int32](1)},
	})
	experiment := &c.experiments[len(c.experiments)-1]
	for i, change := range trials {
		trial := v1beta1.SizingTrial{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: fmt.Sprintf("%s-%d", name, i+1),
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(experiment, v1beta1.GroupVersion.WithKind("SizingExperiment"))},
			},
			Spec: v1beta1.SizingTrialSpec{Sequence: int32(i + 1), Suspend: true},
		}
		change(&trial)
		c.trials = append(c.trials, trial)
	}
	return experiment
}

func waits(*v1beta1.SizingTrial) {}

func runs(t *v1beta1.SizingTrial) {
	t.Spec.Suspend = false
	t.Status.StartTime = &metav1.Time{Time: noon}
}

func cleansUp(t *v1beta1.SizingTrial) {
	t.Status.StartTime = &metav1.Time{Time: noon}
	t.Status.Phase = v1beta1.TrialRunning
}

// waitsSince makes the first trial wait for something other than its load since so long before the turns
// are computed.
func waitsSince(c *cluster, before time.Duration) {
	c.trials[0].Status.Conditions = []metav1.Condition{{
		Type: v1beta1.ConditionWaiting, Status: metav1.ConditionTrue, LastTransitionTime: metav1.NewTime(noon.Add(time.Hour - before)),
	}}
}

func isDone(t *v1beta1.SizingTrial) {
	t.Status.StartTime = &metav1.Time{Time: noon}
	meta.SetStatusCondition(&t.Status.Conditions, metav1.Condition{Type: v1beta1.ConditionReleased, Status: metav1.ConditionTrue, Reason: "Measured"})
}

// endedAgo ends a trial this long before the turns are computed.
func endedAgo(before time.Duration) func(*v1beta1.SizingTrial) {
	return func(t *v1beta1.SizingTrial) {
		isDone(t)
		t.Status.CompletionTime = &metav1.Time{Time: noon.Add(time.Hour - before)}
	}
}

// names returns trials by namespace/name.
func names(trials ...string) []types.NamespacedName { return queue.Held(strings.Join(trials, ",")) }

func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit int
		build func(c *cluster)
		want  queue.Turns
		held  []types.NamespacedName
	}{
		{"the oldest begins, the other waits in place 1", 1, func(c *cluster) {
			c.add("a", "late", 2, waits)
			c.add("a", "early", 1, waits)
		}, queue.Turns{Start: names("a/early-1"), Position: map[types.UID]int32{"late": 1}}, nil},
		{"the namespace that never had a turn comes before one that had", 1, func(c *cluster) {
			c.history.Used = map[string]int64{"b": 60_000}
			c.add("b", "begun", 1, isDone, waits)
			c.add("a", "later", 2, waits)
			c.add("c", "last", 3, waits)
		}, queue.Turns{Start: names("a/later-1"), Position: map[types.UID]int32{"last": 1}}, nil},
		{"what the namespace used before counts, although its experiment was deleted", 1, func(c *cluster) {
			c.history.Used = map[string]int64{"a": 60_000}
			c.add("a", "again", 2, waits)
			c.add("b", "first", 3, waits)
		}, queue.Turns{Start: names("b/first-1"), Position: map[types.UID]int32{"again": 1}}, nil},
		{"within a namespace, the experiment whose turn was longest ago comes first", 1, func(c *cluster) {
			c.add("a", "just-had-one", 1, func(t *v1beta1.SizingTrial) {
				isDone(t)
				t.Status.StartTime = &metav1.Time{Time: noon.Add(time.Hour)}
			}, waits)
			c.add("a", "waited-an-hour", 2, isDone, waits)
		}, queue.Turns{Start: names("a/waited-an-hour-2"), Position: map[types.UID]int32{}}, nil},
		{"two free turns go to two namespaces", 2, func(c *cluster) {
			c.add("a", "one", 1, waits, waits).Spec.Parallelism = ptr.To[int32](2)
			c.add("b", "two", 2, waits)
		}, queue.Turns{Start: names("a/one-1", "b/two-1"), Position: map[types.UID]int32{}}, nil},
		{"a trial that holds a turn and has not begun takes it up", 1, func(c *cluster) {
			c.add("a", "given", 1, waits, waits)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Position: map[types.UID]int32{"next": 1}}, names("a/given-1")},
		{"a turn that has just been given counts as the newest of its namespace", 2, func(c *cluster) {
			c.add("a", "given", 1, waits, waits).Spec.Parallelism = ptr.To[int32](2)
			c.add("b", "next", 2, isDone, waits)
		}, queue.Turns{Start: names("b/next-2"), Position: map[types.UID]int32{}}, names("a/given-1")},
		{"a trial that is both held and active takes up one turn", 2, func(c *cluster) {
			c.add("a", "busy", 1, runs)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, names("a/busy-1")},
		{"a trial that waits for something else hands its turn to another experiment", 1, func(c *cluster) {
			c.add("a", "quota", 1, runs, waits)
			waitsSince(c, time.Minute)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, names("a/quota-1")},
		{"a trial that waits for something else keeps its turn while nobody can use it", 1, func(c *cluster) {
			c.add("a", "quota", 1, runs, waits)
			waitsSince(c, time.Minute)
		}, queue.Turns{Position: map[types.UID]int32{}}, names("a/quota-1")},
		{"so does one that a finished experiment left with a turn", 1, func(c *cluster) {
			c.add("a", "over", 1, runs).Status.Phase = v1beta1.ExperimentFailed
			waitsSince(c, time.Minute)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, names("a/over-1")},
		{"a trial whose status can't be written hands its turn to another experiment", 1, func(c *cluster) {
			c.add("a", "refused", 1, runs)
			c.trials[0].UID, c.failing = "refused-1", map[types.UID]time.Time{"refused-1": noon.Add(time.Hour)}
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, names("a/refused-1")},
		{"a trial that is being deleted has no turn", 1, func(c *cluster) {
			c.add("a", "going", 1, runs)
			c.trials[0].DeletionTimestamp = &metav1.Time{Time: noon}
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, nil},
		{"a trial that gave its turn back tries again after a minute, before those who used more", 1, func(c *cluster) {
			c.history.Used = map[string]int64{"a": 60_000, "b": 61_000}
			c.add("a", "again", 1, func(t *v1beta1.SizingTrial) { t.Status.StartTime = &metav1.Time{Time: noon} })
			waitsSince(c, time.Minute)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("a/again-1"), Position: map[types.UID]int32{"next": 1}}, nil},
		{"and not sooner", 1, func(c *cluster) {
			c.add("a", "again", 1, func(t *v1beta1.SizingTrial) { t.Status.StartTime = &metav1.Time{Time: noon} })
			waitsSince(c, 59*time.Second)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, nil},
		{"one whose pods wait to be started has no turn until they can start, and nor have others of its experiment", 1, func(c *cluster) {
			c.add("a", "pending", 1, func(t *v1beta1.SizingTrial) {
				t.Status.StartTime = &metav1.Time{Time: noon}
				t.Status.Attempts = []v1beta1.Attempt{{Number: 1}}
			}, waits)
			waitsSince(c, 5*time.Minute)
		}, queue.Turns{Position: map[types.UID]int32{}}, nil},
		{"an experiment without trials waits, and does not keep others from their turns", 1, func(c *cluster) {
			c.add("a", "new", 1)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{"new": 1}}, nil},
		{"an experiment whose trials can't be created has no position", 1, func(c *cluster) {
			blocked := c.add("a", "blocked", 1)
			meta.SetStatusCondition(&blocked.Status.Conditions, metav1.Condition{
				Type: v1beta1.ConditionReconciling, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonNameTaken,
			})
			c.add("b", "new", 2)
		}, queue.Turns{Position: map[types.UID]int32{"new": 1}}, nil},
		{"no turn is given while one is taken", 1, func(c *cluster) {
			c.add("a", "busy", 1, runs, waits)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Position: map[types.UID]int32{"next": 1}}, nil},
		{"a trial that still cleans up holds its turn", 1, func(c *cluster) {
			c.add("a", "busy", 1, cleansUp, waits)
		}, queue.Turns{Position: map[types.UID]int32{}}, names("a/busy-1")},
		{"a trial that lost its turn and cleans up has none", 1, func(c *cluster) {
			c.add("a", "lost", 1, cleansUp)
			c.add("b", "busy", 2, runs)
			c.add("c", "next", 3, waits)
		}, queue.Turns{Position: map[types.UID]int32{"next": 1}}, names("b/busy-1")},
		{"a trial that could not be told that it lost its turn has none", 1, func(c *cluster) {
			c.add("a", "lost", 1, runs)
			c.add("b", "busy", 2, runs)
			c.add("c", "next", 3, waits)
		}, queue.Turns{Position: map[types.UID]int32{"next": 1}}, names("b/busy-1")},
		{"a trial that was given its turn again keeps it until it can have gone on", 1, func(c *cluster) {
			c.history.Given = map[string]time.Time{"a/again-1": noon.Add(time.Hour - 9*time.Second)}
			c.add("a", "again", 1, runs)
			waitsSince(c, 2*time.Minute)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Position: map[types.UID]int32{"next": 1}}, names("a/again-1")},
		{"a suspended experiment's running trial holds its turn, and its others get none", 2, func(c *cluster) {
			c.add("a", "halted", 1, runs, waits).Spec.Suspend = ptr.To(true)
			c.add("b", "next", 2, waits, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, nil},
		{"parallelism bounds an experiment within the limit", 4, func(c *cluster) {
			c.add("a", "wide", 1, waits, waits, waits).Spec.Parallelism = ptr.To[int32](2)
		}, queue.Turns{Start: names("a/wide-1", "a/wide-2"), Position: map[types.UID]int32{}}, nil},
		{"namespaces take turns", 1, func(c *cluster) {
			c.add("a", "running", 0, runs)
			c.add("a", "a1", 1, waits)
			c.add("a", "a2", 2, waits)
			c.add("b", "b1", 3, waits)
		}, queue.Turns{Position: map[types.UID]int32{"b1": 1, "a1": 2, "a2": 3}}, nil},
		{"turns at the same time go to different namespaces", 3, func(c *cluster) {
			c.add("a", "wide", 1, waits, waits, waits).Spec.Parallelism = ptr.To[int32](3)
			c.add("b", "one", 2, waits)
			c.add("c", "other", 3, waits)
		}, queue.Turns{Start: names("a/wide-1", "b/one-1", "c/other-1"), Position: map[types.UID]int32{}}, nil},
		{"a suspended experiment gets no turn", 2, func(c *cluster) {
			c.add("a", "halted", 1, waits).Spec.Suspend = ptr.To(true)
		}, queue.Turns{Position: map[types.UID]int32{}}, nil},
		{"one that was edited before it began gets no turn until its trials are planned anew, and keeps its position", 1, func(c *cluster) {
			c.add("a", "edited", 1, waits).Generation = 2
			c.add("b", "next", 2, waits)
			c.add("c", "last", 3, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{"edited": 1, "last": 2}}, nil},
		{"one that was suspended and resumed after it began gets its turn at once", 1, func(c *cluster) {
			resumed := c.add("a", "resumed", 1, isDone, waits)
			resumed.Generation, resumed.Status.StartTime = 3, &metav1.Time{Time: noon}
		}, queue.Turns{Start: names("a/resumed-2"), Position: map[types.UID]int32{}}, nil},
		{"one that is being deleted gets no turn", 2, func(c *cluster) {
			c.add("a", "going", 1, waits).DeletionTimestamp = &metav1.Time{Time: noon}
		}, queue.Turns{Position: map[types.UID]int32{}}, nil},
		{"trials begin in the experiment's own order, however they are listed", 1, func(c *cluster) {
			c.add("a", "one", 1, func(t *v1beta1.SizingTrial) { t.Spec.Sequence = 2 }, func(t *v1beta1.SizingTrial) { t.Spec.Sequence = 1 })
		}, queue.Turns{Start: names("a/one-2"), Position: map[types.UID]int32{}}, nil},
		{"a trial without an experiment takes up a turn", 1, func(c *cluster) {
			c.add("a", "one", 1, waits)
			c.add("b", "by-hand", 2, runs)
			c.trials[1].OwnerReferences = nil
		}, queue.Turns{Position: map[types.UID]int32{"one": 1, "by-hand": 2}}, nil},
		{"while an experiment that has just been measured is concluded, no other trial begins", 2, func(c *cluster) {
			c.add("a", "measured", 1, endedAgo(time.Second))
			c.add("b", "next", 2, waits)
		}, queue.Turns{Position: map[types.UID]int32{"next": 1}}, nil},
		{"a conclusion that takes longer than half a minute no longer keeps others from their turns", 2, func(c *cluster) {
			c.add("a", "measured", 1, endedAgo(30*time.Second))
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, nil},
		{"an experiment that has another trial is not concluded", 1, func(c *cluster) {
			c.add("a", "begun", 1, endedAgo(time.Second), waits)
		}, queue.Turns{Start: names("a/begun-2"), Position: map[types.UID]int32{}}, nil},
		{"an experiment that can't create its next trial is not concluded", 1, func(c *cluster) {
			meta.SetStatusCondition(&c.add("a", "blocked", 1, endedAgo(time.Second)).Status.Conditions, metav1.Condition{
				Type: v1beta1.ConditionReconciling, Status: metav1.ConditionFalse, Reason: v1beta1.ReasonQuotaRefused,
			})
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: names("b/next-1"), Position: map[types.UID]int32{}}, nil},
		{"cancelled and finished experiments get no turn", 2, func(c *cluster) {
			c.add("a", "cancelled", 1, waits).Spec.Cancel = ptr.To(true)
			c.add("a", "finished", 1, waits).Status.Phase = v1beta1.ExperimentFailed
		}, queue.Turns{Position: map[types.UID]int32{}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &cluster{}
			tt.build(c)
			got := queue.Decide(queue.Situation{
				Experiments: c.experiments, Trials: c.trials, Held: tt.held, Failing: c.failing, History: c.history, Limit: tt.limit, Now: noon.Add(time.Hour),
			})
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreFields(queue.Turns{}, "Held", "History")); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEveryTrialGetsATurn runs random queues to their end: never more trials than the
// limit have a turn, and every trial gets one.
func TestEveryTrialGetsATurn(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := &cluster{}
		for i := range 2 + random.IntN(6) {
			trials := make([]func(*v1beta1.SizingTrial), 1+random.IntN(4))
			for j := range trials {
				trials[j] = waits
			}
			namespace := string(rune('a' + random.IntN(3)))
			c.add(namespace, fmt.Sprintf("e%d", i), random.IntN(5), trials...).Spec.Parallelism = ptr.To(int32(1 + random.IntN(3)))
		}
		limit := 1 + random.IntN(3)
		for pass := 0; len(c.trials) > count(c, queue.Released); pass++ {
			if pass > 2*len(c.trials) {
				t.Fatalf("seed %d: %d of %d trials got no turn", seed, len(c.trials)-count(c, queue.Released), len(c.trials))
			}
			step(c, queue.Decide(queue.Situation{Experiments: c.experiments, Trials: c.trials, Limit: limit, Now: noon}), pass)
			if active := count(c, queue.Active); active > limit {
				t.Fatalf("seed %d: %d trials have a turn, the limit is %d", seed, active, limit)
			}
			finishOldest(c)
		}
	}
}

func step(c *cluster, turns queue.Turns, pass int) {
	for i := range c.trials {
		if trial := &c.trials[i]; slices.Contains(turns.Start, types.NamespacedName{Namespace: trial.Namespace, Name: trial.Name}) {
			trial.Spec.Suspend = false
			trial.Status.StartTime = &metav1.Time{Time: noon.Add(time.Duration(pass) * time.Second)}
		}
	}
}

func finishOldest(c *cluster) {
	for i := range c.trials {
		if queue.Active(&c.trials[i]) {
			start := c.trials[i].Status.StartTime
			isDone(&c.trials[i])
			c.trials[i].Status.StartTime = start
			return
		}
	}
}

func count(c *cluster, is func(*v1beta1.SizingTrial) bool) int {
	n := 0
	for i := range c.trials {
		if is(&c.trials[i]) {
			n++
		}
	}
	return n
}
