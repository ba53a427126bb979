package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/internal/login"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
	"github.com/hashmark-dev/hashmark/internal/observe"
)

// observeCommand runs a login service that is not Hashmark's, and serves what its container uses,
// until it ends. It returns the service's exit code. Signals end the service, and not this program.
func observeCommand(arguments []string, w system) (int, error) {
	var listen, hashFile string
	var to loginflow.Account
	var ready handover.HealthCheck
	var deadline time.Time
	flags := flag.NewFlagSet("loginservice observe", flag.ContinueOnError)
	flags.StringVar(&listen, "listen", ":18080", "`address` where GET /evidence and GET /ready are answered")
	hashFileVar(flags, &hashFile)
	readyVars(flags, &to.Address, &ready)
	accountVars(flags, &to.User, &to.Password)
	deadlineVar(flags, &deadline, "`time` (RFC 3339) at which the service is stopped; by default never")
	own, command := splitCommand(arguments)
	if err := parse(flags, own, w); err != nil {
		return 0, err
	}
	if len(command) == 0 {
		return 0, errNoCommand
	}
	environment, err := substituteHash(hashFile, command)
	if err != nil {
		return 0, err
	}
	observer, err := cgroup.Observe(os.DirFS("/"))
	if err != nil {
		return 0, err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", listen)
	if err != nil {
		return 0, err
	}
	serving, stop := context.WithCancel(context.Background())
	defer stop()
	logger := slog.New(slog.NewTextHandler(w.stderr, nil))
	handler := observe.Handler(observer, readiness(serving, to, ready))
	go func() {
		if err := login.Serve(serving, handler, slog.NewLogLogger(logger.Handler(), slog.LevelWarn), listener); err != nil {
			logger.Error("The evidence is no longer served", "error", err)
		}
	}()
	ctx, cancel := until(context.Background(), deadline)
	defer cancel()
	go endOutOfMemory(ctx, observer.MemoryKills, w.stderr, cancel)
	return observe.Run(ctx, command, environment)
}

// memoryCheckEvery is how often is checked whether a process was killed.
const memoryCheckEvery = time.Second

// endOutOfMemory ends the service once the kernel has killed one of its processes because the container's memory was used up. A
// service of several processes may start another one and go on, and its numbers would then be those of restarts.
func endOutOfMemory(ctx context.Context, kills func() int64, stderr io.Writer, end func()) {
	ticker := time.NewTicker(memoryCheckEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if kills() > 0 {
				fmt.Fprintln(stderr, "a process ran out of memory and was killed, so the container ends")
				end()
				return
			}
		}
	}
}

// checkTimeout is how long a service may take to answer whether it is ready, which can be a login.
const checkTimeout = 30 * time.Second

// readiness checks in the background whether the service is ready, until it is. The returned function returns why it is not.
// So a probe that comes again and again sends nothing to the service.
func readiness(ctx context.Context, to loginflow.Account, check handover.HealthCheck) func() error {
	var last atomic.Pointer[error]
	note := func(err error) { last.Store(&err) }
	note(errors.New("not checked yet"))
	go func() {
		if err := loginflow.NewDirect(checkTimeout, false).WaitReady(ctx, to, check, note); err == nil {
			note(nil)
		}
	}()
	return func() error { return *last.Load() }
}

// readyVars are the flags of where a user's own login service answers, and when it is ready.
func readyVars(flags *flag.FlagSet, address *string, ready *handover.HealthCheck) {
	flags.StringVar(address, "target", "http://127.0.0.1:8080", "`address` of the service")
	flags.Func("ready", "how the service says that it is ready, as `JSON`; by default it accepts connections", func(text string) (err error) {
		*ready, err = loginflow.ParseReady(text)
		return err
	})
}

// errNoCommand means that nothing follows --.
var errNoCommand = fmt.Errorf("%w: there is no command; give it after --, as in: -- /app/login --listen=:8080", errUsage)

// splitCommand separates the arguments of this program from the command after --.
func splitCommand(arguments []string) (own, command []string) {
	if i := slices.Index(arguments, "--"); i >= 0 {
		return arguments[:i], arguments[i+1:]
	}
	return arguments, nil
}

func hashFileVar(flags *flag.FlagSet, to *string) {
	flags.StringVar(to, "password-hash-file", "",
		"`file` with what $("+envvar.PasswordHash+") stands for in the command and in the environment; by default it stands for itself")
}

// substituteHash replaces $(HASHMARK_PASSWORD_HASH) in a command and in this process's environment,
// which it returns. Kubernetes replaces the other variables, but the hash is only known in the pod.
func substituteHash(file string, command []string) (environment []string, err error) {
	environment = os.Environ()
	if file == "" {
		return environment, nil
	}
	hash, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the hash of the password: %w", err)
	}
	reference := strings.NewReplacer("$("+envvar.PasswordHash+")", strings.TrimSpace(string(hash)))
	for _, texts := range [][]string{command, environment} {
		for i := range texts {
			texts[i] = reference.Replace(texts[i])
		}
	}
	return environment, nil
}
