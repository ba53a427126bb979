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

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// readExperiment reads the experiment in a file, or from standard input for "-". It is
// unstructured, so that absent fields stay absent when it is sent to the API server.
func readExperiment(file string, stdin io.Reader) (*unstructured.Unstructured, error) {
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
		return nil, fmt.Errorf("%s is not valid YAML: %w", file, err)
	}
	if e.GroupVersionKind() != v1beta1.GroupVersion.WithKind("SizingExperiment") {
		return nil, fmt.Errorf("%s contains a %q of %q; it must contain a SizingExperiment of %q", file, e.GetKind(), e.GetAPIVersion(), v1beta1.GroupVersion)
	}
	return e, nil
}

func read(file string, stdin io.Reader) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(file)
}

// single returns the only document of a file. Several are refused, since there is one exit
// code.
func single(content []byte) ([]byte, error) {
	all, err := documents(content)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, errors.New("is empty")
	case len(all) > 1:
		return nil, errors.New("contains several documents; put each experiment in its own file, and run them one by one")
	default:
		return all[0], nil
	}
}

// documents returns the documents of a file that have content.
func documents(content []byte) ([][]byte, error) {
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	var all [][]byte
	for {
		document, err := reader.Read()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		case hasContent(document):
			all = append(all, document)
		}
	}
}

// hasContent reports whether a document contains more than comments.
func hasContent(document []byte) bool {
	var anything any
	err := yaml.Unmarshal(document, &anything)
	return err != nil || anything != nil
}
