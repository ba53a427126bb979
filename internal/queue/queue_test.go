package queue_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/queue"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// cluster holds experiments with their trials.
type cluster struct {
	experiments []v1alpha1.SizingExperiment
	trials      []v1alpha1.SizingTrial
}

// add adds an experiment that was created this many minutes after noon.
func (c *cluster) add(namespace, name string, minute int, trials ...func(*v1alpha1.SizingTrial)) *v1alpha1.SizingExperiment {
	c.experiments = append(c.experiments, v1alpha1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: types.UID(name),
			CreationTimestamp: metav1.NewTime(noon.Add(time.Duration(minute) * time.Minute)),
		},
		Spec: v1alpha1.SizingExperimentSpec{Parallelism: 1},
	})
	experiment := &c.experiments[len(c.experiments)-1]
	for i, change := range trials {
		trial := v1alpha1.SizingTrial{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: fmt.Sprintf("%s-%d", name, i+1),
				OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(experiment, v1alpha1.GroupVersion.WithKind("SizingExperiment"))},
			},
			Spec: v1alpha1.SizingTrialSpec{Sequence: int32(i + 1), Suspend: true},
		}
		change(&trial)
		c.trials = append(c.trials, trial)
	}
	return experiment
}

func waits(*v1alpha1.SizingTrial) {}

func runs(t *v1alpha1.SizingTrial) {
	t.Spec.Suspend = false
	t.Status.StartTime = &metav1.Time{Time: noon}
}

func cleansUp(t *v1alpha1.SizingTrial) {
	t.Status.StartTime = &metav1.Time{Time: noon}
	t.Status.Phase = v1alpha1.TrialRunning
}

func isDone(t *v1alpha1.SizingTrial) {
	t.Status.StartTime = &metav1.Time{Time: noon}
	meta.SetStatusCondition(&t.Status.Conditions, metav1.Condition{Type: v1alpha1.ConditionReleased, Status: metav1.ConditionTrue, Reason: "Measured"})
}

func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit int
		build func(c *cluster)
		want  queue.Turns
	}{
		{"the oldest begins, the other waits in place 1", 1, func(c *cluster) {
			c.add("a", "late", 2, waits)
			c.add("a", "early", 1, waits)
		}, queue.Turns{Start: map[types.UID][]string{"early": {"early-1"}}, Position: map[types.UID]int32{"late": 1}}},
		{"an experiment that began keeps its place between two trials", 1, func(c *cluster) {
			c.add("a", "older", 1, waits)
			c.add("b", "begun", 2, isDone, waits)
		}, queue.Turns{Start: map[types.UID][]string{"begun": {"begun-2"}}, Position: map[types.UID]int32{"older": 1}}},
		{"no turn is given while one is taken", 1, func(c *cluster) {
			c.add("a", "busy", 1, runs, waits)
			c.add("b", "next", 2, waits)
		}, queue.Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{"next": 1}}},
		{"a trial that still cleans up holds its turn", 1, func(c *cluster) {
			c.add("a", "busy", 1, cleansUp, waits)
		}, queue.Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{}}},
		{"a suspended experiment's running trial holds its turn, and its others get none", 2, func(c *cluster) {
			c.add("a", "halted", 1, runs, waits).Spec.Suspend = true
			c.add("b", "next", 2, waits, waits)
		}, queue.Turns{Start: map[types.UID][]string{"next": {"next-1"}}, Position: map[types.UID]int32{}}},
		{"parallelism bounds an experiment within the limit", 4, func(c *cluster) {
			c.add("a", "wide", 1, waits, waits, waits).Spec.Parallelism = 2
		}, queue.Turns{Start: map[types.UID][]string{"wide": {"wide-1", "wide-2"}}, Position: map[types.UID]int32{}}},
		{"namespaces take turns", 1, func(c *cluster) {
			c.add("a", "running", 0, runs)
			c.add("a", "a1", 1, waits)
			c.add("a", "a2", 2, waits)
			c.add("b", "b1", 3, waits)
		}, queue.Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{"b1": 1, "a1": 2, "a2": 3}}},
		{"a suspended experiment gets no turn", 2, func(c *cluster) {
			c.add("a", "halted", 1, waits).Spec.Suspend = true
		}, queue.Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{}}},
		{"one that is being deleted gets no turn", 2, func(c *cluster) {
			c.add("a", "going", 1, waits).DeletionTimestamp = &metav1.Time{Time: noon}
		}, queue.Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{}}},
		{"trials begin in the experiment's own order, however they are listed", 1, func(c *cluster) {
			c.add("a", "one", 1, func(t *v1alpha1.SizingTrial) { t.Spec.Sequence = 2 }, func(t *v1alpha1.SizingTrial) { t.Spec.Sequence = 1 })
		}, queue.Turns{Start: map[types.UID][]string{"one": {"one-2"}}, Position: map[types.UID]int32{}}},
		{"a trial without an experiment takes up a turn", 1, func(c *cluster) {
			c.add("a", "one", 1, waits)
			c.add("b", "by-hand", 2, runs)
			c.trials[1].OwnerReferences = nil
		}, queue.Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{"one": 1}}},
		{"cancelled and finished experiments get no turn", 2, func(c *cluster) {
			c.add("a", "cancelled", 1, waits).Spec.Cancel = true
			c.add("a", "finished", 1, waits).Status.Phase = v1alpha1.ExperimentFailed
		}, queue.Turns{Start: map[types.UID][]string{}, Position: map[types.UID]int32{}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &cluster{}
			tt.build(c)
			if diff := cmp.Diff(tt.want, queue.Decide(c.experiments, c.trials, tt.limit)); diff != "" {
				t.Errorf("turns (-want +got):\n%s", diff)
			}
		})
	}
}

