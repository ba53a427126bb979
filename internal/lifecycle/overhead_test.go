package lifecycle

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// spentTrial returns a trial whose load was planned to take a minute. Each other stage takes
// one second more than the one before.
func spentTrial() *v1alpha1.SizingTrial {
	at := func(seconds int) *metav1.Time {
		return &metav1.Time{Time: start.Add(time.Duration(seconds) * time.Second)}
	}
	return &v1alpha1.SizingTrial{Status: v1alpha1.SizingTrialStatus{
		CompletionTime: at(100),
		Steps:          []v1alpha1.Step{{Plan: &v1alpha1.StepPlan{StartMilliseconds: 5_000, CountedMilliseconds: 55_000}}},
		Attempts: []v1alpha1.Attempt{{Number: 1, Outcome: v1alpha1.OutcomeBroken, StartTime: *at(-50), EndTime: at(-1)}, {
			Number: 2, Outcome: v1alpha1.OutcomeKept, StartTime: *at(0),
			CalibrationStartTime: at(1), CalibrationEndTime: at(20), LoadStartTime: at(22),
			GeneratorStartTime: at(25), GeneratorEndTime: at(89), EndTime: at(94),
		}},
	}}
}

func TestOverheadIsAllButCalibrationAndLoad(t *testing.T) {
	got, known := OverheadOf(spentTrial())
	want := Overhead{
		Deploying: time.Second, Preparing: 2 * time.Second, Starting: 3 * time.Second,
		Driving: 4 * time.Second, Judging: 5 * time.Second, Removing: 6 * time.Second,
	}
	if diff := cmp.Diff(want, got); diff != "" || !known {
		t.Errorf("known: %v; stages (-want +got):\n%s", known, diff)
	}
	if got.Total() != 21*time.Second {
		t.Errorf("the total is %s, want 21s", got.Total())
	}
}

func TestOverheadIsNotGuessed(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.SizingTrialStatus){
		"before the first attempt":   func(s *v1alpha1.SizingTrialStatus) { s.Attempts = nil },
		"while the trial runs":       func(s *v1alpha1.SizingTrialStatus) { s.CompletionTime = nil },
		"of an attempt without load": func(s *v1alpha1.SizingTrialStatus) { s.Attempts[1].LoadStartTime = nil },
		"of an unknown generator":    func(s *v1alpha1.SizingTrialStatus) { s.Attempts[1].GeneratorEndTime = nil },
		"of an attempt without numbers": func(s *v1alpha1.SizingTrialStatus) {
			s.Attempts[1].Outcome = v1alpha1.OutcomeBroken
		},
	} {
		trial := spentTrial()
		change(&trial.Status)
		if got, known := OverheadOf(trial); known {
			t.Errorf("%s: the overhead is %+v, want none", name, got)
		}
	}
}
