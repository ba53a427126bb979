package cli

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func httpProbe(path string) *corev1.Probe {
	return &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: path, Port: intstr.FromString("http")}}}
}

// deployed is a Deployment with a bit of everything.
func deployed() *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "login", Namespace: "ns"},
		Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			InitContainers: []corev1.Container{{Name: "migrate"}},
			Containers: []corev1.Container{
				{Name: "proxy"},
				{
					Name: "app", Image: "registry.example/team/login:v1", Args: []string{"--listen=:9000"},
					Ports: []corev1.ContainerPort{{Name: "metrics", ContainerPort: 9100}, {Name: "http", ContainerPort: 9000}},
					Env: []corev1.EnvVar{
						{Name: "COST", Value: "10"}, {Name: "HASHMARK_X", Value: "y"},
						{Name: "DATABASE_URL", Value: "postgresql+psycopg://login:$(DB_PASSWORD)@db.data.svc:5433/login?sslmode=disable"},
						{Name: "JDBC_URL", Value: "jdbc:postgresql://db.data:5433/login"},
						{Name: "CACHE", Value: "redis://cache"}, {Name: "OLD_CACHE", Value: "redis://old:6380/1"}, {Name: "SITE", Value: "https://login.example"},
						{Name: "DB_PASSWORD", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "database"}, Key: "password"}}},
						{Name: "SITE_NAME", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "site"}, Key: "name"}}},
						{Name: "POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}},
					},
					EnvFrom: []corev1.EnvFromSource{
						{SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "keys"}}},
						{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}}},
					},
					VolumeMounts:   []corev1.VolumeMount{{Name: "data", MountPath: "/data"}},
					ReadinessProbe: httpProbe("/ready"), LivenessProbe: httpProbe("/alive"),
					Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("750m")}},
				},
			},
		}}},
	}
}

func TestInitWritesAnExperimentFromADeployment(t *testing.T) {
	got := carryOut(t, world{objects: []client.Object{deployed()}}.client(t), "", "init", "--from", "deployment/login")
	if got.code != 0 || got.err != "" {
		t.Fatalf("exit code %d: %s", got.code, got.err)
	}
	golden(t, "init.yaml", got.out)
	var experiment v1beta1.SizingExperiment
	if err := yaml.UnmarshalStrict([]byte(got.out), &experiment); err != nil {
		t.Errorf("what it wrote is no experiment: %v", err)
	}
}

func TestInitSaysWhatItNeeds(t *testing.T) {
	several := deployed()
	several.Spec.Template.Spec.Containers[1].Ports = nil
	for _, test := range []struct {
		deployment *appsv1.Deployment
		arguments  []string
		want       string
	}{
		{deployed(), []string{"--from", "login"}, `error: --from "login": use deployment/NAME, such as deployment/login`},
		{deployed(), []string{"--from", "pod/login"}, `error: --from "pod/login": use deployment/NAME`},
		{deployed(), []string{"--from", "deployment/other"}, "error: can't read Deployment other in namespace ns: "},
		{deployed(), []string{"--from", "deploy/login", "--container", "web"}, "error: --container web: the Deployment has no such container; it has proxy, app"},
		{several, []string{"--from", "deployment/login"}, "error: the Deployment has several containers, and none of them names a port; choose one with --container"},
	} {
		got := carryOut(t, world{objects: []client.Object{test.deployment}}.client(t), "", append([]string{"init"}, test.arguments...)...)
		if got.code != ExitFailed || !strings.HasPrefix(got.err, test.want) || got.out != "" {
			t.Errorf("%q: exit code %d, %s, want %s", test.arguments, got.code, got.err, test.want)
		}
	}
}
