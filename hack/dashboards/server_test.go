//go:build prometheus || grafana

package dashboards

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// server is a real Prometheus with the history.
type server struct{ address string }

// result is one series of a response: labels, and [time, value] pairs.
type result struct {
	Metric map[string]string `json:"metric"`
	Value  [2]any            `json:"value"`
	Values [][2]any          `json:"values"`
}

// prometheusWithHistory starts a Prometheus on the loopback interface that scrapes nothing.
func prometheusWithHistory(t *testing.T) server {
	t.Helper()
	programs := os.Getenv("HASHMARK_PROMETHEUS")
	if programs == "" {
		t.Fatal("HASHMARK_PROMETHEUS must be a folder with prometheus and promtool; run `make test-unit`, which compiles them first")
	}
	folder := t.TempDir()
	history, err := os.Create(filepath.Join(folder, "history.txt"))
	if err != nil {
		t.Fatal(err)
	}
	record(history)
	if err := history.Close(); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(folder, "data")
	run(t, filepath.Join(programs, "promtool"), "tsdb", "create-blocks-from", "openmetrics", history.Name(), data)
	settings := filepath.Join(folder, "prometheus.yml")
	if err := os.WriteFile(settings, []byte("scrape_configs: []\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, filepath.Join(programs, "prometheus"), "--config.file="+settings, "--storage.tsdb.path="+data,
		"--storage.tsdb.retention.time=100y", "--web.listen-address=127.0.0.1:0", "--log.level=info", "--log.format=json")
}

func run(t *testing.T, program string, arguments ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, output)
	}
}

// start runs Prometheus until the test ends. It reads from the log at which address it
// listens, and when it is ready.
func start(t *testing.T, program string, arguments ...string) server {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	late := time.AfterFunc(time.Minute, cancel)
	command := exec.CommandContext(ctx, program, arguments...)
	log, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = command.Wait()
	})
	defer late.Stop()
	// The two messages can come in any order.
	var s server
	ready := false
	var said strings.Builder
	for lines := bufio.NewScanner(log); lines.Scan(); {
		fmt.Fprintln(&said, lines.Text())
		var entry struct{ Msg, Address string }
		if json.Unmarshal(lines.Bytes(), &entry) != nil {
			continue
		}
		switch entry.Msg {
		case "Listening on":
			s.address = entry.Address
		case "Server is ready to receive web requests.":
			ready = true
		}
		if ready && s.address != "" {
			go drain(lines)
			return s
		}
	}
	t.Fatalf("Prometheus ended before it was ready:\n%s", &said)
	return s
}

// drain keeps a full pipe from stopping Prometheus.
func drain(lines *bufio.Scanner) {
	for lines.Scan() {
	}
}

func (s server) ask(t *testing.T, path string, parameters url.Values) []result {
	t.Helper()
	return ask(t, "http://"+s.address, path, parameters)
}

// ask asks the API of a Prometheus.
func ask(t *testing.T, address, path string, parameters url.Values) []result {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/api/v1/"+path, strings.NewReader(parameters.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct{ Result []result }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	if answer.Status != "success" {
		t.Fatalf("%s\n%s", answer.Error, parameters.Get("query"))
	}
	return answer.Data.Result
}

// overHistory evaluates a query from the first quarter of the history on, when every rate
// has its samples.
func (s server) overHistory(t *testing.T, expr string) []result {
	t.Helper()
	return s.ask(t, "query_range", url.Values{
		"query": {expr}, "start": {stamp(historyBegins.Add(5 * time.Minute))}, "end": {stamp(historyEnds.Add(-scrapeEvery))}, "step": {"10"},
	})
}

func (s server) atEnd(t *testing.T, expr string) []result {
	t.Helper()
	return s.ask(t, "query", url.Values{"query": {expr}, "time": {stamp(historyEnds.Add(-scrapeEvery))}})
}

func stamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
