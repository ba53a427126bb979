package loginflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	// quotedText is how much of a response an error quotes, in characters.
	quotedText = 200
	// longestOutcome limits what k6 reports of a login, in bytes.
	longestOutcome = 16 << 10
	// patience is how much longer than its requests a login may take. k6 starts in that time, too.
	patience = 15 * time.Second
)

// Client logs in at a service with k6, one login after another. k6 runs as a child of this process,
// and waits for the next login between two.
type Client struct {
	flow     handover.Login
	timeout  time.Duration
	private  bool
	pid      int
	next     chan order
	outcomes chan outcome
	// ended is closed when k6 has ended, and output has the reason then.
	ended  chan struct{}
	output *tail
	stop   func()
}

// Account is who logs in, and where.
type Account struct {
	// Address of the service, such as http://127.0.0.1:8080.
	Address  string `json:"address"`
	User     string `json:"user"`
	Password string `json:"password"`
}

// ErrSetup means that the requests before the first login took too long.
var ErrSetup = fmt.Errorf("setup did not end within %s; use fewer service.own.login.accounts, or a larger CPU limit", SetupLimit)

// Numbered returns one of several accounts, counted from 0. The script of the load counts in the same way.
func (a Account) Numbered(n int) Account {
	if n > 0 {
		a.User += "-" + strconv.Itoa(n)
	}
	return a
}

// order is what k6 has to do next.
type order struct {
	Account
	// Setup sends the requests before the first login.
	Setup bool `json:"setup"`
}

// outcome is how requests ended, as k6 reports it.
type outcome struct {
	OK bool `json:"ok"`
	// Step is the number of the request that failed, from 1; 0 with a script.
	Step int `json:"step"`
	// Missing is the variable that was not found in the response.
	Missing  string `json:"missing"`
	Status   int    `json:"status"`
	Error    string `json:"error"`
	Location string `json:"location"`
	Body     string `json:"body"`
	// private means that nothing may be quoted.
	private bool
}

// Start starts a k6 program with the scripts in a folder, which loadtests.Write has written. A login
// may take as long as the timeout, and the setup that much for each of its requests. If it is private, no error quotes what
// the service answers or a script throws. The caller must call Close.
func Start(k6, folder string, flow handover.Login, timeout time.Duration, private bool) (*Client, error) {
	c := &Client{
		flow: flow, timeout: timeout, private: private,
		next: make(chan order), outcomes: make(chan outcome), ended: make(chan struct{}), output: &tail{},
	}
	login, err := inVariable(flow)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for k6: %w", err)
	}
	server := &http.Server{Handler: c.control(), ReadHeaderTimeout: timeout}
	go func() { _ = server.Serve(listener) }() // until it is closed
	// With thresholds or a summary, k6 would keep several samples of each login in memory.
	arguments := loadtests.Arguments(filepath.Join(folder, loadtests.Rehearsal), "--no-thresholds", "--summary-mode=disabled")
	command := exec.Command(k6, arguments...)
	// The rest of this process's environment can be that of the user's service, and would configure k6 and its
	// memory.
	own := slices.DeleteFunc(os.Environ(), func(variable string) bool { return !strings.HasPrefix(variable, envvar.Prefix) })
	command.Env = loadtests.Environ(own,
		envvar.Control+"=http://"+listener.Addr().String(), envvar.Login+"="+login,
		envvar.Timeout+"="+strconv.FormatInt(timeout.Milliseconds(), 10))
	command.Stdout, command.Stderr = c.output, c.output
	if err := command.Start(); err != nil {
		return nil, errors.Join(fmt.Errorf("start k6: %w", err), server.Close())
	}
	c.pid = command.Process.Pid
	c.stop = func() {
		_ = command.Process.Kill() // fails if k6 has ended
		<-c.ended
		_ = server.Close()
	}
	go func() {
		_ = command.Wait() // how it ended is in its output
		close(c.ended)
	}()
	return c, nil
}

// inVariable returns a flow as JSON without escapes of <, > and &, which would take six bytes each of
// the 128 KiB that a variable can have. A script is beside k6 already.
func inVariable(flow handover.Login) (string, error) {
	flow.Script = ""
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(flow)
	return text.String(), err
}

// Close ends k6.
func (c *Client) Close() { c.stop() }

// PID returns the number of k6's process.
func (c *Client) PID() int { return c.pid }

// SetupLimit is how long the requests of several accounts may take on all pods.
const SetupLimit = 5 * time.Minute

