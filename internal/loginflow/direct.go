package loginflow

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
)

const (
	// longestHeader is how long the header of a response may be, in bytes.
	longestHeader = 1 << 18
	// readyInterval is the time between two requests to a service that is not ready.
	readyInterval = 200 * time.Millisecond
)

// Direct sends requests to the pods that are measured, and nowhere else: it follows no redirect, and
// takes no proxy and no other setting from the environment. All requests that are not k6's go through
// it, because a user's own service decides what it answers.
type Direct struct{ client http.Client }

// NewDirect returns a client whose requests may take as long as the timeout each, with the response. If
// it does not keep connections, each request has one of its own, as kubelet's probes have.
//
// It does not verify certificates: the login service makes its own when it starts, and the account that
// it serves protects nothing.
func NewDirect(timeout time.Duration, keepConnections bool) *Direct {
	return &Direct{http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DisableKeepAlives: !keepConnections, MaxResponseHeaderBytes: longestHeader,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, //nolint:gosec // see above
		},
	}}
}

// Get sends a GET request, and returns the status and at most so many bytes of the response.
func (d *Direct) Get(ctx context.Context, address string, most int64) (status int, body []byte, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, nil, err
	}
	return d.send(request, most)
}

func (d *Direct) send(request *http.Request, most int64) (status int, body []byte, err error) {
	response, err := d.client.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return 0, nil, err
	}
	return response.StatusCode, body, nil
}

// Ready reports as an error what keeps a service from being ready.
func (d *Direct) Ready(ctx context.Context, to Account, check handover.HealthCheck) error {
	return d.check(ctx, to, check, func(status int) bool {
		if len(check.Expect.Status) > 0 {
			return check.Expect.Accepts(status)
		}
		return status >= http.StatusOK && status < http.StatusBadRequest
	})
}

// Alive checks a service as its liveness probe does, once it is ready. It sends no password, which the service would have
// to hash.
func (d *Direct) Alive(ctx context.Context, address string, check handover.HealthCheck) error {
	if check.Auth == "" {
		return d.Ready(ctx, Account{Address: address}, check)
	}
	check.Auth = ""
	return d.check(ctx, Account{Address: address}, check, func(status int) bool { return status < http.StatusInternalServerError })
}

func (d *Direct) check(ctx context.Context, to Account, check handover.HealthCheck, accepts func(status int) bool) error {
	if check.Path == "" {
		return d.connect(ctx, to.Address)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(to.Address, "/")+check.Path, nil)
	if err != nil {
		return err
	}
	if check.Auth != "" {
		request.SetBasicAuth(to.User, to.Password)
	}
	status, _, err := d.send(request, 0)
	if err == nil && !accepts(status) {
		err = &statusError{check.Path, status}
	}
	return err
}

// connect opens a TCP connection to the host of an address, and closes it.
func (d *Direct) connect(ctx context.Context, address string) error {
	to, err := url.Parse(address)
	if err != nil {
		return err
	}
	connection, err := (&net.Dialer{Timeout: d.client.Timeout}).DialContext(ctx, "tcp", to.Host)
	if err != nil {
		return err
	}
	return connection.Close()
}

// Quotable returns an error of a request without anything that a service answered: a response that is not HTTP is quoted in it.
func Quotable(err error) error {
	_, transport := errors.AsType[*net.OpError](err)
	_, status := errors.AsType[*statusError](err)
	closed := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	if transport || status || closed || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return errors.New("the response is " + Hidden)
}

// statusError is a response with another status than the expected one.
type statusError struct {
	path   string
	status int
}

func (e *statusError) Error() string {
	return fmt.Sprintf("GET %s returned %d %s", e.path, e.status, http.StatusText(e.status))
}

// WaitReady calls Ready until it succeeds or the context ends, and passes each error to failed. It
// returns the last error.
func (d *Direct) WaitReady(ctx context.Context, to Account, check handover.HealthCheck, failed func(error)) error {
	for {
		err := d.Ready(ctx, to, check)
		if err == nil {
			return nil
		}
		failed(err)
		select {
		case <-ctx.Done():
			return err
		case <-time.After(readyInterval):
		}
	}
}
