package loginflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/envvar"
	"github.com/hashmark-dev/hashmark/loadtests"
)

const (
	// scriptStep is how errors name a script.
	scriptStep = "login()"
	// longestOutcome limits what k6 reports of a login, in bytes.
	longestOutcome = 16 << 10
	// patience is how much longer than the timeout of a login a script may take. k6 starts in that
	// time, too.
	patience = 15 * time.Second
)

// Script logs in at one service with a user's k6 script, one login after another. k6 runs as a child
// of this process, and waits for the next login between two.
type Script struct {
	*Client
	wrong    handover.ExpectedResponse
	pid      int
	next     chan account
	outcomes chan outcome
	// ended is closed when k6 has ended, and output has the reason then.
	ended  chan struct{}
	output *tail
	stop   func()
}

// account is the account of a login.
type account struct{ user, password string }

// outcome is how a login ended, as k6 reports it.
type outcome struct {
	OK     bool   `json:"ok"`
	Status int    `json:"status"`
	Error  string `json:"error"`
	Body   string `json:"body"`
}

// StartScript starts k6 with the script of a flow. The folder has k6, and the scripts that
// loadtests.Write writes. The rest is as for NewClient. The caller must call Close.
func StartScript(folder string, flow handover.Login, target string, timeout time.Duration) (*Script, error) {
	s := &Script{
		Client: NewClient(flow, target, timeout), wrong: flow.Wrong,
		next: make(chan account), outcomes: make(chan outcome), ended: make(chan struct{}), output: &tail{},
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for k6: %w", err)
	}
	server := &http.Server{Handler: s.control(), ReadHeaderTimeout: timeout}
	go func() { _ = server.Serve(listener) }() // until it is closed
	command := exec.Command(filepath.Join(folder, loadtests.K6), loadtests.Arguments(filepath.Join(folder, loadtests.Rehearsal))...)
	command.Env = loadtests.Environ(
		envvar.Control+"=http://"+listener.Addr().String(), envvar.Target+"="+s.target,
		envvar.Timeout+"="+strconv.FormatInt(timeout.Milliseconds(), 10))
	command.Stdout, command.Stderr = s.output, s.output
	if err := command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start k6: %w", err), server.Close())
	}
	s.pid = command.Process.Pid
	s.stop = func() {
		_ = command.Process.Kill() // fails if k6 has ended
		<-s.ended
		_ = server.Close()
	}
	go func() {
		_ = command.Wait() // how it ended is in its output
		close(s.ended)
	}()
	return s, nil
}

// Close ends k6.
func (s *Script) Close() { s.stop() }

// PID returns the number of k6's process.
func (s *Script) PID() int { return s.pid }

// Login logs in once. The error is a *StepError, or the context's.
func (s *Script) Login(ctx context.Context, user, password string) error {
	got, err := s.send(ctx, account{user, password})
	if err != nil || got.OK {
		return err
	}
	return got.failure("the login failed")
}

// LoginWrongly logs in with a wrong password. The script must report that the login failed, and its
// response must have a status that the flow expects then.
func (s *Script) LoginWrongly(ctx context.Context, user, password string) error {
	got, err := s.send(ctx, account{user, password})
	switch {
	case err != nil:
		return err
	case got.OK:
		return got.failure("the login succeeded")
	case !s.wrong.Accepts(got.Status):
		return got.failure(fmt.Sprintf("instead of %s, the login failed", s.wrong))
	default:
		return nil
	}
}

// failure returns an error that begins with what happened, and quotes the exception or the response.
func (o outcome) failure(what string) error {
	if o.Status != 0 {
		what += fmt.Sprintf(" with the status %d", o.Status)
	}
	if o.Error != "" {
		return &StepError{Step: scriptStep, Message: fmt.Sprintf("%s: %.*q", what, quotedBody, o.Error)}
	}
	return &StepError{Step: scriptStep, Message: fmt.Sprintf("%s. The response begins with %.*q", what, quotedBody, o.Body)}
}

// send lets k6 log in, and waits for the outcome. k6 limits the time of each request, and not that of
// a script.
func (s *Script) send(ctx context.Context, a account) (outcome, error) {
	limit := &StepError{Step: scriptStep, Message: fmt.Sprintf("the script did not return within %s", s.timeout+patience)}
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeout+patience, limit)
	defer cancel()
	select {
	case s.next <- a:
	case <-s.ended:
		return outcome{}, s.hasEnded()
	case <-ctx.Done():
		return outcome{}, context.Cause(ctx)
	}
	select {
	case got := <-s.outcomes:
		return got, nil
	case <-s.ended:
		return outcome{}, s.hasEnded()
	case <-ctx.Done():
		return outcome{}, context.Cause(ctx)
	}
}

func (s *Script) hasEnded() error {
	return &StepError{Step: scriptStep, Message: fmt.Sprintf("k6 could not run spec.service.own.login.script: %.*q", quotedBody, s.output.String())}
}

// control answers k6, which asks for the next account and reports what became of it.
func (s *Script) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case a := <-s.next:
			// It fails if k6 has ended.
			_ = json.NewEncoder(w).Encode(map[string]string{"user": a.user, "password": a.password})
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /outcome", func(w http.ResponseWriter, r *http.Request) {
		var got outcome
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, longestOutcome)).Decode(&got); err != nil {
			got = outcome{Error: "k6 reported the login in an unknown form: " + err.Error()}
		}
		select {
		case s.outcomes <- got:
		case <-r.Context().Done():
		}
	})
	return mux
}

// tail keeps the end of a program's output.
type tail struct {
	mutex sync.Mutex
	text  []byte
}

// Write never fails.
func (t *tail) Write(text []byte) (int, error) {
	const kept = 4 << 10
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.text = append(t.text, text...)
	t.text = t.text[max(0, len(t.text)-kept):]
	return len(text), nil
}

// String returns it in one line.
func (t *tail) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return strings.Join(strings.Fields(string(bytes.ToValidUTF8(t.text, nil))), " ")
}
