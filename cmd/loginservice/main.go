// Command loginservice is the login service that an experiment measures. It
// serves logins, or calibrates: it times hashes under the container's own limits.
//
//	loginservice [serve] [flags]
//	loginservice calibrate [flags]
//
// Every flag has a twin in the environment: --queue-length is
// HASHMARK_QUEUE_LENGTH. A flag on the command line wins.
//
// It exits with 0 when it was told to stop or its deadline came, 1 when it
// failed, 2 when it was called wrongly. What it does stands in packages login
// and calibration; this is the wiring.
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
)

const (
	exitFailed = 1
	exitUsage  = 2
)

// errUsage means that the command line or the environment asks for what can't be.
var errUsage = errors.New("called wrongly")

// world is what the program has of the outside.
type world struct {
	lookup         func(name string) (string, bool)
	stdout, stderr io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], world{lookup: os.LookupEnv, stdout: os.Stdout, stderr: os.Stderr}))
}

func run(ctx context.Context, arguments []string, w world) int {
	command, rest := "serve", arguments
	if len(arguments) > 0 && !strings.HasPrefix(arguments[0], "-") {
		command, rest = arguments[0], arguments[1:]
	}
	var err error
	switch command {
	case "serve":
		err = serve(ctx, rest, w)
	case "calibrate":
		err = calibrate(rest, w)
	default:
		err = fmt.Errorf("%w: there is no command %q, only serve and calibrate", errUsage, command)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		_, _ = fmt.Fprintln(w.stderr, "loginservice:", err)
		return exitUsage
	}
	_, _ = fmt.Fprintln(w.stderr, "loginservice:", err)
	return exitFailed
}
