// Command loginservice is the login service that an experiment measures. It serves logins,
// or it calibrates: it times hashes under the container's own limits. In the pod of a user's own
// login service it is installed by an init container, times logins instead of hashes, and observes
// the service.
//
//	loginservice [serve] [flags]
//	loginservice calibrate [flags] [-- command]
//	loginservice install --to folder [flags]
//	loginservice observe [flags] -- command
//
// Every flag can also be set by an environment variable: --queue-length is
// HASHMARK_QUEUE_LENGTH. A flag on the command line takes precedence.
//
// It exits with 0 if it was told to stop or its deadline passed, 1 if it failed, and 2 if
// its arguments are invalid. A calibration whose deadline passed has failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/hashmark-dev/hashmark/internal/units"
)

const (
	exitFailed = 1
	exitUsage  = 2
)

// errUsage means that the command line or the environment is invalid.
var errUsage = errors.New("invalid arguments")

// system is the environment variables and the output streams of the program.
type system struct {
	lookup         func(name string) (string, bool)
	stdout, stderr io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], system{lookup: os.LookupEnv, stdout: os.Stdout, stderr: os.Stderr}))
}

func run(ctx context.Context, arguments []string, w system) int {
	command, rest := "serve", arguments
	if len(arguments) > 0 && !strings.HasPrefix(arguments[0], "-") {
		command, rest = arguments[0], arguments[1:]
	}
	var code int
	var err error
	switch command {
	case "serve":
		err = serve(ctx, rest, w)
	case "calibrate":
		err = calibrate(rest, w)
	case "install":
		err = install(rest, w)
	case "observe":
		code, err = observeCommand(rest, w)
	default:
		err = fmt.Errorf("%w: unknown command %q; use serve, calibrate, install or observe", errUsage, command)
	}
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return code
	}
	_, _ = fmt.Fprintln(w.stderr, "loginservice:", units.Plain(err.Error()))
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	return exitFailed
}
