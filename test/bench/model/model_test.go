//go:build bench

package model

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/test/bench/loopback"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

var (
	logins  = flag.Int("logins", 500, "counted logins of each run")
	only    = flag.String("only", "", "measure only services whose name contains this")
	seed    = flag.Uint("seed", 20, "an even seed of the arrivals")
	reports = flag.String("reports", "dist/bench", "`folder` that the table is written to")
)

const (
	cost    = "8"
	timeout = 10 * time.Second
	// probes is the number of logins that measure the CPU time per hash before the load.
	probes = 60
)

// cell is one configuration of the service.
type cell struct {
	name    string
	cpus    string
	milli   int64
	workers int32 // 0: unbounded
	goal    report.Goal
}

// cells returns the configurations. Those on one CPU have a goal. If the service has both
// CPUs, the generator takes a share of the second, so the result is only reported.
func cells() []cell {
	pool, quota, unbounded := report.Between(0.9, 1.1), report.Between(0.8, 1.2), report.Between(0.75, 1.25)
	return []cell{
		{"pool, 1 CPU, no quota", "0", 0, 1, pool},
		{"unbounded, 1 CPU, no quota", "0", 0, 0, unbounded},
		{"pool, 1 CPU, 500m", "0", 500, 1, quota},
		{"unbounded, 1 CPU, 500m", "0", 500, 0, unbounded},
		{"pool, 1 CPU, 250m", "0", 250, 1, quota},
		{"pool of 2, 2 CPUs, 500m", "0-1", 500, 2, quota.ReportOnly()},
		{"pool of 2, 2 CPUs, 1000m", "0-1", 1000, 2, quota.ReportOnly()},
	}
}

// TestModel reports simulated ÷ measured p95 for each service and load.
func TestModel(t *testing.T) {
	r := &report.Report{Name: "quota", Setting: fmt.Sprintf("%s, %d logins a run, cost %s, seed %d.",
		time.Now().UTC().Format("2 January 2006, 15:04 UTC"), *logins, cost, *seed)}
	for _, c := range cells() {
		if !strings.Contains(c.name, *only) {
			continue
		}
		for _, rho := range []float64{0.5, 0.7, 0.8} {
			measure(t, r, c, rho)
		}
	}
	fmt.Printf("\n%s\n", r.Markdown())
	must(t, r.Write(*reports))
	for _, missed := range r.Missed() {
		t.Error(missed)
	}
}

func measure(t *testing.T, r *report.Report, c cell, rho float64) {
	t.Helper()
	group, err := loopback.NewQuota(fmt.Sprintf("hashmark-model-%d", os.Getpid()), c.milli)
	must(t, err)
	defer func() { must(t, group.Remove()) }()
	service := start(t, c, group)
	defer service.Stop()

	hash := warmUp(t, service.URL)
	sim := model.Service{Lanes: 1, Pooled: c.workers > 0, Workers: c.workers, QuotaMilliCPU: c.milli, Hash: hash, Timeout: timeout}
	state := read(t, service.URL)
	sim.Lanes = min(state.GoMaxProcs, int32(evidence.CPUs(state.Cpuset)))
	if c.workers > 0 {
		sim.Lanes = min(sim.Lanes, c.workers)
	}
	if state.QuotaMilliCPU != c.milli {
		t.Fatalf("%s: the service reports a quota of %d", c.name, state.QuotaMilliCPU)
	}
	arrivals := model.ArrivalsOf(step(rho * sim.MaxPerSecond()))

	before := read(t, service.URL)
	records, err := loopback.Replay(t.Context(), service.URL, arrivals.Due, timeout)
	must(t, err)
	after := read(t, service.URL)
	latencies, err := loopback.FromDue(records)
	must(t, err)
	sim.Hash = time.Duration(after.CPUMicroseconds-before.CPUMicroseconds) * time.Microsecond / time.Duration(after.Hashes-before.Hashes)
	simulated, ok := sim.P95(arrivals, 1)
	if !ok {
		simulated = model.Failed
	}
	counted := latencies[arrivals.Counted:]
	measured := rank(counted, 95)
	r.Add(fmt.Sprintf("simulated ÷ measured p95, %s, ρ %v", c.name, rho), simulated.Seconds()/measured.Seconds(), c.goal,
		fmt.Sprintf("%.1f and %.1f ms, %.2f ms of CPU a login, GOMAXPROCS %d", milliseconds(simulated), milliseconds(measured), milliseconds(sim.Hash), state.GoMaxProcs))
}

// start starts the service inside the group, on the cell's CPUs.
func start(t *testing.T, c cell, group loopback.Quota) *loopback.Service {
	t.Helper()
	binary := os.Getenv("HASHMARK_LOGINSERVICE")
	if binary == "" {
		t.Fatal("HASHMARK_LOGINSERVICE is not set; run make bench NAME=quota")
	}
	wrapped, err := group.Within(t.TempDir(), binary)
	must(t, err)
	arguments := []string{"--cost", cost, "--concurrency", "Unbounded"}
	if c.workers > 0 {
		arguments = []string{"--cost", cost, "--workers", fmt.Sprint(c.workers), "--queue-length", "1000"}
	}
	service, err := loopback.Start(t.Context(), wrapped, c.cpus, arguments...)
	must(t, err)
	return service
}

// warmUp logs in one after another, and returns the CPU time of a login.
func warmUp(t *testing.T, url string) time.Duration {
	t.Helper()
	before := read(t, url)
	for range probes {
		_, err := loopback.Replay(t.Context(), url, []time.Duration{0}, timeout)
		must(t, err)
	}
	after := read(t, url)
	return time.Duration(after.CPUMicroseconds-before.CPUMicroseconds) * time.Microsecond / time.Duration(after.Hashes-before.Hashes)
}

// step returns the load: a tenth of the logins are the settling part.
func step(perSecond float64) loadplan.Step {
	settle := *logins / 10
	over := func(n int) int64 { return int64(math.Round(float64(n) / perSecond * 1000)) }
	return loadplan.Step{Kind: loadplan.Open, Arrivals: "Poisson", Seed: uint32(*seed),
		SettleRequests: settle, SettleMilliseconds: over(settle), Requests: *logins, CountedMilliseconds: over(*logins)}
}

func read(t *testing.T, url string) evidence.Service {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/evidence", http.NoBody)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	var state evidence.Service
	must(t, json.NewDecoder(response.Body).Decode(&state))
	return state
}

func rank(latencies []time.Duration, percent int) time.Duration {
	sorted := slices.Clone(latencies)
	slices.Sort(sorted)
	return sorted[max(1, (percent*len(sorted)+99)/100)-1]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
