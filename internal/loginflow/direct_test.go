package loginflow_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/loginflow"
)

// Readiness is a response or a connection. The liveness probe never sends the password.
func TestHowAServiceSaysThatItIsReadyAndAlive(t *testing.T) {
	sent := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, has := r.BasicAuth()
		if has {
			sent++
		}
		switch {
		case r.URL.Path == "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		case r.URL.Path == "/moved":
			w.WriteHeader(http.StatusFound)
		case r.URL.Path != "/open" && (user != "ada" || password != "sesame"):
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer service.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := "http://" + listener.Addr().String()
	_ = listener.Close()
	basic := func(path string) handover.HealthCheck { return handover.HealthCheck{Path: path, Auth: "Basic"} }
	status := func(path string, all ...int32) handover.HealthCheck {
		return handover.HealthCheck{Path: path, Expect: handover.ExpectedResponse{Status: all}}
	}
	for name, test := range map[string]struct {
		address      string
		check        handover.HealthCheck
		ready, alive string // what the error says; "" if there is none
	}{
		"an open path":                  {service.URL, handover.HealthCheck{Path: "/open"}, "", ""},
		"a redirect":                    {service.URL, handover.HealthCheck{Path: "/moved"}, "", ""},
		"a path that wants a password":  {service.URL, handover.HealthCheck{Path: "/"}, "GET / returned 401 Unauthorized", "401"},
		"the same, with the password":   {service.URL, basic("/"), "", ""},
		"the same, by its refusal":      {service.URL, status("/", 401), "", ""},
		"another status than expected":  {service.URL, status("/open", 204), "GET /open returned 200 OK", "200"},
		"a failure, with the password":  {service.URL, basic("/broken"), "500", "500"},
		"a connection":                  {service.URL, handover.HealthCheck{}, "", ""},
		"a connection to a closed port": {closed, handover.HealthCheck{}, "refused", "refused"},
		"a closed port":                 {closed, basic("/"), "refused", "refused"},
	} {
		client := loginflow.NewDirect(5*time.Second, false)
		to := loginflow.Account{Address: test.address, User: "ada", Password: "sesame"}
		if err := client.Ready(t.Context(), to, test.check); (err == nil) != (test.ready == "") || err != nil && !strings.Contains(err.Error(), test.ready) {
			t.Errorf("%s: ready: %v, want %q", name, err, test.ready)
		}
		before := sent
		if err := client.Alive(t.Context(), test.address, test.check); (err == nil) != (test.alive == "") || err != nil && !strings.Contains(err.Error(), test.alive) || sent != before {
			t.Errorf("%s: alive: %v, want %q, and the password was sent %d times", name, err, test.alive, sent-before)
		}
	}
}

// A response that is not HTTP is quoted in the error of Go's client.
func TestNoErrorOfARequestQuotesAResponse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Write([]byte("s3cret\r\n\r\n"))
			_ = connection.Close()
		}
	}()
	refuses := httptest.NewServer(http.NotFoundHandler())
	defer refuses.Close()
	for address, want := range map[string]string{
		"http://" + listener.Addr().String(): "the response is " + loginflow.Hidden,
		refuses.URL:                          "GET / returned 404 Not Found",
		"http://127.0.0.1:1":                 "refused",
	} {
		err := loginflow.NewDirect(5*time.Second, false).Ready(t.Context(), loginflow.Account{Address: address}, handover.HealthCheck{Path: "/"})
		if err == nil {
			t.Fatalf("%s is ready", address)
		}
		if said := loginflow.Quotable(err).Error(); !strings.Contains(said, want) || strings.Contains(said, "s3cret") {
			t.Errorf("%v became %s", err, said)
		}
	}
}
