//go:build e2e && chaos

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

// quiet checks that neither an experiment nor a trial changes for five minutes, and that the
// operator writes nothing but its lease, although it has just started.
func (c *chaos) quiet(t *testing.T) {
	must(t, forgetLeader())
	startOperator(t)
	until(t, time.Minute, "the operator to lead", func() (bool, string) {
		holder := leader(t)
		return holder != "", holder
	})
	begun, before := time.Now(), versionsOf(t, c.ns)
	<-time.After(5 * time.Minute) // the period that is checked
	if after := versionsOf(t, c.ns); !slices.Equal(before, after) {
		t.Errorf("the objects were\n%v\nand five minutes later they were\n%v", before, after)
	}
	if writes := writesSince(t, begun); len(writes) > 0 {
		t.Errorf("the operator wrote in the five minutes: %v", writes)
	}
	t.Logf("%d objects did not change in %s", len(before), time.Since(begun).Round(time.Second))
}

// versionsOf returns the versions of all experiments and trials of a namespace.
func versionsOf(t *testing.T, ns string) []string {
	t.Helper()
	experiments, trials := &v1alpha1.SizingExperimentList{}, &v1alpha1.SizingTrialList{}
	must(t, cluster.List(t.Context(), experiments, client.InNamespace(ns)))
	must(t, cluster.List(t.Context(), trials, client.InNamespace(ns)))
	var all []string
	for _, e := range experiments.Items {
		all = append(all, fmt.Sprintf("experiment %s %s", e.Name, e.ResourceVersion))
	}
	for _, trial := range trials.Items {
		all = append(all, fmt.Sprintf("trial %s %s", trial.Name, trial.ResourceVersion))
	}
	return all
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

// leader returns the holder of the operators' lease, or "" if the lease has no holder.
func leader(t *testing.T) string {
	t.Helper()
	lease := &coordinationv1.Lease{}
	must(t, client.IgnoreNotFound(cluster.Get(t.Context(), client.ObjectKey{Namespace: installed.Namespace, Name: leaseName}, lease)))
	return ptr.Deref(lease.Spec.HolderIdentity, "")
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
func nothingLeft(t *testing.T, ns string, experiments ...*v1alpha1.SizingExperiment) {
	t.Helper()
	until(t, time.Minute, "everything to go", func() (bool, string) {
		var left []string
		for _, e := range experiments {
			left = append(left, carrying(t, ns, e.UID)...)
		}
		return len(left) == 0, strings.Join(left, ", ")
	})
}
