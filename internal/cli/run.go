package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/follow"
	"github.com/hashmark-dev/hashmark/internal/matrix"
)

type run struct {
	cluster           *connection
	file, name        string
	timeout           time.Duration
	cancelOnInterrupt bool
	delete            bool
	results           outputs
}

func runCommand(cluster *connection) *cobra.Command {
	r := &run{cluster: cluster}
	command := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Create an experiment, follow it until it finishes, and show the results",
		Long: `Creates the experiment in a file, shows its progress, and prints the results.

If it is interrupted, the experiment goes on, and run shows how to watch it and how
to cancel it. A second interrupt ends run at once. When --timeout is over, the
experiment goes on too. --cancel-on-interrupt cancels it in both cases.

Exit codes: 0 if the objective can be met (with a demand: if a size is
recommended), 1 if it can't, 2 if there is no result.`,
		Example: `  # Measure, and show the table
  kubectl hashmark run -f experiment.yaml

  # In CI: a name per run, files to keep, and nothing left in the cluster
  kubectl hashmark run -f experiment.yaml --name login-1234 --timeout 1h --cancel-on-interrupt --delete \
    --junit-file junit.xml --report-file report.html

  # From a template
  sed s/COST/11/ template.yaml | kubectl hashmark run -f - -o markdown`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return r.run(command.Context()) },
	}
	flags := command.Flags()
	flags.StringVarP(&r.file, "filename", "f", "", "the file with the experiment, or - for standard input")
	flags.StringVar(&r.name, "name", "", "the experiment's name, instead of the name in the file")
	flags.BoolVar(&r.delete, "delete", false, "delete the experiment and its results from the cluster after it has finished; with --cancel-on-interrupt also when interrupted")
	r.addCommon(command)
	_ = command.MarkFlagRequired("filename") // it fails only if the flag does not exist
	return command
}

func (r *run) addCommon(command *cobra.Command) {
	flags := command.Flags()
	flags.DurationVar(&r.timeout, "timeout", 0, "how long to wait until the experiment finishes, such as 1h30m; 0 means no timeout")
	flags.BoolVar(&r.cancelOnInterrupt, "cancel-on-interrupt", false, "cancel the experiment when interrupted, or when --timeout is over")
	r.results.addTo(command)
}

func (r *run) run(ctx context.Context) error {
	if err := r.results.check(); err != nil {
		return err
	}
	e, err := r.create(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(r.cluster.program.messages(), "sizingexperiment.hashmark.dev/%s created in namespace %s\n", e.Name, e.Namespace)
	return r.follow(ctx, e)
}

// create creates the experiment of the file, with the name and namespace of the flags.
// Unknown fields are an error: the API server would drop them, and a different experiment
// would run.
func (r *run) create(ctx context.Context) (*v1beta1.SizingExperiment, error) {
	written, err := readExperiment(r.file, r.cluster.program.Streams.In)
	if err != nil {
		return nil, err
	}
	if err := r.place(written); err != nil {
		return nil, err
	}
	if err := matrix.CheckSize(written.Object["spec"]); err != nil {
		return nil, fmt.Errorf("%s: %w", r.file, err)
	}
	cluster, err := r.cluster.client()
	if err != nil {
		return nil, err
	}
	if err := follow.Create(ctx, cluster, written, client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		return nil, err
	}
	return &v1beta1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{
		Namespace: written.GetNamespace(), Name: written.GetName(), UID: written.GetUID(),
	}}, nil
}

func (r *run) place(written *unstructured.Unstructured) error {
	namespace, named, err := r.cluster.namespace()
	if err != nil {
		return err
	}
	if r.name != "" {
		written.SetName(r.name)
		written.SetGenerateName("")
	}
	switch own := written.GetNamespace(); {
	case own == "":
		written.SetNamespace(namespace)
	case named && own != namespace:
		return fmt.Errorf("%s has namespace %s, but --namespace is %s; remove one of them", r.file, own, namespace)
	}
	if written.GetName() == "" && written.GetGenerateName() == "" {
		return fmt.Errorf("%s does not name the experiment; set metadata.name or metadata.generateName, or use --name", r.file)
	}
	return nil
}

