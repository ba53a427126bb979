package generator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/loadtests"
)

// readyTimeout limits the time until the service responds at its ClusterIP, and each of its pods. They
// start at the same time as the generator, and were calibrated before.
const readyTimeout = 30 * time.Second

// Run runs the load. Its error is a *measurement.Failure. If the context ends with one as its
// cause, it is that one. The observer is nil if the generator's own counters cannot be
// read. The log and k6's own output go to output.
func Run(ctx context.Context, config Config, observer Observer, output io.Writer) (measurement.Run, error) {
	log := slog.New(slog.NewTextHandler(output, nil))
	// k6's version comes first: it takes time, and does not need the service, which may
	// still be starting.
	config.Output = output
	version, golang, err := config.Version(ctx)
	if err != nil {
		return measurement.Run{}, failed(ctx, handover.K6Failed, err.Error(), 0)
	}
	if err := waitForAll(ctx, config, log); err != nil {
		return measurement.Run{}, failed(ctx, handover.ServiceUnreachable, err.Error(), 0)
	}
	if err := setUp(ctx, config); err != nil {
		return measurement.Run{}, err
	}
	c := newCollector(config.Evidence, observer, log)
	c.companions = addressesOf(config.Companions)
	result, seen, err := drive(ctx, config, c)
	if err != nil {
		return measurement.Run{}, failed(ctx, handover.K6Failed, err.Error(), 0)
	}
	if result.ExitCode != 0 {
		reason, detail := reasonOf(result), detailOf(result)
		if reason == handover.K6Failed && c.throttled() {
			reason, detail = handover.GeneratorThrottled, throttledDetail+detail
		}
		return measurement.Run{}, failed(ctx, reason, detail, result.ExitCode)
	}
	config.Plan = seen.plan
	run, err := assemble(config, result.Log, seen)
	if err != nil {
		return measurement.Run{}, failed(ctx, handover.SummaryGarbled, garbled(config, err)+"\n"+result.Log.Tail(), 0)
	}
	run.K6Version, run.GoVersion = version, golang
	if config.Own == nil {
		run.Timeline = timelineOf(config.Plan, c.readSpeeds(ctx, seen.zero))
		run.IdleHashNanoseconds = c.timeIdle(ctx, config)
	}
	return run, nil
}

// garbled returns why the records of k6 can't be read. The error quotes one, which a script can have written.
func garbled(config Config, err error) string {
	if config.Private {
		return "k6's records are " + loginflow.Hidden
	}
	return err.Error()
}

// observations is what was read during a load.
type observations struct {
	// zero of the plan, by this machine's clock.
	zero  time.Time
	steps []stepReadings
	alive *prober
	// plan has the steps that were run.
	plan loadplan.Plan
}

// drive runs k6 and takes the readings at the same time.
func drive(ctx context.Context, config Config, c collector) (Result, observations, error) {
	steps, moments := readingsOf(config.Plan)
	seen := observations{steps: steps, plan: config.Plan, alive: newProber(config.Pods, config.Alive)}
	watching, stop := context.WithCancel(ctx)
	defer stop()
	k6Done := make(chan struct{})
	probing, stopProbes := context.WithCancel(ctx)
	defer stopProbes()
	var readers sync.WaitGroup
	command := config.Command
	command.Started = func(clock time.Duration) {
		seen.zero = time.Now().Add(-clock)
		c.log.Info("Load started", "steps", len(config.Plan.Steps))
		readers.Go(func() { c.watch(ctx, watching, seen.zero, moments, k6Done) })
		readers.Go(func() { seen.alive.run(probing, seen.zero) })
	}
	if config.Plan.Objective != nil {
		command.ShouldStop = func(step int, records *Log) bool {
			enough := decided(config.Plan, step, records)
			if enough {
				seen.plan = config.Plan.Before(step)
			}
			return enough
		}
	}
	result, err := command.Run(ctx)
	close(k6Done)
	stopProbes()
	if err != nil || result.ExitCode != 0 || result.Stopped {
		stop() // the remaining steps are not reported
	}
	readers.Wait()
	seen.steps = seen.steps[:len(seen.plan.WithoutWarmup())]
	return result, seen, err
}

// decided reports whether the steps before a step decide the verification. It ignores
// records that contradict the plan, because assemble reports them.
func decided(plan loadplan.Plan, step int, log *Log) bool {
	driven := plan.Before(step)
	run, err := measurement.Summarise(driven, log.Before(step))
	if err != nil || len(run.Steps) == 0 {
		return false
	}
	counts := measurement.Verify(plan, run.Steps)
	return counts.Outcome != v1beta1.VerificationUndecided
}

