package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/internal/report"
)

type reportOptions struct {
	cluster          *connection
	file, outputFile string
	format           string
}

func reportCommand(cluster *connection) *cobra.Command {
	o := &reportOptions{cluster: cluster}
	command := &cobra.Command{
		Use:   "report NAME",
		Short: "Show the recommendation and the results of an experiment",
		Long: `Writes a report of an experiment. The experiment can still be running. html is one
self-contained page; junit is for CI; from json a report can be written later, without
the cluster.

` + whereFrom + `

The exit code is 0 if the report could be written, whatever the result.`,
		Example: `  kubectl hashmark report login-sizing
  kubectl hashmark report login-sizing -o html --output-file report.html

  # Save the results, and write a report later
  kubectl hashmark report login-sizing -o json --output-file saved.json
  kubectl hashmark report -f saved.json -o markdown`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cluster.completeNames(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return o.run(command.Context(), arguments)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&o.file, "filename", "f", "", "a saved report, or - for standard input, instead of NAME")
	flags.StringVar(&o.outputFile, "output-file", "", "the file to write, instead of standard output")
	addFormat(command, &o.format, sorted(layouts))
	return command
}

func (o *reportOptions) run(ctx context.Context, arguments []string) error {
	document, err := o.cluster.fromArguments(ctx, arguments, o.file)
	if err != nil {
		return err
	}
	if o.outputFile != "" {
		return writeFile(o.outputFile, document, layouts[o.format])
	}
	return layouts[o.format](o.cluster.program.Streams.Out, document)
}

// fromArguments returns the document of NAME, or of the file that is given instead.
func (c *connection) fromArguments(ctx context.Context, arguments []string, file string) (report.Document, error) {
	switch {
	case len(arguments) == 1 && file != "":
		return report.Document{}, errors.New("name an experiment or a file, not both")
	case file != "":
		return c.saved(file)
	case len(arguments) == 1:
		return c.load(ctx, arguments[0])
	default:
		return report.Document{}, errors.New("name an experiment, or give a saved report with -f; see: kubectl get sizingexperiments")
	}
}

// whereFrom is the part of the commands' help about how to name an experiment.
const whereFrom = `An experiment is given as NAME, as NAMESPACE/NAME, or as a file that ends in .json or
.yaml and was written by "report -o json" or "kubectl get szx,szt -o yaml". A file
needs no cluster.`

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
