//go:build e2e

package e2e

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The pods of node-1 run on the service's CPU. What they use while no trial runs would be
// taken for the service's usage. Other work of the machine does not belong to the cluster and
// is not checked.
func TestTheServicesCPUIsIdleWhenNoTrialRuns(t *testing.T) {
	startOperator(t) // idle, as between two trials
	begin, before := time.Now(), podsCPU(t)
	<-time.After(10 * time.Second) // the measured period, not a wait for a condition
	used, elapsed := podsCPU(t)-before, time.Since(begin)
	t.Logf("the pods of node-1 used %s in %s", used, elapsed)
	if share := 100 * used.Seconds() / elapsed.Seconds(); share > 3 {
		t.Errorf("the pods of node-1 used %.1f %% of the service's CPU, want at most 3 %%", share)
	}
}

var usageOfV2 = regexp.MustCompile(`(?m)^usage_usec (\d+)$`)

// podsCPU returns the CPU time that all pods of node-1 have used, from their cgroup
// (tools/cluster/cgroups.sh), version 1 or 2.
func podsCPU(t *testing.T) time.Duration {
	t.Helper()
	if text, err := os.ReadFile("/sys/fs/cgroup/cpuacct/hashmark-node-1/cpuacct.usage"); err == nil {
		nanoseconds, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		must(t, err)
		return time.Duration(nanoseconds)
	}
	text, err := os.ReadFile("/sys/fs/cgroup/hashmark-node-1/cpu.stat")
	must(t, err)
	found := usageOfV2.FindSubmatch(text)
	if found == nil {
		t.Fatalf("cpu.stat of node-1's pods has no usage:\n%s", text)
	}
	microseconds, err := strconv.ParseInt(string(found[1]), 10, 64)
	must(t, err)
	return time.Duration(microseconds) * time.Microsecond
}
