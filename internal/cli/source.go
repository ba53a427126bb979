package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/internal/report"
)

// whereFrom is the part of the commands' help about how to name an experiment.
const whereFrom = `An experiment is given as NAME, as NAMESPACE/NAME, or as a file that ends in .json or
.yaml and was written by "report -o json" or "kubectl get szx,szt -o yaml". A file
needs no cluster.`

// load returns the document for an argument, from the cluster or from a file.
func (c *connection) load(ctx context.Context, argument string) (report.Document, error) {
	if slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(argument)) {
		return c.saved(argument)
	}
	key, err := c.key(argument)
	if err != nil {
		return report.Document{}, err
	}
	return c.document(ctx, key)
}

// saved reads a document from a file, or from standard input for "-".
func (c *connection) saved(file string) (report.Document, error) {
	stored := c.program.Streams.In
	if file != "-" {
		opened, err := os.Open(file)
		if err != nil {
			return report.Document{}, err
		}
		defer opened.Close()
		stored = opened
	}
	document, err := report.Read(stored)
	if err != nil {
		return report.Document{}, fmt.Errorf("%s: %w", file, err)
	}
	return document, nil
}

// key parses NAME or NAMESPACE/NAME.
func (c *connection) key(argument string) (client.ObjectKey, error) {
	namespace, name, both := strings.Cut(argument, "/")
	if !both {
		own, _, err := c.namespace()
		if err != nil {
			return client.ObjectKey{}, err
		}
		namespace, name = own, argument
	}
	if len(validation.IsDNS1123Label(namespace)) > 0 || len(validation.IsDNS1123Subdomain(name)) > 0 {
		return client.ObjectKey{}, fmt.Errorf("%q is not the name of an experiment; use NAME, NAMESPACE/NAME, or a file that ends in .json or .yaml", argument)
	}
	return client.ObjectKey{Namespace: namespace, Name: name}, nil
}
