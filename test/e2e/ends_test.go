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

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// The load is suspended, resumed and deleted, each time while a generator runs. The pods' network is watched
// until they are gone.
func TestWhatIsSuspendedOrDeletedTakesItsLoadAway(t *testing.T) {
	startOperator(t)
	e := tiny(namespace(t), "deleted", longer(60))
	network := watchNetwork(t, e.Namespace)
	network.await(t, underLoad(t, create(t, e)).UID)
	edit(t, e, func(s *v1beta1.SizingExperimentSpec) { s.Suspend = ptr.To(true) })
	until(t, 15*time.Second, "the load to go, and phase Suspended", func() (bool, string) {
		refresh(t, e)
		return len(podsOf(t, e, v1beta1.ComponentGenerator)) == 0 && e.Status.Phase == v1beta1.ExperimentSuspended, standing(t, e)
	})
	edit(t, e, func(s *v1beta1.SizingExperimentSpec) { s.Suspend = ptr.To(false) })
	underLoad(t, e)
	if attempts := theTrial(t, e).Status.Attempts; len(attempts) != 2 || attempts[0].Outcome != v1beta1.OutcomeInterrupted {
		t.Errorf("after it was resumed, the attempts are %+v", attempts)
	}
	must(t, cluster.Delete(t.Context(), e))
	until(t, time.Minute, "everything of it to go", func() (bool, string) {
		left := append(carrying(t, e.Namespace, e.UID), denyPolicy(t, e.Namespace)...)
		return len(left) == 0, strings.Join(left, ", ")
	})
	network.confined(t)
}

// edit patches an experiment's spec.
func edit(t *testing.T, e *v1beta1.SizingExperiment, change func(*v1beta1.SizingExperimentSpec)) {
	t.Helper()
	refresh(t, e)
	before := e.DeepCopy()
	change(&e.Spec)
	must(t, cluster.Patch(t.Context(), e, client.MergeFrom(before)))
}

// loads reports whether a trial's k6 Job was created.
func loads(trial v1beta1.SizingTrial) bool {
	n := len(trial.Status.Attempts)
	return n > 0 && trial.Status.Attempts[n-1].EndTime == nil && trial.Status.Attempts[n-1].JobUID != ""
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
