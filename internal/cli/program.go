package cli

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Program holds what kubectl-hashmark depends on.
type Program struct {
	// Streams are standard input, output and error.
	Streams genericiooptions.IOStreams
	// Clock is used for the remaining time and for the delay between reconnects.
	Clock clock.WithTicker
	// Columns is the width of the terminal on standard error. It is 0 if standard error
	// is not a terminal; then no progress bar and no control characters are written.
	Columns int
	// Version is the release, such as v0.1.0.
	Version string
	// replaced is used instead of the cluster in tests.
	replaced client.WithWatch
	// machine is used instead of this machine in tests.
	machine *machine
}

// Run runs a command line and returns the exit code. If the context ends, a command
// that follows an experiment leaves it running, unless a flag says to cancel it.
func (p Program) Run(ctx context.Context, arguments []string) int {
	command := p.Command()
	command.SetArgs(arguments)
	return exit(command.ExecuteContext(ctx), p.Streams.ErrOut)
}

// Command returns the root command with all subcommands.
func (p Program) Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-hashmark",
		Short: "How strong a password hash can the login service afford, and on how much CPU?",
		Long: `Hashmark measures how strong a password hash a login service can afford, on how
much CPU, at which login rate. This plugin runs experiments and shows their results.

Exit codes: 0 if the objective can be met (with a demand: if a size is
recommended), 1 if it can't, 2 if there is no result.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl hashmark"},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(p.Streams.In)
	root.SetOut(p.Streams.Out)
	root.SetErr(p.Streams.ErrOut)
	cluster := &connection{program: p, flags: genericclioptions.NewConfigFlags(true)}
	cluster.flags.CacheDir = nil // only discovery would be cached, which is not used
	cluster.flags.AddFlags(root.PersistentFlags())
	root.AddCommand(
		runCommand(cluster), watchCommand(cluster), reportCommand(cluster),
		compareCommand(cluster), recommendCommand(cluster), calibrateCommand(p), versionCommand(p),
	)
	root.InitDefaultCompletionCmd()
	addKubectlCompletion(root)
	return root
}
