//go:build integration

package integration

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

var update = flag.Bool("update", false, "rewrite the golden files of this package")

// TestExplainReadsLikeAManual compares what kubectl explain prints with golden files under
// testdata, so that a reviewer sees every change. kubectl prints neither defaults nor rules,
// so the descriptions must state both.
func TestExplainReadsLikeAManual(t *testing.T) {
	waitForPublishedTypes(t)
	for _, field := range []string{
		"szx",
		"szx.spec",
		"szx.spec.matrix",
		"szx.spec.matrix.concurrency",
		"szx.spec.matrix.controls",
		"szx.spec.matrix.nodePools",
		"szx.spec.load",
		"szx.spec.objective",
		"szx.spec.demand",
		"szx.spec.service.own",
		"szx.spec.service.own.login.steps",
		"szx.spec.prices",
		"szx.spec.prices.attackerHardware",
		"szx.status.results",
		"szx.status.results.comparison",
		"szx.status.recommendation",
		"szx.status.predictions",
		"szx.status.modelCheck",
		"szx.status.hashTimes",
		"szt.status.steps",
	} {
		t.Run(field, func(t *testing.T) {
			golden := filepath.Join("testdata", "explain-"+field+".txt")
			got := kubectl(t, "explain", field)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatalf("reading what it printed before (write it with -update): %v", err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("what kubectl explain prints (-want +got):\n%s", diff)
			}
		})
	}
}

// waitForPublishedTypes waits until the API server's OpenAPI document describes both kinds:
// it is updated some time after a definition is established, and kubectl explain reads
// nothing else.
func waitForPublishedTypes(t *testing.T) {
	t.Helper()
	discovery, err := discovery.NewDiscoveryClientForConfig(restConfig)
	if err != nil {
		t.Fatalf("making a client of the API server's documents: %v", err)
	}
	err = wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) {
			document, err := openapi3.NewRoot(discovery.OpenAPIV3()).GVSpec(v1alpha1.GroupVersion)
			if err != nil {
				// The group is not in the list of documents yet.
				return false, nil //nolint:nilerr // The next poll tries again.
			}
			root := "/apis/" + v1alpha1.GroupVersion.String() + "/"
			for _, kind := range []string{"sizingexperiments", "sizingtrials"} {
				if _, found := document.Paths.Paths[root+kind]; !found {
					return false, nil
				}
			}
			return true, nil
		})
	if err != nil {
		t.Fatalf("waiting for both kinds in the API server's OpenAPI document: %v", err)
	}
}

// kubectl runs it against the API server of this package.
func kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	program := filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl")
	command := exec.CommandContext(t.Context(), program, arguments...)
	// kubectl caches what the server offers in its user's home. A cache from another server
	// at the same port must not be used.
	command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig(t), "KUBECACHEDIR="+t.TempDir())
	output, err := command.CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(arguments, " "), err, output)
	}
	return string(output)
}

// kubeconfig writes a file with which kubectl reaches the API server.
func kubeconfig(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, environment.KubeConfig, 0o600); err != nil {
		t.Fatalf("writing a kubeconfig: %v", err)
	}
	return file
}
