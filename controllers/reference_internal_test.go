package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

// ended returns a trial of an experiment on a node pool that was judged by a reference speed; 0 if it was
// not judged yet.
func ended(name string, experiment types.UID, pool string, reference int64, changes ...func(*v1beta1.SizingTrial)) *v1beta1.SizingTrial {
	trial := &v1beta1.SizingTrial{ObjectMeta: metav1.ObjectMeta{Namespace: "team-a", Name: name, OwnerReferences: []metav1.OwnerReference{
		*metav1.NewControllerRef(&v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{Name: "login", UID: experiment}}, v1beta1.GroupVersion.WithKind(experimentKind)),
	}}}
	trial.Spec.Variant.NodePool = &v1beta1.NodePool{Name: pool}
	if reference > 0 {
		trial.Status.Calibration = &handover.Calibration{ReferenceMicroseconds: 9_000}
		trial.Status.Speed = &v1beta1.TrialSpeed{ReferenceHashMicrosecondsAtCost8: reference}
		trial.Status.Result = &v1beta1.VariantResult{Verdict: v1beta1.VerdictValid}
	}
	for _, change := range changes {
		change(trial)
	}
	return trial
}

func TestAllTrialsOnANodePoolAreJudgedByOneReference(t *testing.T) {
	verification := func(trial *v1beta1.SizingTrial) { trial.Spec.Role = v1beta1.RoleVerification }
	elsewhere := func(trial *v1beta1.SizingTrial) { trial.Namespace = "team-b" }
	for name, test := range map[string]struct {
		known int64
		other *v1beta1.SizingTrial
		want  int64
	}{
		"the experiment's":                             {12_000, ended("other", "ours", "small", 10_000), 12_000},
		"that of a trial that the experiment lacks":    {0, ended("other", "ours", "small", 10_000), 10_000},
		"its own before another was judged":            {0, ended("other", "ours", "small", 0), 0},
		"its own on another node pool":                 {0, ended("other", "ours", "large", 10_000), 0},
		"not that of an earlier experiment":            {0, ended("other", "earlier", "small", 10_000), 0},
		"not that of a namesake in another namespace":  {0, ended("other", "ours", "small", 10_000, elsewhere), 0},
		"not that of a verification, which follows it": {0, ended("other", "ours", "small", 10_000, verification), 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := &TrialReconciler{Live: having(test.other)}
			seen := &lifecycle.Observation{Trial: ended("this", "ours", "small", 0), Reference: test.known}
			release, err := r.fixReference(t.Context(), seen)
			defer release()
			if err != nil || seen.Reference != test.want {
				t.Errorf("the reference is %d µs, %v; want %d", seen.Reference, err, test.want)
			}
		})
	}
}

// Two trials end at the same moment: the second waits until the first is judged, and has its reference.
func TestTheSecondOfTwoTrialsThatEndTogetherWaitsForTheFirst(t *testing.T) {
	live := having(ended("first", "ours", "small", 0))
	r := &TrialReconciler{Live: live}
	first := &lifecycle.Observation{Trial: ended("first", "ours", "small", 0)}
	release, err := r.fixReference(t.Context(), first)
	if err != nil || first.Reference != 0 {
		t.Fatalf("the first has the reference %d, %v", first.Reference, err)
	}
	held := 0
	for i := range r.judging {
		if r.judging[i].TryLock() {
			r.judging[i].Unlock()
			continue
		}
		held++
	}
	if held != 1 {
		t.Fatalf("%d locks are held before the status of the first is written, want 1", held)
	}
	second := make(chan int64, 1)
	go func() {
		seen := &lifecycle.Observation{Trial: ended("second", "ours", "small", 0)}
		done, _ := r.fixReference(t.Context(), seen)
		defer done()
		second <- seen.Reference
	}()
	judged := &v1beta1.SizingTrial{}
	if err := live.Get(t.Context(), client.ObjectKey{Namespace: "team-a", Name: "first"}, judged); err != nil {
		t.Fatal(err)
	}
	judged.Status = ended("first", "ours", "small", 11_000).Status
	if err := live.Update(t.Context(), judged); err != nil {
		t.Fatal(err)
	}
	select {
	case <-second:
		t.Fatal("the second did not wait for the first")
	default:
	}
	release()
	select {
	case got := <-second:
		if got != 11_000 {
			t.Errorf("the second has the reference %d, want the first's 11000", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("the second still waits")
	}
}
