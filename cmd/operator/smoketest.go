package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/wait"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/smoke"
)

// smokeTest tries an installation by one tiny experiment.
type smokeTest struct {
	client    client.Client
	namespace string
	timeout   time.Duration
	// every is how often the experiment is looked at. A watch would take one more
	// right, to save a request a second for half a minute.
	every time.Duration
	out   io.Writer
}

// runSmokeTest is the sub-command.
func runSmokeTest(args []string) error {
	test, err := parseSmokeTest(args)
	if err != nil {
		return err
	}
	setLogger()
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("no cluster to try: %w", err)
	}
	if test.client, err = client.New(config, client.Options{Scheme: newScheme()}); err != nil {
		return err
	}
	return test.run(ctrl.SetupSignalHandler())
}

func parseSmokeTest(args []string) (*smokeTest, error) {
	test := &smokeTest{every: time.Second, out: os.Stdout}
	set := flag.NewFlagSet("operator smoke-test", flag.ContinueOnError)
	set.StringVar(&test.namespace, "namespace", "", "where the experiment is made")
	set.DurationVar(&test.timeout, "timeout", 10*time.Minute, "how long it may take, its place in the queue included")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case set.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; flags begin with --", set.Arg(0))
	case len(validation.IsDNS1123Label(test.namespace)) > 0:
		return nil, fmt.Errorf("--namespace is required and must be the name of a namespace, not %q", test.namespace)
	case test.timeout < time.Second:
		return nil, errors.New("--timeout must be at least 1s")
	}
	return test, nil
}

// run makes the experiment, follows it to its end, and deletes it whatever came
// of it. The error is the sentence that the user is to read.
func (s *smokeTest) run(ctx context.Context) error {
	e := smoke.Experiment(s.namespace)
	if err := s.client.Create(ctx, e); err != nil {
		return smoke.Refused(err, s.namespace)
	}
	s.say("Made SizingExperiment %s/%s", e.Namespace, e.Name)
	return errors.Join(s.follow(ctx, e), s.remove(context.WithoutCancel(ctx), e))
}

// follow tells what happens until the experiment ends, and what came of it.
func (s *smokeTest) follow(ctx context.Context, e *v1alpha1.SizingExperiment) error {
	waiting, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	said := ""
	err := wait.PollUntilContextCancel(waiting, s.every, true, func(ctx context.Context) (bool, error) {
		err := s.client.Get(ctx, client.ObjectKeyFromObject(e), e)
		switch {
		case apierrors.IsNotFound(err):
			return false, smoke.ErrDeleted
		case apierrors.IsForbidden(err):
			return false, smoke.Refused(err, s.namespace)
		case err != nil:
			return false, nil // an API server that restarts: ask again
		}
		if line := smoke.Progress(e); line != said {
			said = line
			s.say("%s", line)
		}
		return e.Status.Phase.Finished(), nil
	})
	switch {
	case err == nil:
		s.say("%s", smoke.Row(e))
		return smoke.Ended(e, s.trialsOf(ctx, e))
	case ctx.Err() != nil:
		return smoke.ErrInterrupted
	case wait.Interrupted(err):
		return smoke.Late(e, s.others(ctx), s.timeout)
	default:
		return err
	}
}

// trialsOf are the experiment's trials, for what they say of themselves; none
// where they can't be listed, since the experiment says the most of it.
func (s *smokeTest) trialsOf(ctx context.Context, e *v1alpha1.SizingExperiment) []v1alpha1.SizingTrial {
	list := &v1alpha1.SizingTrialList{}
	_ = s.client.List(ctx, list, client.InNamespace(e.Namespace), client.MatchingLabels{v1alpha1.LabelExperimentUID: string(e.UID)})
	return list.Items
}

// others are the experiments of the namespace, as far as they can be listed.
func (s *smokeTest) others(ctx context.Context) []v1alpha1.SizingExperiment {
	list := &v1alpha1.SizingExperimentList{}
	_ = s.client.List(ctx, list, client.InNamespace(s.namespace))
	return list.Items
}

// remove deletes the experiment. The garbage collector takes what it made.
func (s *smokeTest) remove(ctx context.Context, e *v1alpha1.SizingExperiment) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	err := s.client.Delete(ctx, e, client.PropagationPolicy(metav1.DeletePropagationBackground))
	switch {
	case err == nil:
		s.say("Deleted it")
		return nil
	case apierrors.IsNotFound(err):
		return nil
	default:
		return fmt.Errorf("the experiment could not be deleted; run: kubectl delete sizingexperiment -n %s %s (%w)", e.Namespace, e.Name, err)
	}
}

func (s *smokeTest) say(format string, arguments ...any) {
	fmt.Fprintf(s.out, format+"\n", arguments...)
}
