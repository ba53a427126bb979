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
	// headerPatience bounds how long a caller may take over its headers.
	headerPatience = 10 * time.Second
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
//
// There is no ReadTimeout, WriteTimeout or IdleTimeout: a login may rightly wait
// in the queue as long as its caller does, a ReadTimeout would end the watch for
// callers that hang up, and a connection that the server closes between two
// steps of a load test would count as an error there. The trial's deadline ends
// them all.
func Serve(ctx context.Context, listener net.Listener, handler http.Handler, errorLog *log.Logger) error {
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerPatience,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          errorLog,
	}
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
