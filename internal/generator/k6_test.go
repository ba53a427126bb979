//go:build k6

package generator_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// driveForReal runs k6 itself against a login handler on loopback, and optionally a handler
// of GET /.
func driveForReal(t *testing.T, plan loadplan.Plan, login http.HandlerFunc, alter func(map[string]string), root ...http.HandlerFunc) (measurement.Run, *atomic.Int64) {
	t.Helper()
	target, connections := serveLogins(t, login, root...)
	run, err := generator.Run(t.Context(), configForReal(t, plan, target, alter), &observer{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if message, err := measurement.Encode(run); err != nil {
		t.Errorf("encode the run: %v\n%s", err, message)
	}
	return run, connections
}

// serveLogins returns the address of a service on loopback, and the number of its
// connections.
func serveLogins(t testing.TB, login http.HandlerFunc, root ...http.HandlerFunc) (string, *atomic.Int64) {
	t.Helper()
	server, connections := newService(t, login, root...)
	server.Start()
	return server.URL, connections
}

// newService returns a service that does not listen yet, and the number of its connections.
func newService(t testing.TB, login http.HandlerFunc, root ...http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	connections := &atomic.Int64{}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ User, Password string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body.User != "hashmark" || body.Password == "" {
			http.Error(w, "no login", http.StatusBadRequest)
			return
		}
		login(w, r)
	})
	for _, handler := range root {
		mux.HandleFunc("GET /{$}", handler)
	}
	server := httptest.NewUnstartedServer(mux)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	t.Cleanup(server.Close)
	return server, connections
}