// TestNobodyIsOvertakenForEver runs random queues to their end: never more trials than the
// limit have a turn, and every trial gets one.
func TestNobodyIsOvertakenForEver(t *testing.T) {
	for seed := range uint64(50) {
		random := rand.New(rand.NewPCG(seed, 1))
		c := &cluster{}
		for i := range 2 + random.IntN(6) {
			trials := make([]func(*v1alpha1.SizingTrial), 1+random.IntN(4))
			for j := range trials {
				trials[j] = waits
			}
			namespace := string(rune('a' + random.IntN(3)))
			c.add(namespace, fmt.Sprintf("e%d", i), random.IntN(5), trials...).Spec.Parallelism = int32(1 + random.IntN(3))
		}
		limit := 1 + random.IntN(3)
		for pass := 0; len(c.trials) > countDone(c); pass++ {
			if pass > 2*len(c.trials) {
				t.Fatalf("seed %d: %d of %d trials got no turn", seed, len(c.trials)-countDone(c), len(c.trials))
			}
			step(c, queue.Decide(c.experiments, c.trials, limit), pass)
			if active := countActive(c); active > limit {
				t.Fatalf("seed %d: %d trials have a turn, the limit is %d", seed, active, limit)
			}
			finishOldest(c)
		}
	}
}

func step(c *cluster, turns queue.Turns, pass int) {
	for i := range c.trials {
		for _, names := range turns.Start {
			for _, name := range names {
				if c.trials[i].Name == name {
					c.trials[i].Spec.Suspend = false
					c.trials[i].Status.StartTime = &metav1.Time{Time: noon.Add(time.Duration(pass) * time.Second)}
				}
			}
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

func countDone(c *cluster) int {
	n := 0
	for i := range c.trials {
		if queue.Released(&c.trials[i]) {
			n++
		}
	}
	return n
}

func countActive(c *cluster) int {
	n := 0
	for i := range c.trials {
		if queue.Active(&c.trials[i]) {
			n++
		}
	}
	return n
}
