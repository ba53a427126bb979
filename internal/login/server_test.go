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

// listen returns a listener on loopback.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// serve runs Serve until stop is called, which returns its error.
func serve(t *testing.T, handler http.Handler, listeners ...net.Listener) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, handler, log.New(io.Discard, "", 0), listeners...) }()
	return func() error {
		cancel()
		return <-ended
	}
}

// TestServeWithTLS asks both listeners of a service. The second has a certificate of today's kind.
func TestServeWithTLS(t *testing.T) {
	t.Parallel()
	plain, behind := listen(t), listen(t)
	secure, err := WithTLS(behind)
	if err != nil {
		t.Fatal(err)
	}
	stop := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), plain, secure)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	for _, address := range []string{"http://" + plain.Addr().String(), "https://" + secure.Addr().String()} {
		response, err := client.Do(request(t.Context(), t, "GET", address, "", ""))
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
	if err := stop(); err != nil {
		t.Error(err)
	}
	for _, listener := range []net.Listener{plain, behind} {
		if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("a listener is still open: %v", err)
		}
	}
}

func TestServeFinishesWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	pool := hold(1, 4)
	service, _ := start(t, pool)
	listener := listen(t)
	address := listener.Addr().String()
	stop := serve(t, service.Handler(), listener)
	var inside sync.WaitGroup
	for range 3 {
		inside.Go(func() {
			response, body := send(t, request(t.Context(), t, "POST", "http://"+address+"/login", jsonType, goodLogin))
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
		connection, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
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
	listener := listen(t)
	stop := serve(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(begun)
		<-free
	}), listener)
	var caller sync.WaitGroup
	caller.Go(func() {
		response, err := http.DefaultClient.Do(request(t.Context(), t, "GET", "http://"+listener.Addr().String(), "", ""))
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
	listener := listen(t)
	_ = listener.Close()
	err := Serve(t.Context(), http.NotFoundHandler(), log.New(io.Discard, "", 0), listener)
	if !errors.Is(err, net.ErrClosed) {
		t.Errorf("error %v, want %v", err, net.ErrClosed)
	}
}
