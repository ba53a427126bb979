//go:build integration

package controllers_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/simulated"
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
	used := func(name string) handover.CompanionUse {
		return handover.CompanionUse{Name: name, CPUPerLoginMicroseconds: 3000, BusiestPerMille: 400}
	}
	for name, test := range map[string]struct {
		change func(*v1beta1.SizingExperimentSpec)
		used   []handover.CompanionUse
	}{
		"by itself":       {func(*v1beta1.SizingExperimentSpec) {}, nil},
		"with companions": {withCompanions, []handover.CompanionUse{used("cache"), used("database")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "own")
			e := w.create(newExperiment("login", quick, ownService, test.change), 0)
			w.toEnd(e)
			if e.Status.Phase != v1beta1.ExperimentSucceeded || len(e.Status.Results) != 2 {
				t.Errorf("the experiment ended %s with %d rows", e.Status.Phase, len(e.Status.Results))
			}
			for _, row := range e.Status.Results {
				if diff := cmp.Diff(test.used, row.Companions); diff != "" {
					t.Errorf("%s has other companions (-want +got):\n%s", row.Variant, diff)
				}
			}
			for _, trial := range w.trialsOf(e) {
				w.checkMeasuredOnce(&trial)
			}
			w.checkNothingLeft()
			w.checkPeace()
		})
	}
}

func TestAnExperimentWhoseOwnServiceCannotBeDeployedIsRefused(t *testing.T) {
	t.Parallel()
	for reason, change := range map[string]func(*v1beta1.SizingExperimentSpec){
		v1beta1.ReasonSecretNotAllowed: func(s *v1beta1.SizingExperimentSpec) {
			s.Service.Own.Env[0] = v1beta1.EnvVar{Name: "DB", ValueFrom: &v1beta1.KeySource{SecretKeyRef: &v1beta1.KeyRef{Name: "db", Key: "password"}}}
		},
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

// withCompanions adds a database and a cache.
func withCompanions(spec *v1beta1.SizingExperimentSpec) {
	spec.Service.Own.Companions = []v1beta1.Companion{
		{Name: "database", Image: "example.test/team/postgres:v1", Command: []string{"/postgres"}, Port: 5432, Writable: []string{"/data"}},
		{Name: "cache", Image: "example.test/team/valkey:v1", Command: []string{"/valkey"}, Port: 6379},
	}
}

// A companion that fails ends the attempt with a reason of its own, and the trial is measured again.
func TestACompanionThatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	ended := func(reason string, code int32) func(*corev1.PodStatus) {
		return func(status *corev1.PodStatus) {
			status.PodIP = "10.9.9.9"
			status.ContainerStatuses = []corev1.ContainerStatus{simulated.Terminated(objects.CompanionContainer, corev1.ContainerStateTerminated{ExitCode: code, Reason: reason})}
		}
	}
	for reason, stuck := range map[string]func(*corev1.PodStatus){
		v1beta1.ReasonCompanionFailed:    ended("Error", 1),
		v1beta1.ReasonCompanionOOMKilled: ended("OOMKilled", 137),
		v1beta1.ReasonCompanionNotReady:  func(*corev1.PodStatus) {},
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			w := newTestCluster(t, "own")
			w.kubelet.mishap = mishap{of: v1beta1.ComponentCompanion, stuck: stuck}
			e := w.create(newExperiment("login", quick, oneVariant, ownService, withCompanions), 0)
			w.toEnd(e)
			attempts := w.trialsOf(e)[0].Status.Attempts
			if len(attempts) < 2 || attempts[0].Reason != reason || !strings.Contains(attempts[0].Message, "ompanion ") || e.Status.Phase != v1beta1.ExperimentSucceeded {
				t.Errorf("%d attempts, the first ended %s: %s; the experiment is %s", len(attempts), attempts[0].Reason, attempts[0].Message, e.Status.Phase)
			}
			w.checkNothingLeft()
		})
	}
}
