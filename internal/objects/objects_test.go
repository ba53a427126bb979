package objects_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
	psa "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// podTemplates returns the pod templates of the attempt that sets everything.
func podTemplates(t *testing.T) map[string]corev1.PodTemplateSpec {
	t.Helper()
	attempt := mustNew(t, fullSettings(), fullTrial())
	job, err := attempt.Job(load())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]corev1.PodTemplateSpec{
		"login service": attempt.Deployment(nil).Spec.Template,
		"generator":     job.Spec.Template,
	}
}

func TestPodsPassTheRestrictedPodSecurityStandard(t *testing.T) {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	restricted := psa.LevelVersion{Level: psa.LevelRestricted, Version: psa.LatestVersion()}
	for name, template := range podTemplates(t) {
		t.Run(name, func(t *testing.T) {
			verdict := policy.AggregateCheckResults(evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec))
			if !verdict.Allowed {
				t.Errorf("refused: %s: %s", verdict.ForbiddenReason(), verdict.ForbiddenDetail())
			}
		})
	}
}

func TestPodsAreGuaranteedAndHoldNoToken(t *testing.T) {
	for name, template := range podTemplates(t) {
		t.Run(name, func(t *testing.T) {
			pod := template.Spec
			if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
				t.Error("the pod mounts a token")
			}
			for _, container := range append(pod.InitContainers, pod.Containers...) {
				if diff := cmp.Diff(container.Resources.Limits, container.Resources.Requests); diff != "" {
					t.Errorf("container %s requests something else than its limits:\n%s", container.Name, diff)
				}
				if container.Resources.Limits.Cpu().IsZero() || container.Resources.Limits.Memory().IsZero() {
					t.Errorf("container %s lacks a limit", container.Name)
				}
				if readOnly := container.SecurityContext.ReadOnlyRootFilesystem; readOnly == nil || !*readOnly {
					t.Errorf("container %s may write to its root", container.Name)
				}
			}
		})
	}
}

func TestASelectorPicksThePodsOfItsComponentAndAttemptOnly(t *testing.T) {
	later, err := objects.New(fullSettings(), fullTrial(), 3, deadline)
	if err != nil {
		t.Fatal(err)
	}
	attempt := mustNew(t, fullSettings(), fullTrial())
	own := podTemplates(t)

	for _, tt := range []struct {
		name     string
		selector map[string]string
		pod      map[string]string
		picked   bool
	}{
		{"a service's selector picks its pods", attempt.ServiceSelector(), own["login service"].Labels, true},
		{"a service's selector leaves the generator alone", attempt.ServiceSelector(), own["generator"].Labels, false},
		{"a generator's selector picks its pod", attempt.GeneratorSelector(), own["generator"].Labels, true},
		{"a generator's selector leaves the service alone", attempt.GeneratorSelector(), own["login service"].Labels, false},
		{"the next attempt's selector leaves this one's service alone", later.ServiceSelector(), own["login service"].Labels, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := labels.SelectorFromSet(tt.selector).Matches(labels.Set(tt.pod)); got != tt.picked {
				t.Errorf("picked = %v, want %v", got, tt.picked)
			}
		})
	}
}

func TestLabelsAreValid(t *testing.T) {
	for name, template := range podTemplates(t) {
		for key, value := range template.Labels {
			if problems := append(validation.IsQualifiedName(key), validation.IsValidLabelValue(value)...); len(problems) > 0 {
				t.Errorf("%s: label %s=%s: %s", name, key, value, strings.Join(problems, "; "))
			}
		}
	}
}

func TestNamesAreAFunctionOfUIDAndAttempt(t *testing.T) {
	// Fixed values: the next version of the operator must find the children that this one
	// created.
	got := map[string]string{
		"attempt 1":        objects.Child("uid-a", 1),
		"attempt 2":        objects.Child("uid-a", 2),
		"another trial":    objects.Child("uid-b", 1),
		"service policy":   objects.ServicePolicyName("uid-a", 1),
		"generator policy": objects.GeneratorPolicyName("uid-a", 1),
		"service account":  objects.ServiceAccountName("uid-a"),
		"deny policy":      objects.DenyPolicyName,
	}
	want := map[string]string{
		"attempt 1":        "hm-85516cfb01", // printf uid-a/1 | sha256sum | cut -c1-10
		"attempt 2":        "hm-0e7aadc5e1",
		"another trial":    "hm-a0548a6ee6",
		"service policy":   "hm-85516cfb01-service",
		"generator policy": "hm-85516cfb01-generator",
		"service account":  "hm-c1b41cff14", // printf uid-a | sha256sum | cut -c1-10
		"deny policy":      "hm-0000000000-deny",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names changed (-want +got):\n%s", diff)
	}
}

