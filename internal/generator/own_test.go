package generator_test

import (
	"io"
	"strings"
	"testing"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/generator"
)

// ownService returns the configuration of a load of a user's own login service, with what k6 writes.
func ownService(t *testing.T, log string) generator.Config {
	t.Helper()
	// The observer counts no hashes, and 100 ms of CPU time between two readings.
	observed := pod(t, func(n int64, s *evidence.Service) { s.Hashes, s.CPUMicroseconds = 0, n*100_000 })
	config := config(t, log, "0", observed)
	config.Own = &handover.Login{Steps: []handover.Request{{Path: "/login"}}}
	return config
}

func TestTheLoginsOfAUsersOwnServiceCountAsItsHashes(t *testing.T) {
	got, err := generator.Run(t.Context(), ownService(t, twenty()), nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	used := got.Steps[0].Service
	if used == nil || used.Hashes != 20 || used.TimedHashes != 20 || used.HashMicroseconds != 100_000 || got.Timeline != nil {
		t.Errorf("the service used %+v for 20 logins, and the timeline is %v", used, got.Timeline)
	}
}

// TestTheTimeOfALoginIsUnknownIfManyFail has two of 20 logins that failed, which used CPU time, too.
func TestTheTimeOfALoginIsUnknownIfManyFail(t *testing.T) {
	for failed, want := range map[int]int64{1: 19, 2: 0} {
		got, err := generator.Run(t.Context(), ownService(t, strings.Replace(twenty(), " ok", " timedOut", failed)), nil, io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		if used := got.Steps[0].Service; used == nil || used.Hashes != want || used.TimedHashes != want || used.CPUMicroseconds != 100_000 {
			t.Errorf("with %d failed logins the service used %+v", failed, used)
		}
	}
}
