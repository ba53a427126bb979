//go:build bench

package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hashmark-dev/hashmark/internal/password"
	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

const (
	// measuredCPU is the CPU that hashes are timed on.
	measuredCPU = 0
	// jmhIteration is how long an iteration of JMH takes, and how long x/crypto is timed before it.
	jmhIteration = time.Second
)

// jmhResult is what is read of JMH's result for one cost.
type jmhResult struct {
	Params        struct{ Rounds string }
	PrimaryMetric struct {
		Score, ScoreError float64
		// RawData has the mean of each iteration, in microseconds, of each fork.
		RawData [][]float64
	}
}

// TestAccountJBCrypt times jBCrypt under JMH and x/crypto in turns, on one CPU. Each iteration of JMH
// is compared with the hashes of x/crypto right before it, so that a drift of the machine does not
// count.
func TestAccountJBCrypt(t *testing.T) {
	r := begin(t, "account-jbcrypt")
	iterations := pick(20, 5)
	timed := map[string][]float64{}
	address := serveHashes(t, timed)
	out := filepath.Join(t.TempDir(), "jmh.json")
	classes := program(t, "HASHMARK_JBCRYPT")
	command := exec.CommandContext(t.Context(), "taskset", "-c", strconv.Itoa(measuredCPU), "java", "-cp", classes+"/*:"+classes+"/lib/*",
		"org.openjdk.jmh.Main", "-f", "1", "-wi", "5", "-w", jmhIteration.String(), "-i", strconv.Itoa(iterations), "-r", jmhIteration.String(), "-rf", "json", "-rff", out)
	command.Env = append(os.Environ(), "HASHMARK_OTHER="+address)
	command.Stdout, command.Stderr = os.Stderr, os.Stderr
	must(t, command.Run())
	text, err := os.ReadFile(out)
	must(t, err)
	var results []jmhResult
	must(t, json.Unmarshal(text, &results))
	var rows [][]string
	for _, result := range results {
		others := timed[result.Params.Rounds]
		java := result.PrimaryMetric.RawData[0]
		others = others[len(others)-len(java):] // those before were beside JMH's warm-up
		ratios := make([]float64, len(java))
		for i := range java {
			ratios[i] = java[i] / others[i]
		}
		low, high := figures.MedianInterval(ratios)
		rows = append(rows, []string{result.Params.Rounds, milliseconds(result.PrimaryMetric.Score) + " ± " + milliseconds(result.PrimaryMetric.ScoreError),
			milliseconds(figures.Median(others))})
		r.Add("jBCrypt ÷ x/crypto, cost "+result.Params.Rounds, figures.Median(ratios), report.Between(1.12*.97, 1.12*1.03),
			fmt.Sprintf("%.3f to %.3f, %d iterations", low, high, len(ratios)))
	}
	r.Tables = report.Table([]string{"log rounds", "jBCrypt 0.3m under JMH, ms ± 99.9 %", "x/crypto in between, median ms"}, rows)
	conclude(t, r)
}

// serveHashes answers each request after timing hashes of the requested cost for as long as an
// iteration takes, and adds their mean in microseconds to those of the cost.
func serveHashes(t *testing.T, timed map[string][]float64) string {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	must(t, err)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		cost := request.FormValue("cost")
		mean, err := timeHashes(cost)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		timed[cost] = append(timed[cost], mean)
	})}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serving hashes: %v", err)
		}
	}()
	t.Cleanup(func() { _ = server.Shutdown(context.Background()) })
	return "http://" + listener.Addr().String()
}

// timeHashes returns the mean time of a hash of a cost on the measured CPU, in microseconds.
func timeHashes(cost string) (float64, error) {
	n, err := strconv.Atoi(cost)
	if err != nil {
		return 0, err
	}
	hash, err := password.Prepare(password.Recipe{Algorithm: password.Bcrypt, Cost: int32(n)})
	if err != nil {
		return 0, err
	}
	// The thread is not used again: it ends with this goroutine, which runs it for one request.
	type outcome struct {
		mean float64
		err  error
	}
	done := make(chan outcome)
	go func() {
		runtime.LockOSThread()
		var set unix.CPUSet
		set.Set(measuredCPU)
		if err := unix.SchedSetaffinity(0, &set); err != nil {
			done <- outcome{err: err}
			return
		}
		begin, hashes := time.Now(), 0
		for time.Since(begin) < jmhIteration {
			if err := hash(); err != nil {
				done <- outcome{err: err}
				return
			}
			hashes++
		}
		done <- outcome{mean: float64(time.Since(begin).Microseconds()) / float64(hashes)}
	}()
	o := <-done
	return o.mean, o.err
}
