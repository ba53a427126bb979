//go:build integration

package controllers_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// ownService replaces Hashmark's login service by one of the user's.
func ownService(spec *v1beta1.SizingExperimentSpec) {
	spec.Matrix.Concurrency = []v1beta1.Concurrency{{Mode: v1beta1.ConcurrencyUnbounded}}
	spec.Service.Own = &v1beta1.OwnService{
		Image: "example.test/team/login:v1", Command: []string{"/app/login"}, Args: []string{"--cost=$(HASHMARK_COST)"},
		Env: []v1beta1.EnvVar{{Name: "DB", Value: "/data/db"}}, Port: 9000, Ready: v1beta1.ReadyWhen{HealthCheck: handover.HealthCheck{Path: "/ready"}},
		Writable: []string{"/data"}, Files: []v1beta1.File{{Path: "/etc/login/users", Content: "$(HASHMARK_USER):$(HASHMARK_PASSWORD_HASH)\n"}},
		Login: handover.Login{
			Steps: []handover.Request{{Path: "/login", Auth: "Basic"}},
			Wrong: handover.ExpectedResponse{Status: []int32{401}},
		},
	}
}

func TestAUsersOwnServiceIsMeasured(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "own")
	e := w.create(newExperiment("login", quick, ownService), 0)
	w.toEnd(e)
	if e.Status.Phase != v1beta1.ExperimentSucceeded || len(e.Status.Results) != 2 {
		t.Errorf("the experiment ended %s with %d rows", e.Status.Phase, len(e.Status.Results))
	}
	for _, trial := range w.trialsOf(e) {
		w.checkMeasuredOnce(&trial)
	}
	w.checkNothingLeft()
	w.checkPeace()
}

func TestAnExperimentWhoseOwnServiceCannotBeDeployedIsRefused(t *testing.T) {
	t.Parallel()
	for reason, change := range map[string]func(*v1beta1.SizingExperimentSpec){
		v1beta1.ReasonImageNotAllowed: func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Image = "example.test/team-evil/login:v1" },
		v1beta1.ReasonNotAccepted:     func(s *v1beta1.SizingExperimentSpec) { s.Service.Own.Args[0] = "--cost=$(COST)" },
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "own")
			e := w.create(newExperiment("login", quick, ownService, change), 0)
			w.toEnd(e)
			accepted := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionAccepted)
			if accepted == nil || accepted.Reason != reason || e.Status.Phase != v1beta1.ExperimentFailed || len(w.trialsOf(e)) > 0 {
				t.Errorf("the experiment is %s with %d trials, and the condition is %+v", e.Status.Phase, len(w.trialsOf(e)), accepted)
			}
		})
	}
}

func TestAnOwnServiceThatCannotBeMeasuredSaysWhy(t *testing.T) {
	t.Parallel()
	for _, reason := range handover.RehearsalReasons {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "own")
			w.kubelet.mishap = mishap{of: service, calibration: exits(1, reason+": step 2: the status was 500\n")}
			e := w.create(newExperiment("login", quick, oneVariant, ownService), 0)
			w.toEnd(e)
			first := w.trialsOf(e)[0].Status.Attempts[0]
			if first.Reason != reason || first.Message != "The login service can't be measured: step 2: the status was 500" {
				t.Errorf("the attempt ended %s: %s", first.Reason, first.Message)
			}
		})
	}
}
