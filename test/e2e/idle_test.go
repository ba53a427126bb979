//go:build e2e

package e2e

import (
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The machine's first CPU is node-1's, where the services are measured. Whatever
// uses it when no trial runs would be taken for the service's doing.
func TestTheServicesCPUIsIdleWhenNoTrialRuns(t *testing.T) {
	startOperator(t) // at rest, as between two trials
	idle, all := ticks(t)
	<-time.After(10 * time.Second) // what is measured, not a condition waited for
	idleLater, allLater := ticks(t)
	if share := 100 * float64(idleLater-idle) / float64(allLater-all); share < 97 {
		t.Errorf("CPU 0 was %.1f %% idle, want at least 97 %%", share)
	} else {
		t.Logf("CPU 0 was %.1f %% idle", share)
	}
}

// ticks is how long CPU 0 stood idle, and how long in all, by proc(5).
func ticks(t *testing.T) (idle, all int64) {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if fields[0] != "cpu0" {
			continue
		}
		// Guests, which come last, are counted among users already.
		for column, field := range fields[1:9] {
			n, err := strconv.ParseInt(field, 10, 64)
			must(t, err)
			all += n
			if column == 3 || column == 4 { // idle, and waiting for a disk
				idle += n
			}
		}
	}
	return idle, all
}
