//go:build bench

package bench

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/hashmark-dev/hashmark/test/process"
	"github.com/hashmark-dev/hashmark/tools/bench/figures"
)

// operatorProcess is a process of the operator, with metrics over HTTP.
type operatorProcess struct {
	command *exec.Cmd
	began   time.Time
	output  *bytes.Buffer
	metrics string
}

// startOperator starts an operator whose Leases are in a namespace.
func startOperator(t *testing.T, kubeconfig, namespace string) *operatorProcess {
	t.Helper()
	address := process.FreeAddress(t)
	o := &operatorProcess{output: &bytes.Buffer{}, began: time.Now(), metrics: "http://" + address + "/metrics"}
	o.command = exec.Command(program(t, "HASHMARK_OPERATOR"), process.Config(t, fmt.Sprintf(`
leaderElection: {enabled: false, namespace: %s}
metrics: {bindAddress: "%s", secure: false}
health: {bindAddress: "0"}
trials: {startTimeout: 1h}
loginService: {image: "example.test/loginservice:v1"}
generator: {image: "example.test/generator:v1"}
`, namespace, address)))
	o.command.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "GOMAXPROCS=1") // as in the chart
	o.command.Stderr = o.output
	must(t, o.command.Start())
	t.Cleanup(func() { _ = o.command.Process.Kill() }) // in case the benchmark fails; it keeps no state
	return o
}

func (o *operatorProcess) stop(t *testing.T) {
	t.Helper()
	must(t, o.command.Process.Signal(syscall.SIGTERM))
	if err := o.command.Wait(); err != nil {
		t.Fatalf("the operator ended with %v: %s", err, o.output)
	}
}

// cpu returns the CPU time of the process.
func (o *operatorProcess) cpu(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", o.command.Process.Pid))
	must(t, err)
	// The name in parentheses can contain spaces. User and system time are the 12th and 13th
	// fields after it, in hundredths of a second.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	user, err := strconv.ParseInt(fields[11], 10, 64)
	must(t, err)
	system, err := strconv.ParseInt(fields[12], 10, 64)
	must(t, err)
	return time.Duration(user+system) * 10 * time.Millisecond
}

// residentMiB returns the resident memory of the process.
func (o *operatorProcess) residentMiB(t *testing.T) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", o.command.Process.Pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	must(t, err)
	return kib / 1024
}

// counts are what an operator has counted until some time.
type counts struct {
	// writes are the requests to the API server that change something, whether they succeed or not.
	writes float64
	// passes are the passes of each controller by their duration, as a cumulative histogram in seconds.
	passes map[string]map[float64]float64
}

// counts reads the operator's metrics. An operator that does not serve them yet has counted
// nothing.
func (o *operatorProcess) counts(t *testing.T) counts {
	t.Helper()
	c := counts{passes: map[string]map[float64]float64{}}
	response, err := http.Get(o.metrics)
	if err != nil {
		return c
	}
	defer response.Body.Close()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(response.Body)
	must(t, err)
	for _, metric := range families["rest_client_requests_total"].GetMetric() {
		if label(metric, "method") != http.MethodGet {
			c.writes += metric.GetCounter().GetValue()
		}
	}
	for _, metric := range families["controller_runtime_reconcile_time_seconds"].GetMetric() {
		buckets := map[float64]float64{}
		for _, bucket := range metric.GetHistogram().GetBucket() {
			buckets[bucket.GetUpperBound()] = float64(bucket.GetCumulativeCount())
		}
		c.passes[label(metric, "controller")] = buckets
	}
	return c
}

func label(metric *dto.Metric, name string) string {
	for _, pair := range metric.GetLabel() {
		if pair.GetName() == name {
			return pair.GetValue()
		}
	}
	return ""
}

// usage is what an operator used in some time.
type usage struct {
	seconds, cpuSeconds, writes float64
	passes                      map[string]map[float64]float64
}

func (u usage) cores() float64 { return u.cpuSeconds / u.seconds }

// percentile returns the upper end of the bucket that holds a percentile of the passes of a
// controller, in milliseconds.
func (u usage) percentile(controller string, share float64) float64 {
	return 1000 * figures.UpperBound(u.passes[controller], share)
}

// during returns what the operator uses while something happens. Reading its metrics is not
// part of it.
func (o *operatorProcess) during(t *testing.T, what func()) usage {
	t.Helper()
	before := o.counts(t)
	began, cpu := time.Now(), o.cpu(t)
	what()
	u := usage{seconds: time.Since(began).Seconds(), cpuSeconds: (o.cpu(t) - cpu).Seconds(), passes: map[string]map[float64]float64{}}
	after := o.counts(t)
	u.writes = after.writes - before.writes
	for controller, buckets := range after.passes {
		u.passes[controller] = maps.Clone(buckets)
		for bound, count := range before.passes[controller] {
			u.passes[controller][bound] -= count
		}
	}
	return u
}
