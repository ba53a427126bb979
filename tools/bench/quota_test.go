//go:build bench

package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/evidence"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/test/process"
	"github.com/hashmark-dev/hashmark/tools/bench/figures"
	"github.com/hashmark-dev/hashmark/tools/bench/loopback"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

const (
	quotaCost    = "8"
	quotaTimeout = 10 * time.Second
	quotaLogins  = 500
	quotaSeed    = 20
	// quotaProbes is the number of logins that measure the CPU time per hash before the load.
	quotaProbes = 60
	// quotaBacklog is the number of logins at once that measure it in a backlog.
	quotaBacklog = 150
)

// quotaCell is a configuration of the service.
type quotaCell struct {
	name    string
	cpus    string
	milli   int64
	workers int32 // 0: unbounded
	goal    report.Goal
}

// TestQuota compares the simulation with the service in control groups with quotas, without a cluster: the
// error of the model itself, and not how well a calibration predicts the CPU time. It needs root and version 1
// of cgroups. Services on one CPU have a goal. If the service has both CPUs, the generator takes a share of
// the second, so the result is only reported.
func TestQuota(t *testing.T) {
	r := begin(t, "quota")
	pool, quota, unbounded := report.Between(0.9, 1.1), report.Between(0.8, 1.2), report.Between(0.75, 1.25)
	for _, c := range []quotaCell{
		{"pool, 1 CPU, no quota", "0", 0, 1, pool},
		{"unbounded, 1 CPU, no quota", "0", 0, 0, unbounded},
		{"pool, 1 CPU, 500m", "0", 500, 1, quota},
		{"unbounded, 1 CPU, 500m", "0", 500, 0, unbounded},
		{"pool, 1 CPU, 250m", "0", 250, 1, quota},
		{"pool of 2, 2 CPUs, 500m", "0-1", 500, 2, quota.ReportOnly()},
		{"pool of 2, 2 CPUs, 1000m", "0-1", 1000, 2, quota.ReportOnly()},
	} {
		for _, rho := range []float64{0.5, 0.7, 0.8} {
			c.measure(t, r, rho)
		}
	}
	conclude(t, r)
}

// measure reports simulated ÷ measured p95 at a load.
func (c quotaCell) measure(t *testing.T, r *report.Report, rho float64) {
	t.Helper()
	group, err := loopback.NewQuota(fmt.Sprintf("hashmark-quota-%d", os.Getpid()), c.milli)
	must(t, err)
	defer func() { must(t, group.Remove()) }()
	service := c.start(t, group)
	defer service.Stop()

	say("%s, ρ %v", c.name, rho)
	hash := warmUp(t, service.URL)
	sim := model.Service{Lanes: 1, Pooled: c.workers > 0, Workers: c.workers, QuotaMilliCPU: c.milli, Hash: hash, Timeout: quotaTimeout}
	state := reading(t, service.URL)
	sim.Lanes = min(state.GoMaxProcs, int32(evidence.CPUs(state.Cpuset)))
	if c.workers > 0 {
		sim.Lanes = min(sim.Lanes, c.workers)
	}
	if state.QuotaMilliCPU != c.milli {
		t.Fatalf("%s: the service reports a quota of %d", c.name, state.QuotaMilliCPU)
	}
	arrivals := model.ArrivalsOf(quotaStep(rho * sim.MaxPerSecond()))
	idle := reading(t, service.URL)
	backlog := saturate(t, service.URL)
	saturated := reading(t, service.URL)

	records, readings := observed(t, service.URL, arrivals.Due)
	latencies, err := loopback.FromDue(records)
	must(t, err)
	before, after := readings[0], readings[len(readings)-1]
	mean := hashTime(before, after)
	sim.Hash = mean
	// As in a trial, the saturation had another speed of the CPU, and the load had one each second.
	backlog = time.Duration(float64(backlog) * threadTime(before, after) / threadTime(idle, saturated))
	sim.Course = course(readings)
	sim.Hash, sim.Wake = model.WithoutWaking(mean, backlog, sim.IdleShare(arrivals, 1))
	simulated, ok := sim.P95(arrivals, 1)
	if !ok {
		simulated = model.Failed
	}
	measured := figures.Percentile(latencies[arrivals.Counted:], 0.95)
	r.Add(fmt.Sprintf("simulated ÷ measured p95, %s, ρ %v", c.name, rho), simulated.Seconds()/measured.Seconds(), c.goal,
		fmt.Sprintf("%.1f and %.1f ms, %d logins, %.2f ms of CPU each, %.2f of them without waking the service, GOMAXPROCS %d",
			milliseconds(simulated), milliseconds(measured), quotaLogins, milliseconds(mean), milliseconds(sim.Hash), state.GoMaxProcs))
}