// configForReal returns the configuration of a load with k6 itself.
func configForReal(t testing.TB, plan loadplan.Plan, target string, alter func(map[string]string)) generator.Config {
	t.Helper()
	k6 := os.Getenv("HASHMARK_K6")
	if k6 == "" {
		t.Fatal("HASHMARK_K6 is not set: run `make test-unit`, which compiles k6 first, or set it to a k6 program")
	}
	variables := environment(t, plan)
	variables["HASHMARK_TARGET"], variables["HASHMARK_PODS"] = target, ""
	variables["HASHMARK_REMOTE_WRITE_LABELS"] = ""
	variables["HASHMARK_DEADLINE"] = time.Now().Add(2 * time.Minute).Format(time.RFC3339)
	variables["HASHMARK_REPLICAS"], variables["HASHMARK_K6"] = "1", k6
	if alter != nil {
		alter(variables)
	}
	config, err := generator.FromEnvironment(lookup(variables))
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// cookies answers logins with a session. It counts logins, and requests with a known and an
// unknown session.
type cookies struct{ logins, honoured, unknown atomic.Int64 }

func (c *cookies) logIn(w http.ResponseWriter, _ *http.Request) {
	value := strconv.FormatInt(c.logins.Add(1), 10)
	http.SetCookie(w, &http.Cookie{Name: "session", Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// come is GET /: nine in ten sessions are known.
func (c *cookies) come(w http.ResponseWriter, r *http.Request) {
	cookie, err := r.Cookie("session")
	if err != nil || strings.HasSuffix(cookie.Value, "0") {
		c.unknown.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	c.honoured.Add(1)
}

// TestCallersWithSessionsLogInOnceAStep runs two open steps and a closed one. The service
// does not know every tenth session, so that its caller has to log in again.
func TestCallersWithSessionsLogInOnceAStep(t *testing.T) {
	first, second := openAt(40, 2, true), openAt(40, 2, false)
	second.StartMilliseconds = 4000
	closed := loadplan.Step{Kind: loadplan.Closed, StartMilliseconds: 8000, SettleMilliseconds: 100, CountedMilliseconds: 900, DrainMilliseconds: 200, Callers: 2}
	plan := loadplan.Plan{Version: loadplan.Version, TimeoutMilliseconds: 2000, Steps: []loadplan.Step{first, second, closed}}
	for i := range plan.Steps {
		plan.Steps[i].Callers = 2
	}
	var service cookies
	run, _ := driveForReal(t, plan, service.logIn, func(v map[string]string) { v["HASHMARK_SESSIONS"] = "true" }, service.come)
	for i, step := range run.Steps {
		if step.OK < step.Scheduled/2 || step.NeverSent != 0 {
			t.Errorf("step %d: %+v", i, step)
		}
	}
	// Two callers in three steps, and one more login for each unknown session.
	if logins, again := service.logins.Load(), service.unknown.Load(); logins != 6+again && logins != 5+again {
		t.Errorf("%d logins, want one for each of two callers in three steps and %d more", logins, again)
	}
	if sent := run.Steps[0].Scheduled; service.honoured.Load() < sent {
		t.Errorf("only %d requests came with a session, of %d in the first step alone", service.honoured.Load(), sent)
	}
}

// oneAtATime answers a login after a service time, first come, first served.
func oneAtATime(service time.Duration) http.HandlerFunc {
	var worker sync.Mutex
	return func(w http.ResponseWriter, _ *http.Request) {
		worker.Lock()
		defer worker.Unlock()
		<-time.After(service)
		_, _ = w.Write([]byte("{}"))
	}
}

func openAt(rate, seconds int, reported bool) loadplan.Step {
	return loadplan.Step{
		Kind: loadplan.Open, SettleMilliseconds: 500, CountedMilliseconds: int64(seconds) * 1000, DrainMilliseconds: 700,
		Callers: 60, Arrivals: "Poisson", SettleRequests: rate / 2, Requests: rate * seconds, Seed: 11,
		OfferedMilliPerSecond: int64(rate) * 1000, Reported: reported,
	}
}

func oneStep(step loadplan.Step, timeoutMilliseconds int64) loadplan.Plan {
	return loadplan.Plan{Version: loadplan.Version, TimeoutMilliseconds: timeoutMilliseconds, Steps: []loadplan.Step{step}}
}

// TestP95EqualsTheOneOfK6sOwnSamples computes p95 from k6's own JSON output of the same
// run.
func TestP95EqualsTheOneOfK6sOwnSamples(t *testing.T) {
	raw := filepath.Join(t.TempDir(), "raw.json")
	plan := oneStep(openAt(80, 3, true), 2000)
	t.Setenv("K6_OUT", "json="+raw)
	run, _ := driveForReal(t, plan, oneAtATime(8*time.Millisecond), nil)
	step := run.Steps[0]
	if step.Scheduled != 240 || step.OK != 240 {
		t.Fatalf("of 240 logins %d were scheduled and %d succeeded", step.Scheduled, step.OK)
	}
	samples := latenciesOf(t, raw)
	if len(samples) != 240 {
		t.Fatalf("k6's own output has %d counted logins", len(samples))
	}
	want := int64(math.Round(samples[227] * 1000)) // ⌈0.95 × 240⌉ = 228
	if got := *step.P95Microseconds; got < want-1 || got > want+1 {
		t.Errorf("p95 is %d µs, and %d µs by k6's own samples", got, want)
	}
	if lag := *step.StartLagP99Microseconds; lag > 200_000 {
		t.Errorf("the start lag's p99 is %d µs", lag)
	}
	if run.K6Version == "" || run.GoVersion == "" || step.Generator == nil || step.Latencies == nil || run.UnderWay == nil {
		t.Errorf("the run lacks versions, evidence or a distribution: %+v", run)
	}
}

// latenciesOf returns the counted successes of k6's JSON output, sorted, in milliseconds.
func latenciesOf(t *testing.T, raw string) []float64 {
	t.Helper()
	file, err := os.Open(raw)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var samples []float64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var line struct {
			Type, Metric string
			Data         struct {
				Value float64
				Tags  map[string]string
			}
		}
		// k6 ends "Point" lines and "Metric" lines differently; only points have a number here.
		if json.Unmarshal(lines.Bytes(), &line) != nil || line.Type != "Point" || line.Metric != "hashmark_latency" {
			continue
		}
		if line.Data.Tags["part"] == "counted" && line.Data.Tags["outcome"] == "ok" {
			samples = append(samples, line.Data.Value)
		}
	}
	slices.Sort(samples)
	return samples
}

// TestEveryOutcomeIsToldApart lets the service refuse, hang up and hang, each for a known
// number of logins.
func TestEveryOutcomeIsToldApart(t *testing.T) {
	var logins, refused, broken, hung atomic.Int64
	step := openAt(40, 3, true)
	step.SettleMilliseconds, step.SettleRequests, step.DrainMilliseconds = 0, 0, 100
	run, _ := driveForReal(t, oneStep(step, 400), func(w http.ResponseWriter, r *http.Request) {
		switch n := logins.Add(1); {
		case n%10 == 3:
			refused.Add(1)
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusServiceUnavailable)
		case n%10 == 6:
			broken.Add(1)
			w.WriteHeader(http.StatusInternalServerError)
		case n%15 == 8:
			broken.Add(1)
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("a truncated response"))
		case n%6 == 4 || n == 120:
			hung.Add(1)
			<-r.Context().Done()
		}
	}, nil)
	got := run.Steps[0]
	if got.Refused != refused.Load() || got.OtherErrors != broken.Load() || got.TimedOut+got.Cut != hung.Load() || got.NeverSent != 0 {
		t.Errorf("refused %d, broken %d, hung %d; measured %+v", refused.Load(), broken.Load(), hung.Load(), got)
	}
	if got.TimedOut == 0 || got.Cut == 0 {
		t.Errorf("%d timed out and %d were cut off by the drain's end; want some of each", got.TimedOut, got.Cut)
	}
	if got.P95Microseconds != nil || got.Scheduled != 120 {
		t.Errorf("%d scheduled, p95 %v", got.Scheduled, got.P95Microseconds)
	}
}

func TestLoginsThatFindNoFreeCallerAreNeverSent(t *testing.T) {
	step := openAt(50, 2, true)
	step.Callers = 2
	run, _ := driveForReal(t, oneStep(step, 1000), oneAtATime(60*time.Millisecond), nil)
	got := run.Steps[0]
	if got.NeverSent < 50 || got.Scheduled != 100 || got.OK+got.NeverSent != 100 {
		t.Errorf("of 100 logins at three times what is served: %+v", got)
	}
	if lag := got.StartLagP99Microseconds; lag == nil || *lag < 500_000 {
		t.Errorf("logins that waited for a caller have no lag: %+v", got)
	}
}

// podOf is a pod that serves one login at a time. It counts the logins in it, their
// maximum, and the logins it served.
type podOf struct{ inside, most, served atomic.Int64 }

func (p *podOf) logIn(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		now := p.inside.Add(1)
		defer p.inside.Add(-1)
		for most := p.most.Load(); now > most && !p.most.CompareAndSwap(most, now); most = p.most.Load() {
		}
		serve(w, r)
		p.served.Add(1)
	}
}

// A Service sends each login to a random pod. Then some pods would be idle while the
// callers wait at others. So in a saturation each caller has its own pod.
func TestASaturationKeepsEachPodBusy(t *testing.T) {
	const callersEach = 4
	pods, addresses := make([]podOf, 3), make([]string, 3)
	for i := range pods {
		addresses[i], _ = serveLogins(t, pods[i].logIn(oneAtATime(10*time.Millisecond)))
	}
	var service podOf
	run, _ := driveForReal(t, oneStep(loadplan.Step{
		Kind: loadplan.Saturation, SettleMilliseconds: 200, CountedMilliseconds: 1500, DrainMilliseconds: 300, Callers: callersEach * len(pods),
	}, 2000), service.logIn(oneAtATime(10*time.Millisecond)), func(v map[string]string) {
		v["HASHMARK_PODS"], v["HASHMARK_REPLICAS"] = strings.Join(addresses, ","), "3"
	})
	if run.Steps[0].Failures() != 0 || run.Steps[0].OK == 0 {
		t.Errorf("the saturation is %+v", run.Steps[0])
	}
	if service.served.Load() != 0 {
		t.Errorf("%d logins of the saturation went to the Service, want none", service.served.Load())
	}
	for i := range pods {
		if most := pods[i].most.Load(); most != callersEach {
			t.Errorf("pod %d had at most %d logins, want one of each of its %d callers", i, most, callersEach)
		}
	}
}

// A proxy that takes the pods in turn is told from one that chooses at random by what the pods' own counters say, through k6's
// summary and the termination message.
func TestTheSpreadOfPodsIsReadFromTheirCounters(t *testing.T) {
	for name, test := range map[string]struct {
		next        func(n, pods int64) int64
		least, most int64
	}{
		"in turn": {func(n, pods int64) int64 { return n % pods }, 0, 100},
		"uneven":  {func(n, _ int64) int64 { return min(1, n%5) }, 5000, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pods, addresses := make([]podOf, 2), make([]string, 2)
			for i := range pods {
				server, _ := newService(t, pods[i].logIn(oneAtATime(time.Millisecond)))
				service := server.Config.Handler
				began := time.Now()
				server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path != "/evidence" {
						service.ServeHTTP(w, r)
						return
					}
					_ = json.NewEncoder(w).Encode(evidence.Service{
						Reading: evidence.Reading{InstanceID: strconv.Itoa(i), UptimeMicroseconds: time.Since(began).Microseconds()}, Hashes: pods[i].served.Load(),
					})
				})
				server.Start()
				addresses[i] = server.URL
			}
			var logins atomic.Int64
			front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
				pod := int64(0)
				if r.In.URL.Path == "/login" {
					pod = test.next(logins.Add(1), int64(len(pods)))
				}
				target, err := url.Parse(addresses[pod])
				if err != nil {
					t.Error(err)
				}
				r.SetURL(target)
			}})
			t.Cleanup(front.Close)
			config := configForReal(t, oneStep(openAt(50, 1, true), 2000), front.URL, func(v map[string]string) {
				v["HASHMARK_PODS"], v["HASHMARK_EVIDENCE"], v["HASHMARK_REPLICAS"] = strings.Join(addresses, ","), strings.Join(addresses, ","), "2"
			})
			run, err := generator.Run(t.Context(), config, &observer{}, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			message, err := measurement.Encode(run)
			if err != nil {
				t.Fatal(err)
			}
			read, err := measurement.Decode(message)
			if err != nil {
				t.Fatal(err)
			}
			if found := read.Steps[0].ReplicaSpreadPerMille; found == nil || *found < test.least || *found > test.most {
				t.Errorf("the spread is %v, want %d to %d, of %d and %d logins", ptr.Deref(found, -1), test.least, test.most, pods[0].served.Load(), pods[1].served.Load())
			}
		})
	}
}

