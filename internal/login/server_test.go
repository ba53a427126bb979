package login

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// serve runs Serve on loopback until stop is called, which returns its error.
func serve(t *testing.T, handler http.Handler) (url string, stop func() error) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, handler, log.New(io.Discard, "", 0), listener) }()
	return "http://" + listener.Addr().String(), func() error {
		cancel()
		return <-ended
	}
}

// TestServeWithTLS asks both listeners of a service. The second has a certificate of today's kind.
func TestServeWithTLS(t *testing.T) {
	t.Parallel()
	var listeners []net.Listener
	for range 2 {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		listeners = append(listeners, listener)
	}
	secure, err := WithTLS(listeners[1])
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	go func() { ended <- Serve(ctx, handler, log.New(io.Discard, "", 0), listeners[0], secure) }()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, address := range []string{"http://" + listeners[0].Addr().String(), "https://" + secure.Addr().String()} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != http.StatusNoContent {
			t.Errorf("%s answered %s", address, response.Status)
		}
		state := response.TLS
		if strings.HasPrefix(address, "https:") && (state == nil || state.Version != tls.VersionTLS13 ||
			state.PeerCertificates[0].PublicKeyAlgorithm != x509.ECDSA || time.Until(state.PeerCertificates[0].NotAfter) < time.Hour) {
			t.Errorf("the connection is %+v", state)
		}
	}
	client.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for _, listener := range listeners {
		if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a listener is still open: %v", err)
		}
	}
}

func TestServeFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	pool := hold(1, 4)
	service, _ := start(t, pool)
	url, stop := serve(t, service.Handler())
	var inside sync.WaitGroup
	for range 3 {
		inside.Go(func() {
			response, body := send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin))
			if response.StatusCode != http.StatusOK {
				t.Errorf("%d %s, want 200", response.StatusCode, body)
			}
		})
	}
	await(t, "one is hashed and two wait", func() bool { return len(pool.begun) == 1 && pool.Queued() == 2 })
	var stopped sync.WaitGroup
	stopped.Go(func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	})
	await(t, "the listener is closed", func() bool {
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", url[len("http://"):])
		if err == nil {
			_ = connection.Close()
		}
		return err != nil
	})
	close(pool.free)
	inside.Wait()
	stopped.Wait()
}

func TestServeCutsOffWhatDoesNotEnd(t *testing.T) {
	t.Parallel()
	free, begun := make(chan struct{}), make(chan struct{})
	url, stop := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(begun)
		<-free
	}))
	var caller sync.WaitGroup
	caller.Go(func() {
		response, err := http.DefaultClient.Do(request(t.Context(), t, "GET", url, "", ""))
		if err == nil {
			_ = response.Body.Close()
			t.Error("a request that never ends was answered")
		}
	})
	<-begun
	if err := stop(); !errors.Is(err, ErrCutOff) {
		t.Errorf("error %v, want %v", err, ErrCutOff)
	}
	caller.Wait()
	close(free)
}

func TestServeTellsOfABrokenListener(t *testing.T) {
	t.Parallel()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	err = Serve(t.Context(), http.NotFoundHandler(), log.New(io.Discard, "", 0), listener)
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v, want %v", err, net.ErrClosed)
	}
}
