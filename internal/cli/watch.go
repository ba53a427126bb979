package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func watchCommand(cluster *connection) *cobra.Command {
	r := &run{cluster: cluster}
	command := &cobra.Command{
		Use:   "watch NAME",
		Short: "Follow an experiment until it finishes, and show the results",
		Long: `Follows an existing experiment in the same way as run. If it has finished already,
it shows the results at once.

Exit codes: 0 if the objective can be met (with a demand: if a size is
recommended), 1 if it can't, 2 if there is no result.`,
		Example: `  kubectl hashmark watch quickstart -n hashmark-demo
  kubectl hashmark watch quickstart --timeout 30m -o markdown`,
		Args:              exactlyOne("experiment"),
		ValidArgsFunction: cluster.completeNames(1),
		RunE: func(command *cobra.Command, arguments []string) error {
			return r.watch(command.Context(), arguments[0])
		},
	}
	r.addCommon(command)
	return command
}

func (r *run) watch(ctx context.Context, name string) error {
	if err := r.results.check(); err != nil {
		return err
	}
	key, err := r.cluster.key(name)
	if err != nil {
		return err
	}
	cluster, err := r.cluster.client()
	if err != nil {
		return err
	}
	e := &v1alpha1.SizingExperiment{}
	if err := cluster.Get(ctx, key, e); err != nil {
		return refused(err, "get", key)
	}
	return r.follow(ctx, e)
}
