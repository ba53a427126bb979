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
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/chart"
)

// installed returns the arguments that the chart sets for the operator.
func installed(t *testing.T, values string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	if err := os.WriteFile(file, []byte(values), 0o600); err != nil {
		t.Fatal(err)
	}
	rendered, err := chart.Objects("--show-only=templates/manager/deployment.yaml", "--values="+file)
	if err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(rendered[0].Object, &deployment); err != nil {
		t.Fatal(err)
	}
	return deployment.Spec.Template.Spec.Containers[0].Args
}

func TestChartDefaultsAreFlagDefaults(t *testing.T) {
	own, err := parse([]string{"--leader-elect", "--service-image=hashmark.dev/loginservice:v1", "--generator-image=hashmark.dev/generator:v1"})
	if err != nil {
		t.Fatal(err)
	}
	charts, err := parse(installed(t, "image: {tag: v1}"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(own, charts, cmp.AllowUnexported(flags{})); diff != "" {
		t.Errorf("a value of values.yaml is not the flag's own default (-flag +chart):\n%s", diff)
	}
}

func TestEveryChartValueReachesItsFlag(t *testing.T) {
	const values = `
image: {tag: v1, pullPolicy: Always}
rbac: {namespaced: true}
watchNamespaces: [one, two]
operator: {maxConcurrentTrials: 2, startTimeout: 2m, leaderElection: false, extraArgs: [--log-level=debug]}
generator:
  image: {digest: "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"}
  cpuLimit: 2
  memoryLimit: 1Gi
  nodeSelector: {role: load, zone: a}
  tolerations:
  - {key: load, value: "true", effect: NoSchedule}
  - {key: spot, operator: Exists, effect: NoExecute}
metrics: {port: 9443, secure: false, maxExperiments: 7}
k6: {remoteWrite: {url: "http://prometheus.monitoring:9090/api/v1/write", secretName: k6}}
`
	got, err := parse(installed(t, values))
	if err != nil {
		t.Fatal(err)
	}
	want := &flags{
		logFormat: "json", logLevel: "debug",
		probeAddress: ":8081", metricsAddress: ":9443", metricsMaxExperiments: 7, watchNamespaces: []string{"one", "two"},
		maxConcurrentTrials: 2, startTimeout: 2 * time.Minute,
		settings: objects.Settings{
			ServiceImage:   "hashmark.dev/loginservice:v1",
			GeneratorImage: "hashmark.dev/generator@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
			PullPolicy:     corev1.PullAlways, GeneratorCPULimit: "2", GeneratorMemoryLimit: "1Gi",
			GeneratorNodeSelector: map[string]string{"role": "load", "zone": "a"},
			GeneratorTolerations: []corev1.Toleration{
				{Key: "load", Operator: corev1.TolerationOpEqual, Value: "true", Effect: corev1.TaintEffectNoSchedule},
				{Key: "spot", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute},
			},
			RemoteWrite: &objects.RemoteWrite{URL: "http://prometheus.monitoring:9090/api/v1/write", SecretName: "k6"},
		},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(flags{})); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
}
