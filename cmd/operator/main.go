// Command operator runs Hashmark's controllers. They create the trials of SizingExperiments,
// measure them, and write the results into the status.
//
//	operator --config=FILE                              see operator --help
//	operator smoke-test --namespace=… [--timeout=10m]  tests an installation
//
// The smoke test creates one small experiment, prints its progress and its result, deletes it,
// and exits with 0 if it succeeded.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"go.uber.org/zap/zapcore"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/follow"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/units"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "operator:", units.Line(err.Error()))
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) > 0 && args[0] == "smoke-test" {
		return runSmokeTest(args[1:])
	}
	return follow.UnknownKinds(operate(args))
}

func setLogger(flags *flags) {
	readable := func(c *zapcore.EncoderConfig) { c.EncodeTime = zapcore.RFC3339TimeEncoder }
	format, level := zap.JSONEncoder(readable), zapcore.InfoLevel
	if flags.logFormat == "text" {
		format = zap.ConsoleEncoder(readable)
	}
	if flags.logLevel == "debug" {
		level = zapcore.DebugLevel
	}
	ctrl.SetLogger(zap.New(zap.UseDevMode(false), format, zap.Level(level), zap.WriteTo(units.PlainWriter(os.Stderr))))
}

// operate runs the operator until it receives a signal to end.
func operate(args []string) error {
	flags, err := parse(args)
	if err != nil {
		return err
	}
	setLogger(flags)
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("can't load the cluster configuration: %w", err)
	}
	mgr, err := ctrl.NewManager(config, flags.managerOptions())
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	if err := controllers.IndexTrials(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	if err := setup(ctx, mgr, &flags.configuration); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// setup registers the controllers, the metrics and the probes. An operator is alive from its
// start, and ready once its caches have been filled.
func setup(ctx context.Context, mgr ctrl.Manager, c *configuration) error {
	ready, err := controllers.WatchAll(ctx, mgr.GetCache())
	if err != nil {
		return err
	}
	live, waiting := controllers.LiveIn(mgr.GetAPIReader(), c.WatchNamespaces), &controllers.Queue{}
	tally, err := setupMetrics(mgr, c, waiting)
	if err != nil {
		return err
	}
	namespace, err := c.ownNamespace()
	if err != nil {
		return err
	}
	settings, err := c.settings()
	if err != nil {
		return err
	}
	lease := types.NamespacedName{Namespace: namespace, Name: turnsLease}
	experiments := &controllers.ExperimentReconciler{
		Client: mgr.GetClient(), Live: live, Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("hashmark"), Queue: waiting,
		Settings: settings, StartTimeout: c.Trials.StartTimeout.Duration, Paused: c.Paused,
	}
	turns := &controllers.TurnReconciler{
		Client: mgr.GetClient(), Live: live, Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("hashmark"), MaxConcurrent: c.Trials.MaxConcurrent, Queue: waiting,
		Lease: lease, Paused: c.Paused,
	}
	trials := &controllers.TrialReconciler{
		Client: mgr.GetClient(), Live: live, Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("hashmark"), MaxConcurrent: c.Trials.MaxConcurrent,
		Settings: settings, StartTimeout: c.Trials.StartTimeout.Duration, Model: lifecycle.Simulation(), Tally: tally,
		Queue: waiting, Turns: lease, Paused: c.Paused,
	}
	denyPolicies := &controllers.DenyPolicyReconciler{Client: mgr.GetClient(), Live: live}
	return errors.Join(
		experiments.SetupWithManager(mgr),
		turns.SetupWithManager(mgr),
		trials.SetupWithManager(mgr),
		denyPolicies.SetupWithManager(mgr),
		mgr.AddHealthzCheck("healthz", healthz.Ping),
		mgr.AddReadyzCheck("readyz", ready),
	)
}

func setupMetrics(mgr ctrl.Manager, c *configuration, waiting *controllers.Queue) (controllers.Tally, error) {
	tally := controllers.NewCounts()
	return tally, ctrlmetrics.Registry.Register(&controllers.Metrics{
		Cache: mgr.GetCache(), Clock: clock.RealClock{}, Elected: mgr.Elected(), Tally: tally,
		MaxExperiments: c.Metrics.MaxExperiments, Queue: waiting, StartTimeout: c.Trials.StartTimeout.Duration,
	})
}
