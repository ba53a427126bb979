//go:build e2e

package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// plugin runs "kubectl hashmark" as a user would, and returns its exit code and its output.
func plugin(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	var stderr strings.Builder
	command := exec.CommandContext(t.Context(), "kubectl", append([]string{"hashmark"}, args...)...)
	command.Stderr = &stderr
	printed, err := command.Output()
	t.Logf("kubectl hashmark %s\n%s", strings.Join(args, " "), stderr.String())
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatalf("kubectl hashmark did not run: %v", err)
	}
	return command.ProcessState.ExitCode(), string(printed)
}

// answered returns the plugin's output, and fails the test if its exit code is not 0.
func answered(t *testing.T, args ...string) string {
	t.Helper()
	code, out := plugin(t, args...)
	if code != 0 {
		t.Fatalf("kubectl hashmark %s exited with %d:\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// manifestOf writes an experiment as a user's file.
func manifestOf(t *testing.T, e *v1beta1.SizingExperiment) string {
	t.Helper()
	e.TypeMeta.APIVersion, e.TypeMeta.Kind = v1beta1.GroupVersion.String(), "SizingExperiment"
	text, err := yaml.Marshal(e)
	must(t, err)
	file := filepath.Join(t.TempDir(), e.Name+".yaml")
	must(t, os.WriteFile(file, text, 0o600))
	return file
}

func TestTheExitCodeOfARunIsItsAnswer(t *testing.T) {
	startOperator(t)
	ns := namespace(t)
	infeasible := tiny(ns, "infeasible", costs(10), func(s *v1beta1.SizingExperimentSpec) {
		s.Load = v1beta1.Load{Capacity: &v1beta1.CapacityLoad{MaxStepSeconds: ptr.To[int32](20)}, StepSeconds: 5, WarmupSeconds: ptr.To[int32](2), RequestTimeoutSeconds: 2}
		s.Objective.P95Milliseconds = shorterThanAHash(t, 10)
	})
	// As in config/samples/ci.yaml, at a rate for this machine.
	feasible := tiny(ns, "feasible", costs(8), func(s *v1beta1.SizingExperimentSpec) {
		s.Matrix.CPULimits = fixture.Limits("500m")
		s.Objective.P95Milliseconds = int32(max(500, hashMicroseconds(t, 8)*30/1000))
	}, loaded(t, 40, 150))
	for _, tt := range []struct {
		name string
		of   *v1beta1.SizingExperiment
		code int
	}{
		{"the objective can be met", feasible, 0},
		{"the objective can't be met", infeasible, 1},
		{"the API refuses the question", tiny(ns, "refused", costs(31)), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			junit := filepath.Join(t.TempDir(), "junit.xml")
			code, out := plugin(t, "run", "-f", manifestOf(t, tt.of), "-n", ns, "--timeout", "5m", "--junit-file", junit)
			if tt.code < 2 {
				if refresh(t, tt.of); endOf(t, tt.of) == v1beta1.ExperimentFailed {
					tt.code = 2 // other work on the machine left no usable result
				}
			}
			if code != tt.code {
				t.Errorf("it exited with %d, want %d:\n%s", code, tt.code, out)
			}
			if text, err := os.ReadFile(junit); tt.code < 2 && (err != nil || strings.Contains(string(text), "<failure") != (tt.code == 1)) {
				t.Errorf("the JUnit file (error %v):\n%s", err, text)
			}
		})
	}
}

func TestRecommendRepeatsTheStatusForTheSameDemand(t *testing.T) {
	e, _ := quickstart(t)
	var other struct{ Recommendation *v1beta1.Recommendation }
	text := answered(t, "recommend", e.Name, "-n", e.Namespace, "--rate", "5", "--min-cost", "10", "--max-total-cpu", "1", "--p95", "1s", "-o", "json")
	must(t, json.Unmarshal([]byte(text), &other))
	if diff := cmp.Diff(e.Status.Recommendation, other.Recommendation); diff != "" {
		t.Errorf("the recommendation in the status (-) and the plugin's (+):\n%s", diff)
	}
	code, out := plugin(t, "recommend", e.Name, "-n", e.Namespace, "--rate", "5000")
	if code != 1 {
		t.Errorf("5,000 logins/s on one CPU exited with %d, want 1:\n%s", code, out)
	}
	// The same results also give a size for a stricter p99: the quickstart's, or a larger one. Its name
	// decides where the lines of the text end.
	code, out = plugin(t, "recommend", e.Name, "-n", e.Namespace, "--p99", "1s")
	if code != 0 || !strings.Contains(strings.Join(strings.Fields(out), " "), "p99 within 1s") {
		t.Errorf("a p99 of a second exited with %d:\n%s", code, out)
	}
}
