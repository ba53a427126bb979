package lab

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func experiment() *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "e", UID: "uid"}}
}

func trial(name, uid string, sequence int32) *v1beta1.SizingTrial {
	return &v1beta1.SizingTrial{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, Labels: map[string]string{v1beta1.LabelExperimentUID: uid}},
		Spec:       v1beta1.SizingTrialSpec{Sequence: sequence},
	}
}

func clientWith(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1beta1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

func TestTrialsAreTheExperimentsOwnInTheirOrder(t *testing.T) {
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

func TestFinishedReturnsAtTheEndAndIfTheExperimentIsDeleted(t *testing.T) {
	ended, e := experiment(), experiment()
	ended.Status.Phase = v1beta1.ExperimentSucceeded
	ended.Status.Conditions = []metav1.Condition{{Type: v1beta1.ConditionFinished, Status: metav1.ConditionTrue}}
	c := clientWith(t, ended)
	var seen []v1beta1.ExperimentPhase
	note := func(now *v1beta1.SizingExperiment) { seen = append(seen, now.Status.Phase) }
	if err := Finished(t.Context(), c, e, note); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]v1beta1.ExperimentPhase{v1beta1.ExperimentSucceeded}, seen); diff != "" {
		t.Errorf("the phases (-want +got):\n%s", diff)
	}
	if err := c.Delete(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	if err := Finished(t.Context(), c, e, note); !apierrors.IsNotFound(err) {
		t.Errorf("error %v, want that it was not found", err)
	}
}
