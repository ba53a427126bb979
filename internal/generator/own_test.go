package generator_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// ownService returns a user's own login service that needs a request before the first login, and
// a configuration to load it, with what k6 writes.
func ownService(t *testing.T, setup int, log string) (generator.Config, *atomic.Int64) {
	t.Helper()
	var setups atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /up", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("PUT /users/hashmark", func(w http.ResponseWriter, _ *http.Request) {
		setups.Add(1)
		w.WriteHeader(setup)
	})
	service := httptest.NewServer(mux)
	t.Cleanup(service.Close)
	// The observer counts no hashes, and 100 ms of CPU time between two readings.
	observed := pod(t, func(n int64, s *evidence.Service) { s.Hashes, s.CPUMicroseconds = 0, n*100_000 })
	config := config(t, log, "0", observed)
	config.Target, config.Pods, config.ReadyPath, config.AlivePath = service.URL, []string{service.URL}, "/up", "/up"
	config.User, config.Password = "hashmark", "x"
	config.Own = &handover.Login{
		Setup: []handover.Request{{Method: http.MethodPut, Path: "/users/$(HASHMARK_USER)"}},
		Steps: []handover.Request{{Path: "/login"}},
	}
	return config, &setups
}

func TestTheLoginsOfAUsersOwnServiceCountAsItsHashes(t *testing.T) {
	config, setups := ownService(t, http.StatusCreated, twenty())
	got, err := generator.Run(t.Context(), config, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	used := got.Steps[0].Service
	if used == nil || used.Hashes != 20 || used.TimedHashes != 20 || used.HashMicroseconds != 100_000 {
		t.Errorf("the service used %+v for 20 logins", used)
	}
	if got.Timeline != nil || setups.Load() != 1 {
		t.Errorf("the timeline is %v, and the account was made %d times", got.Timeline, setups.Load())
	}
}

// TestTheTimeOfALoginIsUnknownIfManyFail has two of 20 logins that failed, which used CPU time, too.
func TestTheTimeOfALoginIsUnknownIfManyFail(t *testing.T) {
	for failed, want := range map[int]int64{1: 19, 2: 0} {
		config, _ := ownService(t, http.StatusCreated, strings.Replace(twenty(), " ok", " timedOut", failed))
		got, err := generator.Run(t.Context(), config, nil, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if used := got.Steps[0].Service; used == nil || used.Hashes != want || used.TimedHashes != want || used.CPUMicroseconds != 100_000 {
			t.Errorf("with %d failed logins the service used %+v", failed, used)
		}
	}
}

func TestAServiceThatRefusesTheRequestsBeforeTheFirstLoginIsNotLoaded(t *testing.T) {
	config, _ := ownService(t, http.StatusConflict, twenty())
	_, err := generator.Run(t.Context(), config, nil, io.Discard)
	var got *measurement.Failure
	if !errors.As(err, &got) || got.Reason != handover.LoginFailed || !strings.Contains(got.Detail, "setup request 1: the status was 409") {
		t.Errorf("got %v", err)
	}
}
