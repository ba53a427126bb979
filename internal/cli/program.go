package cli

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Program is what kubectl-hashmark stands on.
type Program struct {
	// Streams are what it reads and writes.
	Streams genericiooptions.IOStreams
	// Clock tells how long is left, and paces a reconnect.
	Clock clock.WithTicker
	// Columns is how wide the terminal is that standard error leads to; 0 where it
	// leads to none: then no bar is drawn, and no control character is written.
	Columns int
	// Version is the release, such as v0.1.0.
	Version string
	// replaced takes the place of the cluster, in tests.
	replaced client.WithWatch
	// machine takes the place of this one, in tests.
	machine *machine
}

// Run carries out a command line and gives the exit code. Where the context
// ends, a command that follows an experiment leaves it as it is.
func (p Program) Run(ctx context.Context, arguments []string) int {
	command := p.Command()
	command.SetArgs(arguments)
	return exit(command.ExecuteContext(ctx), p.Streams.ErrOut)
}

// Command is the whole tree of commands.
func (p Program) Command() *cobra.Command {
	root := &cobra.Command{
		Use:   "kubectl-hashmark",
		Short: "How strong a password hash can the login service afford, and on how much CPU?",
		Long: `Hashmark measures how strong a password hash a login service can afford, on how
much CPU, at which login rate. This asks the question and shows the answer.

Exit codes: 0 where the objective can be met (with a demand: a size is
recommended), 1 where it can't, 2 where there is no answer.`,
		Annotations:   map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl hashmark"},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetIn(p.Streams.In)
	root.SetOut(p.Streams.Out)
	root.SetErr(p.Streams.ErrOut)
	cluster := &connection{program: p, flags: genericclioptions.NewConfigFlags(true)}
	cluster.flags.CacheDir = nil // it caches discovery, which is not asked for
	cluster.flags.AddFlags(root.PersistentFlags())
	root.AddCommand(
		runCommand(cluster), watchCommand(cluster), reportCommand(cluster),
		compareCommand(cluster), recommendCommand(cluster), calibrateCommand(p), versionCommand(p),
	)
	root.InitDefaultCompletionCmd()
	addKubectlCompletion(root)
	return root
}
