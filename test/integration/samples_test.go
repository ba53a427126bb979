//go:build integration

package integration

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestSamplesAreAccepted keeps what users copy first in step with the API.
func TestSamplesAreAccepted(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "config", "samples", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("found no sample, error %v", err)
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
