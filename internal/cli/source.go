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

// whereFrom is what commands say of the experiments they are given.
const whereFrom = `An experiment is named by NAME, by NAMESPACE/NAME, or by a file whose name ends in
.json or .yaml: what "report -o json" or "kubectl get szx,szt -o yaml" wrote. For
a file no cluster is needed.`

// found is the document that an argument means: of the cluster, or of a file.
func (c *connection) found(ctx context.Context, argument string) (report.Document, error) {
	if slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(argument)) {
		return c.saved(argument)
	}
	key, err := c.key(argument)
	if err != nil {
		return report.Document{}, err
	}
	return c.document(ctx, key)
}

// saved is a document that was saved as a file.
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

// key is what NAME or NAMESPACE/NAME means.
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
		return client.ObjectKey{}, fmt.Errorf("%q names no experiment; write NAME, NAMESPACE/NAME, or a file that ends in .json or .yaml", argument)
	}
	return client.ObjectKey{Namespace: namespace, Name: name}, nil
}
