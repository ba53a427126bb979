package loginflow

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
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

// Ready sends a GET request as kubelet's probes do: any status from 200 to 399 is a success.
func (d *Direct) Ready(ctx context.Context, address, path string) error {
	status, _, err := d.Get(ctx, strings.TrimSuffix(address, "/")+path, 0)
	if err == nil && (status < http.StatusOK || status >= http.StatusBadRequest) {
		err = fmt.Errorf("GET %s returned %d %s", path, status, http.StatusText(status))
	}
	return err
}

// WaitReady calls Ready until it succeeds or the context ends, and passes each error to failed. It
// returns the last error.
func (d *Direct) WaitReady(ctx context.Context, address, path string, failed func(error)) error {
	for {
		err := d.Ready(ctx, address, path)
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
