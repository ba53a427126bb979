package generator_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// pod returns a login service in which each reading has ten hashes and a millisecond of CPU
// time more than the one before.
func pod(t *testing.T, breaks func(reading int64, service *evidence.Service)) *httptest.Server {
	t.Helper()
	var readings atomic.Int64
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /evidence", func(w http.ResponseWriter, _ *http.Request) {
		n := readings.Add(1)
		service := evidence.Service{
			Reading: evidence.Reading{
				InstanceID: "one", BootID: "boot", Cpuset: "0", GoMaxProcs: 1, QuotaMilliCPU: 250, PeriodMicroseconds: 100_000,
				UptimeMicroseconds: n * 1_000_000, CPUMicroseconds: n * 1000, ThrottledPeriods: n, CPUIdleMicroseconds: n * 5000,
				MemoryPeakBytes: 11<<20 + n,
			},
			Hashes: n * 10, InFlight: n, Workers: 1, QueueLength: 8,
		}
		if breaks != nil {
			breaks(n, &service)
		}
		if service.InstanceID == "" {
			http.Error(w, "gone", http.StatusInternalServerError)
			return
		}
		_ = json.NewEncoder(w).Encode(service)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// observer counts 2 ms more CPU time at each reading. It was throttled only while k6 started.
type observer struct{ readings atomic.Int64 }

func (o *observer) ReadContainer() (evidence.Reading, error) {
	n := o.readings.Add(1)
	return evidence.Reading{
		InstanceID: "g", BootID: "boot", Cpuset: "1", GoMaxProcs: 2, UptimeMicroseconds: (4 + n) * 1_000_000,
		CPUMicroseconds: n * 2000, CPUBusyMicroseconds: n * 7000, ThrottledPeriods: 20, ThrottledMicroseconds: 2_000_000,
	}, nil
}

// config returns a load with a plan of one open step with 20 logins, which ends as soon as
// k6 does.
func config(t *testing.T, says, ends string, pods ...*httptest.Server) generator.Config {
	t.Helper()
	config := generator.Config{Command: generator.Command{Binary: os.Args[0], Plan: loadplan.Plan{
		Version: loadplan.Version, TimeoutMilliseconds: 1000, Steps: []loadplan.Step{{
			Kind: loadplan.Open, SettleMilliseconds: 10, CountedMilliseconds: 90, DrainMilliseconds: 60_000,
			Callers: 1, Arrivals: "Uniform", Requests: 20, Reported: true,
		}},
	}}, Target: pods[0].URL}
	for _, p := range pods {
		config.Pods = append(config.Pods, p.URL)
	}
	config.Evidence, config.Ready, config.Alive, config.ReadyWithin = config.Pods, handover.HealthCheck{Path: "/readyz"}, handover.HealthCheck{Path: "/healthz"}, 30*time.Second
	t.Setenv("FAKE_K6_SAYS", says)
	t.Setenv("FAKE_K6_ENDS", ends)
	return config
}

// twenty returns the script's lines of a load in which every login succeeds in 5 ms.
func twenty() string {
	var text strings.Builder
	text.WriteString("hm:zero -20000\n")
	for i := range 20 {
		due := 10_000 + i*4000
		fmt.Fprintf(&text, "hm:s 0 %d %d %d\nhm:e 0 %d %d ok\n", i, due, due+100, i, due+5000)
	}
	return text.String() + "hm:total 20 20\n"
}

func TestARunTellsOfLoginsAndOfBothSides(t *testing.T) {
	first, second := pod(t, nil), pod(t, nil)
	got, err := generator.Run(t.Context(), config(t, twenty(), "0", first, second), &observer{}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	step := got.Steps[0]
	if step.OK != 20 || step.P95Microseconds == nil || *step.P95Microseconds != 5000 || step.Latencies == nil {
		t.Errorf("the step's numbers are wrong: %+v", step)
	}
	inFlight := int64(6) // the third reading of both pods
	got.Steps, got.UnderWay = nil, nil
	want := measurement.Run{
		K6Version: "v1.8.1", GoVersion: "go1.26.8",
		Generator: &measurement.Container{BootID: "boot", Cpuset: "1", GoMaxProcs: 2},
		Services: []measurement.ServicePod{
			{Container: measurement.Container{BootID: "boot", Cpuset: "0", QuotaMilliCPU: 250, GoMaxProcs: 1}, Workers: 1, QueueLength: 8, MemoryPeakKiB: 11_265},
			{Container: measurement.Container{BootID: "boot", Cpuset: "0", QuotaMilliCPU: 250, GoMaxProcs: 1}, Workers: 1, QueueLength: 8, MemoryPeakKiB: 11_265},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the run differs (-want +got):\n%s", diff)
	}
	wantService := &evidence.Delta{
		ElapsedMicroseconds: 2_000_000, CPUMicroseconds: 2000, Periods: 20, ThrottledPeriods: 2, Hashes: 20, IdleMicroseconds: 10_000,
	}
	if diff := cmp.Diff(wantService, step.Service); diff != "" {
		t.Errorf("what the service used differs (-want +got):\n%s", diff)
	}
	wantGenerator := &evidence.Delta{ElapsedMicroseconds: 1_000_000, CPUMicroseconds: 2000}
	if diff := cmp.Diff(wantGenerator, step.Generator); diff != "" {
		t.Errorf("what the generator used differs (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&inFlight, step.ServiceInFlightAfterDrain); diff != "" {
		t.Errorf("logins after the drain differ (-want +got):\n%s", diff)
	}
}

// movesAt returns a pod that has other CPUs from a reading on.
func movesAt(first int64) func(reading int64, service *evidence.Service) {
	return func(n int64, s *evidence.Service) {
		if n >= first {
			s.Cpuset = "1"
		}
	}
}

func TestEvidenceThatIsMissingIsAbsent(t *testing.T) {
	for name, test := range map[string]struct {
		breaks       func(reading int64, service *evidence.Service)
		service      bool
		inFlight     bool
		servicesRead int
	}{
		"a pod returns only errors": {
			breaks: func(_ int64, s *evidence.Service) { s.InstanceID = "" }, servicesRead: 1,
		},
		"a pod misses the reading before the counted part": {
			breaks: func(n int64, s *evidence.Service) {
				if n == 1 {
					s.InstanceID = ""
				}
			}, inFlight: true, servicesRead: 2,
		},
		"a pod misses the reading after the drain": {
			breaks: func(n int64, s *evidence.Service) {
				if n == 3 {
					s.InstanceID = ""
				}
			}, service: true, servicesRead: 2,
		},
		"a pod was restarted in the counted part": {
			breaks: func(n int64, s *evidence.Service) { s.InstanceID = strconv.FormatInt(n, 10) }, inFlight: true, servicesRead: 2,
		},
		// On other CPUs it can't be compared with itself before, although no reading is missing.
		"a pod moved to other CPUs in the counted part": {breaks: movesAt(2), inFlight: true, servicesRead: 1},
		"a pod moved to other CPUs in the drain":        {breaks: movesAt(3), service: true, inFlight: true, servicesRead: 1},
		"a pod moved to other CPUs before":              {breaks: movesAt(1), service: true, inFlight: true, servicesRead: 2},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := generator.Run(t.Context(), config(t, twenty(), "0", pod(t, nil), pod(t, test.breaks)), nil, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			step := got.Steps[0]
			if (step.Service != nil) != test.service || (step.ServiceInFlightAfterDrain != nil) != test.inFlight || len(got.Services) != test.servicesRead {
				t.Errorf("service %v, in flight %v, %d pods read", step.Service, step.ServiceInFlightAfterDrain, len(got.Services))
			}
			if step.Generator != nil || got.Generator != nil {
				t.Error("there is evidence of the generator without an observer")
			}
		})
	}
}

// failureOf runs a load that fails.
func failureOf(t *testing.T, config generator.Config, observer generator.Observer) measurement.Failure {
	t.Helper()
	_, err := generator.Run(t.Context(), config, observer, io.Discard)
	var failure *measurement.Failure
	if !errors.As(err, &failure) {
		t.Fatalf("want a failure, got %v", err)
	}
	return *failure
}

func TestALoadWithoutNumbersIsAFailureWithAReason(t *testing.T) {
	const outOfMemory = "\nk6 was killed, most likely by the kernel because it ran out of memory: raise the operator's generator.memoryLimit"
	garbled := func(old, changed string) string { return strings.ReplaceAll(twenty(), old, changed) }
	for name, test := range map[string]struct {
		says, ends, reason string
		code               int
		detail             string
	}{
		"the script throws":            {twenty() + "ReferenceError: x is not defined\n", "107", handover.ScriptError, 107, "ReferenceError: x is not defined"},
		"k6 refuses its options":       {twenty() + "bad option\n", "104", handover.BadConfig, 104, "bad option"},
		"k6 fails in another way":      {twenty() + "out of luck\n", "109", handover.K6Failed, 109, "out of luck"},
		"k6 is killed":                 {twenty(), "killed", handover.GeneratorOOMKilled, -1, outOfMemory},
		"records were lost on the way": {garbled("hm:s 0 3 22000 22100\nhm:e 0 3 27000 ok\n", ""), "0", handover.SummaryGarbled, 0, ""},
		"records contradict the plan":  {garbled("0 19 ", "0 20 "), "0", handover.SummaryGarbled, 0, ""},
		"the script said nothing":      {"", "0", handover.SummaryGarbled, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := failureOf(t, config(t, test.says, test.ends, pod(t, nil)), &observer{})
			if test.detail == "" {
				got.Detail = "" // the sentence of the log
			}
			want := measurement.Failure{Reason: test.reason, Detail: test.detail, ExitCode: test.code}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the failure differs (-want +got):\n%s", diff)
			}
		})
	}
}

// throttledFor is a generator that was throttled for a part of its 10 seconds.
type throttledFor time.Duration

func (d throttledFor) ReadContainer() (evidence.Reading, error) {
	return evidence.Reading{
		InstanceID: "g", BootID: "boot", Cpuset: "1", QuotaMilliCPU: 20, PeriodMicroseconds: 100_000,
		UptimeMicroseconds: 10_000_000, ThrottledMicroseconds: time.Duration(d).Microseconds(),
	}, nil
}

// With too little CPU, k6 fails with a timeout of its own, such as "could not get a VU from
// the buffer".
func TestAK6ThatFailsWhileThrottledIsBlamedOnItsCPULimit(t *testing.T) {
	for name, test := range map[string]struct {
		observer generator.Observer
		ends     string
		reason   string
	}{
		"most of the time":                       {throttledFor(6 * time.Second), "255", handover.GeneratorThrottled},
		"less than half of it":                   {throttledFor(4 * time.Second), "255", handover.K6Failed},
		"the counters can't be read":             {nil, "255", handover.K6Failed},
		"a script that throws throws everywhere": {throttledFor(6 * time.Second), "107", handover.ScriptError},
	} {
		t.Run(name, func(t *testing.T) {
			got := failureOf(t, config(t, twenty()+"no VU\n", test.ends, pod(t, nil)), test.observer)
			if got.Reason != test.reason || !strings.HasSuffix(got.Detail, "no VU") {
				t.Fatalf("want %s with k6's last output, got %+v", test.reason, got)
			}
			if blamed := strings.Contains(got.Detail, "raise spec.generator.cpuLimit"); blamed != (test.reason == handover.GeneratorThrottled) {
				t.Errorf("the detail of %s is %q", got.Reason, got.Detail)
			}
		})
	}
}

// onOutput is called with each line of the log.
type onOutput func(line string)

func (f onOutput) Write(line []byte) (int, error) {
	f(string(line))
	return len(line), nil
}

func TestAServiceThatIsNeverReadyIsUnreachable(t *testing.T) {
	silent := httptest.NewServer(http.NotFoundHandler())
	defer silent.Close()
	// The time is over as soon as the generator has waited once, however slow the machine is.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := generator.Run(ctx, config(t, twenty(), "0", silent), &observer{}, onOutput(func(line string) {
		if strings.Contains(line, "Waiting for the login service") {
			cancel()
		}
	}))
	var got *measurement.Failure
	if !errors.As(err, &got) || got.Reason != handover.ServiceUnreachable || !strings.Contains(got.Detail, "404") {
		t.Errorf("want %s with the last response, got %v", handover.ServiceUnreachable, err)
	}
}

