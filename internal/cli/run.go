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

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// run is what the command was asked for.
type run struct {
	cluster           *connection
	file, name        string
	timeout           time.Duration
	cancelOnInterrupt bool
	delete            bool
	results           results
}

func runCommand(cluster *connection) *cobra.Command {
	r := &run{cluster: cluster}
	command := &cobra.Command{
		Use:   "run -f FILE",
		Short: "Create an experiment, follow it to its end, and show the answer",
		Long: `Creates the experiment of a file, shows how it goes, and prints the results.

An interrupted run leaves the experiment as it is, and says how to watch it and
how to cancel it; interrupted again, it ends at once. A run whose --timeout is
over leaves it too, unless it is told to cancel.

Exit codes: 0 where the objective can be met (with a demand: a size is
recommended), 1 where it can't, 2 where there is no answer.`,
		Example: `  # Measure, and show the table
  kubectl hashmark run -f experiment.yaml

  # In CI: a name for each run, files to keep, and nothing left in the cluster
  kubectl hashmark run -f experiment.yaml --name login-1234 --timeout 1h --cancel-on-interrupt --delete \
    --junit-file junit.xml --report-file report.html

  # From a template
  sed s/COST/11/ template.yaml | kubectl hashmark run -f - -o markdown`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return r.run(command.Context()) },
	}
	flags := command.Flags()
	flags.StringVarP(&r.file, "filename", "f", "", "the file with the experiment, or - for standard input")
	flags.StringVar(&r.name, "name", "", "the experiment's name, in the place of the file's")
	flags.BoolVar(&r.delete, "delete", false, "delete the experiment after its end, and its results in the cluster with it; with --cancel-on-interrupt also when interrupted")
	r.addCommon(command)
	_ = command.MarkFlagRequired("filename") // it fails only where there is no such flag
	return command
}

// addCommon adds what run and watch have in common.
func (r *run) addCommon(command *cobra.Command) {
	flags := command.Flags()
	flags.DurationVar(&r.timeout, "timeout", 0, "how long to wait for the end, such as 1h30m; 0 for as long as it takes")
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
	fmt.Fprintf(r.cluster.program.Streams.ErrOut, "sizingexperiment.hashmark.dev/%s created in namespace %s\n", e.Name, e.Namespace)
	return r.follow(ctx, e)
}

// create sends the experiment as it was written, with the name and namespace
// that the flags say. Fields that the API server does not know are refused:
// it would drop them, and answer another question.
func (r *run) create(ctx context.Context) (*v1alpha1.SizingExperiment, error) {
	written, err := question(r.file, r.cluster.program.Streams.In)
	if err != nil {
		return nil, err
	}
	if err := r.place(written); err != nil {
		return nil, err
	}
	cluster, err := r.cluster.client()
	if err != nil {
		return nil, err
	}
	key := client.ObjectKeyFromObject(written)
	if err := cluster.Create(ctx, written, client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		return nil, refused(err, "create", key)
	}
	return &v1alpha1.SizingExperiment{ObjectMeta: metav1.ObjectMeta{
		Namespace: written.GetNamespace(), Name: written.GetName(), UID: written.GetUID(),
	}}, nil
}

// place gives the experiment its name and namespace.
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
		return fmt.Errorf("%s says namespace %s, and --namespace says %s; leave out one of them", r.file, own, namespace)
	}
	if written.GetName() == "" && written.GetGenerateName() == "" {
		return fmt.Errorf("%s names no experiment; give it metadata.name or metadata.generateName, or use --name", r.file)
	}
	return nil
}

// follow waits for the end, and shows what came of it.
func (r *run) follow(ctx context.Context, e *v1alpha1.SizingExperiment) error {
	cluster, err := r.cluster.client()
	if err != nil {
		return err
	}
	f := newFollower(r.cluster, cluster, e)
	ended, err := f.followWithin(ctx, r.timeout)
	if err != nil {
		return r.stopped(ctx, f, err)
	}
	document, err := documentOf(ctx, cluster, ended)
	if err != nil {
		return err
	}
	if err := r.results.write(document, r.cluster.program.Streams.Out); err != nil {
		return err
	}
	answer := answered(document)
	if r.delete {
		if err := f.remove(ctx); err != nil {
			return err // a leftover is a failure, whatever the answer was
		}
	}
	return answer
}

// stopped deals with an experiment that did not end in time.
func (r *run) stopped(ctx context.Context, f *follower, why error) error {
	waited := ctx.Err() != nil || errors.Is(why, context.DeadlineExceeded)
	if !waited || !r.cancelOnInterrupt {
		return f.stopped(ctx, r.timeout, why)
	}
	end, doing, done := f.cancel, "cancelling", "is cancelled, and keeps what was measured"
	if r.delete {
		end, doing, done = f.remove, "deleting", "is deleted"
	}
	fmt.Fprintf(r.cluster.program.Streams.ErrOut, "%s; %s the experiment\n", stopper(ctx, r.timeout), doing)
	if err := end(ctx); err != nil {
		return err
	}
	return interruption{fmt.Sprintf("experiment %s %s", f.key, done)}
}

// stopper says what stopped the wait.
func stopper(ctx context.Context, timeout time.Duration) string {
	if ctx.Err() != nil {
		return "interrupted"
	}
	return fmt.Sprintf("no end after %s", timeout)
}
