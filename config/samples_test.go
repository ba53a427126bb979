package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/matrix"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

// TestSamplesAskWhatTheySay checks what the schema can't: an unknown baseline or an invalid
// price, which the operator would refuse. The integration tests check the API server's rules.
func TestSamplesAskWhatTheySay(t *testing.T) {
	want := map[string]sizes{
		"hashes":     {variants: 4, measured: 4},
		"quickstart": {variants: 4}, "launch": {variants: 9},
		"argon2id": {variants: 6, measured: 6}, "argon2id-lanes": {variants: 4, measured: 4}, "pbkdf2": {variants: 3, measured: 3},
		"choose-cost": {variants: 4, measured: 4}, "machine-types": {variants: 8, measured: 8},
		"hash-time": {variants: 8, measured: 8}, "overload": {variants: 1, measured: 1}, "unattended": {variants: 1, measured: 1},
		"spring-boot-rates": {variants: 1, measured: 1}, "worker-pools": {variants: 7, measured: 7}, "more-workers": {variants: 6, measured: 6}, "settled": {variants: 2, measured: 2},
		"same-rate": {variants: 2, measured: 2}, "plain": {variants: 4, measured: 4}, "tls": {variants: 4, measured: 4},
		"ci": {variants: 1, measured: 1}, "compare-hashes": {variants: 7, measured: 7}, "compare-variants": {variants: 4, measured: 4},
	}
	got := map[string]sizes{}
	files, err := filepath.Glob("samples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	accounts, err := filepath.Glob("samples/accounts/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, accounts...)
	for _, file := range files {
		e := sample(t, file)
		got[e.Name] = sizesOf(t, e)
		if err := matrix.CheckBaseline(e.Spec); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if err := sizing.CheckHashes(e.Spec); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if name := e.Name + ".yaml"; name != filepath.Base(file) {
			t.Errorf("%s holds %s", file, e.Name)
		}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(sizes{})); diff != "" {
		t.Errorf("the matrices' sizes (-want +got):\n%s", diff)
	}
}

// sizes are the number of variants of a matrix, and how many of them are measured.
type sizes struct{ variants, measured int }

func sizesOf(t *testing.T, e *v1beta1.SizingExperiment) sizes {
	t.Helper()
	variants, err := matrix.Variants(e.Spec.Matrix)
	if err != nil {
		t.Fatal(err)
	}
	measured, err := matrix.Measured(e.Spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	return sizes{variants: len(variants), measured: len(measured)}
}

func sample(t *testing.T, file string) *v1beta1.SizingExperiment {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	e := &v1beta1.SizingExperiment{}
	if err := yaml.UnmarshalStrict(text, e); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return e
}
