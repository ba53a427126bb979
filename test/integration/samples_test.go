//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestSamplesAreAccepted keeps the samples, and the experiments of the benchmarks, in step
// with the API.
func TestSamplesAreAccepted(t *testing.T) {
	var files []string
	for _, folder := range []string{filepath.Join("config", "samples"), filepath.Join("config", "samples", "accounts"), filepath.Join("tools", "bench", "testdata")} {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.yaml"))
		if err != nil || len(found) == 0 {
			t.Fatalf("found no sample in %s, error %v", folder, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
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
