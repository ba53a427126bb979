//go:build bench

package bench

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/test/bench/figures"
	"github.com/hashmark-dev/hashmark/test/bench/report"
)

const (
	// startPatience is how long to wait for a start.
	startPatience = time.Minute
	// startLook is the polling interval, which is the resolution of the figure.
	startLook = 5 * time.Millisecond
)

// TestStart measures how long an operator takes from its start until it is ready, which means
// that it has listed every kind that it works with. The operators wait for the lease of the
// installed one, and so do no work.
func TestStart(t *testing.T) {
	r := begin(t, "start")
	starts := pick(20, 5)
	var took []float64
	for range starts {
		took = append(took, untilReady(t).Seconds())
		say("ready after %.3f s", took[len(took)-1])
	}
	r.Add("seconds from the operator's start to ready", figures.Median(took), report.AtMost(5).ReportOnly(),
		fmt.Sprintf("median of %d starts of the binary; the slowest took %.3f; without pulling the image and starting a pod", starts, slices.Max(took)))
	conclude(t, r)
}

// untilReady starts an operator, returns how long it takes to be ready, and ends it.
func untilReady(t *testing.T) time.Duration {
	t.Helper()
	address := freeAddress(t)
	operator := exec.CommandContext(t.Context(), program(t, "HASHMARK_OPERATOR"),
		"--leader-elect", "--leader-election-namespace=hashmark-system",
		"--metrics-bind-address=0", "--health-probe-bind-address="+address,
		"--service-image=example.test/loginservice:v1", "--generator-image=example.test/generator:v1")
	began := time.Now()
	must(t, operator.Start())
	defer func() {
		_ = operator.Process.Signal(syscall.SIGTERM)
		_ = operator.Wait()
	}()
	ticker := time.NewTicker(startLook)
	defer ticker.Stop()
	for time.Since(began) < startPatience {
		<-ticker.C
		response, err := http.Get("http://" + address + "/readyz")
		if err != nil {
			continue // it does not listen yet
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return time.Since(began)
		}
	}
	t.Fatalf("the operator is not ready after %s", startPatience)
	return 0
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer listener.Close()
	return listener.Addr().String()
}
