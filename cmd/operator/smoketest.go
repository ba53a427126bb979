package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/follow"
	"github.com/hashmark-dev/hashmark/internal/units"
)

type smokeTest struct {
	client    client.WithWatch
	namespace string
	timeout   time.Duration
	out       io.Writer
}

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
	if test.client, err = client.NewWithWatch(config, client.Options{Scheme: newScheme()}); err != nil {
		return err
	}
	return test.run(ctrl.SetupSignalHandler())
}

func parseSmokeTest(args []string) (*smokeTest, error) {
	test := &smokeTest{out: units.PlainWriter(os.Stdout)}
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
	e := smokeExperiment(s.namespace)
	if err := follow.Create(ctx, s.client, e); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Created SizingExperiment %s/%s\n", e.Namespace, e.Name)
	followed, deleted := s.follow(ctx, e), follow.Delete(ctx, s.client, e)
	switch {
	case deleted == nil:
		fmt.Fprintln(s.out, "Deleted the experiment")
		return followed
	case followed == nil:
		return deleted
	default:
		return fmt.Errorf("%w; %w", followed, deleted)
	}
}

// follow prints the experiment's progress until it ends, and then its result.
func (s *smokeTest) follow(ctx context.Context, e *v1beta1.SizingExperiment) error {
	last, err := follow.UntilFinished(ctx, s.client, e, s.timeout, &follow.Lines{Out: s.out, Clock: clock.RealClock{}})
	switch {
	case err == nil:
		s.table(last)
		return follow.Ended(last, s.trialsOf(ctx, last))
	case ctx.Err() != nil:
		return errors.New("interrupted before the experiment had ended")
	case errors.Is(err, context.DeadlineExceeded):
		return follow.Late(ctx, s.client, last, s.timeout)
	default:
		return err
	}
}

// trialsOf returns the experiment's trials, for details of the error. It returns none if they
// can't be listed, because the experiment's own status says most of it.
func (s *smokeTest) trialsOf(ctx context.Context, e *v1beta1.SizingExperiment) []v1beta1.SizingTrial {
	list := &v1beta1.SizingTrialList{}
	_ = s.client.List(ctx, list, client.InNamespace(e.Namespace), client.MatchingLabels{v1beta1.LabelExperimentUID: string(e.UID)})
	return list.Items
}

func (s *smokeTest) table(e *v1beta1.SizingExperiment) {
	shown, verdict := e.Status.Display, ""
	if len(e.Status.Results) > 0 {
		verdict = string(e.Status.Results[0].Verdict)
	}
	cells := []string{string(e.Status.Phase), shown.Trials, shown.Variant, shown.P95, shown.Capacity, verdict}
	for i, cell := range cells {
		cells[i] = units.Line(cell)
	}
	table := tabwriter.NewWriter(s.out, 0, 0, 3, ' ', 0)
	fmt.Fprintf(table, "PHASE\tTRIALS\tVARIANT\tP95\tCAPACITY\tVERDICT\n%s\n", strings.Join(cells, "\t"))
	_ = table.Flush() // fails only if standard output was closed
}

// smokeExperiment takes about 20 seconds of calibration and load on a quarter of a CPU, at half of its maximum. A
// hash takes long enough to be timed well, and the step has enough logins for an interval, so that only the cluster
// can make the result doubtful.
func smokeExperiment(namespace string) *v1beta1.SizingExperiment {
	return &v1beta1.SizingExperiment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, GenerateName: "smoke-test-"},
		Spec: v1beta1.SizingExperimentSpec{
			Matrix: v1beta1.Matrix{Costs: []int32{8}, CPULimits: []intstr.IntOrString{intstr.FromString("250m")}},
			Load: v1beta1.Load{
				Rates:       &v1beta1.RatesLoad{PerSecond: []intstr.IntOrString{intstr.FromInt32(8)}},
				StepSeconds: 12, WarmupSeconds: ptr.To[int32](1), RequestTimeoutSeconds: 5,
			},
			Objective:               v1beta1.Objective{P95Milliseconds: 1000},
			TTLSecondsAfterFinished: ptr.To[int32](3600), // if the test ends without deleting it
		},
	}
}
