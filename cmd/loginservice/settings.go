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

// settings of serve.
type settings struct {
	listen          string
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

func parseSettings(arguments []string, w world) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("loginservice serve", flag.ContinueOnError)
	flags.StringVar(&s.listen, "listen", ":8080", "`address` to listen on, for everything")
	recipeVars(flags, &s.recipe)
	flags.BoolVar(&s.sessions, "sessions", false, "let callers of GET / in by a cookie that an earlier login earned them")
	flags.StringVar(&s.sessionKey, "session-key", "",
		"`words` that cookies are signed by, the same for all replicas; by default random. It guards a test service, and is no secret")
	flags.StringVar(&s.concurrency, "concurrency", workerPool, "`mode`: Unbounded or WorkerPool")
	numberVar(flags, &s.workers, "workers", 0,
		"`number` of hashes computed at a time by WorkerPool; 0 is the CPU limit rounded up to whole CPUs")
	numberVar(flags, &s.queueLength, "queue-length", 0,
		"`number` of logins that may wait for a worker; 0 is what can be hashed in half the request timeout")
	flags.StringVar(&s.calibrationFile, "calibration-file", "",
		"`file` that calibrate wrote, from which the queue's length follows; by default the test account's own hash is timed")
	flags.DurationVar(&s.requestTimeout, "request-timeout", defaultRequestTimeout, "`time` after which callers give up")
	flags.Func("deadline", "`time` (RFC 3339) at which the service ends itself; by default never", func(text string) error {
		var err error
		s.deadline, err = time.Parse(time.RFC3339, text)
		return err
	})
	flags.StringVar(&s.user, "user", "hashmark", "`name` of the test account")
	flags.StringVar(&s.password, "password", "correct horse battery staple", "`password` of the test account, which guards nothing")
	flags.Int64Var(&s.cpuLimitMilli, "cpu-limit", 0,
		"CPU limit in `thousandths` of a CPU; by default the container's quota, or GOMAXPROCS if there is none")
	if err := parse(flags, arguments, w); err != nil {
		return settings{}, err
	}
	err := s.check()
	return s, err
}

// check fills in the recipe, and says all that is wrong at once.
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
		"--workers and --queue-length belong to --concurrency %s", workerPool)
	refuse(s.workers < 0 || s.workers > maxWorkers, "--workers is %d; it must lie between 0 and %d", s.workers, maxWorkers)
	refuse(s.queueLength < 0 || s.queueLength > maxQueueLength,
		"--queue-length is %d; it must lie between 0 and %d", s.queueLength, maxQueueLength)
	refuse(s.requestTimeout <= 0, "--request-timeout is %s; it must be above 0", s.requestTimeout)
	refuse(s.cpuLimitMilli < 0, "--cpu-limit is %d; it must not be negative", s.cpuLimitMilli)
	refuse(s.sessionKey != "" && !s.sessions, "--session-key belongs to --sessions")
	refuse(s.recipe.MemoryHard() && s.concurrency == unbounded,
		"--algorithm %s with --concurrency %s would take any amount of memory; use %s", s.recipe.Algorithm, unbounded, workerPool)
	refuse(s.user == "" || s.password == "", "--user and --password must not be empty")
	refuse(len(s.password) > login.MaxPasswordBytes, "--password: %v", login.ErrPasswordTooLong)
	return wrong
}
