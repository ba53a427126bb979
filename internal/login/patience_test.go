package login

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
)

// pipes is a listener without a network, so that hours pass in no time.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	connection, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return connection, nil
}

func (p pipes) Close() error { close(p); return nil }

func (p pipes) Addr() net.Addr { return &net.UnixAddr{} }

// dial connects to the server.
func (p pipes) dial(t *testing.T) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	p <- theirs
	return ours
}

// say sends raw text and returns the answer's code, 0 without an answer.
func say(t *testing.T, connection net.Conn, text string) int {
	t.Helper()
	if _, err := connection.Write([]byte(text)); err != nil {
		t.Error(err)
		return 0
	}
	response, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Error(err)
		return 0
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// rawLogin returns the bytes of a successful login request.
func rawLogin() string {
	return fmt.Sprintf("POST /login HTTP/1.1\r\nHost: h\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		jsonType, len(goodLogin), goodLogin)
}

// inFakeTime runs a test in a bubble of synctest, where a sleep takes no real time.
func inFakeTime(t *testing.T, test func(t *testing.T, service *Service, listener pipes)) {
	t.Helper()
	account := testAccount(t)
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(1, 8)
		service, err := New(Options{Account: account, Concurrency: pool, Observer: blind{}})
		if err != nil {
			t.Fatal(err)
		}
		listener := make(pipes)
		server := newServer(service.Handler())
		var served sync.WaitGroup
		served.Go(func() { _ = server.Serve(listener) })
		test(t, service, listener)
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		served.Wait()
		pool.Close()
	})
}

// blind observes nothing, because the kernel's clocks don't follow fake time.
type blind struct{ Observer }

func (blind) Container() *cgroup.Container { return nil }

func TestAWaitOfMinutesIsNotTakenForAHangUp(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, service *Service, listener pipes) {
		release := make(chan struct{})
		var busy sync.WaitGroup
		busy.Go(func() {
			_ = service.options.Concurrency.Do(t.Context(), func() { <-release })
		})
		synctest.Wait()
		begin := time.Now()
		time.AfterFunc(5*time.Minute, func() { close(release) })
		caller := listener.dial(t)
		code := say(t, caller, rawLogin())
		if code != http.StatusOK || time.Since(begin) < 5*time.Minute {
			t.Errorf("%d after %s, want 200 after five minutes in the queue", code, time.Since(begin))
		}
		busy.Wait()
		_ = caller.Close()
	})
}

func TestAConnectionThatIdlesBetweenStepsIsKept(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, _ *Service, listener pipes) {
		caller := listener.dial(t)
		for range 2 {
			if code := say(t, caller, rawLogin()); code != http.StatusOK {
				t.Errorf("%d, want 200", code)
			}
			time.Sleep(time.Hour)
		}
		_ = caller.Close()
	})
}

func TestABodyThatDoesNotComeIsRefused(t *testing.T) {
	t.Parallel()
	inFakeTime(t, func(t *testing.T, service *Service, listener pipes) {
		begin := time.Now()
		caller := listener.dial(t)
		code := say(t, caller, "POST /login HTTP/1.1\r\nHost: h\r\nContent-Length: 60\r\n\r\n{")
		if code != http.StatusBadRequest || time.Since(begin) != requestTimeout {
			t.Errorf("%d after %s, want 400 after %s", code, time.Since(begin), requestTimeout)
		}
		if got := service.hashes.Load(); got != 0 {
			t.Errorf("%d hashes were spent on it", got)
		}
		_ = caller.Close()
	})
}