// follow waits until the experiment has finished, and writes its results.
func (r *run) follow(ctx context.Context, e *v1beta1.SizingExperiment) error {
	cluster, err := r.cluster.client()
	if err != nil {
		return err
	}
	last, err := follow.UntilFinished(ctx, cluster, e, r.timeout, r.cluster.program.newReporter())
	if err != nil {
		return r.stopped(ctx, cluster, last, err)
	}
	document, err := documentOf(ctx, cluster, last)
	if err != nil {
		return err
	}
	if err := r.results.write(document, r.cluster.program.Streams.Out); err != nil {
		return err
	}
	result := answered(document)
	if r.delete {
		if err := follow.Delete(ctx, cluster, last); err != nil {
			return err // a leftover is a failure, whatever the result
		}
	}
	return result
}

// interruption is the error of a command that was stopped by the user or by its timeout.
// It is printed without the prefix "error:".
type interruption struct{ message string }

func (i interruption) Error() string { return i.message }

// Is makes errors.Is report it as context.Canceled.
func (i interruption) Is(target error) bool { return target == context.Canceled }

// stopped handles an error of following. ctx is the user's context, without the timeout.
func (r *run) stopped(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment, err error) error {
	key := client.ObjectKeyFromObject(e)
	goesOn := fmt.Sprintf("experiment %s goes on", key)
	switch {
	case ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded):
		return err
	case r.cancelOnInterrupt:
		return r.end(ctx, cluster, e)
	case ctx.Err() != nil:
		return advised{interruption{"interrupted; " + goesOn}, howToGoOn(key)}
	default:
		return advised{follow.Late(ctx, cluster, e, r.timeout), goesOn + "\n" + howToGoOn(key)}
	}
}

// end cancels or deletes the experiment after an interrupt or the timeout.
func (r *run) end(ctx context.Context, cluster client.Client, e *v1beta1.SizingExperiment) error {
	key, why := client.ObjectKeyFromObject(e), "interrupted"
	if ctx.Err() == nil {
		why = fmt.Sprintf("not finished after %s", r.timeout)
	}
	end, doing, done := follow.Cancel, "cancelling", "is cancelled; what was measured is kept"
	if r.delete {
		end, doing, done = follow.Delete, "deleting", "is deleted"
	}
	fmt.Fprintf(r.cluster.program.messages(), "%s; %s the experiment\n", why, doing)
	if err := end(ctx, cluster, e); err != nil {
		return advised{err, howToGoOn(key)}
	}
	return interruption{fmt.Sprintf("experiment %s %s", key, done)}
}

func howToGoOn(key client.ObjectKey) string {
	return fmt.Sprintf("  to watch it:  kubectl hashmark watch %[2]s -n %[1]s\n"+
		"  to cancel it: kubectl hashmark cancel %[2]s -n %[1]s",
		key.Namespace, key.Name)
}

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
	_, e, err := r.existing(ctx, name)
	if err != nil {
		return err
	}
	e.Generation = 0 // an end counts although nobody has seen the latest change
	return r.follow(ctx, e)
}

// existing checks the flags of the results, and returns the experiment with a name and the client that has read it.
func (r *run) existing(ctx context.Context, name string) (client.Client, *v1beta1.SizingExperiment, error) {
	if err := r.results.check(); err != nil {
		return nil, nil, err
	}
	key, err := r.cluster.key(name)
	if err != nil {
		return nil, nil, err
	}
	cluster, err := r.cluster.client()
	if err != nil {
		return nil, nil, err
	}
	e := &v1beta1.SizingExperiment{}
	if err := cluster.Get(ctx, key, e); err != nil {
		return nil, nil, follow.Refused(err, "get", key)
	}
	return cluster, e, nil
}
