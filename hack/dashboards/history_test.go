//go:build prometheus || grafana

package dashboards

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashmark-dev/hashmark/internal/telemetry"
)

// The history is twenty minutes in which an experiment with five variants is measured. In
// the middle, the leader changes from one operator's pod to another's.
var (
	historyBegins = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	historyEnds   = historyBegins.Add(20 * time.Minute)
	handedOver    = historyBegins.Add(10 * time.Minute)
)

const scrapeEvery = 10 * time.Second

// The label values of the series in the history.
var (
	thisExperiment = map[string]string{"namespace": "shop", "experiment": "login"}
	variantLabels  = []map[string]string{
		{"variant": "c8-250m", "algorithm": "bcrypt", "cost": "8", "cpu_limit": "250m"},
		{"variant": "c8-1", "algorithm": "bcrypt", "cost": "8", "cpu_limit": "1"},
		{"variant": "c10-250m", "algorithm": "bcrypt", "cost": "10", "cpu_limit": "250m"},
		{"variant": "c10-1", "algorithm": "bcrypt", "cost": "10", "cpu_limit": "1"},
		{"variant": "argon2id-1", "algorithm": "argon2id", "cost": "", "cpu_limit": "1"},
	}
	// fits are the possible values of the label phase for some series.
	fits = map[string][]string{
		"hashmark_experiment_phase": {"Running"}, "hashmark_trial_phase": {"Running"},
		"hashmark_experiments": {"Running", "Succeeded"}, "hashmark_trials": {"Running", "Failed"},
	}
)

// recorder writes OpenMetrics.
type recorder struct{ to io.Writer }

// metric writes the samples of one metric. Each line has its own labels and suffix.
func (r *recorder) metric(name, kind string, lines ...line) {
	family := name
	if kind == "counter" {
		family = strings.TrimSuffix(name, "_total")
	}
	fmt.Fprintf(r.to, "# TYPE %s %s\n", family, kind)
	for _, l := range lines {
		for at := l.from; at.Before(l.to); at = at.Add(scrapeEvery) {
			fmt.Fprintf(r.to, "%s{%s} %g %d\n", name+l.suffix, labelled(l.labels), l.value(at), at.Unix())
		}
	}
}

// line is one series of a metric.
type line struct {
	suffix   string
	labels   map[string]string
	from, to time.Time
	value    func(time.Time) float64
}

