//go:build e2e

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

func TestKubectlWaitReturnsForEveryEnd(t *testing.T) {
	startOperator(t)
	ns := namespace(t)
	succeeds := create(t, tiny(ns, "succeeds"))
	fails := create(t, tiny(ns, "fails", func(s *v1alpha1.SizingExperimentSpec) {
		one := v1alpha1.Concurrency{Mode: v1alpha1.ConcurrencyWorkerPool}
		s.Matrix.Concurrency = []v1alpha1.Concurrency{one, {Mode: one.Mode, Workers: ptr.To[int32](1)}}
	}))
	cancelled := create(t, tiny(ns, "cancelled", longer(60)))
	edit(t, cancelled, func(s *v1alpha1.SizingExperimentSpec) { s.Cancel = true })

	for e, phase := range map[*v1alpha1.SizingExperiment]v1alpha1.ExperimentPhase{
		succeeds: "", fails: v1alpha1.ExperimentFailed, cancelled: v1alpha1.ExperimentCancelled,
	} {
		waitFinished(t, e)
		refresh(t, e)
		if phase == "" {
			phase = endOf(t, e)
		}
		if e.Status.Phase != phase {
			t.Errorf("%s ended as %s, want %s", e.Name, e.Status.Phase, phase)
		}
	}
	edit(t, succeeds, func(s *v1alpha1.SizingExperimentSpec) { s.TTLSecondsAfterFinished = ptr.To[int32](3600) })
	waitFinished(t, succeeds)
	edit(t, succeeds, func(s *v1alpha1.SizingExperimentSpec) { s.TTLSecondsAfterFinished = ptr.To[int32](0) })
	kubectl(t, "wait", "--for=delete", "--timeout=60s", "-n", ns, "szx/succeeds")
}

// waitFinished waits as users do in their scripts.
func waitFinished(t *testing.T, e *v1alpha1.SizingExperiment) {
	t.Helper()
	kubectl(t, "wait", "--for=condition=Finished", "--timeout=15m", "-n", e.Namespace, "szx/"+e.Name)
}

// edit patches an experiment's spec.
func edit(t *testing.T, e *v1alpha1.SizingExperiment, change func(*v1alpha1.SizingExperimentSpec)) {
	t.Helper()
	refresh(t, e)
	before := e.DeepCopy()
	change(&e.Spec)
	must(t, cluster.Patch(t.Context(), e, client.MergeFrom(before)))
}

func TestSuspendTakesTheLoadAwayAndResumeMeasuresThatTrialAgain(t *testing.T) {
	startOperator(t)
	e := create(t, tiny(namespace(t), "halted", costs(4, 6), longer(10), func(s *v1alpha1.SizingExperimentSpec) {
		s.Order = v1alpha1.OrderAsWritten
	}))
	until(t, 2*time.Minute, "the second trial to be under load", func() (bool, string) {
		trials := trialsOf(t, e)
		return len(trials) == 2 && trials[0].Status.Phase == v1alpha1.TrialSucceeded && loads(trials[1]), standing(t, e)
	})
	edit(t, e, func(s *v1alpha1.SizingExperimentSpec) { s.Suspend = true })
	until(t, 15*time.Second, "the load to go", func() (bool, string) {
		pods := podsOf(t, e, v1alpha1.ComponentGenerator)
		return len(pods) == 0, standing(t, e)
	})
	until(t, 15*time.Second, "phase Suspended", func() (bool, string) {
		refresh(t, e)
		return e.Status.Phase == v1alpha1.ExperimentSuspended, standing(t, e)
	})
	first := trialsOf(t, e)[0].Status

	edit(t, e, func(s *v1alpha1.SizingExperimentSpec) { s.Suspend = false })
	finished(t, e, 2*time.Minute)
	trials := trialsOf(t, e)
	if n := len(trials[0].Status.Attempts); n != len(first.Attempts) || !trials[0].Status.CompletionTime.Equal(first.CompletionTime) {
		t.Errorf("the finished trial was measured again: %d attempts", n)
	}
	attempts := trials[1].Status.Attempts
	interrupted := slices.IndexFunc(attempts, func(a v1alpha1.Attempt) bool { return a.Outcome == v1alpha1.OutcomeInterrupted })
	last := attempts[len(attempts)-1].Outcome
	if interrupted < 0 || interrupted == len(attempts)-1 || last != v1alpha1.OutcomeKept {
		t.Errorf("attempts of the interrupted trial: %+v", attempts)
	}
}

// loads reports whether a trial's k6 Job was created.
func loads(trial v1alpha1.SizingTrial) bool {
	n := len(trial.Status.Attempts)
	return n > 0 && trial.Status.Attempts[n-1].EndTime == nil && trial.Status.Attempts[n-1].JobUID != ""
}

func TestNothingIsLeftAMinuteAfterAnExperimentWasDeleted(t *testing.T) {
	startOperator(t)
	e := tiny(namespace(t), "deleted", longer(60))
	network := watchNetwork(t, e.Namespace)
	network.await(t, underLoad(t, create(t, e)).UID)
	must(t, cluster.Delete(t.Context(), e))
	until(t, time.Minute, "everything of it to go", func() (bool, string) {
		left := append(carrying(t, e.Namespace, e.UID), denyPolicy(t, e.Namespace)...)
		return len(left) == 0, strings.Join(left, ", ")
	})
	network.confined(t)
}

// carrying returns every object of a namespace, of any kind, that contains a UID: its own, an
// owner's, or in a label. Events are left out.
func carrying(t *testing.T, ns string, uid types.UID) []string {
	t.Helper()
	kinds := strings.Fields(kubectl(t, "api-resources", "--namespaced", "--verbs=list", "-o", "name"))
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return strings.HasPrefix(kind, "events") })
	// This includes Secrets, although the operator can't read them.
	found := kubectl(t, "get", strings.Join(kinds, ","), "-n", ns, "--ignore-not-found", "-o", "json")
	var list struct{ Items []json.RawMessage }
	must(t, json.Unmarshal([]byte(found), &list))
	if len(list.Items) == 0 {
		t.Fatal("the list is empty, without even the namespace's own service account")
	}
	var left []string
	for _, item := range list.Items {
		if !strings.Contains(string(item), string(uid)) {
			continue
		}
		var object metav1.PartialObjectMetadata
		must(t, json.Unmarshal(item, &object))
		left = append(left, object.Kind+" "+object.Name)
	}
	return left
}

// denyPolicy returns the deny policy of a namespace, if it has one. It contains no UID.
func denyPolicy(t *testing.T, ns string) []string {
	t.Helper()
	policy := objects.DenyPolicy(ns)
	err := cluster.Get(t.Context(), client.ObjectKeyFromObject(policy), policy)
	must(t, client.IgnoreNotFound(err))
	if err != nil {
		return nil
	}
	return []string{"NetworkPolicy " + policy.Name}
}

func TestTwoExperimentsInTwoNamespacesTakeTurns(t *testing.T) {
	startOperator(t)
	first := create(t, tiny(namespace(t), "first", longer(10)))
	underLoad(t, first)
	second := create(t, tiny(namespace(t), "second"))
	until(t, 20*time.Second, "the second to be queued at position 1", func() (bool, string) {
		refresh(t, second)
		progress := second.Status.Progress
		return second.Status.Phase == v1alpha1.ExperimentQueued && progress.QueuePosition != nil && *progress.QueuePosition == 1, standing(t, second)
	})
	watched := watchGenerators(t)
	finished(t, first, 2*time.Minute)
	finished(t, second, 2*time.Minute)
	watched.noneAtOnce(t)
}
