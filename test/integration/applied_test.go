//go:build integration

package integration

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	yamldecoder "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// root is the folder of the repository, relative to this package.
var root = filepath.Join("..", "..")

// TestAllThatUsersApplyIsAccepted applies what the chart renders with each set of values, what its notes
// say, and the manifests of a release, to the API server in a dry run that refuses unknown fields. The
// samples have a test of their own.
func TestAllThatUsersApplyIsAccepted(t *testing.T) {
	version, err := discovery.NewDiscoveryClientForConfigOrDie(restConfig).ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	defineMonitors(t)
	rendered := map[string]string{"the chart's notes": notes(t)}
	values, err := filepath.Glob(filepath.Join(root, "test", "chart", "values", "*.yaml"))
	if err != nil || len(values) == 0 {
		t.Fatalf("there are no values: %v", err)
	}
	for _, file := range append(values, "", root+"/tools/cluster/values.yaml", root+"/hack/monitoring/values.yaml") {
		arguments := []string{"template", "hashmark", "charts/hashmark", "--namespace=hashmark-system", withRegistry, "--kube-version=" + version.GitVersion}
		if file != "" {
			arguments = append(arguments, "--values="+strings.TrimPrefix(file, root+"/"))
		}
		rendered["the chart with "+filepath.Base(file)] = output(t, helm(t), arguments...)
	}
	folder := t.TempDir()
	output(t, "hack/manifests.sh", "charts/hashmark", folder, withRegistry)
	for _, name := range []string{"install", "admission", "own-service", "monitoring"} {
		manifests, err := os.ReadFile(filepath.Join(folder, name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		rendered[name+".yaml"] = string(manifests)
	}
	for _, folder := range []string{"hack/monitoring/local", "hack/monitoring/kind"} {
		rendered[folder] = output(t, filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), "kustomize", folder)
	}
	for name, text := range rendered {
		t.Run(name, func(t *testing.T) {
			objects := objectsOf(t, text)
			if len(objects) == 0 {
				t.Fatalf("there are no objects in\n%s", text)
			}
			for i := range objects {
				if err := tried(t, &objects[i]); err != nil {
					t.Errorf("%s %s: %v", objects[i].GetKind(), objects[i].GetName(), err)
				}
			}
		})
	}
}

// The kustomization in docs/install.md changes every image of a release to that of a mirror.
func TestKustomizeChangesAllImages(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "install.md"))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	output(t, "hack/manifests.sh", "charts/hashmark", folder, "--set=image.registry=registry.example.com/team,image.tag=v1")
	for _, name := range []string{"kustomization.yaml", "images.yaml"} {
		_, text, found := strings.Cut(string(page), "```yaml\n# "+name+"\n")
		text, _, ended := strings.Cut(text, "```")
		if !found || !ended {
			t.Fatalf("docs/install.md has no %s", name)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := output(t, filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), "kustomize", folder)
	for _, image := range []string{"operator", "loginservice", "generator"} {
		if !strings.Contains(text, "mirror.example.com/"+image+":v1") || strings.Contains(text, "registry.example.com/team/"+image) {
			t.Errorf("the image %s is not changed everywhere", image)
		}
	}
}

// tried applies an object in a dry run, in a namespace that exists.
func tried(t *testing.T, object *unstructured.Unstructured) error {
	t.Helper()
	if namespaced, err := apiClient.IsObjectNamespaced(object); err != nil {
		return err
	} else if namespaced && object.GetNamespace() == "" {
		object.SetNamespace("default")
	}
	if name := object.GetNamespace(); name != "" {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := apiClient.Create(t.Context(), namespace); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	// This API server has another range of addresses than the local cluster's.
	unstructured.RemoveNestedField(object.Object, "spec", "clusterIP")
	return apiClient.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(object),
		client.DryRunAll, client.ForceOwnership, client.FieldOwner("test"))
}

// defineMonitors installs the definitions of prometheus-operator, in the version that the local cluster runs.
func defineMonitors(t *testing.T) {
	t.Helper()
	module := filepath.Join(root, "tools", "build", "prometheus-operator")
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "github.com/prometheus-operator/prometheus-operator")
	command.Dir = module
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	command = exec.CommandContext(t.Context(), "go", "list", "-m", "-f={{.Dir}}", "github.com/prometheus-operator/prometheus-operator")
	command.Dir = module
	folder, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	definitions := filepath.Join(strings.TrimSpace(string(folder)), "example", "prometheus-operator-crd")
	if _, err := envtest.InstallCRDs(restConfig, envtest.CRDInstallOptions{Paths: []string{definitions}, ErrorIfPathMissing: true}); err != nil {
		t.Fatal(err)
	}
}

// notes returns the experiment that the chart's notes suggest.
func notes(t *testing.T) string {
	t.Helper()
	text := output(t, helm(t), "install", "hashmark", "charts/hashmark", "--namespace=hashmark-system", withRegistry, "--dry-run=client")
	_, after, begins := strings.Cut(text, "<<'END'\n")
	experiment, _, ends := strings.Cut(after, "\nEND\n")
	if !begins || !ends {
		t.Fatalf("the chart's notes have no experiment:\n%s", text)
	}
	return experiment
}

func helm(t *testing.T) string {
	t.Helper()
	program := os.Getenv("HASHMARK_HELM")
	if program == "" {
		t.Fatal("HASHMARK_HELM is not set; run `make test-integration`, which builds Helm first, or set it to a Helm binary")
	}
	return program
}

// output returns what a program prints, run in the root of the repository without a cluster.
func output(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Dir, command.Env = root, append(slices.Clone(os.Environ()), "KUBECONFIG=/dev/null")
	var failed bytes.Buffer
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", command, err, failed.String())
	}
	return string(out)
}

// objectsOf reads the objects of a YAML stream, without empty documents.
func objectsOf(t *testing.T, text string) (objects []unstructured.Unstructured) {
	t.Helper()
	decoder := yamldecoder.NewYAMLOrJSONDecoder(strings.NewReader(text), 4096)
	for {
		object := unstructured.Unstructured{}
		switch err := decoder.Decode(&object.Object); {
		case errors.Is(err, io.EOF):
			return objects
		case err != nil:
			t.Fatal(err)
		case len(object.Object) > 0:
			objects = append(objects, object)
		}
	}
}

// withRegistry is the flag without which the chart is refused.
const withRegistry = "--set=image.registry=hashmark.dev"

// TestAnUnknownFieldOfAManifestIsRefused shows that the test above would find one.
func TestAnUnknownFieldOfAManifestIsRefused(t *testing.T) {
	text := strings.Replace(output(t, helm(t), "template", "hashmark", "charts/hashmark", withRegistry), "\n  replicas:", "\n  replica:", 1)
	var refused []string
	for _, object := range objectsOf(t, text) {
		if object.GetKind() == "Deployment" {
			if err := tried(t, &object); err != nil {
				refused = append(refused, err.Error())
			}
		}
	}
	if len(refused) != 1 || !strings.Contains(refused[0], "replica") {
		t.Errorf("a Deployment with the field replica is refused with %q", refused)
	}
}
