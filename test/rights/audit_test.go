package rights

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const operator = "system:serviceaccount:hashmark-system:hashmark-operator"

// testdata/audit.log is from Kubernetes 1.36. It has an earlier event, one of another user,
// one that occurs twice, and an incomplete last line.
func TestAnAuditLogIsReadRequestByRequest(t *testing.T) {
	log, err := os.Open("testdata/audit.log")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	got, err := Read(log, operator, time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	want := []Request{
		{Verb: "get", Path: "/api/v1"},
		{Verb: "update", Group: "coordination.k8s.io", Resource: "leases", Namespace: "hashmark-system", Name: "operator.hashmark.dev"},
		{Verb: "watch", Group: "batch", Resource: "jobs"},
		{Verb: "patch", Group: "hashmark.dev", Resource: "sizingtrials/status", Namespace: "demo", Name: "one"},
		{Verb: "get", Resource: "secrets", Namespace: "demo", Name: "s", Forbidden: true},
		{Verb: "create", Group: "hashmark.dev", Resource: "sizingtrials", Namespace: "ending", Name: "two"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestALineThatIsNoEventIsAnError(t *testing.T) {
	if got, err := Read(strings.NewReader("garbage\n"), operator, time.Time{}); err == nil {
		t.Errorf("the line was read as %v", got)
	}
}

func FuzzRead(f *testing.F) {
	text, err := os.ReadFile("testdata/audit.log")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add("{}\n")
	f.Fuzz(func(t *testing.T, log string) {
		requests, err := Read(strings.NewReader(log), operator, time.Time{})
		if len(requests) > strings.Count(log, "\n") {
			t.Errorf("%d requests from a log with fewer lines: %v", len(requests), err)
		}
	})
}
