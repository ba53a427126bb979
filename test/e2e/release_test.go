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
	// releaseName is the name of every release, including the demo's: a cluster has one at a
	// time, because CRDs and ClusterRoles are cluster-wide.
	releaseName = "hashmark"
)

// release is a release of the chart.
type release struct {
	// helm is the Helm binary that installed it.
	helm, namespace string
	// values is the values file, and set are further arguments of Helm.
	values string
	set    []string
}

// helm3 returns the path of Helm 3; Helm 4 is the helm in PATH.
func helm3(t *testing.T) string {
	t.Helper()
	binary := os.Getenv("HASHMARK_HELM3")
	if binary == "" {
		t.Fatal("HASHMARK_HELM3 is not set; run make test-e2e")
	}
	return binary
}

// install installs a release in its own namespace, with the demo's images and node placement,
// until the test ends.
func install(t *testing.T, helm, values string, set ...string) *release {
	t.Helper()
	r := &release{helm: helm, namespace: namespace(t), values: values, set: set}
	t.Cleanup(func() {
		if t.Failed() {
			logs, _ := exec.Command("kubectl", "logs", "-n", r.namespace, "-l", "app.kubernetes.io/component=operator", "--tail=15", "--prefix").CombinedOutput()
			t.Logf("the end of the operator's log:\n%s", logs)
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

// upgrade changes a value, and waits until the release is ready.
func (r *release) upgrade(t *testing.T, set ...string) {
	t.Helper()
	arguments := []string{"upgrade", chart, "--values", r.values, "--wait", "--timeout=3m"}
	r.must(t, append(append(arguments, r.set...), set...)...)
}

// must runs a Helm command on the release and fails the test if it fails.
func (r *release) must(t *testing.T, arguments ...string) string {
	t.Helper()
	out, err := r.do(t.Context(), arguments...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// do runs a Helm command. The first argument is its name, such as upgrade or get values; the
// release's name comes next.
func (r *release) do(ctx context.Context, arguments ...string) (string, error) {
	arguments = append(append(strings.Fields(arguments[0]), releaseName, "--namespace", r.namespace), arguments[1:]...)
	var stderr strings.Builder
	command := exec.CommandContext(ctx, r.helm, arguments...)
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return string(out) + stderr.String(), fmt.Errorf("%s %s: %w", r.helm, strings.Join(arguments, " "), err)
	}
	return string(out), nil
}

// adopt lets the release take over the CRDs that a release in another namespace has left,
// because Helm changes only objects that are annotated as its release's.
func (r *release) adopt(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "kubectl", "annotate", "--overwrite", "crd", "sizingexperiments.hashmark.dev", "sizingtrials.hashmark.dev",
		"meta.helm.sh/release-namespace="+r.namespace).CombinedOutput()
	if err != nil {
		return fmt.Errorf("annotating the CRDs: %w: %s", err, out)
	}
	return nil
}

// account returns the user name of the release's operator at the API server.
func (r *release) account() string {
	return "system:serviceaccount:" + r.namespace + ":" + releaseName + "-operator"
}

// operators returns the names of the operator's pods that are not terminating.
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

// withoutTheDemo removes the demo's release until the test ends, and returns the file of its
// values.
func withoutTheDemo(t *testing.T) (values string) {
	t.Helper()
	demo := &release{helm: "helm", namespace: installed.Namespace, values: filepath.Join(t.TempDir(), "values.yaml")}
	must(t, os.WriteFile(demo.values, []byte(demo.must(t, "get values", "--output=yaml")), 0o644))
	t.Cleanup(func() { must(t, demo.putBack()) })
	demo.must(t, "uninstall", "--wait")
	return demo.values
}

// putBack reinstalls the demo's release, and scales down its operator.
func (r *release) putBack() error {
	ctx := context.Background()
	adopted := r.adopt(ctx)
	out, err := r.do(ctx, "upgrade", "--install", chart, "--values", r.values, "--wait", "--timeout=3m")
	if err != nil {
		return errors.Join(adopted, fmt.Errorf("the demo's release is gone; run make deploy: %w: %s", err, out))
	}
	return errors.Join(adopted, scaleInstalled(0))
}
