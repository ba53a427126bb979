//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	chart = "../../charts/hashmark"
	// releaseName is that of every release, the demo's included: a cluster holds
	// one at a time, since definitions and ClusterRoles are the whole cluster's.
	releaseName = "hashmark"
)

// release is a release of the chart.
type release struct {
	// helm is the program that installed it.
	helm, namespace string
	// values is a file of them, and set are further arguments of Helm.
	values string
	set    []string
}

// helm3 is where the suite finds Helm 3; Helm 4 is the helm of PATH.
func helm3(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("HASHMARK_HELM3")
	if binary == "" {
		t.Fatal("HASHMARK_HELM3 names no Helm 3; run make test-e2e")
	}
	return binary
}

// install makes a release in a namespace of its own, with images and places as
// the demo's, until the test ends.
func install(t *testing.T, helm, values string, set ...string) *release {
	t.Helper()
	r := &release{helm: helm, namespace: namespace(t), values: values, set: set}
	t.Cleanup(func() {
		if t.Failed() {
			said, _ := exec.Command("kubectl", "logs", "-n", r.namespace, "-l", "app.kubernetes.io/component=operator", "--tail=15", "--prefix").CombinedOutput()
			t.Logf("the operator's last words:\n%s", said)
		}
		if out, err := r.do(context.Background(), "uninstall", "--ignore-not-found", "--wait"); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	must(t, r.adopt(t.Context()))
	r.install(t)
	return r
}

func (r *release) install(t *testing.T) {
	t.Helper()
	r.must(t, append([]string{"install", chart, "--values", r.values, "--wait", "--timeout=3m"}, r.set...)...)
}

// upgrade changes a value, and waits until the release is as it should be.
func (r *release) upgrade(t *testing.T, set ...string) {
	t.Helper()
	arguments := []string{"upgrade", chart, "--values", r.values, "--wait", "--timeout=3m"}
	r.must(t, append(append(arguments, r.set...), set...)...)
}

// must runs a command of Helm's on the release as a user would.
func (r *release) must(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := r.do(t.Context(), arguments...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// do runs a command of Helm's: the first argument is its name, such as upgrade or
// get values, and the release's comes next.
func (r *release) do(ctx context.Context, arguments ...string) (string, error) {
	arguments = append(append(strings.Fields(arguments[0]), releaseName, "--namespace", r.namespace), arguments[1:]...)
	var words strings.Builder
	command := exec.CommandContext(ctx, r.helm, arguments...)
	command.Stderr = &words
	out, err := command.Output()
	if err != nil {
		return string(out) + words.String(), fmt.Errorf("%s %s: %w", r.helm, strings.Join(arguments, " "), err)
	}
	return string(out), nil
}

// adopt lets the release take over the definitions that one in another namespace
// has left: Helm touches nothing that is marked as somebody else's.
func (r *release) adopt(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "kubectl", "annotate", "--overwrite", "crd", "sizingexperiments.hashmark.dev", "sizingtrials.hashmark.dev",
		"meta.helm.sh/release-namespace="+r.namespace).CombinedOutput()
	if err != nil {
		return fmt.Errorf("handing over the definitions: %w: %s", err, out)
	}
	return nil
}

// account is the name under which the release's operator asks the API server.
func (r *release) account() string {
	return "system:serviceaccount:" + r.namespace + ":" + releaseName + "-operator"
}

// operators are the names of its operator's pods that are not ending.
func (r *release) operators(t *testing.T) []string {
	t.Helper()
	pods := &corev1.PodList{}
	must(t, cluster.List(t.Context(), pods, client.InNamespace(r.namespace), client.MatchingLabels{"app.kubernetes.io/component": "operator"}))
	var names []string
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil {
			names = append(names, pod.Name)
		}
	}
	return names
}

// withoutTheDemo takes the demo's release out of the cluster until the test ends,
// and gives the file of its values.
func withoutTheDemo(t *testing.T) (values string) {
	t.Helper()
	demo := &release{helm: "helm", namespace: installed.Namespace, values: filepath.Join(t.TempDir(), "values.yaml")}
	must(t, os.WriteFile(demo.values, []byte(demo.must(t, "get values", "--output=yaml")), 0o644))
	t.Cleanup(func() { must(t, demo.putBack()) })
	demo.must(t, "uninstall", "--wait")
	return demo.values
}

// putBack installs the demo's release anew, and takes its operator out of service.
func (r *release) putBack() error {
	ctx := context.Background()
	adopted := r.adopt(ctx)
	out, err := r.do(ctx, "upgrade", "--install", chart, "--values", r.values, "--wait", "--timeout=3m")
	if err != nil {
		return errors.Join(adopted, fmt.Errorf("the demo's release is gone; run make install: %w: %s", err, out))
	}
	return errors.Join(adopted, scaleInstalled(0))
}
