// Command loadrunner is the generator's entrypoint: it runs k6 as its plan
// says, reads evidence meanwhile, and writes one termination message.
//
// Everything comes from the environment:
//
//	HASHMARK_PLAN          the plan as JSON (internal/loadplan)
//	HASHMARK_TARGET        the login service, such as http://10.96.0.7:8080
//	HASHMARK_PODS          its pods, comma-separated: evidence is read there, and
//	                       a saturation keeps each of several busy
//	HASHMARK_USER, HASHMARK_PASSWORD
//	HASHMARK_REPLICAS      how many pods serve
//	HASHMARK_SESSIONS      true: callers log in once a step, then show a cookie
//	HASHMARK_DEADLINE      when to give up, RFC 3339; never when absent
//	HASHMARK_K6            the k6 program, k6 on PATH when absent
//	HASHMARK_RAW_OUTPUT    a file for k6's own samples as JSON, for checks
//	HASHMARK_REMOTE_WRITE_LABELS
//	                       labels of k6's own series, name=value with commas
//	                       between; where given, k6 sends them by remote write
//	                       as its own variables K6_PROMETHEUS_RW_… say
//	HASHMARK_MESSAGE_FILE  where the result goes, /dev/termination-log when
//	                       absent; - is standard output
//
// It exits with k6's exit code, 2 when its environment makes no sense, and 1
// when there is no result for another reason. The message says which.
package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/handover"
	"github.com/hashmark-dev/hashmark/internal/loadrun"
)

const (
	exitNoResult = 1
	exitBadPlan  = 2
)

func main() {
	os.Exit(run())
}

func run() int {
	message := openMessage(os.Getenv("HASHMARK_MESSAGE_FILE"))
	// Whatever ends this process before its time, be it a panic or the kernel,
	// leaves this behind instead of nothing.
	message.write(handover.EncodeFailure(handover.GeneratorKilled, "The generator was ended before its load was over.", 0))

	config, err := loadrun.FromEnvironment(os.Getenv)
	if err != nil {
		message.conclude(handover.EncodeFailure(handover.BadPlan, err.Error(), 0))
		return exitBadPlan
	}
	ctx, stop := untilToldToEnd(config)
	defer stop()
	result, err := loadrun.Run(ctx, config, observer(), os.Stderr)
	if err == nil {
		var text string
		if text, err = handover.Encode(result); err == nil {
			message.conclude(text)
			return 0
		}
	}
	failure := &handover.Failure{Reason: handover.SummaryGarbled, Detail: err.Error()}
	errors.As(err, &failure)
	message.conclude(handover.EncodeFailure(failure.Reason, failure.Detail, failure.ExitCode))
	if failure.ExitCode > 0 {
		return failure.ExitCode
	}
	return exitNoResult
}

// untilToldToEnd ends at the deadline and when the container is stopped, each
// with its own failure as the cause.
func untilToldToEnd(config loadrun.Config) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := func() { cancel(nil) }
	if !config.Deadline.IsZero() {
		ctx, stop = context.WithDeadlineCause(ctx, config.Deadline, &handover.Failure{
			Reason: handover.DeadlineExceeded, Detail: "The load was not over at its deadline.",
		})
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		told := <-signals
		cancel(&handover.Failure{
			Reason: handover.GeneratorKilled, Detail: "The generator was told to end before its load was over (" + told.String() + ").",
		})
	}()
	return ctx, stop
}

// observer reads this container's counters, or is nil where they can't be read:
// the load is worth driving all the same, and its verdict says what is missing.
func observer() loadrun.Observer {
	found, err := cgroup.Observe(os.DirFS("/"))
	if err != nil {
		os.Stderr.WriteString("The generator's own counters can't be read: " + err.Error() + "\n")
		return nil
	}
	return found
}
