package results_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashmark-dev/hashmark/internal/results"
)

// A request that nobody interrupts has no time limit, and an interrupted one has a little.
func TestARequestOutlivesItsInterruption(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		request, cancel := results.Outlive(ctx, 10*time.Second)
		defer cancel()
		select {
		case <-request.Done():
			t.Error("the request ended without an interruption")
		case <-time.After(time.Hour):
		}
		interrupt()
		interrupted := time.Now()
		<-request.Done()
		if lived := time.Since(interrupted); lived != 10*time.Second {
			t.Errorf("the request lived for %s after the interruption", lived)
		}
	})
}