// Setup sends the requests before the first login, for each account. The error names the request that failed, and quotes
// its response, or is the context's.
func (c *Client) Setup(ctx context.Context, a Account) error {
	if len(c.flow.Setup) == 0 {
		return nil
	}
	accounts := c.flow.NumberOfAccounts()
	ctx, cancel := context.WithTimeoutCause(ctx, SetupLimit, ErrSetup)
	defer cancel()
	for n := range accounts {
		if err := c.setup(ctx, a.Numbered(n)); err != nil && accounts > 1 {
			return fmt.Errorf("account %d of %d: %w", n+1, accounts, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (c *Client) setup(ctx context.Context, a Account) error {
	got, err := c.send(ctx, order{a, true})
	if err != nil || got.OK {
		return err
	}
	if i := got.Step - 1; i >= 0 && i < len(c.flow.Setup) {
		name := c.flow.Setup[i].Name
		if name == "" {
			name = fmt.Sprintf("setup request %d", got.Step)
		}
		return got.unexpected(name, c.flow.Setup[i].Expect)
	}
	return got.failed("the requests of setup failed")
}

// Login logs in once, without cookies of earlier logins. The error is as for Setup.
func (c *Client) Login(ctx context.Context, a Account) error {
	got, err := c.send(ctx, order{a, false})
	if err != nil || got.OK {
		return err
	}
	if i := c.step(got); i >= 0 {
		return got.unexpected(c.flow.Title(i), c.flow.Steps[i].Expect)
	}
	return got.failed("the login failed")
}

// LoginWrongly logs in with a wrong password. All steps but the last must succeed, and the response of
// the last, or of a script, must have a status that the flow expects then.
func (c *Client) LoginWrongly(ctx context.Context, a Account) error {
	got, err := c.send(ctx, order{a, false})
	i, wrong := c.step(got), c.flow.Wrong
	switch {
	case err != nil:
		return err
	case got.OK:
		return got.failed("the login succeeded")
	case i >= 0 && i < len(c.flow.Steps)-1:
		return got.unexpected(c.flow.Title(i), c.flow.Steps[i].Expect)
	case wrong.Accepts(got.Status):
		return nil
	case i >= 0:
		return got.unexpected(c.flow.Title(i), wrong)
	default:
		return got.failed(fmt.Sprintf("instead of %s, the login failed", wrong))
	}
}

// step returns the index of the step that failed, or -1 if it is unknown. Whatever a script returns as
// its step is ignored.
func (c *Client) step(o outcome) int {
	if o.Step < 1 || o.Step > len(c.flow.Steps) {
		return -1
	}
	return o.Step - 1
}

// unexpected returns how the response to a request is not as expected.
func (o outcome) unexpected(name string, expect handover.ExpectedResponse) error {
	switch {
	case o.Error != "":
		return fmt.Errorf("%s: the request failed: %s", name, o.Error)
	case o.Status == http.StatusTooManyRequests && !expect.Accepts(o.Status):
		return fmt.Errorf("%s: the status was 429: the service limits how often a caller or an account logs in; raise or turn off that limit, or log in with more service.own.login.accounts", name)
	case expect.Accepts(o.Status):
		return fmt.Errorf("%s: %s was not found in the response, which has the status %d. %s", name, o.Missing, o.Status, o.quoted("It begins with", o.Body))
	case o.Location != "":
		return fmt.Errorf("%s: the status was %d, and %s was expected. %s", name, o.Status, expect, o.quoted("The response redirects to", o.Location))
	default:
		return fmt.Errorf("%s: the status was %d, and %s was expected. %s", name, o.Status, expect, o.quoted("The response begins with", o.Body))
	}
}

// failed returns an error that begins with what happened, and quotes the exception or the response.
func (o outcome) failed(what string) error {
	if o.Status != 0 {
		what += fmt.Sprintf(" with the status %d", o.Status)
	}
	if o.Error != "" {
		return fmt.Errorf("%s: %s: %.*q", scriptStep, what, quotedText, o.Error)
	}
	return fmt.Errorf("%s: %s. %s", scriptStep, what, o.quoted("The response begins with", o.Body))
}

// send lets k6 send requests, and waits for the outcome. k6 limits the time of each request, and not
// that of a script.
func (c *Client) send(ctx context.Context, o order) (outcome, error) {
	limit := c.timeout + patience
	if o.Setup {
		limit += c.timeout * time.Duration(len(c.flow.Setup))
	}
	late := fmt.Errorf("%s: the login did not end within %s", scriptStep, limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, late)
	defer cancel()
	select {
	case c.next <- o:
	case <-c.ended:
		return outcome{}, c.hasEnded()
	case <-ctx.Done():
		return outcome{}, context.Cause(ctx)
	}
	select {
	case got := <-c.outcomes:
		if c.private {
			got.hide(c.flow)
		}
		return got, nil
	case <-c.ended:
		return outcome{}, c.hasEnded()
	case <-ctx.Done():
		return outcome{}, context.Cause(ctx)
	}
}

func (c *Client) hasEnded() error {
	field := "spec.service.own.login"
	if c.flow.Script != "" {
		field += ".script"
	}
	output := c.output.String()
	if c.private {
		output = Hidden
	}
	return fmt.Errorf("%s: k6 could not run %s: %.*q", scriptStep, field, quotedText, output)
}

// Hidden replaces what a service with a key of a Secret answers or prints, where it would be quoted.
const Hidden = "not shown, because service.own names a Secret"

// hide removes what the service or a script says, and keeps what k6 counts.
func (o *outcome) hide(flow handover.Login) {
	o.private, o.Body, o.Location = true, "", ""
	if o.Error != "" {
		o.Error = Hidden
	}
	if !extracts(flow, o.Missing) {
		o.Missing = "a value"
	}
}

// extracts reports whether a request of a flow extracts a value of a name.
func extracts(flow handover.Login, name string) bool {
	return slices.ContainsFunc(slices.Concat(flow.Setup, flow.Steps), func(r handover.Request) bool {
		return slices.ContainsFunc(r.Extract, func(e handover.Extraction) bool { return e.Name == name })
	})
}

// quoted returns what a response or an exception says, after a few words, or that it is not shown.
func (o outcome) quoted(words, text string) string {
	if o.private {
		return "The response is " + Hidden
	}
	return fmt.Sprintf("%s %.*q", words, quotedText, text)
}

// control answers k6, which asks what to do next and reports what became of it.
func (c *Client) control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /next", func(w http.ResponseWriter, r *http.Request) {
		select {
		case o := <-c.next:
			_ = json.NewEncoder(w).Encode(o) // fails if k6 has ended
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("POST /outcome", func(w http.ResponseWriter, r *http.Request) {
		var got outcome
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, longestOutcome)).Decode(&got); err != nil {
			got = outcome{Error: "k6 reported the login in an unknown form: " + err.Error()}
		}
		select {
		case c.outcomes <- got:
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
