package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// completionTime is how long a shell's user waits for names.
const completionTime = 2 * time.Second

// kubectlCompletion is what kubectl asks for the words after "kubectl hashmark".
const kubectlCompletion = `#!/bin/sh
# Put this into PATH as an executable file named kubectl_complete-hashmark.
exec kubectl-hashmark __complete "$@"
`

// addKubectlCompletion adds to the shells' completions that of kubectl itself,
// which is the one for people who type "kubectl hashmark".
func addKubectlCompletion(root *cobra.Command) {
	completion, _, err := root.Find([]string{"completion"})
	if err != nil || completion == root {
		return
	}
	completion.AddCommand(&cobra.Command{
		Use:   "kubectl",
		Short: "Generate the script by which kubectl completes \"kubectl hashmark\"",
		Long: `Prints a script that kubectl, in any shell that it completes in, asks for the
words after "kubectl hashmark". It must be in PATH, executable, and named
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

// completeNames completes up to so many names of experiments. Where the cluster
// does not answer soon there is nothing to complete.
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

// names are those of the namespace's experiments.
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
	list := &v1alpha1.SizingExperimentList{}
	if err := cluster.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	var names []string
	for i := range list.Items {
		names = append(names, list.Items[i].Name)
	}
	return names, nil
}

// one asks for one argument, and says what it is.
func one(what string) cobra.PositionalArgs {
	return func(command *cobra.Command, arguments []string) error {
		if len(arguments) != 1 {
			return errors.New("name one " + what + ", as in: kubectl hashmark " + command.Use)
		}
		return nil
	}
}
