// Package chart renders the Helm chart for tests, as a release called hashmark in the namespace
// hashmark-system. Helm is the program in HASHMARK_HELM, or else the one that tools/build compiles.
package chart

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// Decode reads the first objects of a template, such as rbac/user_roles.yaml, in their order.
func Decode(template string, into ...any) error {
	objects, err := Objects("--show-only=templates/" + template)
	if err != nil {
		return err
	}
	if len(objects) < len(into) {
		return fmt.Errorf("the chart's %s has %d objects, want %d", template, len(objects), len(into))
	}
	for i, object := range into {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[i].Object, object); err != nil {
			return fmt.Errorf("reading the chart's %s: %w", template, err)
		}
	}
	return nil
}

// Objects returns the objects that the chart renders with flags of helm template.
func Objects(flags ...string) ([]*unstructured.Unstructured, error) {
	root, err := repository()
	if err != nil {
		return nil, err
	}
	helm := os.Getenv("HASHMARK_HELM")
	if helm == "" {
		folder, err := output(root, "tools/build/binaries.sh", "helm")
		if err != nil {
			return nil, err
		}
		helm = filepath.Join(strings.TrimSpace(string(folder)), "helm")
	}
	// go test caches a result until a file changes that the test has opened. It does not see
	// which files Helm reads.
	look := func(string, fs.DirEntry, error) error { return nil }
	if err := filepath.WalkDir(filepath.Join(root, "charts/hashmark"), look); err != nil {
		return nil, err
	}
	text, err := output(root, helm, append([]string{"template", "hashmark", "charts/hashmark", "--namespace=hashmark-system", "--set=image.registry=hashmark.dev"}, flags...)...)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		object := &unstructured.Unstructured{}
		switch err := decoder.Decode(&object.Object); {
		case errors.Is(err, io.EOF):
			return objects, nil
		case err != nil:
			return nil, fmt.Errorf("reading what the chart renders: %w", err)
		case len(object.Object) > 0:
			objects = append(objects, object)
		}
	}
}

// repository returns the folder of go.mod, above the package that is tested.
func repository() (string, error) {
	folder, err := os.Getwd()
	for ; err == nil; folder = filepath.Dir(folder) {
		if _, missing := os.Stat(filepath.Join(folder, "go.mod")); missing == nil {
			return folder, nil
		}
		if folder == filepath.Dir(folder) {
			err = errors.New("no folder above this one has a go.mod")
		}
	}
	return "", err
}

func output(folder, program string, arguments ...string) ([]byte, error) {
	command := exec.Command(program, arguments...)
	var failed bytes.Buffer
	command.Dir, command.Stderr = folder, &failed
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", command, err, failed.String())
	}
	return text, nil
}