func TestNewRefusesWhatItCanNotBuildFrom(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*objects.Settings, *v1beta1.SizingTrial)
		want  string
	}{
		{"a trial that no experiment controls", func(_ *objects.Settings, trial *v1beta1.SizingTrial) {
			trial.OwnerReferences = []metav1.OwnerReference{}
		}, "is not controlled by an experiment"},
		{"a CPU limit that is not a quantity", func(_ *objects.Settings, trial *v1beta1.SizingTrial) {
			trial.Spec.Variant.CPULimit = "a lot"
		}, `the variant's cpuLimit "a lot" is not a quantity`},
		{"a memory limit that is not a quantity", func(_ *objects.Settings, trial *v1beta1.SizingTrial) {
			trial.Spec.Service.MemoryLimit = nil
		}, `service.memoryLimit "" is not a quantity`},
		{"a generator without a CPU limit from anyone", func(settings *objects.Settings, _ *v1beta1.SizingTrial) {
			settings.GeneratorCPULimit = ""
		}, `the generator's CPU limit "" is not a quantity`},
		{"a generator whose memory limit is not a quantity", func(settings *objects.Settings, _ *v1beta1.SizingTrial) {
			settings.GeneratorMemoryLimit = "12 elephants"
		}, `the generator's memory limit "12 elephants" is not a quantity`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			settings, trial := settings(), trial()
			tt.spoil(&settings, trial)
			_, err := objects.New(settings, trial, 1, deadline)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestAllReplicasOfAnAttemptShareASessionKeyOfItsOwn(t *testing.T) {
	key := func(change func(*v1beta1.SizingTrial), number int32) string {
		trial := hashTrial()
		change(trial)
		attempt, err := objects.New(settings(), trial, number, deadline)
		if err != nil {
			t.Fatal(err)
		}
		for _, variable := range attempt.Deployment(nil).Spec.Template.Spec.Containers[0].Env {
			if variable.Name == "HASHMARK_SESSION_KEY" {
				return variable.Value
			}
		}
		t.Fatal("the service has no session key")
		return ""
	}
	same := func(*v1beta1.SizingTrial) {}
	mine := key(same, 1)
	for name, other := range map[string]string{
		"the next attempt": key(same, 2),
		"another trial":    key(func(trial *v1beta1.SizingTrial) { trial.UID = "another" }, 1),
	} {
		if other == mine {
			t.Errorf("%s signs its cookies by the same key", name)
		}
	}
	if len(mine) != 64 || key(same, 1) != mine {
		t.Errorf("the key is %q, and %q when it is built again", mine, key(same, 1))
	}
}

// TestAGeneratorsPodSaysWhenItEnds reads the deadline that the Job was built with.
func TestAGeneratorsPodSaysWhenItEnds(t *testing.T) {
	job, err := mustNew(t, settings(), trial()).Job(load())
	if err != nil {
		t.Fatal(err)
	}
	got, known := objects.GeneratorDeadline(job.Spec.Template.Spec)
	if !known || !got.Equal(load().Deadline) {
		t.Errorf("it ends at %s, known: %t; want %s", got, known, load().Deadline)
	}
	if got, known := objects.GeneratorDeadline(mustNew(t, settings(), trial()).Deployment(nil).Spec.Template.Spec); known {
		t.Errorf("a login pod is taken for a generator that ends at %s", got)
	}
}

func TestHashesAreTimedForLessIfATrialHasTimedThemBefore(t *testing.T) {
	for role, want := range map[v1beta1.Role]bool{
		v1beta1.RoleCalibration: false, v1beta1.RoleMeasurement: false, v1beta1.RoleDecision: true, v1beta1.RoleVerification: false,
	} {
		trial := trial()
		trial.Spec.Role = role
		arguments := mustNew(t, settings(), trial).Deployment(nil).Spec.Template.Spec.InitContainers[0].Args
		if got := strings.Contains(strings.Join(arguments, " "), "--time 1.5s"); got != want {
			t.Errorf("%s calibrates with %q", role, arguments)
		}
	}
}
