package login

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/password"
)

// scripted is a CPU clock and an uptime that tests set.
type scripted struct{ cpu, uptime time.Duration }

func (s *scripted) timer() *hashTimer {
	return newHashTimer(func() (time.Duration, error) { return s.cpu, nil }, func() time.Duration { return s.uptime })
}

// hash takes some CPU time, and a longer wall time.
func (s *scripted) hash(cpu, wall time.Duration) func() {
	return func() { s.cpu += cpu; s.uptime += wall }
}

func TestAHashIsBookedInTheSecondOfItsMidpoint(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	clock := &scripted{cpu: time.Hour}
	timer := clock.timer()
	clock.uptime = 900 * ms
	timer.time(clock.hash(14*ms, 150*ms)) // midpoint 0.975 s
	timer.time(clock.hash(15*ms, 100*ms)) // midpoint 1.1 s
	clock.uptime = 3000 * ms
	timer.time(clock.hash(16*ms, 2*ms))
	timer.time(clock.hash(17*ms, 2*ms))
	want := evidence.Speed{
		Nanoseconds: []int64{14e6, 15e6, 0, 33e6},
		Hashes:      []int64{1, 1, 0, 2},
	}
	if diff := cmp.Diff(want, timer.speed(0)); diff != "" {
		t.Errorf("speed (-want +got):\n%s", diff)
	}
	if got, want := timer.sum(), (timed{hashes: 4, nanoseconds: 62e6}); got != want {
		t.Errorf("in total %+v, want %+v", got, want)
	}
}

func TestSpeedIsBounded(t *testing.T) {
	t.Parallel()
	clock := &scripted{}
	timer := clock.timer()
	for _, second := range []time.Duration{0, 4999, mostSeconds - 1, mostSeconds, 10 * mostSeconds} {
		clock.uptime = second * time.Second
		timer.time(clock.hash(time.Millisecond, 0))
	}
	if got := timer.sum().hashes; got != 5 {
		t.Errorf("%d hashes in total, want 5: those of late seconds too", got)
	}
	if got := len(timer.seconds); got != mostSeconds {
		t.Errorf("%d seconds are kept, want %d", got, mostSeconds)
	}
	for from, want := range map[int64]int{
		0: evidence.MostSpeedSeconds, 4000: evidence.MostSpeedSeconds,
		mostSeconds - 10: 10, mostSeconds: 0, 1 << 62: 0,
	} {
		got := timer.speed(from)
		if len(got.Nanoseconds) != want || len(got.Hashes) != want || got.From != from {
			t.Errorf("from %d: %d and %d seconds from %d, want %d", from, len(got.Nanoseconds), len(got.Hashes), got.From, want)
		}
	}
	if got := timer.speed(4000).Hashes[999]; got != 1 {
		t.Errorf("%d hashes in second 4999, want 1", got)
	}
}

func TestAHashRunsUntimed(t *testing.T) {
	t.Parallel()
	none := func() time.Duration { return 0 }
	tests := map[string]*hashTimer{
		"without a clock": newHashTimer(nil, none),
		"if the clock fails": newHashTimer(func() (time.Duration, error) {
			return 0, errors.New("broken")
		}, none),
	}
	for name, timer := range tests {
		ran := false
		timer.time(func() { ran = true })
		if got := timer.sum(); !ran || got != (timed{}) {
			t.Errorf("%s: it ran: %v, and was booked as %+v", name, ran, got)
		}
	}
}

func TestNoMoreThan64HashesAreTimedAtOnce(t *testing.T) {
	t.Parallel()
	timer := new(scripted).timer()
	begun, free := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			timer.time(func() {
				begun <- struct{}{}
				<-free
			})
		})
	}
	for range 100 {
		<-begun
	}
	close(free)
	all.Wait()
	timer.time(func() {})
	if got := timer.sum().hashes; got != 65 {
		t.Errorf("%d hashes were timed, want 64 at once and the one after", got)
	}
}

func TestEvidenceAndSpeedAgree(t *testing.T) {
	t.Parallel()
	_, url := start(t, NewPool(1, 8))
	before := read(t, url)
	for range 5 {
		send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin))
	}
	reading, speed := read(t, url), readSpeed(t, url)
	if used, err := evidence.Between(before, reading); err != nil || used.Hashes != 5 || used.CPUMicroseconds <= 0 || used.ElapsedMicroseconds <= 0 {
		t.Errorf("five logins used %+v, error %v", used, err)
	}
	var sum timed
	for i := range speed.Hashes {
		sum.hashes += speed.Hashes[i]
		sum.nanoseconds += speed.Nanoseconds[i]
	}
	if reading.Hashes != 5 || reading.TimedHashes != 5 || sum.hashes != 5 {
		t.Errorf("%d hashes, %d timed, %d in single seconds; want 5 each", reading.Hashes, reading.TimedHashes, sum.hashes)
	}
	if sum.nanoseconds <= 0 || reading.HashMicroseconds != sum.nanoseconds/1000 {
		t.Errorf("%d µs in total, %d ns in single seconds", reading.HashMicroseconds, sum.nanoseconds)
	}
}

func TestSpeedFromAnInvalidSecond(t *testing.T) {
	t.Parallel()
	_, url := start(t, NewPool(1, 8))
	for _, from := range []string{"", "-1", "x", "1.5", "99999999999999999999"} {
		response, body := send(t, request(t.Context(), t, "GET", url+"/speed?from="+from, "", ""))
		if response.StatusCode != http.StatusBadRequest || !strings.Contains(body, "whole second") {
			t.Errorf("from=%q: %d %s, want 400", from, response.StatusCode, body)
		}
	}
}

func TestHashesOnSeveralThreadsAreNotTimed(t *testing.T) {
	t.Parallel()
	service, url := start(t, NewPool(1, 8))
	service.options.Recipe = password.Recipe{Algorithm: password.Argon2id}
	hard, err := New(service.options)
	if err != nil {
		t.Fatal(err)
	}
	if hard.timer.cpu != nil {
		t.Error("Argon2id hashes on several threads, and the clock of one is read")
	}
	if diff := cmp.Diff(evidence.Speed{Nanoseconds: []int64{}, Hashes: []int64{}}, readSpeed(t, url)); diff != "" {
		t.Errorf("the speed of a service that has not hashed (-want +got):\n%s", diff)
	}
}

func readSpeed(t *testing.T, url string) evidence.Speed {
	t.Helper()
	response, body := send(t, request(t.Context(), t, "GET", url+"/speed", "", ""))
	var speed evidence.Speed
	if err := json.Unmarshal([]byte(body), &speed); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%d %s: %v", response.StatusCode, body, err)
	}
	return speed
}
