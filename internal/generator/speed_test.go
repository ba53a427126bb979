package generator_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/generator"
)

// timing returns a pod that has run for a while. It has timed a hash of 1 ms in each second
// before the load, and of 2 ms in each second of the load.
func timing(t *testing.T, age time.Duration, breaks func(reading int64, service *evidence.Service), spoil func(*evidence.Speed)) *httptest.Server {
	t.Helper()
	began := time.Now().Add(-age)
	server := pod(t, func(n int64, s *evidence.Service) {
		s.UptimeMicroseconds = time.Since(began).Microseconds()
		if breaks != nil {
			breaks(n, s)
		}
	})
	server.Config.Handler.(*http.ServeMux).HandleFunc("GET /speed", func(w http.ResponseWriter, r *http.Request) {
		from, _ := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
		speed := evidence.Speed{From: from}
		for second := from; second < from+evidence.MostSpeedSeconds && second < int64(age/time.Second)+4100; second++ {
			nanoseconds := int64(1e6)
			if second >= int64(age/time.Second) {
				nanoseconds = 2e6
			}
			speed.Nanoseconds, speed.Hashes = append(speed.Nanoseconds, nanoseconds), append(speed.Hashes, 1)
		}
		if spoil != nil {
			spoil(&speed)
		}
		_ = json.NewEncoder(w).Encode(speed)
	})
	return server
}

func TestARunHasATimelineOnThePlansClock(t *testing.T) {
	// The process is 100.9 s old, so that the load begins near the end of a second. Otherwise
	// the test would not detect seconds that are not moved.
	service := timing(t, 100_900*time.Millisecond, nil, nil)
	load := config(t, twenty(), "0", service)
	load.Plan.Steps[0].DrainMilliseconds = 4_099_900 // more than one response of 4,000 s
	got, err := generator.Run(t.Context(), load, nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if got.Timeline == nil {
		t.Fatal("there is no timeline")
	}
	if window, count := got.Timeline.Window, len(got.Timeline.HashNanoseconds); window != 12*time.Second || count != 342 {
		t.Fatalf("%d windows of %s, want 342 of 12 s for 4,100 s", count, window)
	}
	for i, nanoseconds := range got.Timeline.HashNanoseconds {
		want := int64(2e6)
		if i > 0 && nanoseconds != want {
			t.Errorf("window %d has hashes of %d ns, want %d", i, nanoseconds, want)
		}
	}
}

func TestWithoutEveryPodsSpeedThereIsNoTimeline(t *testing.T) {
	for name, test := range map[string]struct {
		breaks func(reading int64, service *evidence.Service)
		spoil  func(*evidence.Speed)
	}{
		"a pod was restarted": {breaks: func(n int64, s *evidence.Service) {
			if n == 4 { // the one after the load
				s.InstanceID = "two"
			}
		}},
		"a pod returns other seconds":     {spoil: func(s *evidence.Speed) { s.From++ }},
		"a pod leaves out hashes":         {spoil: func(s *evidence.Speed) { s.Hashes = s.Hashes[1:] }},
		"a pod has a negative hash count": {spoil: func(s *evidence.Speed) { s.Hashes[0] = -1 }},
		"a pod has negative CPU time":     {spoil: func(s *evidence.Speed) { s.Nanoseconds[0] = -1 }},
		"a pod returns too many seconds":  {spoil: func(s *evidence.Speed) { *s = more(*s) }},
		"a pod returns an invalid speed":  {spoil: func(s *evidence.Speed) { s.Hashes, s.Nanoseconds = nil, []int64{1} }},
	} {
		t.Run(name, func(t *testing.T) {
			good, bad := timing(t, time.Second, nil, nil), timing(t, time.Second, test.breaks, test.spoil)
			got, err := generator.Run(t.Context(), config(t, twenty(), "0", good, bad), nil, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if got.Timeline != nil {
				t.Errorf("there is a timeline: %s", fmt.Sprint(got.Timeline))
			}
		})
	}
}

func more(s evidence.Speed) evidence.Speed {
	for len(s.Hashes) <= evidence.MostSpeedSeconds {
		s.Hashes, s.Nanoseconds = append(s.Hashes, 1), append(s.Nanoseconds, 1)
	}
	return s
}

// After the load, each pod hashes one login at a time, and the mean of these hashes is read.
func TestHashesOfTheIdleServiceAreTimedAfterTheLoad(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		want   int64
	}{
		"the mean of all pods":                  {http.StatusOK, 2_500_000},
		"a login that is refused tells nothing": {http.StatusServiceUnavailable, 0},
	} {
		t.Run(name, func(t *testing.T) {
			idle := func(hash int64) *httptest.Server {
				var logins atomic.Int64
				service := pod(t, func(_ int64, s *evidence.Service) {
					s.TimedHashes, s.HashMicroseconds = 100+logins.Load(), 100*9_000+hash*logins.Load()
				})
				service.Config.Handler.(*http.ServeMux).HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
					if user, password, _ := r.BasicAuth(); user == "user" && password == "password" {
						logins.Add(1)
					}
					w.WriteHeader(test.status)
				})
				return service
			}
			load := config(t, twenty(), "0", idle(2_000), idle(3_000))
			load.User, load.Password = "user", "password"
			got, err := generator.Run(t.Context(), load, nil, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if off := got.IdleHashNanoseconds - test.want; off < -100_000 || off > 100_000 {
				t.Errorf("an idle hash took %d ns, want about %d", got.IdleHashNanoseconds, test.want)
			}
		})
	}
}
