package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func versionCommand(p Program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the API version",
		Example: "  kubectl hashmark version",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(command.OutOrStdout(), "kubectl-hashmark %s\n%s, %s, %s/%s\n",
				p.Version, v1alpha1.GroupVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
