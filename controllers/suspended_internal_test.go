package controllers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

func TestAPassNotesThatTheExperimentIsSuspended(t *testing.T) {
	began := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	p := &experimentPass{
		experiment: &v1beta1.SizingExperiment{Spec: v1beta1.SizingExperimentSpec{
			Matrix: v1beta1.Matrix{Costs: []int32{10}, CPULimits: fixture.Limits("1")}, Suspend: ptr.To(true),
		}},
		trials: []v1beta1.SizingTrial{{Status: v1beta1.SizingTrialStatus{StartTime: &metav1.Time{Time: began}}}},
		now:    began.Add(time.Hour),
	}
	if err := p.gather(); err != nil {
		t.Fatal(err)
	}
	if since := p.experiment.Status.SuspendTime; since == nil || !since.Time.Equal(p.now) {
		t.Errorf("the experiment is suspended since %v, want %s", since, p.now)
	}
}
