//go:build k6

package generator_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/internal/generator"
)

// BenchmarkLive measures what sending its series costs a generator: the CPU time of k6 for
// one load without and with it, against a service that responds at once.
func BenchmarkLive(b *testing.B) {
	for _, perSecond := range []int{50, 500, 2000} {
		b.Run(fmt.Sprintf("%d logins a second", perSecond), func(b *testing.B) {
			var without, with time.Duration
			for i := 0; b.Loop(); i++ {
				// Alternate, so that other work on the machine does not always affect the same one.
				for _, live := range []bool{i%2 == 0, i%2 != 0} {
					if live {
						with += driveAndCost(b, perSecond, "testid=a,namespace=b,experiment=c,variant=d")
					} else {
						without += driveAndCost(b, perSecond, "")
					}
				}
			}
			logins := float64(b.N) * float64(perSecond) * 20.5
			b.ReportMetric(float64(without.Microseconds())/logins, "without-µs/login")
			b.ReportMetric(float64(with.Microseconds())/logins, "with-µs/login")
			b.ReportMetric(with.Seconds()/without.Seconds(), "with/without")
		})
	}
}

// driveAndCost runs 20 counted seconds and half a second of settling, and returns the CPU
// time of k6.
func driveAndCost(b *testing.B, perSecond int, labels string) time.Duration {
	b.Helper()
	var got receiver
	server := httptest.NewServer(&got)
	defer server.Close()
	target, _ := serveLogins(b, func(http.ResponseWriter, *http.Request) {})
	config := configForReal(b, oneStep(openAt(perSecond, 20, true), 2000), target, func(v map[string]string) {
		v["HASHMARK_REMOTE_WRITE_LABELS"] = labels
	})
	config.Script = append(config.Script, sendsTo(b, server.URL, "K6_PROMETHEUS_RW_PUSH_INTERVAL=5s")...)
	before := childrenCPU(b)
	if _, err := generator.Run(b.Context(), config, nil, io.Discard); err != nil {
		b.Fatal(err)
	}
	if live := len(got.series) > 0; got.problem != nil || live != (labels != "") {
		b.Fatalf("%d series received, problem %v", len(got.series), got.problem)
	}
	return childrenCPU(b) - before
}

func childrenCPU(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
