//go:build e2e && chaos

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// quiet checks that neither an experiment nor a trial changes for five minutes, and that the
// operator writes nothing but its lease, although it has just started.
func (c *chaos) quiet(t *testing.T) {
	must(t, forgetLeader())
	startOperator(t)
	until(t, time.Minute, "the operator to lead", func() (bool, string) {
		holder := leader(t, installed.Namespace)
		return holder != "", holder
	})
	begun, before := time.Now(), versions(t, c.ns)
	<-time.After(5 * time.Minute) // the period that is checked
	if diff := cmp.Diff(before, versions(t, c.ns)); diff != "" {
		t.Errorf("the objects changed in five minutes (-before +after):\n%s", diff)
	}
	if writes := writesSince(t, begun); len(writes) > 0 {
		t.Errorf("the operator wrote in the five minutes: %v", writes)
	}
	t.Logf("%d objects did not change in %s", len(before), time.Since(begun).Round(time.Second))
}

// writesSince returns the operator's writes since a time, without those of leases, from the API
// server's audit log.
func writesSince(t *testing.T, since time.Time) (writes []string) {
	t.Helper()
	logs, err := filepath.Glob("/var/lib/hashmark-cluster/logs/audit*.log")
	must(t, err)
	requests, user := 0, "system:serviceaccount:"+installed.Namespace+":"+installed.Name
	for _, name := range logs {
		content, err := os.ReadFile(name)
		must(t, err)
		for line := range strings.Lines(string(content)) {
			if !strings.HasSuffix(line, "\n") {
				continue // the API server writes it at this moment
			}
			var event auditv1.Event
			must(t, json.Unmarshal([]byte(line), &event))
			if event.User.Username != user || event.StageTimestamp.Time.Before(since) {
				continue
			}
			requests++
			if !slices.Contains([]string{"get", "list", "watch"}, event.Verb) && (event.ObjectRef == nil || event.ObjectRef.Resource != "leases") {
				writes = append(writes, event.Verb+" "+event.RequestURI)
			}
		}
	}
	if requests == 0 {
		t.Errorf("the audit logs %v have no request of the operator", logs)
	}
	return writes
}

// leavesNothing deletes all experiments and checks that a minute later nothing with their UIDs
// is left.
func (c *chaos) leavesNothing(t *testing.T) {
	startOperator(t)
	for _, e := range c.experiments {
		must(t, cluster.Delete(t.Context(), e))
	}
	nothingLeft(t, c.ns, c.experiments...)
	until(t, time.Minute, "the deny policy to go", func() (bool, string) {
		left := denyPolicy(t, c.ns)
		return len(left) == 0, strings.Join(left, ", ")
	})
	t.Logf("nothing is left of %d experiments", len(c.experiments))
}

// nothingLeft waits until nothing with the experiments' UIDs is left, for a minute at most.
func nothingLeft(t *testing.T, ns string, experiments ...*v1beta1.SizingExperiment) {
	t.Helper()
	until(t, time.Minute, "everything to go", func() (bool, string) {
		var left []string
		for _, e := range experiments {
			left = append(left, carrying(t, ns, e.UID)...)
		}
		return len(left) == 0, strings.Join(left, ", ")
	})
}
