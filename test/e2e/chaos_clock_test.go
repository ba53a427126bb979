//go:build e2e && chaos

package e2e

import (
	"syscall"
	"testing"
	"time"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// clockJumps sets the machine's clock, which all nodes and the operator share, forward by two
// minutes during a load, then back during the next. An attempt that seems to take too long may
// be spoiled, but not become a number.
func clockJumps(t *testing.T, c *chaos) {
	startOperator(t)
	begun := time.Now()
	t.Cleanup(func() { setClock(t, begun, 0) })
	e := c.experiment(t, "clock", costs(4, 6), longer(10), inOrder)
	underLoad(t, e)
	setClock(t, begun, 2*time.Minute)
	t.Logf("after the jump forward: %s", standing(t, e))
	c.untilLoaded(t, e, 2)
	setClock(t, begun, 0)
	t.Logf("after the jump back: %s", standing(t, e))
	c.holds(t, e, 5*time.Minute, v1alpha1.ReasonDeadlineExceeded)
}

// setClock sets the machine's clock ahead of the right time. The right time is computed from the
// time that has passed since begun, which Go measures with a clock that nobody can set.
func setClock(t *testing.T, begun time.Time, ahead time.Duration) {
	t.Helper()
	now := begun.Round(0).Add(time.Since(begun) + ahead)
	value := syscall.NsecToTimeval(now.UnixNano())
	if err := syscall.Settimeofday(&value); err != nil {
		t.Fatalf("setting the clock: %v", err)
	}
}
