package lab

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func experiment() *v1alpha1.SizingExperiment {
	return &v1alpha1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "e", UID: "uid"}}
}

func trial(name, uid string, sequence int32) *v1alpha1.SizingTrial {
	return &v1alpha1.SizingTrial{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{v1alpha1.LabelExperimentUID: uid}},
		Spec:       v1alpha1.SizingTrialSpec{Sequence: sequence},
	}
}

func clientWith(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithStatusSubresource(&v1alpha1.SizingExperiment{}).Build()
}

func TestTrialsComeInTheirOrderAndAreTheExperimentsOwn(t *testing.T) {
	c := clientWith(t, trial("a", "uid", 2), trial("b", "uid", 1), trial("c", "another", 1))
	trials, err := Trials(t.Context(), c, experiment())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, trial := range trials {
		names = append(names, trial.Name)
	}
	if diff := cmp.Diff([]string{"b", "a"}, names); diff != "" {
		t.Errorf("the trials (-want +got):\n%s", diff)
	}
	if _, err := Trials(t.Context(), clientWith(t, trial("a", "uid", 2)), experiment()); err == nil {
		t.Error("a trial with sequence number 2 of 1 was accepted")
	}
}

// follows runs Finished while the experiment is changed again and again, because the fake API
// server does not start a watch with the current objects. change is called with the number of
// changes that were seen.
func follows(t *testing.T, c client.WithWatch, change func(seen int64) error) (phases []v1alpha1.ExperimentPhase, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	var seen atomic.Int64
	done := make(chan error, 1)
	go func() {
		done <- Finished(ctx, c, experiment(), func(now *v1alpha1.SizingExperiment) {
			phases = append(phases, now.Status.Phase)
			seen.Add(1)
		})
	}()
	for {
		select {
		case err := <-done:
			return phases, err
		case <-time.After(5 * time.Millisecond):
			if err := change(seen.Load()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestFinishedTellsOfEachChangeUntilTheEnd(t *testing.T) {
	e := experiment()
	c := clientWith(t, e)
	phases, err := follows(t, c, func(seen int64) error {
		e.Status.Phase = v1alpha1.ExperimentRunning
		if seen > 0 {
			e.Status.Phase = v1alpha1.ExperimentSucceeded
			meta.SetStatusCondition(&e.Status.Conditions, metav1.Condition{
				Type: v1alpha1.ConditionFinished, Status: metav1.ConditionTrue, Reason: v1alpha1.ReasonFinished,
			})
		}
		return c.Status().Update(t.Context(), e)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(phases); n < 2 || phases[0] != v1alpha1.ExperimentRunning || phases[n-1] != v1alpha1.ExperimentSucceeded {
		t.Errorf("the phases are %v", phases)
	}
}

func TestFinishedDoesNotWaitForAnExperimentThatIsGone(t *testing.T) {
	c := clientWith(t, experiment())
	there := true
	_, err := follows(t, c, func(int64) error {
		there = !there
		if there {
			return c.Create(t.Context(), experiment())
		}
		return c.Delete(t.Context(), experiment())
	})
	if err == nil || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v, want that it was deleted", err)
	}
}