// observed replays logins, and returns their records and the service's counters at the beginning, each second, and at the
// end.
func observed(t *testing.T, url string, due []time.Duration) ([]measurement.Record, []evidence.Service) {
	t.Helper()
	type replayed struct {
		records []measurement.Record
		err     error
	}
	readings, ended := []evidence.Service{reading(t, url)}, make(chan replayed, 1)
	go func() {
		records, err := loopback.Replay(t.Context(), url, due, quotaTimeout)
		ended <- replayed{records, err}
	}()
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for {
		select {
		case r := <-ended:
			must(t, r.err)
			return r.records, append(readings, reading(t, url))
		case <-seconds.C:
			readings = append(readings, reading(t, url))
		}
	}
}

// course returns how the time per hash changed from second to second, as a factor of its mean. A second without a hash has
// the factor of the one before.
func course(readings []evidence.Service) *model.Course {
	mean, last := threadTime(readings[0], readings[len(readings)-1]), 1.0
	c := &model.Course{Every: time.Second}
	for i := range readings[1:] {
		if readings[i+1].TimedHashes > readings[i].TimedHashes {
			last = threadTime(readings[i], readings[i+1]) / mean
		}
		c.Factors = append(c.Factors, last)
	}
	return c
}

// threadTime returns the mean time of a hash between two readings by the clock of its thread, in microseconds: the speed
// of the CPU, without what a login takes beside its hash.
func threadTime(before, after evidence.Service) float64 {
	return float64(after.HashMicroseconds-before.HashMicroseconds) / float64(after.TimedHashes-before.TimedHashes)
}

// start starts the service inside the group, on the cell's CPUs.
func (c quotaCell) start(t *testing.T, group loopback.Quota) *loopback.Service {
	t.Helper()
	wrapped, err := group.Within(t.TempDir(), program(t, "HASHMARK_LOGINSERVICE"))
	must(t, err)
	arguments := []string{"--cost", quotaCost, "--concurrency", "Unbounded"}
	if c.workers > 0 {
		arguments = []string{"--cost", quotaCost, "--workers", fmt.Sprint(c.workers), "--queue-length", "1000"}
	}
	service, err := loopback.Start(t.Context(), process.FreeAddress(t), wrapped, c.cpus, arguments...)
	must(t, err)
	return service
}

// warmUp logs in one after another, and returns the CPU time of a login.
func warmUp(t *testing.T, url string) time.Duration {
	t.Helper()
	before := reading(t, url)
	for range quotaProbes {
		_, err := loopback.Replay(t.Context(), url, []time.Duration{0}, quotaTimeout)
		must(t, err)
	}
	return hashTime(before, reading(t, url))
}

// saturate sends logins at once, and returns the CPU time of one in the backlog.
func saturate(t *testing.T, url string) time.Duration {
	t.Helper()
	before := reading(t, url)
	_, err := loopback.Replay(t.Context(), url, make([]time.Duration, quotaBacklog), quotaTimeout)
	must(t, err)
	return hashTime(before, reading(t, url))
}

// hashTime returns the CPU time of a login between two readings.
func hashTime(before, after evidence.Service) time.Duration {
	return time.Duration(after.CPUMicroseconds-before.CPUMicroseconds) * time.Microsecond / time.Duration(after.Hashes-before.Hashes)
}

// quotaStep returns the load: a tenth of the logins are the settling part.
func quotaStep(perSecond float64) loadplan.Step {
	settle := quotaLogins / 10
	over := func(n int) int64 { return int64(math.Round(float64(n) / perSecond * 1000)) }
	return loadplan.Step{Kind: loadplan.Open, Arrivals: "Poisson", Seed: quotaSeed,
		SettleRequests: settle, SettleMilliseconds: over(settle), Requests: quotaLogins, CountedMilliseconds: over(quotaLogins)}
}

// reading asks the service for its counters.
func reading(t *testing.T, url string) evidence.Service {
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

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
