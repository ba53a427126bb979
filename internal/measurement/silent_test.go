package measurement_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// These tests are named after errors that benchmarks make silently. The step is that of
// open(): it counts from 2 s to 4 s.

func summarised(t *testing.T, step loadplan.Step, records []measurement.Record) measurement.StepResult {
	t.Helper()
	got, err := measurement.Summarise(plan(step), records)
	if err != nil {
		t.Fatal(err)
	}
	return got.Steps[0]
}

// An overloaded service still answers after the window. Counting all responses over the
// window's length gave up to 27 % too much.
func TestCompletionsAfterTheWindowAreNoThroughput(t *testing.T) {
	late := change(steady(), func(r []measurement.Record) []measurement.Record {
		for i := 60; i < 110; i++ {
			r[i].Ended = 4000*ms + time.Duration(i)*ms
		}
		return r
	})
	got := summarised(t, open(), late)
	if got.OK != 100 || got.CompletedInWindow != 50 || *got.ThroughputMilliPerSecond != 25_000 {
		t.Errorf("%d succeeded, %d in the window: %d/1000 per second, want 50 in 2 s", got.OK, got.CompletedInWindow, *got.ThroughputMilliPerSecond)
	}
}

// In an overload, the longest waits end as failures. p95 of the successes alone would be
// too small.
func TestPercentilesAreNotOfTheSuccessesAlone(t *testing.T) {
	failing := change(steady(), func(r []measurement.Record) []measurement.Record {
		for i := 106; i < 110; i++ {
			r[i].Outcome, r[i].Ended = measurement.TimedOut, r[i].Due+1000*ms
		}
		return r
	})
	got := summarised(t, open(), failing)
	// Of the 96 successes alone it would be the 92nd, 101 ms.
	if *got.P95Microseconds != 104_000 || got.P99Microseconds != nil {
		t.Errorf("p95 is %d µs and p99 %v, want the 95th of a hundred, and none", *got.P95Microseconds, got.P99Microseconds)
	}
}

// In an overload that lasts longer than the timeout, every login times out. Its p95 would
// be the timeout, whatever the service.
func TestAnOverloadLongerThanTheTimeoutHasNoP95(t *testing.T) {
	givenUp := change(steady(), func(r []measurement.Record) []measurement.Record {
		for i := 30; i < 110; i++ {
			r[i].Outcome, r[i].Ended = measurement.TimedOut, r[i].Due+1000*ms
		}
		return r
	})
	got := summarised(t, open(), givenUp)
	if got.P95Microseconds != nil || got.P50Microseconds != nil || got.OK != 20 || got.TimedOut != 80 {
		t.Errorf("p50 %v, p95 %v of %d successes and %d timeouts", got.P50Microseconds, got.P95Microseconds, got.OK, got.TimedOut)
	}
}

// A step starts with an empty queue. The logins due before it has settled are faster than
// those that follow, and would make p95 too small.
func TestLoginsOfTheUnsettledPartChangeNoFigure(t *testing.T) {
	slow := change(steady(), func(r []measurement.Record) []measurement.Record {
		for i := range 10 {
			r[i].Outcome, r[i].Ended = measurement.Cut, 0
		}
		return r
	})
	if diff := cmp.Diff(summarised(t, open(), steady()), summarised(t, open(), slow)); diff != "" {
		t.Errorf("the outcome of the settling part's logins changes the step (-before +after):\n%s", diff)
	}
}