// An open step goes to the Service, like logins in production.
func TestAnOpenStepGoesToTheService(t *testing.T) {
	var pod podOf
	address, _ := serveLogins(t, pod.logIn(oneAtATime(time.Millisecond)))
	run, _ := driveForReal(t, oneStep(openAt(20, 1, true), 2000), oneAtATime(time.Millisecond), func(v map[string]string) {
		v["HASHMARK_PODS"], v["HASHMARK_REPLICAS"] = address+","+address, "2"
	})
	if run.Steps[0].OK != 20 || pod.served.Load() != 0 {
		t.Errorf("of 20 logins the Service served %d, and a pod by itself %d", run.Steps[0].OK, pod.served.Load())
	}
}

// TestStepsFollowEachOther runs a whole plan, with a connection for each login as with
// several replicas.
func TestStepsFollowEachOther(t *testing.T) {
	plan := twoSteps()
	plan.Steps = append(plan.Steps,
		loadplan.Step{Kind: loadplan.Closed, StartMilliseconds: 2200, SettleMilliseconds: 200, CountedMilliseconds: 800, DrainMilliseconds: 200, Callers: 3},
		loadplan.Step{Kind: loadplan.Saturation, StartMilliseconds: 3500, SettleMilliseconds: 200, CountedMilliseconds: 1500, DrainMilliseconds: 200, Callers: 4})
	var logins atomic.Int64
	serve := oneAtATime(10 * time.Millisecond)
	run, connections := driveForReal(t, plan, func(w http.ResponseWriter, r *http.Request) {
		logins.Add(1)
		serve(w, r)
	}, func(v map[string]string) { v["HASHMARK_REPLICAS"] = "2" })
	if len(run.Steps) != 3 || run.Reported != 0 || run.Steps[0].OK != 20 {
		t.Fatalf("want the open step reported first of three: %+v", run)
	}
	for i, step := range run.Steps[1:] {
		if step.Failures() != 0 || step.ThroughputMilliPerSecond == nil {
			t.Fatalf("closed step %d: %+v", i, step)
		}
		// The service can serve a hundred logins a second. The timers of a busy machine can make
		// it fewer.
		if rate := *step.ThroughputMilliPerSecond; rate > 101_500 || rate < 50_000 {
			t.Errorf("closed step %d has %d logins per thousand seconds", i, rate)
		}
	}
	if connections.Load() < logins.Load() {
		t.Errorf("%d logins used %d connections; with several replicas each needs its own", logins.Load(), connections.Load())
	}
}

