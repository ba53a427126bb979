package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/hashmark-dev/hashmark/internal/report"
)

// telling is what the report command was asked for.
type telling struct {
	cluster          *connection
	file, outputFile string
	format           string
}

func reportCommand(cluster *connection) *cobra.Command {
	t := &telling{cluster: cluster}
	command := &cobra.Command{
		Use:   "report NAME",
		Short: "Show the answer and the results of an experiment",
		Long: `Writes a report of an experiment, also of one that still runs. html is one page
that needs nothing from elsewhere; junit is for CI, benchfmt for benchstat; json
is what a report can be made of later, without the cluster.

` + whereFrom + `

The exit code is 0 where the report could be written, whatever it says.`,
		Example: `  kubectl hashmark report login-sizing
  kubectl hashmark report login-sizing -o html --output-file report.html

  # Save the results, and tell them later
  kubectl hashmark report login-sizing -o json --output-file saved.json
  kubectl hashmark report -f saved.json -o markdown`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cluster.completeNames(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return t.tell(command.Context(), arguments)
		},
	}
	flags := command.Flags()
	flags.StringVarP(&t.file, "filename", "f", "", "a saved report, or - for standard input, in the place of NAME")
	flags.StringVar(&t.outputFile, "output-file", "", "where to write it, in the place of standard output")
	addFormat(command, &t.format, sorted(layouts))
	return command
}

func (t *telling) tell(ctx context.Context, arguments []string) error {
	if err := known(t.format, sorted(layouts)); err != nil {
		return err
	}
	document, err := t.cluster.asked(ctx, arguments, t.file)
	if err != nil {
		return err
	}
	if t.outputFile != "" {
		return writeFile(t.outputFile, document, layouts[t.format])
	}
	return layouts[t.format](t.cluster.program.Streams.Out, document)
}

// asked is the document of NAME, or of the file that stands in its place.
func (c *connection) asked(ctx context.Context, arguments []string, file string) (report.Document, error) {
	switch {
	case len(arguments) == 1 && file != "":
		return report.Document{}, errors.New("name an experiment or a file, not both")
	case file != "":
		return c.saved(file)
	case len(arguments) == 1:
		return c.found(ctx, arguments[0])
	default:
		return report.Document{}, errors.New("name an experiment, or a saved report by -f; see: kubectl get sizingexperiments")
	}
}
