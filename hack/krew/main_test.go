package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// made creates a release from placeholder files of this age and mode, and returns its folder.
func made(t *testing.T, age time.Time, mode os.FileMode) string {
	t.Helper()
	r := release{version: "v1.2.3", binaries: t.TempDir(), licence: filepath.Join(t.TempDir(), "LICENSE"), to: t.TempDir(), url: "https://example.org"}
	write := func(file, content string) {
		if err := os.WriteFile(file, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, age, age); err != nil {
			t.Fatal(err)
		}
	}
	write(r.licence, "do as you please")
	for _, p := range platforms {
		folder := filepath.Join(r.binaries, p.os+"-"+p.arch)
		if err := os.Mkdir(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		write(filepath.Join(folder, p.binary()), "binary of "+p.os+" "+p.arch)
	}
	if err := r.make(); err != nil {
		t.Fatal(err)
	}
	return r.to
}

func TestTheSameBinariesGiveTheSameRelease(t *testing.T) {
	one := made(t, time.Unix(1, 0), 0o600)
	other := made(t, time.Unix(1e9, 0), 0o777)
	names, err := filepath.Glob(filepath.Join(one, "*"))
	if err != nil || len(names) != len(platforms)+1 {
		t.Fatalf("a release is %v, %v", names, err)
	}
	for _, name := range names {
		a, _ := os.ReadFile(name)
		b, _ := os.ReadFile(filepath.Join(other, filepath.Base(name)))
		if !bytes.Equal(a, b) {
			t.Errorf("%s depends on the age of the files", filepath.Base(name))
		}
	}
}

func TestAnArchiveHoldsTheLicenceAndAProgramThatCanRun(t *testing.T) {
	file, err := os.Open(filepath.Join(made(t, time.Unix(1, 0), 0o600), "kubectl-hashmark_v1.2.3_windows_arm64.tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	got, reader := map[string]string{}, tar.NewReader(unpacked)
	for {
		header, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, _ := io.ReadAll(reader)
		got[header.Name] = header.FileInfo().Mode().String() + " " + string(content)
	}
	want := map[string]string{"LICENSE": "-rw-r--r-- do as you please", "kubectl-hashmark.exe": "-rwxr-xr-x binary of windows arm64"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the archive (-want +got):\n%s", diff)
	}
}

func TestTheManifestNamesEachArchiveOnce(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(made(t, time.Unix(1, 0), 0o600), "hashmark.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	got := plugin{}
	if err := yaml.UnmarshalStrict(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Spec.ShortDescription) > 50 {
		t.Errorf("krew truncates %q", got.Spec.ShortDescription)
	}
	seen := map[string]bool{}
	for _, p := range got.Spec.Platforms {
		if seen[p.URI] || len(p.SHA256) != 64 || !strings.HasPrefix(p.URI, "https://example.org/v1.2.3/") {
			t.Errorf("a platform is %v", p)
		}
		seen[p.URI] = true
	}
	if len(seen) != len(platforms) {
		t.Errorf("it names %d platforms, want %d", len(seen), len(platforms))
	}
}

func TestAReleaseIsRefusedThatKrewWouldRefuse(t *testing.T) {
	for _, version := range []string{"", "1.2.3", "v1", "latest"} {
		if err := (release{version: version, to: t.TempDir()}).make(); err == nil || !strings.Contains(err.Error(), "semantic") {
			t.Errorf("version %q: %v", version, err)
		}
	}
	if err := (release{version: "v1.0.0", to: t.TempDir(), binaries: t.TempDir(), licence: "nowhere"}).make(); err == nil {
		t.Error("a release without binaries succeeds")
	}
}
