package main

import (
	"errors"
	"flag"
	"fmt"
	"time"

	"github.com/hashmark-dev/hashmark/internal/login"
	"github.com/hashmark-dev/hashmark/internal/password"
)

const (
	unbounded  = "Unbounded"
	workerPool = "WorkerPool"

	defaultCost           = 10
	defaultRequestTimeout = 10 * time.Second
	maxWorkers            = 64
	maxQueueLength        = 10_000
)

// settings are the settings of serve.
type settings struct {
	listen          string
	tlsListen       string
	recipe          password.Recipe
	sessions        bool
	sessionKey      string
	concurrency     string
	workers         int32
	queueLength     int32
	calibrationFile string
	requestTimeout  time.Duration
	deadline        time.Time
	user, password  string
	cpuLimitMilli   int64
}

func parseSettings(arguments []string, w system) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("loginservice serve", flag.ContinueOnError)
	flags.StringVar(&s.listen, "listen", ":8080", "`address` to listen on")
	flags.StringVar(&s.tlsListen, "tls-listen", "",
		"`address` to listen on with TLS as well, with a certificate that is made at the start; by default none")
	recipeVars(flags, &s.recipe)
	flags.BoolVar(&s.sessions, "sessions", false, "accept at GET / the session cookie of an earlier login, without a hash")
	flags.StringVar(&s.sessionKey, "session-key", "",
		"`key` that cookies are signed with, the same for all replicas; by default random. It protects only a test service and is not a secret")
	flags.StringVar(&s.concurrency, "concurrency", workerPool, "`mode`: Unbounded or WorkerPool")
	numberVar(flags, &s.workers, "workers", 0,
		"`number` of hashes that WorkerPool computes at a time; 0 means the CPU limit rounded up to whole CPUs")
	numberVar(flags, &s.queueLength, "queue-length", 0,
		"`number` of logins that can wait for a worker; 0 means what can be hashed in half the request timeout")
	flags.StringVar(&s.calibrationFile, "calibration-file", "",
		"`file` written by calibrate, from which the queue length follows; by default the test account's own hash is timed")
	flags.DurationVar(&s.requestTimeout, "request-timeout", defaultRequestTimeout, "`time` after which callers give up")
	deadlineVar(flags, &s.deadline, "`time` (RFC 3339) at which the service exits; by default never")
	accountVars(flags, &s.user, &s.password)
	flags.Int64Var(&s.cpuLimitMilli, "cpu-limit", 0,
		"CPU limit in `thousandths` of a CPU; by default the container's quota, or GOMAXPROCS without a quota")
	if err := parse(flags, arguments, w); err != nil {
		return settings{}, err
	}
	err := s.check()
	return s, err
}

// check fills in the recipe, and reports all invalid settings at once.
func (s *settings) check() error {
	wrong := checkRecipe(&s.recipe)
	refuse := func(refused bool, format string, arguments ...any) {
		if refused {
			wrong = errors.Join(wrong, fmt.Errorf("%w: "+format, append([]any{errUsage}, arguments...)...))
		}
	}
	refuse(s.concurrency != unbounded && s.concurrency != workerPool,
		"--concurrency is %q; it must be %s or %s", s.concurrency, unbounded, workerPool)
	refuse(s.concurrency == unbounded && (s.workers != 0 || s.queueLength != 0),
		"--workers and --queue-length are only for --concurrency %s", workerPool)
	refuse(s.workers < 0 || s.workers > maxWorkers, "--workers is %d; it must be between 0 and %d", s.workers, maxWorkers)
	refuse(s.queueLength < 0 || s.queueLength > maxQueueLength,
		"--queue-length is %d; it must be between 0 and %d", s.queueLength, maxQueueLength)
	refuse(s.requestTimeout <= 0, "--request-timeout is %s; it must be above 0", s.requestTimeout)
	refuse(s.cpuLimitMilli < 0, "--cpu-limit is %d; it must not be negative", s.cpuLimitMilli)
	refuse(s.sessionKey != "" && !s.sessions, "--session-key requires --sessions")
	refuse(s.recipe.MemoryHard() && s.concurrency == unbounded,
		"--algorithm %s with --concurrency %s does not limit the memory; use --concurrency %s", s.recipe.Algorithm, unbounded, workerPool)
	refuse(s.user == "" || s.password == "", "--user and --password must not be empty")
	refuse(len(s.password) > login.MaxPasswordBytes, "--password: %v", login.ErrPasswordTooLong)
	return wrong
}
