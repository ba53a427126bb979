//go:build bench

package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
	"github.com/hashmark-dev/hashmark/internal/model"
	"github.com/hashmark-dev/hashmark/tools/bench/figures"
	"github.com/hashmark-dev/hashmark/tools/bench/loopback"
	"github.com/hashmark-dev/hashmark/tools/bench/report"
)

// arrivalsBins is the number of bins, of ten mean gaps each, that a dispersion is computed from.
const arrivalsBins = 1000

// TestArrivals measures when k6 actually sends logins that are due, with a server that does
// nothing.
func TestArrivals(t *testing.T) {
	r := begin(t, "arrivals")
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	// At a higher rate the same lag is a larger part of a gap, so the short run is the harder
	// test.
	rate := pick(100, 400)
	for _, kind := range []struct {
		arrivals string
		goal     report.Goal
	}{
		{"Poisson", report.Between(0.9, 1.1)},
		{"Uniform", report.AtMost(0.1)},
	} {
		step := openStep(kind.arrivals, float64(rate), 10*arrivalsBins)
		records := sentByK6(t, server.URL, step)
		width := 10 * time.Second / time.Duration(rate)
		r.Add(fmt.Sprintf("dispersion of starts as sent, %s", kind.arrivals), dispersion(records, step, width), kind.goal,
			fmt.Sprintf("%d bins of ten mean gaps at %d/s; as due %.3f", arrivalsBins, rate,
				figures.Dispersion(after(model.ArrivalsOf(step).Due, step), width, arrivalsBins)))
		r.Add(fmt.Sprintf("start lag p99 in milliseconds, %s at %d/s", kind.arrivals, rate),
			figures.Percentile(lags(records), 0.99).Seconds()*1000, lagGoal(rate), fmt.Sprintf("%d logins", len(records)))
	}
	if rate != 100 {
		records := sentByK6(t, server.URL, openStep("Poisson", 100, 1000))
		r.Add("start lag p99 in milliseconds, Poisson at 100/s",
			figures.Percentile(lags(records), 0.99).Seconds()*1000, lagGoal(100), fmt.Sprintf("%d logins", len(records)))
	}
	conclude(t, r)
}

// lagGoal returns the goal of the start lag, which only a rate of 100/s has.
func lagGoal(rate int) report.Goal {
	if rate != 100 {
		return report.Goal{}
	}
	return report.AtMost(5)
}

// openStep returns a step at a rate, with two seconds of settling.
func openStep(arrivals string, perSecond float64, logins int) loadplan.Step {
	const settle = 2 * time.Second
	counted := time.Duration(float64(logins) / perSecond * float64(time.Second))
	return loadplan.Step{
		Kind: loadplan.Open, SettleMilliseconds: settle.Milliseconds(), CountedMilliseconds: counted.Milliseconds(),
		DrainMilliseconds: generatorsTimeout.Milliseconds(), Callers: 100, Arrivals: arrivals,
		SettleRequests: int(perSecond * settle.Seconds()), Requests: logins, Seed: 20261121 &^ 1,
		OfferedMilliPerSecond: int64(perSecond * 1000), Reported: true,
	}
}

func sentByK6(t *testing.T, url string, step loadplan.Step) []measurement.Record {
	t.Helper()
	say("k6 sends %d logins at %.1f/s, %s", step.Requests, float64(step.OfferedMilliPerSecond)/1000, step.Arrivals)
	records, err := loopback.K6(t.Context(), program(t, "HASHMARK_K6"), url, step, generatorsTimeout.Milliseconds())
	must(t, err)
	return records
}

// dispersion returns the dispersion of the times at which logins were sent.
func dispersion(records []measurement.Record, step loadplan.Step, width time.Duration) float64 {
	var sent []time.Duration
	for _, record := range records {
		sent = append(sent, record.Sent)
	}
	return figures.Dispersion(after(sent, step), width, arrivalsBins)
}

// after returns times relative to the start of a step's counted part.
func after(moments []time.Duration, step loadplan.Step) []time.Duration {
	var from []time.Duration
	for _, at := range moments {
		from = append(from, at-time.Duration(step.SettleMilliseconds)*time.Millisecond)
	}
	return from
}

func lags(records []measurement.Record) []time.Duration {
	var all []time.Duration
	for _, record := range records {
		all = append(all, record.Sent-record.Due)
	}
	return all
}
