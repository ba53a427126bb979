// Command loadrunner is the entrypoint of the load generator. It runs k6 with a plan, reads
// evidence during the load, and writes one termination message.
//
// It is configured by the environment variables of package envvar. If RemoteWriteLabels is set,
// k6 sends its own series as configured by its variables K6_PROMETHEUS_RW_…. A MessageFile of -
// is standard output.
//
//	loadrunner install folder
//
// copies k6 and its scripts to a folder of the pod of a user's own login service. How to log in there
// is in Login.
//
// The exit code is k6's, 2 if a variable is missing or invalid, and 1 if there is no result
// for another reason. The message says which.
package main

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/observe"
	"github.com/hashmark-dev/hashmark/loadtests"
)

const (
	exitNoResult = 1
	exitBadPlan  = 2
)

func main() {
	if len(os.Args) == 3 && os.Args[1] == "install" {
		if err := install(os.Args[2]); err != nil {
			os.Stderr.WriteString("loadrunner: " + err.Error() + "\n")
			os.Exit(exitNoResult)
		}
		return
	}
	os.Exit(run())
}

// install copies k6 and the scripts. What an earlier run has left is replaced.
func install(folder string) error {
	flow, err := loginflow.Parse(os.Getenv(envvar.Login))
	if err != nil {
		return err
	}
	k6, err := exec.LookPath(cmp.Or(os.Getenv(envvar.K6), loadtests.K6))
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	return errors.Join(loadtests.Write(folder, flow.Script), observe.Copy(k6, filepath.Join(folder, loadtests.K6)))
}

func run() int {
	message := openMessage(os.Getenv(envvar.MessageFile))
	// This message remains if a panic or the kernel ends this process early.
	message.write(measurement.EncodeFailure(handover.GeneratorKilled, "The load generator was terminated before the load was finished.", 0))

	config, err := generator.FromEnvironment(os.Getenv)
	if err != nil {
		message.conclude(measurement.EncodeFailure(handover.BadPlan, err.Error(), 0))
		return exitBadPlan
	}
	ctx, stop := loadContext(config)
	defer stop()
	result, err := generator.Run(ctx, config, observer(), os.Stderr)
	if err == nil {
		var text string
		if text, err = measurement.Encode(result); err == nil {
			message.conclude(text)
			return 0
		}
	}
	failure := &measurement.Failure{Reason: handover.SummaryGarbled, Detail: err.Error()}
	errors.As(err, &failure)
	message.conclude(measurement.EncodeFailure(failure.Reason, failure.Detail, failure.ExitCode))
	if failure.ExitCode > 0 {
		return failure.ExitCode
	}
	return exitNoResult
}

// loadContext returns a context that ends at the deadline and when the container is stopped,
// each with its own failure as the cause.
func loadContext(config generator.Config) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := func() { cancel(nil) }
	if !config.Deadline.IsZero() {
		ctx, stop = context.WithDeadlineCause(ctx, config.Deadline, &measurement.Failure{
			Reason: handover.DeadlineExceeded, Detail: "The load was not finished at its deadline.",
		})
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		received := <-signals
		cancel(&measurement.Failure{
			Reason: handover.GeneratorKilled, Detail: "The load generator was stopped before the load was finished (signal: " + received.String() + ").",
		})
	}()
	return ctx, stop
}

// observer returns a reader of this container's counters, or nil if they cannot be read. The
// load runs anyway, and its verdict says what is missing.
func observer() generator.Observer {
	container, err := cgroup.Observe(os.DirFS("/"))
	if err != nil {
		os.Stderr.WriteString("Could not read the load generator's own counters: " + err.Error() + "\n")
		return nil
	}
	return container
}

// defaultMessageFile is the file that kubelet mounts into every container.
const defaultMessageFile = "/dev/termination-log"

// messageFile is the file of the termination message.
type messageFile struct{ path string }

// openMessage falls back to standard output if the default file does not exist, as on a
// developer's machine.
func openMessage(path string) messageFile {
	if path == "" {
		path = defaultMessageFile
		if _, err := os.Stat(path); err != nil {
			path = "-"
		}
	}
	return messageFile{path: path}
}

// write replaces the content of the file. It writes nothing to standard output, which gets
// only the final message.
func (m messageFile) write(text string) {
	if m.path == "-" {
		return
	}
	if err := os.WriteFile(m.path, []byte(text), 0o644); err != nil {
		os.Stderr.WriteString("Could not write the result: " + err.Error() + "\n" + text)
	}
}

func (m messageFile) conclude(text string) {
	if m.path == "-" {
		os.Stdout.WriteString(text)
		return
	}
	m.write(text)
}
