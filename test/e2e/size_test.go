//go:build e2e

package e2e

import (
	"os"
	"testing"
)

const megabyte = 1_000_000

// The archives that were loaded into the nodes have uncompressed layers.
func TestImagesAreSmall(t *testing.T) {
	for image, limit := range map[string]int64{"operator": 80 * megabyte, "loginservice": 20 * megabyte} {
		archive, err := os.Stat("../../dist/images/" + image + ".tar")
		must(t, err)
		t.Logf("%s: %.1f MB", image, float64(archive.Size())/megabyte)
		if archive.Size() >= limit {
			t.Errorf("the image %s has %.1f MB, want less than %d", image, float64(archive.Size())/megabyte, limit/megabyte)
		}
	}
}
