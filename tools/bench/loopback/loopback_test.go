package loopback

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/measurement"
)

const milli = time.Millisecond

func TestFortiosCallsBecomeRecords(t *testing.T) {
	log := `{"latency":0.057021,"timestamp":1700000000000000000,"thread":0,"iter":0,"ok":true,"details":"200"}
{"latency":0.001000,"timestamp":1700000000125000000,"thread":1,"iter":0,"ok":false,"details":"503"}
`
	got, err := fortioRecords(bufio.NewScanner(strings.NewReader(log)))
	want := []measurement.Record{
		{Index: 0, Ended: 57021 * time.Microsecond, Outcome: measurement.OK},
		{Index: 1, Due: 125 * milli, Sent: 125 * milli, Ended: 126 * milli, Outcome: measurement.OtherError},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v; records (-want +got):\n%s", err, diff)
	}
	if _, err := fortioRecords(bufio.NewScanner(strings.NewReader("no JSON\n"))); err == nil {
		t.Error("a line that is not a call was accepted")
	}
}

func TestAReplaySendsEveryLoginWhenItIsDue(t *testing.T) {
	busy := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		busy <- struct{}{}
		<-time.After(30 * milli)
		<-busy
		if r.ContentLength == 0 || r.URL.Path != "/login" {
			w.WriteHeader(http.StatusBadRequest)
		}
	}))
	t.Cleanup(server.Close)
	due := []time.Duration{0, 5 * milli, 10 * milli, 200 * milli}
	records, err := Replay(t.Context(), server.URL, due, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	latencies, err := FromDue(records)
	if err != nil {
		t.Fatal(err)
	}
	for i, record := range records {
		if record.Due != due[i] || record.Sent < record.Due {
			t.Errorf("login %d was due at %s, sent at %s, recorded as due at %s", i, due[i], record.Sent, record.Due)
		}
	}
	// Of three simultaneous logins, one waits for the other two.
	if longest := slices.Max(latencies[:3]); longest < 75*milli {
		t.Errorf("the longest of three logins took %s: they were not sent while the others were running", longest)
	}
}

func TestLatencies(t *testing.T) {
	records := []measurement.Record{
		{Due: 10 * milli, Sent: 12 * milli, Ended: 30 * milli, Outcome: measurement.OK},
		{Due: 20 * milli, Sent: 20 * milli, Ended: 1030 * milli, Outcome: measurement.OK},
	}
	due, err := FromDue(records)
	if diff := cmp.Diff([]time.Duration{20 * milli, 1010 * milli}, due); diff != "" || err != nil {
		t.Errorf("from due, error %v (-want +got):\n%s", err, diff)
	}
	sent, err := FromSend(records)
	if diff := cmp.Diff([]time.Duration{18 * milli, 1010 * milli}, sent); diff != "" || err != nil {
		t.Errorf("from sending, error %v (-want +got):\n%s", err, diff)
	}
	if got := Throughput(records); got != 1 {
		t.Errorf("two logins that end a second apart are %v per second, want 1", got)
	}
	records[1].Outcome = measurement.Refused
	if _, err := FromDue(records); err == nil {
		t.Error("a refused login has a latency")
	}
}
