//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// kubeletRoot is the folder of the pods' volumes on the second node.
const kubeletRoot = "/var/lib/hashmark-cluster/node-2/kubelet/pods"

func TestTheStatussP95IsThatOfK6sOwnOutput(t *testing.T) {
	startOperator(t, "--generator-raw-output")
	e := create(t, tiny(namespace(t), "raw", longer(5), tries(1)))
	raw := openRawOutput(t, underLoad(t, e).UID)
	finished(t, e, 2*time.Minute)
	trial := theTrial(t, e)
	if len(trial.Status.Attempts) != 1 || len(trial.Status.Steps) == 0 || trial.Status.Steps[0].P95Microseconds == nil {
		t.Fatalf("the trial has attempts %+v and result %+v", trial.Status.Attempts, trial.Status.Result)
	}
	// The warm-up is step 0 of the plan, the reported step is the next.
	latencies := countedLatencies(t, raw, "1")
	if int64(len(latencies)) != trial.Status.Steps[0].OK {
		t.Fatalf("k6's output has %d successes, the status has %d", len(latencies), trial.Status.Steps[0].OK)
	}
	slices.Sort(latencies)
	// Failures count as slower than every success, so they only take the last ranks.
	rank := int(math.Ceil(0.95 * float64(trial.Status.Steps[0].Scheduled)))
	if rank > len(latencies) {
		t.Fatalf("%d successes of %d logins have no p95, but the status has one", len(latencies), trial.Status.Steps[0].Scheduled)
	}
	want := int64(math.Round(latencies[rank-1] * 1000))
	// The row has p95 at the reference speed; the step has the observed one.
	if got := *trial.Status.Steps[0].P95Microseconds; got != want {
		t.Errorf("p95 is %dµs in the status and %dµs in k6's own output", got, want)
	}
}

// openRawOutput opens k6's output on the node's disk while the pod exists. The open file can
// be read after the pod and its volume are deleted.
func openRawOutput(t *testing.T, pod types.UID) *os.File {
	t.Helper()
	var file *os.File
	path := filepath.Join(kubeletRoot, string(pod), "volumes/kubernetes.io~empty-dir/scratch/k6.json")
	until(t, 30*time.Second, "k6's output at "+path, func() (bool, string) {
		var err error
		file, err = os.Open(path)
		if err != nil {
			return false, err.Error()
		}
		return true, ""
	})
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// countedLatencies reads the successes of a step's counted part, in milliseconds.
func countedLatencies(t *testing.T, raw *os.File, step string) []float64 {
	t.Helper()
	var latencies []float64
	lines := bufio.NewScanner(raw)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var point struct {
			Type, Metric string
			Data         struct {
				Value float64
				Tags  map[string]string
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &point); err != nil {
			t.Fatalf("k6's output, line %s: %v", strconv.Quote(lines.Text()), err)
		}
		tags := point.Data.Tags
		if point.Type == "Point" && point.Metric == "hashmark_latency" && tags["step"] == step && tags["part"] == "counted" && tags["outcome"] == "ok" {
			latencies = append(latencies, point.Data.Value)
		}
	}
	must(t, lines.Err())
	return latencies
}
