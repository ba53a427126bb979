//go:build helm

package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/chart"
)

// installed returns the configuration that the chart writes, as the operator reads it in its pod.
func installed(t *testing.T, values string) configuration {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	var config corev1.ConfigMap
	var deployment appsv1.Deployment
	for template, object := range map[string]any{"config": &config, "deployment": &deployment} {
		rendered, err := chart.Objects("--show-only=templates/manager/"+template+".yaml", "--values="+file)
		if err != nil {
			t.Fatal(err)
		}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(rendered[0].Object, object); err != nil {
			t.Fatal(err)
		}
	}
	for _, variable := range deployment.Spec.Template.Spec.Containers[0].Env {
		t.Setenv(variable.Name, variable.Value)
	}
	c, err := readConfiguration([]byte(config.Data["operator.yaml"]))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestChartDefaultsAreTheOperatorsDefaults(t *testing.T) {
	want := defaults()
	want.TypeMeta = configurationKind
	want.LoginService.Image, want.Generator.Image = "hashmark.dev/loginservice:v1", "hashmark.dev/generator:v1"
	if diff := cmp.Diff(want, installed(t, "image: {tag: v1}")); diff != "" {
		t.Errorf("a value of values.yaml is not the operator's own default (-operator +chart):\n%s", diff)
	}
}

func TestEveryChartValueReachesItsSetting(t *testing.T) {
	const values = `
image: {tag: v1, pullPolicy: Always}
rbac: {namespaced: true}
watchNamespaces: [one, two]
operator: {maxConcurrentTrials: 2, startTimeout: 2m, leaderElection: false, paused: true}
loginService: {allowedImages: [registry.example/team]}
generator:
  image: {digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}
  cpuLimit: 2
  memoryLimit: 1Gi
  nodeSelector: {role: load, zone: a}
  tolerations:
  - {key: load, value: "true", effect: NoSchedule}
  - {key: spot, operator: Exists, effect: NoExecute}
trialPods:
  labels: {owner: a}
  annotations: {owner.example/b: c}
  inheritedLabels: [team]
  imagePullSecrets: [{name: pull}]
  priorityClassName: measured
  runtimeClassName: runc
  nodeSelector: {kubernetes.io/os: linux}
  tolerations: [{key: quiet, operator: Exists}]
  runAsUser: platform
  imageMirrors: [{source: registry.example, mirror: mirror.example}]
metrics: {port: 9443, secure: false, maxExperiments: 7}
k6: {remoteWrite: {url: "http://prometheus.monitoring:9090/api/v1/write", secretName: k6}}
`
	want := configuration{
		TypeMeta:        configurationKind,
		WatchNamespaces: []string{"one", "two"}, Paused: true, ImagePullPolicy: corev1.PullAlways,
		Trials:       trialsConfiguration{MaxConcurrent: 2, StartTimeout: metav1.Duration{Duration: 2 * time.Minute}},
		LoginService: loginServiceConfiguration{Image: "hashmark.dev/loginservice:v1", AllowedImages: []string{"registry.example/team"}},
		Generator: generatorConfiguration{
			Image:    "hashmark.dev/generator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
			CPULimit: "2", MemoryLimit: "1Gi", NodeSelector: map[string]string{"role": "load", "zone": "a"},
			Tolerations: []corev1.Toleration{
				{Key: "load", Value: "true", Effect: corev1.TaintEffectNoSchedule},
				{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
			},
			RemoteWrite: remoteWriteConfiguration{URL: "http://prometheus.monitoring:9090/api/v1/write", SecretName: "k6"},
		},
		TrialPods: objects.PodSettings{
			Labels: map[string]string{"owner": "a"}, Annotations: map[string]string{"owner.example/b": "c"}, InheritedLabels: []string{"team"},
			ImagePullSecrets: []corev1.LocalObjectReference{{Name: "pull"}}, PriorityClassName: "measured", RuntimeClassName: "runc",
			NodeSelector: map[string]string{"kubernetes.io/os": "linux"}, Tolerations: []corev1.Toleration{{Key: "quiet", Operator: corev1.TolerationOpExists}},
			ImageMirrors: []objects.ImageMirror{{Source: "registry.example", Mirror: "mirror.example"}},
		},
		Metrics: metricsConfiguration{BindAddress: ":9443", MaxExperiments: 7},
		Health:  healthConfiguration{BindAddress: ":8081"},
	}
	if diff := cmp.Diff(want, installed(t, values)); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}