func assemble(config Config, log *Log, seen observations) (measurement.Run, error) {
	if _, err := log.Records(); err != nil {
		return measurement.Run{}, err
	}
	run, err := measurement.Summarise(config.Plan, log.Before(len(config.Plan.Steps)))
	if err != nil {
		return measurement.Run{}, err
	}
	warmup := len(config.Plan.Steps) - len(run.Steps)
	for i := range run.Steps {
		step := config.Plan.Steps[warmup+i]
		seen.steps[i].addTo(&run.Steps[i], step.Kind == loadplan.Open)
		if config.Own != nil {
			countLogins(run.Steps[i].Service, warmup+i, step, log)
		}
		run.Steps[i].Alive = seen.alive.in(step)
	}
	run.Companions = companionsUse(config.Companions, seen.steps, run.Steps)
	run.Generator, run.Services = generatorOf(seen.steps), servicesOf(seen.steps, len(config.Pods))
	return run, nil
}

// setUp sends the requests that a user's own login service needs before the first login. It does so in
// a k6 of its own: that of the load has only half a second until the plan begins.
func setUp(ctx context.Context, config Config) error {
	if config.Own == nil || len(config.Own.Setup) == 0 {
		return nil
	}
	folder, err := os.MkdirTemp("", "hashmark-setup-")
	if err != nil {
		return failed(ctx, handover.K6Failed, fmt.Sprintf("make a folder for the k6 script: %s", err), 0)
	}
	defer os.RemoveAll(folder)
	if err := loadtests.Write(folder, config.Login); err != nil {
		return failed(ctx, handover.K6Failed, fmt.Sprintf("write the k6 script: %s", err), 0)
	}
	timeout := time.Duration(config.Plan.TimeoutMilliseconds) * time.Millisecond
	client, err := loginflow.Start(config.Binary, folder, *config.Own, timeout, config.Private)
	if err != nil {
		return failed(ctx, handover.K6Failed, err.Error(), 0)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeoutCause(ctx, loginflow.SetupLimit, loginflow.ErrSetup)
	defer cancel()
	for _, pod := range config.Pods {
		account := loginflow.Account{Address: strings.TrimSuffix(pod, "/"), User: config.User, Password: config.Password}
		if err := client.Setup(ctx, account); err != nil {
			return failed(ctx, handover.LoginFailed, err.Error(), 0)
		}
	}
	return nil
}

// waitForAll waits for the service and for its pods, with one timeout for all. It does not
// fail if a pod does not respond at its own address: if the network does not allow that,
// only the evidence of the pod is missing.
func waitForAll(ctx context.Context, config Config, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, config.ReadyWithin)
	defer cancel()
	if err := waitReady(ctx, config.Target, config, log); err != nil {
		return err
	}
	for _, pod := range config.Pods {
		if err := waitReady(ctx, pod, config, log); err != nil {
			log.Warn("Continuing without waiting for a pod", "error", err)
		}
	}
	return nil
}

func waitReady(ctx context.Context, target string, config Config, log *slog.Logger) error {
	to := loginflow.Account{Address: target, User: config.User, Password: config.Password}
	err := loginflow.NewDirect(readingTimeout, false).WaitReady(ctx, to, config.Ready, func(err error) {
		log.Info("Waiting for the login service", "address", target, "error", err)
	})
	if err != nil {
		if config.Private {
			err = loginflow.Quotable(err)
		}
		return fmt.Errorf("the login service at %s was not ready in time: %w", target, err)
	}
	return nil
}

// k6's exit codes with a meaning of their own (errext/exitcodes in k6).
const (
	k6InvalidConfig   = 104
	k6ScriptException = 107
)

// failed returns the failure that ended the load. If the context ended with a failure, it
// is that one, because it caused all other failures.
func failed(ctx context.Context, reason, detail string, exitCode int) *measurement.Failure {
	if cause, ok := errors.AsType[*measurement.Failure](context.Cause(ctx)); ok {
		return cause
	}
	return &measurement.Failure{Reason: reason, Detail: detail, ExitCode: exitCode}
}

func reasonOf(result Result) string {
	switch {
	case result.Signal == syscall.SIGKILL:
		return handover.GeneratorOOMKilled
	case result.ExitCode == k6ScriptException:
		return handover.ScriptError
	case result.ExitCode == k6InvalidConfig:
		return handover.BadConfig
	default:
		return handover.K6Failed
	}
}

// throttledDetail says what to do if k6 fails for want of CPU. Its own output only says
// which of its timeouts was exceeded.
const throttledDetail = "the generator was throttled for most of the time: raise spec.generator.cpuLimit. k6's last output:\n"

func detailOf(result Result) string {
	switch result.Signal {
	case 0:
		return result.Log.Tail()
	case syscall.SIGKILL:
		return result.Log.Tail() + "\nk6 was killed, most likely by the kernel because it ran out of memory: raise the operator's generator.memoryLimit"
	default:
		return fmt.Sprintf("%s\nk6 was terminated by the signal %q", result.Log.Tail(), result.Signal)
	}
}
