//go:build bench

package bench

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/loopback"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

const (
	observerCost     = "5"
	observerMilliCPU = 1000
	observerLoad     = 0.6
	observerWindow   = 500 * time.Millisecond
	// observerWindows is how many windows each service of a pair has.
	observerWindows = 4
)

// observed are the figures of the pairs of services, one value per pair.
type observed struct {
	share, ratio, startUp, resident, anonymous []float64
}

// TestObserver compares the login service with the same under `loginservice observe`, as in the
// pod of a user's own service. Each pair of services is started anew, so that pairs are
// independent. The two get the same logins in short windows that alternate, because the
// machine's speed drifts.
func TestObserver(t *testing.T) {
	r := begin(t, "observer")
	rate := observerLoad * loopbackBound(t, observerCost) * observerMilliCPU / 1000
	step := openStep("Poisson", rate, int(rate*observerWindow.Seconds()))
	step.SettleRequests, step.SettleMilliseconds = step.Requests/10, observerWindow.Milliseconds()/10
	var all observed
	pairs := pick(52, 8)
	for pair := range pairs {
		all.measure(t, step, pair)
		say("pair %d of %d: p95 with ÷ without is %.3f", pair+1, pairs, all.ratio[pair])
	}
	all.report(r, fmt.Sprintf("%d pairs, each of %d × %d logins at %.0f/s, cost %s, %dm",
		pairs, observerWindows, step.Requests, rate, observerCost, observerMilliCPU))
	conclude(t, r)
}

// measure adds the figures of a pair: a service without the observer, and one with it.
func (o *observed) measure(t *testing.T, step loadplan.Step, pair int) {
	t.Helper()
	evidence := freeAddress(t)
	binary := program(t, "HASHMARK_LOGINSERVICE")
	commands := [2]string{binary, fmt.Sprintf("%s observe --listen %s -- %s", binary, evidence, binary)}
	var services [2]*loopback.Service
	for turn := range services {
		i := (pair + turn) % 2
		var stop func()
		services[i], stop = limited(t, commands[i])
		defer stop()
		_, err := loopback.Replay(t.Context(), services[i].URL, make([]time.Duration, 10), generatorsTimeout)
		must(t, err)
	}
	pid := services[1].PID()
	var latencies [2][]time.Duration
	var used, took time.Duration
	for window := range 2 * observerWindows {
		step.Seed = uint32(2 * (pair*observerWindows + window/2))
		// The order is ABBA.
		i := (pair + (window+1)/2) % 2
		if i == 1 {
			reading := time.AfterFunc(observerWindow/2, func() { readEvidence(t.Context(), "http://"+evidence+"/evidence") })
			defer reading.Stop()
		}
		began, before := time.Now(), cpuTimeOf(t, pid)
		latencies[i] = append(latencies[i], sentInWindow(t, services[i].URL, step)...)
		if i == 1 {
			used, took = used+cpuTimeOf(t, pid)-before, took+time.Since(began)
		}
	}
	o.share = append(o.share, 100*used.Seconds()/took.Seconds()*1000/observerMilliCPU)
	o.ratio = append(o.ratio, p95(latencies[1], nil)/p95(latencies[0], nil))
	o.startUp = append(o.startUp, (services[1].StartUp-services[0].StartUp).Seconds()*1000)
	o.resident = append(o.resident, mebibytes(t, pid, "VmRSS:"))
	o.anonymous = append(o.anonymous, mebibytes(t, pid, "RssAnon:"))
}

// report adds medians. What depends on the machine has no goal.
func (o *observed) report(r *report.Report, notes string) {
	low, high := figures.MedianInterval(o.ratio)
	agrees := report.Between(0.97, 1.03)
	if *cut {
		agrees = agrees.ReportOnly()
	}
	r.Add("CPU time of the observer in % of the CPU limit", figures.Median(o.share), report.AtMost(1),
		fmt.Sprintf("two readings per second; largest %.3f", slices.Max(o.share)))
	r.Add("p95 with ÷ without the observer", figures.Median(o.ratio), agrees, fmt.Sprintf("95 %% interval %.3f to %.3f; %s", low, high, notes))
	r.Add("MiB resident", figures.Median(o.resident), report.Goal{},
		fmt.Sprintf("%.1f of them are anonymous, the rest is its executable", figures.Median(o.anonymous)))
	low, high = figures.MedianInterval(o.startUp)
	r.Add("milliseconds until the service is ready, with − without", figures.Median(o.startUp), report.Goal{},
		fmt.Sprintf("95 %% interval %.1f to %.1f", low, high))
}

// limited starts a login service in a control group of its own. The returned function ends it.
func limited(t *testing.T, command string) (*loopback.Service, func()) {
	t.Helper()
	group, err := loopback.NewQuota("hashmark-observer-"+fmt.Sprint(time.Now().UnixNano()), observerMilliCPU)
	must(t, err)
	wrapper, err := group.Within(t.TempDir(), command)
	must(t, err)
	// If this process dies, the child of the observer ends at the deadline.
	service, err := loopback.Start(t.Context(), wrapper, serviceCPU, "--cost", observerCost, "--workers", "1",
		"--queue-length", "1000", "--deadline", time.Now().Add(time.Minute).Format(time.RFC3339))
	if err != nil {
		must(t, group.Remove())
		t.Fatal(err)
	}
	return service, func() {
		service.Stop()
		must(t, group.Remove())
	}
}

// sentInWindow sends the logins of a step, and returns the latencies of the counted ones from
// sending: how late this process sends says nothing about the service.
func sentInWindow(t *testing.T, url string, step loadplan.Step) []time.Duration {
	t.Helper()
	arrivals := model.ArrivalsOf(step)
	records, err := loopback.Replay(t.Context(), url, arrivals.Due, generatorsTimeout)
	must(t, err)
	latencies, err := loopback.FromSend(records[arrivals.Counted:])
	must(t, err)
	return latencies
}

// readEvidence does what the generator does three times per step.
func readEvidence(ctx context.Context, url string) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return
	}
	if response, err := http.DefaultClient.Do(request); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
}

// cpuTimeOf returns the CPU time of a process without its children, by its CPU clock
// (clock_getcpuclockid(3)).
func cpuTimeOf(t *testing.T, pid int) time.Duration {
	t.Helper()
	const scheduler = 2
	var now unix.Timespec
	must(t, unix.ClockGettime(int32(^pid<<3|scheduler), &now))
	return time.Duration(now.Nano())
}

// mebibytes returns a size from the status of a process.
func mebibytes(t *testing.T, pid int, name string) float64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, after, _ := strings.Cut(string(status), name)
	var kibibytes float64
	_, err = fmt.Sscan(after, &kibibytes)
	must(t, err)
	return kibibytes / 1024
}
