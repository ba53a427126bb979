package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/follow"
)

type steer struct {
	cluster *connection
	order   order
	all     bool
	// everywhere is all namespaces.
	everywhere bool
	// yes means that nobody is asked.
	yes    bool
	dryRun string
}

type order struct {
	verb, done string
	// spec is the changed part of the spec, as JSON.
	spec                 string
	short, long, example string
}

var orders = []order{
	{
		verb: "cancel", done: "cancelled", spec: `{"cancel":true}`,
		short: "End experiments at once, and keep what was measured",
		long: `Stops the load of experiments at once, and ends them. What was measured is kept, and it
can't be undone: to stop the load for a while, use suspend. --all shows the experiments
and asks before it cancels them, unless --yes is given.`,
		example: `  kubectl hashmark cancel login-sizing
  kubectl hashmark cancel --all -n team-a
  kubectl hashmark cancel --all -A --yes`,
	},
	{
		verb: "suspend", done: "suspended", spec: `{"suspend":true}`,
		short: "Stop the load of experiments until they are resumed",
		long: `Stops the load of experiments at once, until they are resumed. Trials that are under
way are measured again then, and finished ones are kept.`,
		example: `  kubectl hashmark suspend login-sizing
  kubectl hashmark suspend --all -A`,
	},
	{
		verb: "resume", done: "resumed", spec: `{"suspend":false}`,
		short: "Let suspended experiments go on",
		long:  "Lets suspended experiments go on. They queue for their turns again.",
		example: `  kubectl hashmark resume login-sizing
  kubectl hashmark resume --all -n team-a`,
	},
}

// obeyed returns what an experiment is already, or "" if the order changes it.
func (o order) obeyed(e *v1beta1.SizingExperiment) string {
	switch cancelled, suspended := ptr.Deref(e.Spec.Cancel, false), ptr.Deref(e.Spec.Suspend, false); {
	case e.Status.Phase.Finished():
		return fmt.Sprintf("has ended (%s)", e.Status.Phase)
	case cancelled && o.verb == "resume":
		return "already cancelled, which can't be undone"
	case cancelled:
		return "already cancelled"
	case suspended && o.verb == "suspend":
		return "already suspended"
	case !suspended && o.verb == "resume":
		return "not suspended"
	default:
		return ""
	}
}

// errTold ends a command that has printed why it could not change some experiments.
var errTold = errors.New("some experiments could not be changed")

const steered = `

With --all, all experiments of the namespace that have not ended, with -A of all
namespaces. Prints a line for each. If one can't be changed, the others still are.

Exit codes: 0 if each experiment is as it should be or has ended, 2 if one could not be
read or changed.`

// steerCommands returns a command for each order.
func steerCommands(cluster *connection) (commands []*cobra.Command) {
	for _, o := range orders {
		commands = append(commands, (&steer{cluster: cluster, order: o}).command())
	}
	return commands
}

