package cli

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/hashmark-dev/hashmark/internal/report/compare"
)

var comparisons = map[string]func(io.Writer, compare.Comparison) error{
	"table": compare.Table, "markdown": compare.Markdown, "json": compare.JSON,
}

func compareCommand(cluster *connection) *cobra.Command {
	var format string
	command := &cobra.Command{
		Use:   "compare A B",
		Short: "Show how the results of experiment B differ from those of A",
		Long: `Compares the results of two experiments for the variants that both have, and shows
for each difference whether chance explains it. That takes repetitions: with a single
one it is unknown.

` + whereFrom + `

The exit code is 0 if they could be compared, whatever the result.`,
		Example: `  kubectl hashmark compare before after
  kubectl hashmark compare staging/login production/login -o markdown
  kubectl hashmark compare last-week.json today.json -o json`,
		Args: func(_ *cobra.Command, arguments []string) error {
			if len(arguments) != 2 {
				return errors.New("name two experiments, as in: kubectl hashmark compare A B")
			}
			return nil
		},
		ValidArgsFunction: cluster.completeNames(2),
		RunE: func(command *cobra.Command, arguments []string) error {
			compared, err := cluster.compared(command.Context(), arguments[0], arguments[1])
			if err != nil {
				return err
			}
			return comparisons[format](cluster.program.Streams.Out, compared)
		},
	}
	addFormat(command, &format, sorted(comparisons))
	return command
}

func (c *connection) compared(ctx context.Context, first, second string) (compare.Comparison, error) {
	a, err := c.load(ctx, first)
	if err != nil {
		return compare.Comparison{}, err
	}
	b, err := c.load(ctx, second)
	if err != nil {
		return compare.Comparison{}, err
	}
	return compare.Of(a, b), nil
}
