//go:build bench

package bench

import (
	"encoding/json"
	"fmt"
	"math"
	"os/exec"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/calibration"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/test/process"
	"github.com/hashmark-dev/hashmark/tools/bench/figures"
	"github.com/hashmark-dev/hashmark/tools/bench/loopback"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

const (
	generatorsCost = "10"
	// serviceCPU is the CPU that hack/bench.sh keeps this process off.
	serviceCPU        = "0"
	generatorsTimeout = 10 * time.Second
)

// TestGenerators compares k6 and Hashmark's script with fortio (evenly spaced, latencies from
// sending), and with a replay of one Poisson schedule (latencies from the due times).
func TestGenerators(t *testing.T) {
	r := begin(t, "generators")
	bound := loopbackBound(t, generatorsCost)
	service, err := loopback.Start(t.Context(), process.FreeAddress(t), program(t, "HASHMARK_LOGINSERVICE"), serviceCPU, "--cost", generatorsCost, "--workers", "1")
	must(t, err)
	t.Cleanup(service.Stop)
	for _, load := range pick([]float64{.5, .7}, []float64{.7}) {
		againstFortio(t, r, service.URL, load, bound)
	}
	for _, load := range pick([]float64{.5, .7, .8}, []float64{.8}) {
		againstReplay(t, r, service.URL, load, bound)
	}
	conclude(t, r)
}

// loopbackBound returns the hashes per second of one CPU, from the service's own calibration.
func loopbackBound(t *testing.T, cost string) float64 {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "taskset", "-c", serviceCPU,
		program(t, "HASHMARK_LOGINSERVICE"), "calibrate", "--cost", cost).Output()
	must(t, err)
	var calibrated calibration.Result
	must(t, json.Unmarshal(out, &calibrated))
	return 1e6 / float64(calibrated.HashMicroseconds)
}

// againstFortio runs k6 and then fortio with the same number of evenly spaced logins.
func againstFortio(t *testing.T, r *report.Report, url string, load, bound float64) {
	t.Helper()
	rate := load * bound
	logins := int(rate * pick(60.0, 15.0))
	ours := sentByK6(t, url, openStep("Uniform", rate, logins))
	say("fortio sends %d logins at %.1f/s", logins, rate)
	theirs, err := loopback.Fortio(t.Context(), program(t, "HASHMARK_FORTIO"), t.TempDir(), url, rate, logins, generatorsTimeout)
	must(t, err)
	our95, their95 := p95(loopback.FromSend(ours)), p95(loopback.FromSend(theirs))
	r.Add(fmt.Sprintf("p95 from sending, k6 ÷ fortio, load %v", load), our95/their95,
		report.Between(0.95, 1.05), fmt.Sprintf("%.1f and %.1f ms, %d logins each", our95, their95, logins))
	r.Add(fmt.Sprintf("throughput, k6 ÷ fortio, load %v", load), loopback.Throughput(ours)/loopback.Throughput(theirs),
		report.Between(0.99, 1.01), "")
}

// againstReplay runs k6 and the replay with the same due times, in the order ABBA, so that a
// drift of the machine affects both equally.
func againstReplay(t *testing.T, r *report.Report, url string, load, bound float64) {
	t.Helper()
	rate := load * bound
	step := openStep("Poisson", rate, int(rate*pick(60.0, 15.0)))
	var ours, theirs []float64
	for _, k6 := range pick([]bool{true, false, false, true, true, false}, []bool{true, false, false, true}) {
		if k6 {
			ours = append(ours, p95(loopback.FromDue(sentByK6(t, url, step))))
		} else {
			theirs = append(theirs, p95(loopback.FromDue(replayed(t, url, step))))
		}
	}
	r.Add(fmt.Sprintf("p95 from due times, k6 ÷ replay, load %v", load), figures.Median(ours)/figures.Median(theirs),
		report.Between(0.95, 1.05), fmt.Sprintf("medians of %d, %d logins each; k6 %.0f ms, replay %.0f ms",
			len(ours), step.Requests, ours, theirs))
}

// replayed sends the logins of a step from this process, and returns the counted records.
func replayed(t *testing.T, url string, step loadplan.Step) []measurement.Record {
	t.Helper()
	say("this process sends the same logins")
	arrivals := model.ArrivalsOf(step)
	records, err := loopback.Replay(t.Context(), url, arrivals.Due, generatorsTimeout)
	must(t, err)
	return records[arrivals.Counted:]
}

// p95 returns the p95 in milliseconds, or NaN if a login failed, because such a run can't be
// compared.
func p95(latencies []time.Duration, err error) float64 {
	if err != nil {
		say("%v", err)
		return math.NaN()
	}
	return figures.Percentile(latencies, 0.95).Seconds() * 1000
}
