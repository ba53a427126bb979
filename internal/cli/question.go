package cli

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// question reads the one experiment of a file, or of standard input for "-". It
// goes to the API server as it was written, so that what is absent stays so.
func question(file string, stdin io.Reader) (*unstructured.Unstructured, error) {
	content, err := read(file, stdin)
	if err != nil {
		return nil, err
	}
	document, err := single(content)
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	e := &unstructured.Unstructured{}
	if err := yaml.UnmarshalStrict(document, &e.Object); err != nil {
		return nil, fmt.Errorf("%s is no YAML that can be read: %w", file, err)
	}
	if e.GroupVersionKind() != v1alpha1.GroupVersion.WithKind("SizingExperiment") {
		return nil, fmt.Errorf("%s holds a %q of %q; it must hold a SizingExperiment of %q", file, e.GetKind(), e.GetAPIVersion(), v1alpha1.GroupVersion)
	}
	return e, nil
}

func read(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(file)
}

// single is the one document of a file. Which of several experiments an exit
// code speaks of could not be told.
func single(content []byte) ([]byte, error) {
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	var found []byte
	for {
		document, err := documents.Read()
		switch {
		case errors.Is(err, io.EOF) && found == nil:
			return nil, errors.New("is empty")
		case errors.Is(err, io.EOF):
			return found, nil
		case err != nil:
			return nil, err
		case !says(document):
		case found != nil:
			return nil, errors.New("holds several documents; put each experiment in a file of its own, and run them one by one")
		default:
			found = document
		}
	}
}

// says tells a document from a stretch of comments.
func says(document []byte) bool {
	var anything any
	err := yaml.Unmarshal(document, &anything)
	return err != nil || anything != nil
}
