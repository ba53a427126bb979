package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/follow"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// Program holds what kubectl-hashmark depends on.
type Program struct {
	// Streams are standard input, output and error.
	Streams genericiooptions.IOStreams
	// Clock is used for the remaining time.
	Clock clock.PassiveClock
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
	p.Streams.Out = units.PlainWriter(p.Streams.Out)
	command := p.Command()
	command.SetArgs(arguments)
	return exit(command.ExecuteContext(ctx), p.messages())
}

// messages returns standard error for messages, which may contain text from the cluster.
func (p Program) messages() io.Writer { return units.PlainWriter(p.Streams.ErrOut) }

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
	root.SetErr(p.messages())
	cluster := &connection{program: p, flags: genericclioptions.NewConfigFlags(true)}
	cluster.flags.CacheDir = nil // only discovery would be cached, which is not used
	cluster.flags.AddFlags(root.PersistentFlags())
	root.AddCommand(
		planCommand(p), runCommand(cluster), watchCommand(cluster), measureCommand(cluster), reportCommand(cluster),
		compareCommand(cluster), recommendCommand(cluster), calibrateCommand(p), initCommand(cluster), versionCommand(p),
	)
	root.AddCommand(steerCommands(cluster)...)
	root.InitDefaultCompletionCmd()
	addKubectlCompletion(root)
	return root
}

// The exit codes, as continuous integration reads them.
const (
	// ExitMet means that the objective can be met: with a demand that a size is
	// recommended, without one that some variant meets it.
	ExitMet = 0
	// ExitNotMet means that the measurement shows that it can't be met; in plan, that an
	// experiment is refused.
	ExitNotMet = 1
	// ExitFailed means that there is no result.
	ExitFailed = 2
)

// errNotMet ends a command after it has printed that the objective can't be met.
var errNotMet = errors.New("the objective can't be met")

// advised is an error with further lines, which say how to go on.
type advised struct {
	error
	advice string
}

// Unwrap returns the error without the advice.
func (a advised) Unwrap() error { return a.error }

// exit writes the error to out, in one line and then its advice, and returns the exit code for it.
func exit(err error, out io.Writer) int {
	switch {
	case err == nil:
		return ExitMet
	case errors.Is(err, errNotMet), errors.Is(err, errRefused):
		return ExitNotMet
	case errors.Is(err, errTold):
		return ExitFailed
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(out, units.Line(err.Error()))
	default:
		fmt.Fprintln(out, "error:", units.Line(err.Error()))
	}
	if with, has := errors.AsType[advised](err); has {
		fmt.Fprintln(out, with.advice)
	}
	return ExitFailed
}

// answered returns nil if a finished experiment can meet the objective, errNotMet if
// it can't, and otherwise an error that says why there is no result.
func answered(d report.Document) error {
	switch d.Experiment.Status.Phase {
	case v1beta1.ExperimentSucceeded:
		return met(d)
	case v1beta1.ExperimentCancelled:
		return errors.New("the experiment was cancelled before all of its trials had finished")
	default:
		return follow.Ended(d.Experiment, nil)
	}
}

// met returns nil if the objective can be met, and errNotMet otherwise.
func met(d report.Document) error {
	if !d.Met() {
		return errNotMet
	}
	return nil
}

func versionCommand(p Program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version and the API version",
		Example: "  kubectl hashmark version",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(command.OutOrStdout(), "kubectl-hashmark %s\n%s, %s, %s/%s\n",
				p.Version, v1beta1.GroupVersion, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
