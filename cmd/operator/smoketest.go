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
	"github.com/hashmark-dev/hashmark/internal/results"
	"github.com/hashmark-dev/hashmark/internal/units"
)

// requestTimeout is how long a request that is not cancelled may take.
const requestTimeout = 10 * time.Second

// smokeTest tests an installation with one small experiment.
type smokeTest struct {
	client    client.Client
	namespace string
	timeout   time.Duration
	// every is how often the experiment is read. A watch would need one more right, to save
	// one request a second for half a minute.
	every time.Duration
	out   io.Writer
}

// runSmokeTest runs the sub-command smoke-test.
func runSmokeTest(args []string) error {
	test, err := parseSmokeTest(args)
	if err != nil {
		return err
	}
	setLogger(&flags{logFormat: "json", logLevel: "info"})
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("can't load the cluster configuration: %w", err)
	}
	if test.client, err = client.New(config, client.Options{Scheme: newScheme()}); err != nil {
		return err
	}
	return test.run(ctrl.SetupSignalHandler())
}

func parseSmokeTest(args []string) (*smokeTest, error) {
	test := &smokeTest{every: time.Second, out: os.Stdout}
	set := flag.NewFlagSet("operator smoke-test", flag.ContinueOnError)
	set.StringVar(&test.namespace, "namespace", "", "namespace of the experiment")
	set.DurationVar(&test.timeout, "timeout", 10*time.Minute, "how long the test may take, including the time in the queue")
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	switch {
	case set.NArg() > 0:
		return nil, fmt.Errorf("unexpected argument %q; flags start with --", set.Arg(0))
	case len(validation.IsDNS1123Label(test.namespace)) > 0:
		return nil, fmt.Errorf("--namespace is required and must be a valid namespace name, not %q", test.namespace)
	case test.timeout < time.Second:
		return nil, errors.New("--timeout must be at least 1s")
	}
	return test, nil
}

// run creates the experiment, follows it to its end, and deletes it in any case. The error is
// a sentence for the user.
func (s *smokeTest) run(ctx context.Context) error {
	e := results.SmokeExperiment(s.namespace)
	if err := s.create(ctx, e); err != nil {
		return results.Refused(err, s.namespace)
	}
	s.say("Created SizingExperiment %s/%s", e.Namespace, e.Name)
	followed, removed := s.follow(ctx, e), s.remove(context.WithoutCancel(ctx), e)
	if followed != nil && removed != nil {
		return fmt.Errorf("%w; %w", followed, removed)
	}
	return errors.Join(followed, removed)
}

// follow prints the experiment's progress until it ends, and then its result.
func (s *smokeTest) follow(ctx context.Context, e *v1alpha1.SizingExperiment) error {
	waiting, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	last := ""
	err := wait.PollUntilContextCancel(waiting, s.every, true, func(ctx context.Context) (bool, error) {
		err := s.client.Get(ctx, client.ObjectKeyFromObject(e), e)
		switch {
		case apierrors.IsNotFound(err):
			return false, results.ErrDeleted
		case apierrors.IsForbidden(err):
			return false, results.Refused(err, s.namespace)
		case err != nil:
			return false, nil // the API server may be restarting: try again
		}
		if line := results.ProgressLine(e); line != last && !results.BetweenStages(e) {
			last = line
			s.say("%s", line)
		}
		return e.Status.Phase.Finished(), nil
	})
	switch {
	case err == nil:
		s.say("%s", results.SmokeTable(e))
		return results.Ended(e, s.trialsOf(ctx, e))
	case ctx.Err() != nil:
		return results.ErrInterrupted
	case wait.Interrupted(err):
		return results.Late(e, s.others(ctx), s.timeout)
	default:
		return err
	}
}

// trialsOf returns the experiment's trials, for details of the error. It returns none if they
// can't be listed, because the experiment's own status says most of it.
func (s *smokeTest) trialsOf(ctx context.Context, e *v1alpha1.SizingExperiment) []v1alpha1.SizingTrial {
	list := &v1alpha1.SizingTrialList{}
	_ = s.client.List(ctx, list, client.InNamespace(e.Namespace), client.MatchingLabels{v1alpha1.LabelExperimentUID: string(e.UID)})
	return list.Items
}

// others returns the experiments of the namespace, or none if they can't be listed.
func (s *smokeTest) others(ctx context.Context) []v1alpha1.SizingExperiment {
	list := &v1alpha1.SizingExperimentList{}
	_ = s.client.List(ctx, list, client.InNamespace(s.namespace))
	return list.Items
}

func (s *smokeTest) create(ctx context.Context, e *v1alpha1.SizingExperiment) error {
	ctx, cancel := results.Outlive(ctx, requestTimeout)
	defer cancel()
	return s.client.Create(ctx, e)
}

// remove deletes the experiment. The garbage collector deletes its objects.
func (s *smokeTest) remove(ctx context.Context, e *v1alpha1.SizingExperiment) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	err := s.client.Delete(ctx, e, client.PropagationPolicy(metav1.DeletePropagationBackground))
	switch {
	case err == nil:
		s.say("Deleted the experiment")
		return nil
	case apierrors.IsNotFound(err):
		return nil
	default:
		return fmt.Errorf("the experiment could not be deleted; run: kubectl delete sizingexperiment -n %s %s (%w)", e.Namespace, e.Name, err)
	}
}

func (s *smokeTest) say(format string, arguments ...any) {
	fmt.Fprintln(s.out, units.Plain(fmt.Sprintf(format, arguments...)))
}
