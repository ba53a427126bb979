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

// The pods of node-1 run where the services are measured. Whatever they use when no
// trial runs would be taken for the service's doing. What else the machine does is not
// the cluster's, and not looked at.
func TestTheServicesCPUIsIdleWhenNoTrialRuns(t *testing.T) {
	startOperator(t) // at rest, as between two trials
	begin, before := time.Now(), podsCPU(t)
	<-time.After(10 * time.Second) // what is measured, not a condition waited for
	used, elapsed := podsCPU(t)-before, time.Since(begin)
	t.Logf("the pods of node-1 used %s in %s", used, elapsed)
	if share := 100 * used.Seconds() / elapsed.Seconds(); share > 3 {
		t.Errorf("the pods of node-1 used %.1f %% of the service's CPU, want at most 3 %%", share)
	}
}

var usageOfV2 = regexp.MustCompile(`(?m)^usage_usec (\d+)$`)

// podsCPU is the CPU time that all pods of node-1 have used, by the cgroup that they
// are in (hack/cluster/cgroups.sh), of version 1 or 2.
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
		t.Fatalf("cpu.stat of node-1's pods tells no usage:\n%s", text)
	}
	microseconds, err := strconv.ParseInt(string(found[1]), 10, 64)
	must(t, err)
	return time.Duration(microseconds) * time.Microsecond
}