func labelled(labels map[string]string) string {
	var pairs []string
	for name, value := range labels {
		pairs = append(pairs, fmt.Sprintf("%s=%q", name, value))
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

func constant(value float64) func(time.Time) float64 { return func(time.Time) float64 { return value } }

// rising is a counter with a rate per second.
func rising(perSecond float64) func(time.Time) float64 {
	return func(at time.Time) float64 { return at.Sub(historyBegins).Seconds() * perSecond }
}

// exported returns a series that the two operators export one after the other.
func exported(labels map[string]string, suffix string, value func(time.Time) float64) []line {
	return []line{
		{suffix, with(labels, map[string]string{"pod": "operator-a", "instance": "10.0.0.1:8443"}), historyBegins, handedOver, value},
		{suffix, with(labels, map[string]string{"pod": "operator-b", "instance": "10.0.0.2:8443"}), handedOver, historyEnds, value},
	}
}

func with(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

// record writes the history of everything that the dashboards can query.
func record(to io.Writer) {
	r := &recorder{to: to}
	for _, series := range telemetry.All() {
		var lines []line
		for n, labels := range rows(series) {
			lines = append(lines, exported(labels, "", constant(valueOf(series.Name, n)))...)
		}
		r.metric(series.Name, "gauge", lines...)
	}
	r.metric(telemetry.AttemptsTotal, "counter", exported(map[string]string{"outcome": "Kept", "reason": "None"}, "", rising(0.01))...)
	stage, never := map[string]string{"stage": "Driving"}, map[string]string{"stage": "Removing"}
	r.metric(telemetry.StageDurationSeconds, "histogram", slices.Concat(
		exported(stage, "_sum", rising(0.3)), exported(stage, "_count", rising(0.01)),
		exported(never, "_sum", constant(0)), exported(never, "_count", constant(0)))...)
	for _, name := range []string{"controller_runtime_reconcile_total", "controller_runtime_reconcile_errors_total"} {
		r.metric(name, "counter", exported(map[string]string{"controller": "sizingtrial"}, "", rising(0.5))...)
	}
	r.loginService()
	r.k6()
	fmt.Fprintln(to, "# EOF")
}

// rows returns the sets of labels of a series in the history.
func rows(series *telemetry.Series) []map[string]string {
	families := []map[string]string{{}}
	if slices.Contains(series.Labels, "variant") {
		families = variantLabels
	}
	if series.Name == "hashmark_experiment_recommendation" {
		families = variantLabels[1:2] // there is one recommendation
	}
	var all []map[string]string
	for _, family := range families {
		steps := []string{""}
		if slices.Contains(series.Labels, "step") {
			steps = []string{"01", "02"}
		}
		if series.Name == "hashmark_step_offered_logins_per_second" {
			steps = append(steps, "03") // overloaded: it has no p95
		}
		for _, step := range steps {
			for _, phase := range append(fits[series.Name], "Valid")[:max(1, len(fits[series.Name]))] {
				labels := map[string]string{}
				for _, name := range series.Labels {
					known := with(thisExperiment, family, map[string]string{
						"step": step, "phase": phase, "reason": "SharedNode", "verdict": "Valid", "trial": "login-" + family["variant"],
						"concurrency": "pool of 1", "pool": "", "currency": "EUR", "confidence": "High", "basis": "Measured",
						"bound": "MaxTotalCPU", "cpu_model": "EPYC", "hash": "",
					})
					labels[name] = known[name]
				}
				all = append(all, labels)
			}
		}
	}
	// One variant has no reason, as is typical.
	if series.Name == "hashmark_variant_reason" {
		return all[1:]
	}
	return all
}

func valueOf(name string, n int) float64 {
	switch {
	case strings.HasSuffix(name, "_timestamp_seconds"):
		return float64(historyEnds.Unix())
	case strings.HasSuffix(name, "_phase"), strings.HasSuffix(name, "_verdict"), strings.HasSuffix(name, "_reason"), strings.HasSuffix(name, "_end"),
		strings.HasSuffix(name, "_recommendation"), strings.HasSuffix(name, "_met"):
		return 1
	case name == "hashmark_variant_recommended":
		return float64(n % 2)
	case strings.HasSuffix(name, "_ratio"):
		return float64(n+1) / 16
	default:
		return float64(n + 1)
	}
}

// ofPods returns a series of the two pods of the login service.
func ofPods(labels map[string]string, suffix string, value func(time.Time) float64) []line {
	pod := func(name string) line {
		return line{suffix, with(thisExperiment, labels, map[string]string{"variant": "c8-1", "pod": name}), historyBegins, historyEnds, value}
	}
	return []line{pod("hm-1"), pod("hm-2")}
}

func (r *recorder) loginService() {
	r.metric("hashmark_login_requests_total", "counter", ofPods(map[string]string{"code": "200"}, "", rising(5))...)
	r.metric("hashmark_login_in_flight", "gauge", ofPods(nil, "", constant(3))...)
	r.metric("hashmark_login_queue_length", "gauge", ofPods(nil, "", constant(2))...)
	r.metric("hashmark_login_cfs_periods_total", "counter", ofPods(nil, "", rising(10))...)
	r.metric("hashmark_login_cfs_throttled_periods_total", "counter", ofPods(nil, "", rising(4))...)
	r.metric("process_cpu_seconds_total", "counter", ofPods(nil, "", rising(0.5))...)
	r.metric("hashmark_login_hash_duration_seconds", "histogram", slices.Concat(
		ofPods(map[string]string{"le": "0.1"}, "_bucket", rising(4)), ofPods(map[string]string{"le": "+Inf"}, "_bucket", rising(5)),
		ofPods(nil, "_sum", rising(0.4)), ofPods(nil, "_count", rising(5)))...)
}

func (r *recorder) k6() {
	series := func(labels map[string]string, value func(time.Time) float64) line {
		trial := map[string]string{"variant": "c8-1", "testid": "login-c8-1"}
		return line{"", with(thisExperiment, trial, labels), historyBegins, historyEnds, value}
	}
	answered := func(status string) map[string]string {
		return map[string]string{"name": "login", "method": "POST", "status": status, "expected_response": fmt.Sprint(status == "200")}
	}
	r.metric("k6_hashmark_sent_total", "counter", series(nil, rising(10)))
	unharmed := with(answered("200"), map[string]string{"variant": "c8-250m"})
	r.metric("k6_http_reqs_total", "counter", series(answered("200"), rising(9)), series(answered("503"), rising(1)), series(unharmed, rising(9)))
	for _, trend := range []string{"med", "p95", "p99"} {
		r.metric("k6_http_req_duration_"+trend, "gauge", series(answered("200"), constant(0.4)), series(answered("503"), constant(0.1)))
	}
	r.metric("k6_http_req_failed_rate", "gauge", series(answered("200"), constant(0)), series(answered("503"), constant(1)))
	r.metric("k6_vus", "gauge", series(nil, constant(4)))
	r.metric("k6_vus_max", "gauge", series(nil, constant(20)))
	step := map[string]string{"step": "1", "part": "counted", "outcome": "ok"}
	r.metric("k6_hashmark_latency_p95", "gauge", series(step, constant(0.5)))
}