// The service starts at the same time as the generator, and its pods can be differently
// fast.
func TestTheLoadWaitsUntilEveryPodIsReady(t *testing.T) {
	var polls, early atomic.Int64
	slow := http.NewServeMux()
	slow.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if polls.Add(1) < 3 {
			http.Error(w, "starting", http.StatusServiceUnavailable)
		}
	})
	slow.HandleFunc("GET /evidence", func(w http.ResponseWriter, _ *http.Request) {
		if polls.Load() < 3 {
			early.Add(1)
		}
		http.Error(w, "none", http.StatusNotFound)
	})
	server := httptest.NewServer(slow)
	defer server.Close()
	if _, err := generator.Run(t.Context(), config(t, twenty(), "0", pod(t, nil), server), &observer{}, io.Discard); err != nil {
		t.Fatal(err)
	}
	if polls.Load() != 3 || early.Load() > 0 {
		t.Errorf("the slow pod was polled %d times, and its evidence was read %d times before it was ready", polls.Load(), early.Load())
	}
}

func TestTheContextsOwnFailureIsTheOneThatIsTold(t *testing.T) {
	want := &measurement.Failure{Reason: handover.DeadlineExceeded, Detail: "too late"}
	ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now().Add(time.Second), want)
	defer cancel()
	_, err := generator.Run(ctx, config(t, "hm:zero -20000\n", "never", pod(t, nil)), &observer{}, io.Discard)
	var got *measurement.Failure
	if !errors.As(err, &got) || got != want {
		t.Errorf("want %v, got %v", want, err)
	}
}
