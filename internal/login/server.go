package login

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"time"
)

const (
	// requestTimeout limits how long a request can take to arrive, including its body.
	requestTimeout = 10 * time.Second
	// drainTimeout limits how long logins can take to end after the service was told to
	// stop: a little less than the pod's grace period of 5 s.
	drainTimeout   = 4 * time.Second
	maxHeaderBytes = 16 << 10
)

// ErrCutOff means that logins were still under way at the end of the drain.
var ErrCutOff = errors.New("logins under way were cut off")

// Serve answers on the listeners until the context ends. Then it closes them and waits up to 4 s
// for the logins under way. The error wraps ErrCutOff, or is that of a listener.
func Serve(ctx context.Context, handler http.Handler, errorLog *log.Logger, listeners ...net.Listener) error {
	server := newServer(handler)
	server.ErrorLog = errorLog
	failed := make(chan error, len(listeners))
	for _, listener := range listeners {
		go func() { failed <- server.Serve(listener) }()
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serve logins: %w", err)
	case <-ctx.Done():
	}
	// The context has ended; the logins under way have their own timeout.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("%w after %s", ErrCutOff, drainTimeout), server.Close())
	}
	return nil
}

// newServer limits only how long a request can take to arrive. A login may wait as long as
// its caller does, so there is no WriteTimeout. A connection that the server closed between
// two steps of a load test would count as an error there, so there is no IdleTimeout: it
// must be negative, because by default it is the ReadTimeout. The trial's deadline ends all
// connections. The ReadTimeout does not end the detection of callers that hang up, because
// net/http lifts it at the end of the body (connReader.startBackgroundRead).
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:        handler,
		ReadTimeout:    requestTimeout,
		IdleTimeout:    -1,
		MaxHeaderBytes: maxHeaderBytes,
	}
}
