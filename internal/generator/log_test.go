package generator_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/generator"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

const µs = time.Microsecond

func logOf(lines ...string) *generator.Log {
	log := &generator.Log{}
	for _, line := range lines {
		log.Add(line)
	}
	return log
}

func TestRecordsAreGatheredFromLines(t *testing.T) {
	log := logOf(
		"hm:zero -499000",
		"hm:s 0 0 1000 1010",
		"hm:s 1 7 2000 2020",
		"hm:e 1 7 9000 refused",
		"k6 says something",
		"hm:e 0 0 9500 ok",
		"hm:s 1 8 3000 3030",
		"Request Failed",
		"hm:s 1 9 3000 3030",
		"hm:e 1 9 3100 timedOut",
		"hm:s 1 10 3000 3030\r",
		"hm:e 1 10 3100 error\n",
		"hm:total 5 4",
	)
	want := []measurement.Record{
		{Step: 0, Index: 0, Due: 1000 * µs, Sent: 1010 * µs, Ended: 9500 * µs, Outcome: measurement.OK},
		{Step: 1, Index: 7, Due: 2000 * µs, Sent: 2020 * µs, Ended: 9000 * µs, Outcome: measurement.Refused},
		{Step: 1, Index: 8, Due: 3000 * µs, Sent: 3030 * µs, Outcome: measurement.Cut},
		{Step: 1, Index: 9, Due: 3000 * µs, Sent: 3030 * µs, Ended: 3100 * µs, Outcome: measurement.TimedOut},
		{Step: 1, Index: 10, Due: 3000 * µs, Sent: 3030 * µs, Ended: 3100 * µs, Outcome: measurement.OtherError},
	}
	got, err := log.Records()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the records differ (-want +got):\n%s", diff)
	}
	if clock, known := log.Clock(); !known || clock != -499*time.Millisecond {
		t.Errorf("the clock reads %s, %t", clock, known)
	}
	if log.Tail() != "k6 says something" {
		t.Errorf("the tail is %q", log.Tail())
	}
}

func TestGarbledRecords(t *testing.T) {
	whole := []string{"hm:zero -1", "hm:s 0 0 1 2", "hm:e 0 0 3 ok"}
	for name, lines := range map[string][]string{
		"no count of logins at the end":          {},
		"k6 sent a login that is not recorded":   {"hm:total 2 1"},
		"k6 saw an end that is not recorded":     {"hm:s 0 1 1 2", "hm:total 2 2"},
		"a record of an unknown kind":            {"hm:x 0 0", "hm:total 1 1"},
		"a record without a kind":                {"hm:", "hm:total 1 1"},
		"a truncated record":                     {"hm:s 0 1 5", "hm:total 1 1"},
		"a record with too many words":           {"hm:s 0 1 5 6 7", "hm:total 1 1"},
		"a time that is not a number":            {"hm:s 0 1 5 NaN", "hm:total 1 1"},
		"a time below zero":                      {"hm:s 0 1 -5 6", "hm:total 1 1"},
		"a time that is too large":               {"hm:s 0 1 5 999999999999999", "hm:total 1 1"},
		"a step below zero":                      {"hm:s -1 1 5 6", "hm:total 1 1"},
		"an unknown outcome":                     {"hm:s 0 1 5 6", "hm:e 0 1 7 fine", "hm:total 2 2"},
		"a login that was sent twice":            {"hm:s 0 0 1 2", "hm:total 1 1"},
		"a login that ended twice":               {"hm:e 0 0 3 ok", "hm:total 1 1"},
		"an end without a sending":               {"hm:e 0 5 3 ok", "hm:total 1 1"},
		"two clocks":                             {"hm:zero -1", "hm:total 1 1"},
		"a clock that is not a number":           {"hm:zero now", "hm:total 1 1"},
		"two counts":                             {"hm:total 1 1", "hm:total 1 1"},
		"more ends than sendings by k6's counts": {"hm:total 1 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := logOf(append(append([]string(nil), whole...), lines...)...).Records(); !errors.Is(err, generator.ErrRecords) {
				t.Errorf("want ErrRecords, got %v", err)
			}
		})
	}
	if _, err := logOf(append(whole, "hm:total 1 1")...).Records(); err != nil {
		t.Errorf("the base lines are valid: %v", err)
	}
	// k6 drops samples of callers that it stops, but never the script's lines.
	if _, err := logOf(append(whole, "hm:total 0 0")...).Records(); err != nil {
		t.Errorf("more records than k6 counted are valid: %v", err)
	}
}

func TestTheTailIsBounded(t *testing.T) {
	log := &generator.Log{}
	for range 10_000 {
		log.Add("a line of k6's")
	}
	log.Add("the last line")
	if tail := log.Tail(); len(tail) > 1000 || !strings.HasSuffix(tail, "the last line") {
		t.Errorf("the tail is %d bytes long and ends in %q", len(tail), tail[len(tail)-20:])
	}
}

// The tail keeps the reason of a failure despite the messages that k6 repeats every few
// seconds.
func TestTheTailLeavesOutWhatARunThatLostItsReceiverSays(t *testing.T) {
	log := &generator.Log{}
	log.Add("the reason")
	for range 100 {
		log.Add("Failed to send the time series data to the endpoint\n")
		log.Add("Successful flushed time series to remote write endpoint but it took 5.001s while flush period is 5s. Some samples may be dropped.\n")
	}
	if tail := log.Tail(); tail != "the reason" {
		t.Errorf("the tail is %q", tail)
	}
}

func FuzzLog(f *testing.F) {
	f.Add("hm:zero -499000\nhm:s 0 0 1000 1010\nhm:e 0 0 2000 ok\nhm:total 1 1")
	f.Add("hm:s 0 0 1 2\nhm:s 0 0 1 2")
	f.Fuzz(func(t *testing.T, text string) {
		log := logOf(strings.Split(text, "\n")...)
		records, err := log.Records()
		if err != nil {
			return
		}
		for _, r := range records {
			if r.Step < 0 || r.Index < 0 || r.Due < 0 || r.Sent < 0 || r.Ended < 0 || r.Outcome > measurement.OtherError {
				t.Errorf("a record that can't be: %+v", r)
			}
		}
	})
}
