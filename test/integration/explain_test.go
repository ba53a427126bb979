//go:build integration

package integration

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of this package anew")

// TestExplainReadsLikeAManual keeps what kubectl explain prints under testdata,
// where a change of it is read by whoever reviews the change. kubectl prints
// neither defaults nor rules, so that both must stand in the words.
func TestExplainReadsLikeAManual(t *testing.T) {
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
		"szx.spec.prices",
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

// kubectl runs it against the API server of this package.
func kubectl(t *testing.T, arguments ...string) string {
	t.Helper()
	program := filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl")
	command := exec.CommandContext(t.Context(), program, arguments...)
	// kubectl caches what the server offers in its user's home; another server
	// at the same port must not find that.
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
