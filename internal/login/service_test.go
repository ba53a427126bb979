package login

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/hashmark-dev/hashmark/internal/cgroup"
	"github.com/hashmark-dev/hashmark/internal/evidence"
)

// start serves logins on loopback with a concurrency.
func start(t *testing.T, concurrency Concurrency) (*Service, string) {
	t.Helper()
	return startWith(t, Options{Concurrency: concurrency, ThreadCPUTime: cgroup.ThreadCPUTime})
}

// startWith serves the logins of the test account on loopback.
func startWith(t *testing.T, options Options) (*Service, string) {
	t.Helper()
	observer, err := cgroup.Observe(os.DirFS("/"))
	if err != nil {
		t.Fatal(err)
	}
	options.Account, options.Observer, options.Recipe, options.HashesPerSecond = testAccount(t), observer, testRecipe, 2
	service, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(service.Handler())
	t.Cleanup(server.Close)
	return service, server.URL
}

func send(t *testing.T, request *http.Request) (*http.Response, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response, string(body)
}

func request(ctx context.Context, t *testing.T, method, url, contentType, body string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}

const goodLogin = `{"user":"` + testUser + `","password":"` + testPassword + `"}`

func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		method, path, contentType, body string
		basic                           [2]string
		code                            int
		says                            string
		hashes                          int64
	}{
		"a login by JSON":            {method: "POST", path: "/login", contentType: jsonType, body: goodLogin, code: 200, says: `"ok"`, hashes: 1},
		"a login by form":            {method: "POST", path: "/login", contentType: formType, body: "user=hashmark&password=correct+horse+battery+staple", code: 200, says: `"ok"`, hashes: 1},
		"a login by Basic auth":      {method: "GET", path: "/", basic: [2]string{testUser, testPassword}, code: 200, says: `"ok"`, hashes: 1},
		"a wrong password":           {method: "POST", path: "/login", contentType: formType, body: "user=hashmark&password=x", code: 401, says: "is wrong", hashes: 1},
		"an unknown user":            {method: "POST", path: "/login", contentType: formType, body: "user=x&password=x", code: 401, says: "is wrong", hashes: 1},
		"a wrong Basic auth":         {method: "GET", path: "/", basic: [2]string{testUser, "x"}, code: 401, says: "is wrong", hashes: 1},
		"no Basic auth":              {method: "GET", path: "/", code: 401, says: "Basic auth"},
		"too long by Basic auth":     {method: "GET", path: "/", basic: [2]string{testUser, strings.Repeat("x", 73)}, code: 400, says: "72 bytes"},
		"too long a password":        {method: "POST", path: "/login", contentType: formType, body: "user=u&password=" + strings.Repeat("x", 73), code: 400, says: "72 bytes"},
		"a password in the URL":      {method: "POST", path: "/login?user=u&password=p", contentType: formType, code: 400, says: "missing"},
		"a body without end":         {method: "POST", path: "/login", contentType: formType, body: strings.Repeat("x", maxBodyBytes+1), code: 413, says: "4096 bytes"},
		"a login by GET":             {method: "GET", path: "/login", code: 405},
		"a path that does not exist": {method: "GET", path: "/admin", code: 404},
		"health":                     {method: "GET", path: "/healthz", code: 200, says: `"ok"`},
		"readiness":                  {method: "GET", path: "/readyz", code: 200, says: `"ok"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service, url := start(t, Unbounded{})
			r := request(t.Context(), t, test.method, url+test.path, test.contentType, test.body)
			if test.basic[0] != "" {
				r.SetBasicAuth(test.basic[0], test.basic[1])
			}
			response, body := send(t, r)
			if response.StatusCode != test.code || !strings.Contains(body, test.says) {
				t.Errorf("%d %q, want %d and %q", response.StatusCode, body, test.code, test.says)
			}
			challenge := response.Header.Get("WWW-Authenticate")
			if (test.code == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Basic ") {
				t.Errorf("%d with the challenge %q", response.StatusCode, challenge)
			}
			if got := service.hashes.Load(); got != test.hashes {
				t.Errorf("%d hashes were spent, want %d", got, test.hashes)
			}
		})
	}
}

// held is a pool whose hashes wait until free is closed.
type held struct {
	*Pool
	begun, free chan struct{}
	// gone counts the callers that the server knows to have hung up.
	gone *atomic.Int64
}

func hold(workers, length int32) held {
	return held{
		Pool:  NewPool(workers, length),
		begun: make(chan struct{}, workers+length), free: make(chan struct{}),
		gone: new(atomic.Int64),
	}
}

func (h held) Do(ctx context.Context, hash func()) error {
	stop := context.AfterFunc(ctx, func() { h.gone.Add(1) })
	defer stop()
	return h.Pool.Do(ctx, func() {
		h.begun <- struct{}{}
		<-h.free
		hash()
	})
}

func TestAFullQueueIsAnsweredBy503(t *testing.T) {
	t.Parallel()
	pool := hold(1, 1)
	service, url := start(t, pool)
	var inside sync.WaitGroup
	for range 2 {
		inside.Go(func() {
			response, body := send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin))
			if response.StatusCode != http.StatusOK {
				t.Errorf("%d %s, want 200", response.StatusCode, body)
			}
		})
	}
	<-pool.begun
	await(t, "one login waits", func() bool { return pool.Queued() == 1 })
	response, body := send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin))
	if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, "full") {
		t.Errorf("%d %s, want 503", response.StatusCode, body)
	}
	if got := response.Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q, want 1: one in the queue, two hashes a second", got)
	}
	got := read(t, url)
	want := evidence.Service{InFlight: 2, Queued: 1, Refused: 1, Workers: 1, QueueLength: 1}
	if diff := cmp.Diff(want, withoutReading(got)); diff != "" {
		t.Errorf("evidence (-want +got):\n%s", diff)
	}
	close(pool.free)
	inside.Wait()
	await(t, "nothing is in flight", func() bool { return service.inFlight.Load() == 0 })
	if got := read(t, url).Hashes; got != 2 {
		t.Errorf("%d hashes, want 2", got)
	}
}

func TestACallerThatHangsUpInTheQueueIsNotHashedFor(t *testing.T) {
	t.Parallel()
	pool := hold(1, 4)
	service, url := start(t, pool)
	var inside sync.WaitGroup
	inside.Go(func() { send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin)) })
	<-pool.begun
	impatient, hangUp := context.WithCancel(t.Context())
	for _, r := range []*http.Request{
		request(impatient, t, "POST", url+"/login", jsonType, goodLogin),
		request(impatient, t, "GET", url+"/", "", ""),
	} {
		r.SetBasicAuth(testUser, testPassword)
		inside.Go(func() {
			response, err := http.DefaultClient.Do(r)
			if err == nil {
				_ = response.Body.Close()
				t.Errorf("%s %s was answered by %d", r.Method, r.URL.Path, response.StatusCode)
			}
		})
	}
	await(t, "both wait", func() bool { return pool.Queued() == 2 })
	hangUp()
	await(t, "the server notices both", func() bool { return pool.gone.Load() == 2 })
	close(pool.free)
	inside.Wait()
	await(t, "nothing is in flight", func() bool { return service.inFlight.Load() == 0 })
	got := read(t, url)
	if got.Hashes != 1 || got.Abandoned != 2 {
		t.Errorf("%d hashes and %d abandoned, want 1 and 2", got.Hashes, got.Abandoned)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	service, url := start(t, NewPool(1, 7))
	send(t, request(t.Context(), t, "POST", url+"/login", jsonType, goodLogin))
	send(t, request(t.Context(), t, "POST", url+"/login", formType, "user=a&password=b"))
	problems, err := testutil.GatherAndLint(service.metrics.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		t.Errorf("%s: %s", problem.Metric, problem.Text)
	}
	_, body := send(t, request(t.Context(), t, "GET", url+"/metrics", "", ""))
	for _, line := range []string{
		`hashmark_login_requests_total{code="200"} 1`,
		`hashmark_login_requests_total{code="401"} 1`,
		`hashmark_login_hash_duration_seconds_count 2`,
		`hashmark_login_hash_duration_seconds_bucket{le="0.001"}`,
		`hashmark_login_in_flight 0`,
		`hashmark_login_queue_length 0`,
		`hashmark_login_queue_capacity 7`,
		`hashmark_login_abandoned_total 0`,
		`hashmark_login_cfs_periods_total `,
		`hashmark_login_cfs_throttled_periods_total `,
		`hashmark_login_cfs_throttled_seconds_total `,
		`hashmark_login_gomaxprocs `,
		`hashmark_login_info{algorithm="bcrypt",concurrency="WorkerPool",cost="4",sessions="false"} 1`,
		`hashmark_login_session_requests_total 0`,
		"go_goroutines ",
		"process_cpu_seconds_total ",
	} {
		if !strings.Contains(body, line) {
			t.Errorf("the metrics lack %q", line)
		}
	}
}

func TestGateIsHealthyAndNotReadyUntilItOpens(t *testing.T) {
	t.Parallel()
	var gate Gate
	server := httptest.NewServer(&gate)
	defer server.Close()
	code := func(path string) int {
		response, _ := send(t, request(t.Context(), t, "GET", server.URL+path, "", ""))
		return response.StatusCode
	}
	if health, ready := code("/healthz"), code("/readyz"); health != 200 || ready != 503 {
		t.Errorf("closed: healthz %d, readyz %d, want 200 and 503", health, ready)
	}
	gate.Open(http.HandlerFunc(good))
	if health, ready := code("/healthz"), code("/readyz"); health != 200 || ready != 200 {
		t.Errorf("open: healthz %d, readyz %d, want 200 twice", health, ready)
	}
}

func read(t *testing.T, url string) evidence.Service {
	t.Helper()
	response, body := send(t, request(t.Context(), t, "GET", url+"/evidence", "", ""))
	var reading evidence.Service
	if err := json.Unmarshal([]byte(body), &reading); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%d %s: %v", response.StatusCode, body, err)
	}
	return reading
}

func withoutReading(s evidence.Service) evidence.Service {
	s.Reading = evidence.Reading{}
	return s
}

// await polls for events behind a socket, which offers nothing to wait on.
func await(t *testing.T, what string, happened func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !happened() {
		select {
		case <-deadline:
			t.Fatalf("timed out waiting until %s", what)
		case <-tick.C:
		}
	}
}
