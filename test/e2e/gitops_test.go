//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// Helm 4 waits for the experiments of a chart: until they have a result, or one has failed.
func TestHelmWaitsUntilAnExperimentHasEnded(t *testing.T) {
	startOperator(t)
	for name, test := range map[string]struct {
		baseline string
		measured bool
	}{
		"measured": {"", true},
		"refused":  {"c12-1", false},
	} {
		e := tiny(namespace(t), name, func(s *v1beta1.SizingExperimentSpec) { s.Baseline = test.baseline })
		e.SetGroupVersionKind(v1beta1.GroupVersion.WithKind("SizingExperiment"))
		output, err := exec.CommandContext(t.Context(), "helm", "install", name, chartOf(t, e), "--namespace", e.Namespace, "--wait", "--timeout", "3m").CombinedOutput()
		refresh(t, e)
		if trials := trialsOf(t, e); test.measured != (len(trials) > 0) || e.Status.Phase != endOf(t, e) || (err == nil) != (e.Status.Phase == v1beta1.ExperimentSucceeded) {
			t.Errorf("%s: when Helm returned, with %v, the experiment was %q\n%s", name, err, e.Status.Phase, output)
		}
		if err != nil && !strings.Contains(string(output), "Failed") {
			t.Errorf("%s: Helm does not say that it failed:\n%s", name, output)
		}
	}
}

// chartOf returns a chart that contains only an experiment.
func chartOf(t *testing.T, e *v1beta1.SizingExperiment) string {
	t.Helper()
	chart := t.TempDir()
	text, err := yaml.Marshal(e)
	must(t, err)
	must(t, os.Mkdir(filepath.Join(chart, "templates"), 0o755))
	must(t, os.WriteFile(filepath.Join(chart, "templates", "experiment.yaml"), text, 0o600))
	must(t, os.WriteFile(filepath.Join(chart, "Chart.yaml"), []byte("apiVersion: v2\nname: sizing\nversion: 0.1.0\n"), 0o600))
	return chart
}
