package login

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/password"
)

// statusCallerGone is nginx's code for a caller that hung up. It appears only in the
// metrics.
const statusCallerGone = 499

// Observer reads what the process and its container used.
type Observer interface {
	// Read returns a reading of the process.
	Read() (evidence.Reading, error)
	// Container returns the cgroup under observation.
	Container() *cgroup.Container
	// Uptime returns the age of the process, by the clock of a reading's uptime.
	Uptime() time.Duration
}

// Options configure a service.
type Options struct {
	Account     *Account
	Concurrency Concurrency
	Observer    Observer
	// Recipe is that of the account's hash.
	Recipe password.Recipe
	// ThreadCPUTime reads the CPU clock of the calling thread. If it is nil, or if the
	// recipe hashes on several threads, hashes are not timed.
	ThreadCPUTime func() (time.Duration, error)
	// Sessions accepts callers by a cookie. If it is nil, each login hashes.
	Sessions *Sessions
	// HashesPerSecond is how many hashes the container can compute, for Retry-After.
	HashesPerSecond float64
}

// Service answers logins and counts what it did.
type Service struct {
	options Options
	metrics *metrics
	timer   *hashTimer

	hashes, refused, abandoned, inFlight atomic.Int64
	// admitted counts requests accepted by a session cookie, without a hash.
	admitted atomic.Int64
}

// New returns a service. The error says which metric could not be registered.
func New(options Options) (*Service, error) {
	cpu := options.ThreadCPUTime
	if options.Recipe.MemoryHard() {
		cpu = nil
	}
	s := &Service{options: options, timer: newHashTimer(cpu, options.Observer.Uptime)}
	var err error
	s.metrics, err = newMetrics(s)
	return s, err
}

// Handler returns the routes of the service.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", s.postLogin)
	mux.HandleFunc("GET /{$}", s.getRoot)
	mux.HandleFunc("GET /evidence", s.getEvidence)
	mux.HandleFunc("GET /speed", s.getSpeed)
	mux.Handle("GET /metrics", s.metrics.handler())
	mux.HandleFunc("GET /healthz", good)
	mux.HandleFunc("GET /readyz", good)
	return mux
}

func (s *Service) postLogin(w http.ResponseWriter, r *http.Request) {
	credentials, err := readCredentials(w, r)
	s.finish(w, s.login(r.Context(), credentials, err))
}

// getRoot accepts a request with a session cookie, and requires the password from any
// other.
func (s *Service) getRoot(w http.ResponseWriter, r *http.Request) {
	if s.options.Sessions != nil && s.options.Sessions.admits(r) {
		s.admitted.Add(1)
		s.answerLogin(w, nil)
		return
	}
	user, password, found := r.BasicAuth()
	if !found {
		s.finish(w, errNoCredentials)
		return
	}
	credentials := Credentials{User: user, Password: password}
	s.finish(w, s.login(r.Context(), credentials, credentials.check()))
}

func (s *Service) getEvidence(w http.ResponseWriter, _ *http.Request) {
	reading, err := s.options.Observer.Read()
	if err != nil {
		answer(w, http.StatusInternalServerError, status{Error: err.Error()})
		return
	}
	timed := s.timer.sum()
	answer(w, http.StatusOK, evidence.Service{
		Reading:          reading,
		Hashes:           s.hashes.Load(),
		TimedHashes:      timed.hashes,
		HashMicroseconds: timed.nanoseconds / time.Microsecond.Nanoseconds(),
		Refused:          s.refused.Load(),
		Abandoned:        s.abandoned.Load(),
		Sessions:         s.admitted.Load(),
		InFlight:         s.inFlight.Load(),
		Queued:           int64(s.options.Concurrency.Queued()),
		Workers:          s.options.Concurrency.Workers(),
		QueueLength:      s.options.Concurrency.QueueLength(),
	})
}

// getSpeed answers with the seconds from the one in the query on, by default from the
// first.
func (s *Service) getSpeed(w http.ResponseWriter, r *http.Request) {
	var from int64
	if query := r.URL.Query(); query.Has("from") {
		var err error
		from, err = strconv.ParseInt(query.Get("from"), 10, 64)
		if err != nil || from < 0 {
			answer(w, http.StatusBadRequest, status{Error: "from must be a whole second of the service's uptime, 0 or above"})
			return
		}
	}
	answer(w, http.StatusOK, s.timer.speed(from))
}

var (
	errNoCredentials = errors.New("log in with Basic auth")
	errWrong         = errors.New("the user or the password is wrong")
)

// login checks credentials when it is their turn, unless reading them already failed. The
// error is nil if they are right.
func (s *Service) login(ctx context.Context, c Credentials, err error) error {
	if err != nil {
		return err
	}
	s.inFlight.Add(1)
	defer s.inFlight.Add(-1)
	var right bool
	err = s.options.Concurrency.Do(ctx, func() {
		begin := time.Now()
		s.timer.time(func() { right = s.options.Account.Check(c.User, c.Password) })
		s.hashes.Add(1)
		s.metrics.hashSeconds.Observe(time.Since(begin).Seconds())
	})
	switch {
	case errors.Is(err, ErrQueueFull):
		s.refused.Add(1)
	case errors.Is(err, ErrAbandoned):
		s.abandoned.Add(1)
	case err == nil && !right:
		err = errWrong
	}
	return err
}

// finish answers a login that was not accepted by a cookie, and sets a session cookie if it
// succeeded.
func (s *Service) finish(w http.ResponseWriter, err error) {
	if err == nil && s.options.Sessions != nil {
		http.SetCookie(w, s.options.Sessions.Cookie())
	}
	s.answerLogin(w, err)
}

func (s *Service) answerLogin(w http.ResponseWriter, err error) {
	code, body := http.StatusOK, status{Status: "ok"}
	if err != nil {
		code, body = s.statusOf(err), status{Error: err.Error()}
	}
	switch code {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Basic realm="hashmark", charset="UTF-8"`)
	case http.StatusServiceUnavailable:
		seconds := retryAfterSeconds(s.options.Concurrency.QueueLength(), s.options.HashesPerSecond)
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	s.metrics.requests.WithLabelValues(strconv.Itoa(code)).Inc()
	answer(w, code, body)
}

func (s *Service) statusOf(err error) int {
	if refused, is := errors.AsType[*refusal](err); is {
		return refused.status
	}
	switch {
	case errors.Is(err, errWrong), errors.Is(err, errNoCredentials):
		return http.StatusUnauthorized
	case errors.Is(err, ErrQueueFull):
		return http.StatusServiceUnavailable
	case errors.Is(err, ErrAbandoned):
		return statusCallerGone
	}
	return http.StatusInternalServerError
}

// status is the body of most answers.
type status struct {
	Status string `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

func good(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, status{Status: "ok"})
}

// answer writes JSON. A failed write means that the caller is gone, so the error is
// ignored.
func answer(w http.ResponseWriter, code int, body any) {
	text, err := json.Marshal(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(text, '\n'))
}
