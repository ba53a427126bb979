package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// completionTime is how long completion waits for the cluster.
const completionTime = 2 * time.Second

// kubectlCompletion is the script that kubectl calls to complete "kubectl hashmark".
const kubectlCompletion = `#!/bin/sh
# Put this into PATH as an executable file named kubectl_complete-hashmark.
exec kubectl-hashmark __complete "$@"
`

// addKubectlCompletion adds a command that prints kubectlCompletion. The shells' own
// completions only complete kubectl-hashmark.
func addKubectlCompletion(root *cobra.Command) {
	completion, _, err := root.Find([]string{"completion"})
	if err != nil || completion == root {
		return
	}
	completion.AddCommand(&cobra.Command{
		Use:   "kubectl",
		Short: "Generate the script with which kubectl completes \"kubectl hashmark\"",
		Long: `Prints a script that kubectl calls to complete "kubectl hashmark", in every shell for
which kubectl has completion. Save it as an executable file in PATH, named
kubectl_complete-hashmark.`,
		Example: `  kubectl hashmark completion kubectl >~/.local/bin/kubectl_complete-hashmark
  chmod +x ~/.local/bin/kubectl_complete-hashmark`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprint(command.OutOrStdout(), kubectlCompletion)
			return err
		},
	})
}

// completeNames returns a completion for up to atMost names of experiments. If the
// cluster does not answer in time, it completes names of files.
func (c *connection) completeNames(atMost int) cobra.CompletionFunc {
	return func(command *cobra.Command, given []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(given) >= atMost {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names, err := c.names(command.Context())
		if err != nil {
			return nil, cobra.ShellCompDirectiveDefault // a saved report is a file
		}
		return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(given, name) }), cobra.ShellCompDirectiveNoFileComp
	}
}

func (c *connection) names(ctx context.Context) ([]string, error) {
	namespace, _, err := c.namespace()
	if err != nil {
		return nil, err
	}
	cluster, err := c.client()
	if err != nil {
		return nil, err
	}
	ctx, done := context.WithTimeout(ctx, completionTime)
	defer done()
	list := &v1beta1.SizingExperimentList{}
	if err := cluster.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, nil
}

// exactlyOne requires one argument. what names it in the error.
func exactlyOne(what string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) != 1 {
			return errors.New("name one " + what + ", as in: kubectl hashmark " + command.Use)
		}
		return nil
	}
}