// TestLoginsAreDueAsPlanned runs k6 with two open steps, and compares each record with the plan.
func TestLoginsAreDueAsPlanned(t *testing.T) {
	target, _ := serveLogins(t, func(http.ResponseWriter, *http.Request) {})
	config := configForReal(t, twoSteps(), target, nil)
	result, err := config.Command.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	records, err := result.Log.Records()
	if err != nil || len(records) != 23 {
		t.Fatalf("%d logins, error %v; want 23", len(records), err)
	}
	for _, r := range records {
		step := config.Plan.Steps[r.Step]
		want := time.Duration(step.StartMilliseconds)*time.Millisecond + step.Due()[r.Index]
		if r.Due != want || r.Sent < want {
			t.Errorf("login %d of step %d was due at %s and sent at %s, want %s", r.Index, r.Step, r.Due, r.Sent, want)
		}
	}
}

// TestLoginsWithTLS sends logins to a service whose certificate is verified by nobody, with a
// connection for each login, and with one for each caller.
func TestLoginsWithTLS(t *testing.T) {
	step := openAt(40, 1, true)
	step.Callers = 4
	plan := loadplan.Plan{Version: loadplan.Version, TimeoutMilliseconds: 2000, Steps: []loadplan.Step{step}}
	for handshakes, each := range map[string]bool{"EachLogin": true, "EachCaller": false} {
		t.Run(handshakes, func(t *testing.T) {
			t.Parallel()
			var logins, encrypted atomic.Int64
			server, connections := newService(t, func(_ http.ResponseWriter, r *http.Request) {
				logins.Add(1)
				if r.TLS != nil {
					encrypted.Add(1)
				}
			})
			server.StartTLS()
			config := configForReal(t, plan, server.URL, func(v map[string]string) { v["HASHMARK_HANDSHAKES"] = handshakes })
			run, err := generator.Run(t.Context(), config, &observer{}, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if counted := run.Steps[0]; counted.OK != counted.Scheduled || counted.OK == 0 || encrypted.Load() != logins.Load() {
				t.Errorf("%d of %d logins were encrypted; the step is %+v", encrypted.Load(), logins.Load(), counted)
			}
			// The generator itself waits for the service over a connection of its own.
			if own := connections.Load()-1 >= logins.Load(); own != each {
				t.Errorf("%d logins used %d connections", logins.Load(), connections.Load())
			}
		})
	}
}

// TestTheRequestsBeforeTheFirstLogin are sent once to each pod of a user's own login service. If one is
// not answered as expected, nothing is loaded.
func TestTheRequestsBeforeTheFirstLogin(t *testing.T) {
	for name, test := range map[string]struct {
		answer int
		says   string
	}{
		"are accepted":   {http.StatusCreated, ""},
		"are refused":    {http.StatusConflict, "setup request 1: the status was 409, and 200 to 299 was expected"},
		"are redirected": {http.StatusFound, `setup request 1: the status was 302, and 200 to 299 was expected. The response redirects to "/login"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var accounts, logins atomic.Int64
			mux := http.NewServeMux()
			mux.HandleFunc("GET /up", func(http.ResponseWriter, *http.Request) {})
			mux.HandleFunc("GET /login", func(http.ResponseWriter, *http.Request) { logins.Add(1) })
			mux.HandleFunc("PUT /users/hashmark", func(w http.ResponseWriter, _ *http.Request) {
				accounts.Add(1)
				w.Header().Set("Location", "/login")
				w.WriteHeader(test.answer)
			})
			service := httptest.NewServer(mux)
			t.Cleanup(service.Close)
			config := configForReal(t, oneStep(openAt(20, 1, true), 2000), service.URL, func(v map[string]string) {
				v["HASHMARK_PODS"], v["HASHMARK_EVIDENCE"] = service.URL+","+service.URL+"/", service.URL+","+service.URL
				v["HASHMARK_READY"], v["HASHMARK_READY_WITHIN"] = `{"path":"/up"}`, "10s"
				v["HASHMARK_LOGIN"] = `{"setup":[{"method":"PUT","path":"/users/$(HASHMARK_USER)"}],"steps":[{"path":"/login"}],"wrong":{"status":[401]}}`
			})
			run, err := generator.Run(t.Context(), config, nil, io.Discard)
			if test.says == "" {
				if err != nil || run.Steps[0].OK != 20 || accounts.Load() != 2 {
					t.Errorf("%d accounts were made, error %v, %+v", accounts.Load(), err, run.Steps)
				}
				return
			}
			var failure *measurement.Failure
			if !errors.As(err, &failure) || failure.Reason != handover.LoginFailed || !strings.Contains(failure.Detail, test.says) || logins.Load() > 0 {
				t.Errorf("%d logins were sent, error %v", logins.Load(), err)
			}
		})
	}
}

// Logins are distributed over the accounts, which the requests before the first login have made.
func TestLoginsOfSeveralAccounts(t *testing.T) {
	const accounts, logins = 10, 400
	for distribution, test := range map[string]struct{ first, last [2]int }{
		"Uniform": {[2]int{20, 60}, [2]int{20, 60}},
		"Zipf":    {[2]int{105, 170}, [2]int{3, 30}}, // 137 and 14 are expected
	} {
		t.Run(distribution, func(t *testing.T) {
			t.Parallel()
			var lock sync.Mutex
			made, came := map[string]int{}, map[string]int{}
			mux := http.NewServeMux()
			mux.HandleFunc("PUT /users/{user}", func(_ http.ResponseWriter, r *http.Request) {
				lock.Lock()
				defer lock.Unlock()
				made[r.PathValue("user")]++
			})
			mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
				user, _, _ := r.BasicAuth()
				lock.Lock()
				defer lock.Unlock()
				if made[user] != 1 {
					w.WriteHeader(http.StatusUnauthorized)
				}
				if came[user]++; user == "hashmark-9" && came[user] == 2 {
					w.WriteHeader(http.StatusTooManyRequests)
				}
			})
			service := httptest.NewServer(mux)
			t.Cleanup(service.Close)
			step := openAt(logins/2, 2, true)
			step.SettleRequests, step.Callers = 0, 50
			config := configForReal(t, oneStep(step, 2000), service.URL, func(v map[string]string) {
				v["HASHMARK_PODS"], v["HASHMARK_EVIDENCE"] = service.URL, service.URL
				v["HASHMARK_READY"], v["HASHMARK_READY_WITHIN"] = `{}`, "10s"
				v["HASHMARK_LOGIN"] = `{"accounts":10,"accountDistribution":"` + distribution + `","setup":[{"method":"PUT","path":"/users/$(HASHMARK_USER)"}],"steps":[{"path":"/login","auth":"Basic"}],"wrong":{"status":[401]}}`
			})
			run, err := generator.Run(t.Context(), config, nil, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			if got := run.Steps[0]; got.OK != logins-1 || got.Refused != 1 || len(made) != accounts {
				t.Errorf("%d accounts, %+v", len(made), got)
			}
			within := func(user string, bounds [2]int) {
				if n := came[user]; n < bounds[0] || n > bounds[1] {
					t.Errorf("%s logged in %d times, want %d to %d of %d", user, n, bounds[0], bounds[1], logins)
				}
			}
			within("hashmark", test.first)
			within("hashmark-9", test.last)
		})
	}
}