func (s *steer) command() *cobra.Command {
	command := &cobra.Command{
		Use:   s.order.verb + " NAME... | --all",
		Short: s.order.short, Long: s.order.long + steered, Example: s.order.example,
		Args: func(_ *cobra.Command, names []string) error {
			switch {
			case s.all && len(names) > 0:
				return errors.New("name experiments or use --all, not both")
			case !s.all && len(names) == 0:
				return errors.New("name one or more experiments, or use --all; see: kubectl get sizingexperiments")
			case s.everywhere && !s.all:
				return errors.New("-A needs --all; to name an experiment of another namespace, use NAMESPACE/NAME")
			}
			return nil
		},
		ValidArgsFunction: s.cluster.completeNames(math.MaxInt),
		RunE: func(command *cobra.Command, names []string) error {
			return s.run(command.Context(), names)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&s.all, "all", false, "all experiments of the namespace that have not ended")
	flags.BoolVarP(&s.everywhere, "all-namespaces", "A", false, "with --all: of all namespaces")
	if s.order.verb == "cancel" {
		flags.BoolVarP(&s.yes, "yes", "y", false, "do not ask before --all cancels")
	}
	s.dryRun = "none"
	addChoice(command, choice{&s.dryRun, []string{"none", "server"}}, "dry-run", "", "none, or server: the API server checks the change, and does not keep it")
	return command
}

func (s *steer) run(ctx context.Context, names []string) error {
	cluster, err := s.cluster.client()
	if err != nil {
		return err
	}
	if s.all {
		return s.everyOne(ctx, cluster)
	}
	return each(ctx, s, names, func(name string) error {
		key, err := s.cluster.key(name)
		if err != nil {
			return err
		}
		e := &v1beta1.SizingExperiment{}
		if err := cluster.Get(ctx, key, e); err != nil {
			return follow.Refused(err, "get", key)
		}
		return s.change(ctx, cluster, e)
	})
}

// each changes one after another, and goes on after an error, which it prints.
func each[T any](ctx context.Context, s *steer, all []T, change func(T) error) error {
	var failed error
	for _, one := range all {
		if ctx.Err() != nil {
			return interruption{"interrupted; only the experiments above were changed"}
		}
		if err := change(one); err != nil {
			failed = errTold
			_ = exit(err, s.cluster.program.messages())
		}
	}
	return failed
}

func (s *steer) everyOne(ctx context.Context, cluster client.Client) error {
	namespace, _, err := s.cluster.namespace()
	if err != nil {
		return err
	}
	if s.everywhere {
		namespace = ""
	}
	list := &v1beta1.SizingExperimentList{}
	if err := cluster.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return follow.Refused(err, "list", client.ObjectKey{Namespace: namespace})
	}
	var unfinished []*v1beta1.SizingExperiment
	for i := range list.Items {
		if e := &list.Items[i]; !e.Status.Phase.Finished() {
			unfinished = append(unfinished, e)
		}
	}
	if len(unfinished) == 0 {
		fmt.Fprintf(s.cluster.program.messages(), "There is no experiment %s that has not ended\n", follow.Within(namespace))
		return nil
	}
	if err := s.confirm(ctx, unfinished); err != nil {
		return err
	}
	return each(ctx, s, unfinished, func(e *v1beta1.SizingExperiment) error { return s.change(ctx, cluster, e) })
}

// change does to an experiment what the command says, and prints a line about it. Another experiment
// that has replaced it is left alone.
func (s *steer) change(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment) error {
	key, did := client.ObjectKeyFromObject(e), s.order.obeyed(e)
	if did == "" {
		did = s.order.done
		var options []client.PatchOption
		if s.dryRun == "server" {
			did += " (server dry run)"
			options = append(options, client.DryRunAll)
		}
		patch := fmt.Sprintf(`{"metadata":{"uid":%q},"spec":%s}`, e.UID, s.order.spec)
		if err := cluster.Patch(ctx, e, client.RawPatch(types.MergePatchType, []byte(patch)), options...); err != nil {
			return follow.Refused(err, "patch", key)
		}
	}
	_, err := fmt.Fprintf(s.cluster.program.Streams.Out, "%s: %s\n", key, did)
	return err
}

// confirm asks before experiments are changed for good. The error says that they are not.
func (s *steer) confirm(ctx context.Context, experiments []*v1beta1.SizingExperiment) error {
	if s.order.verb != "cancel" || s.yes || s.dryRun == "server" {
		return nil
	}
	out := s.cluster.program.messages()
	for _, e := range experiments {
		fmt.Fprintf(out, "%s\n", client.ObjectKeyFromObject(e))
	}
	fmt.Fprintf(out, "Experiments to %s: %d. It can't be undone. Continue? (y/n): ", s.order.verb, len(experiments))
	answer := make(chan string, 1)
	go func() {
		line, err := bufio.NewReader(s.cluster.program.Streams.In).ReadString('\n')
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(out)
		}
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(out)
		return interruption{"interrupted; nothing was changed"}
	case given := <-answer:
		if given == "y" || given == "yes" {
			return nil
		}
		return errors.New("nothing was changed; answer y, or use --yes")
	}
}
