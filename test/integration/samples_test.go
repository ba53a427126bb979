//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestSamplesAreAccepted keeps the samples, the examples, and the experiments of the benchmarks, in step
// with the API.
func TestSamplesAreAccepted(t *testing.T) {
	var files []string
	for _, pattern := range []string{"config/samples/*.yaml", "config/samples/accounts/*.yaml", "examples/*/experiment*.yaml", "tools/bench/testdata/*.yaml"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("found no sample as %s, error %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(file, root+"/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatalf("reading the sample: %v", err)
			}
			sample := manifest(text).with(t, `{metadata: {namespace: default}}`)
			if err := strictly().Create(t.Context(), sample, client.DryRunAll); err != nil {
				t.Errorf("the API refuses the sample: %v", err)
			}
		})
	}
}
