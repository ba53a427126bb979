//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	ctrl "sigs.k8s.io/controller-runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// generators records the pods and Jobs of all generators.
type generators struct {
	mutex sync.Mutex
	runs  map[types.UID]run
	// jobs are the UIDs of each trial's Jobs, in the order of their creation.
	jobs map[string][]types.UID
	// ended are the Jobs whose generator exited without an error, and so wrote a result.
	ended map[types.UID]bool
}

// run is the time when a generator's container ran, by its node's clock.
type run struct {
	name        string
	from, until time.Time
}

func (r run) String() string {
	return fmt.Sprintf("%s from %s to %s", r.name, r.from.Format(time.TimeOnly), r.until.Format(time.TimeOnly))
}

// watchGenerators records all generators of the cluster until the test ends. If the API server
// ends the watch, a new one begins with the pods that exist.
func watchGenerators(t *testing.T) *generators {
	t.Helper()
	clientset, err := kubernetes.NewForConfig(ctrl.GetConfigOrDie())
	must(t, err)
	options := metav1.ListOptions{LabelSelector: v1beta1.LabelComponent + "=" + v1beta1.ComponentGenerator}
	watcher, err := clientset.CoreV1().Pods("").Watch(t.Context(), options)
	must(t, err)
	g := &generators{runs: map[types.UID]run{}, jobs: map[string][]types.UID{}, ended: map[types.UID]bool{}}
	go func() {
		g.follow(watcher)
		_ = wait.PollUntilContextCancel(t.Context(), 100*time.Millisecond, true, func(ctx context.Context) (done bool, err error) {
			if watcher, err := clientset.CoreV1().Pods("").Watch(ctx, options); err == nil {
				g.follow(watcher)
			}
			return false, nil
		})
	}()
	return g
}

func (g *generators) follow(watcher watch.Interface) {
	defer watcher.Stop()
	for event := range watcher.ResultChan() {
		if pod, ok := event.Object.(*corev1.Pod); ok {
			g.note(pod)
			if event.Type == watch.Deleted {
				g.gone(pod.UID)
			}
		}
	}
}

// gone notes that a pod's container has ended, even if its node did not report that: the pod's
// object is gone, or its node was killed.
func (g *generators) gone(pod types.UID) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if seen, ran := g.runs[pod]; ran && seen.until.IsZero() {
		seen.until = time.Now()
		g.runs[pod] = seen
	}
}

func (g *generators) note(pod *corev1.Pod) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	trial := pod.Labels[v1beta1.LabelTrialUID]
	if owner := metav1.GetControllerOf(pod); owner != nil && !slices.Contains(g.jobs[trial], owner.UID) {
		g.jobs[trial] = append(g.jobs[trial], owner.UID)
	}
	for _, container := range pod.Status.ContainerStatuses {
		seen := g.runs[pod.UID]
		seen.name = pod.Name
		if running := container.State.Running; running != nil {
			seen.from = running.StartedAt.Time
		}
		if ended := container.State.Terminated; ended != nil {
			seen.from, seen.until = ended.StartedAt.Time, ended.FinishedAt.Time
			if owner := metav1.GetControllerOf(pod); owner != nil && ended.ExitCode == 0 {
				g.ended[owner.UID] = true
			}
		}
		if !seen.from.IsZero() {
			g.runs[pod.UID] = seen
		}
	}
}

// noneAtOnce fails if two generators ran at the same time. The times are whole seconds, so one
// may start in the second in which the other ended.
func (g *generators) noneAtOnce(t *testing.T) {
	t.Helper()
	g.mutex.Lock()
	defer g.mutex.Unlock()
	var all []run
	for _, r := range g.runs {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b run) int { return a.from.Compare(b.from) })
	if len(all) == 0 {
		t.Error("no generator was seen")
	}
	for i := 1; i < len(all); i++ {
		if before := all[i-1]; before.until.IsZero() || before.until.After(all[i].from) {
			t.Errorf("two generators ran at the same time: %s, and %s", before, all[i])
		}
	}
	t.Logf("generators seen: %v", all)
}

// jobsOfTrial returns how many Jobs a trial had.
func (g *generators) jobsOfTrial(trial *v1beta1.SizingTrial) int {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return len(g.jobs[string(trial.UID)])
}

// measured returns which of a trial's Jobs wrote a result.
func (g *generators) measured(trial *v1beta1.SizingTrial) []types.UID {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return slices.DeleteFunc(slices.Clone(g.jobs[string(trial.UID)]), func(job types.UID) bool { return !g.ended[job] })
}

// saw reports whether a Job was one of a trial's.
func (g *generators) saw(trial *v1beta1.SizingTrial, job types.UID) bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return slices.Contains(g.jobs[string(trial.UID)], job)
}
