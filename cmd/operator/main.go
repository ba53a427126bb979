// Command operator runs Hashmark's controllers: it turns SizingExperiments into
// trials, measures them, and writes what it found into their status.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.uber.org/zap/zapcore"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"k8s.io/utils/clock"

	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags, err := parse(args)
	if err != nil {
		return err
	}
	ctrl.SetLogger(zap.New(zap.UseDevMode(false), func(o *zap.Options) { o.TimeEncoder = zapcore.RFC3339TimeEncoder }))
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("no cluster to work with: %w", err)
	}
	mgr, err := ctrl.NewManager(config, flags.managerOptions())
	if err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	if err := controllers.IndexTrials(ctx, mgr.GetFieldIndexer()); err != nil {
		return err
	}
	if err := setup(ctx, mgr, flags); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// setup registers both controllers and the probes. An operator is alive from its
// start, and ready when it has seen what it is to work with.
func setup(ctx context.Context, mgr ctrl.Manager, flags *flags) error {
	ready, err := controllers.WatchAll(ctx, mgr.GetCache())
	if err != nil {
		return err
	}
	live := controllers.LiveIn(mgr.GetAPIReader(), flags.watchNamespaces)
	experiments := &controllers.ExperimentReconciler{
		Client: mgr.GetClient(), Live: live, Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("hashmark"), MaxConcurrent: flags.maxConcurrentTrials,
	}
	trials := &controllers.TrialReconciler{
		Client: mgr.GetClient(), Live: live, Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("hashmark"), MaxConcurrent: flags.maxConcurrentTrials,
		Settings: flags.settings, StartTimeout: flags.startTimeout, Oracle: lifecycle.Simulation(),
	}
	return errors.Join(
		experiments.SetupWithManager(mgr),
		trials.SetupWithManager(mgr),
		mgr.AddHealthzCheck("healthz", healthz.Ping),
		mgr.AddReadyzCheck("readyz", ready),
	)
}
