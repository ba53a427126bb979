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
	// requestPatience bounds how long a request may take to arrive, body included.
	requestPatience = 10 * time.Second
	// drainPatience bounds how long logins may take to end once the service was
	// told to: a little less than its pod's grace period of 5 s.
	drainPatience  = 4 * time.Second
	maxHeaderBytes = 16 << 10
)

// ErrCutOff means that logins were still under way when the drain had to end.
var ErrCutOff = errors.New("logins under way were cut off")

// Serve answers on a listener until the context ends. Then it closes the
// listener and waits for the logins under way, up to 4 s. The error wraps
// ErrCutOff, or is the listener's.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, errorLog *log.Logger) error {
	server := newServer(handler)
	server.ErrorLog = errorLog
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serve logins: %w", err)
	case <-ctx.Done():
	}
	// The context is over; what is under way has a time of its own.
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainPatience)
	defer cancel()
	if err := server.Shutdown(grace); err != nil {
		return errors.Join(fmt.Errorf("%w after %s", ErrCutOff, drainPatience), server.Close())
	}
	return nil
}

// newServer bounds how long a request may take to arrive, and nothing else. A
// login may rightly wait as long as its caller does, so that there is no
// WriteTimeout. A connection that the server closes between two steps of a load
// test would count as an error there, so that there is no IdleTimeout, which
// takes a negative number: by default it is the ReadTimeout. The trial's
// deadline ends them all. The ReadTimeout does not end the watch for callers
// that hang up, because net/http lifts it at the end of the body
// (connReader.startBackgroundRead).
func newServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:        handler,
		ReadTimeout:    requestPatience,
		IdleTimeout:    -1,
		MaxHeaderBytes: maxHeaderBytes,
	}
}
