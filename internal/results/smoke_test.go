package results

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

// TestTheQuestionIsATinyOne checks that the plan's own estimate is at most a minute and a
// half.
func TestTheQuestionIsATinyOne(t *testing.T) {
	planned, err := matrix.Plan(SmokeExperiment("ns"), 7)
	if err != nil || len(planned) != 1 {
		t.Fatalf("the experiment has %d trials, error %v", len(planned), err)
	}
	took, err := loadplan.Estimate(planned[0].Spec)
	if err != nil || took > 90*time.Second {
		t.Errorf("the estimate is %s, error %v", took, err)
	}
}

func TestAFailureNamesWhatTheTrialsSay(t *testing.T) {
	e := &v1alpha1.SizingExperiment{Status: v1alpha1.SizingExperimentStatus{
		Phase:      v1alpha1.ExperimentFailed,
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionFinished, Message: "No variant was measured"}},
	}}
	trial := v1alpha1.SizingTrial{
		Spec:   v1alpha1.SizingTrialSpec{Variant: v1alpha1.Variant{Name: "c8-250m"}},
		Status: v1alpha1.SizingTrialStatus{Reason: v1alpha1.ReasonImagePull, Message: "image x can't be pulled"},
	}
	want := "the experiment ended as Failed: No variant was measured; c8-250m: ImagePull: image x can't be pulled"
	if err := Ended(e, []v1alpha1.SizingTrial{trial}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestAPlaceInTheQueueIsTold(t *testing.T) {
	e := &v1alpha1.SizingExperiment{Status: v1alpha1.SizingExperimentStatus{
		Phase: v1alpha1.ExperimentQueued, Progress: &v1alpha1.Progress{QueuePosition: ptr.To[int32](2)},
	}}
	if err := Late(e, nil, time.Minute); !strings.Contains(err.Error(), "waits for its turn at place 2 after 1m0s") {
		t.Errorf("error %v", err)
	}
}
