//go:build integration

package controllers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/lifecycle"
	"github.com/hashmark-dev/hashmark/internal/objects"
	"github.com/hashmark-dev/hashmark/test/simulated"
)

// transcript is what happened in a test cluster, one line each: when, who, what.
type transcript struct {
	lines []string
	// aliases are pairs of a name that contains a UID, and its replacement.
	aliases []string
}

// alias replaces a name in the text.
func (s *transcript) alias(name, replacement string) {
	s.aliases = append(s.aliases, name, replacement)
}

func (s *transcript) text() string {
	return strings.NewReplacer(s.aliases...).Replace(strings.Join(s.lines, "\n") + "\n")
}

func (w *testCluster) log(who, what string) {
	w.transcript.lines = append(w.transcript.lines, fmt.Sprintf("%s  %-8s  %s", at(w.now()), who, what))
}

// at formats a time as minutes and seconds since the start of the test.
func at(moment time.Time) string {
	seconds := int(moment.Sub(epoch).Seconds())
	return fmt.Sprintf("%02d:%02d", seconds/60, seconds%60)
}

// checkGolden compares the lines of the transcript that match a regular expression with a golden file.
func (w *testCluster) checkGolden(t *testing.T, name, pattern string) {
	t.Helper()
	file, matching := filepath.Join("testdata", name+".golden"), regexp.MustCompile(pattern)
	got := ""
	for line := range strings.Lines(w.transcript.text()) {
		if matching.MatchString(line) {
			got += line
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading the golden file (write it with -update): %v", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the transcript has changed (-want +got):\n%s", diff)
	}
}

// logWrite logs what the operator wrote, in words.
func (w *testCluster) logWrite(verb string, before, after client.Object) {
	w.nameChildren(after)
	if lease, is := after.(*coordinationv1.Lease); is {
		w.log("operator", fmt.Sprintf("%s Lease %s: turns of %q", verb, lease.Name, ptr.Deref(lease.Spec.HolderIdentity, "")))
		return
	}
	if verb != "patches" && verb != "patches the status of" {
		w.log("operator", fmt.Sprintf("%s %s %s", verb, kindOf(after), after.GetName()))
		return
	}
	old := facts(before)
	for _, f := range facts(after) {
		known := slices.ContainsFunc(old, func(o fact) bool { return o.what == f.what })
		if !known {
			w.log("operator", fmt.Sprintf("%s %s %s%s", kindOf(after), after.GetName(), f.what, f.detail))
		}
	}
}

// nameChildren gives the names that belong to a new object aliases that are the same in each
// run.
func (w *testCluster) nameChildren(object client.Object) {
	switch object := object.(type) {
	case *corev1.ServiceAccount:
		w.transcript.alias(object.Name, "<"+object.Labels[v1beta1.LabelExperiment]+">")
	case *v1beta1.SizingTrial:
		plain := object.Name[:strings.LastIndex(object.Name, "-")]
		w.transcript.alias(object.Name, plain)
		for attempt := range int32(9) {
			w.transcript.alias(objects.Child(object.UID, attempt+1), fmt.Sprintf("<%s, attempt %d>", plain, attempt+1))
		}
	}
}

// fact is a sentence about the state of an object. A changed detail alone is not logged.
type fact struct{ what, detail string }

func facts(object client.Object) []fact {
	switch object := object.(type) {
	case *v1beta1.SizingExperiment:
		return experimentFacts(object)
	case *v1beta1.SizingTrial:
		return trialFacts(object)
	}
	return nil
}

func experimentFacts(e *v1beta1.SizingExperiment) []fact {
	s := e.Status
	all := []fact{{what: "is " + string(s.Phase)}}
	for _, c := range s.Conditions {
		if !slices.Contains([]string{v1beta1.ReasonNotFinished, v1beta1.ReasonNotStalled, v1beta1.ReasonNotSuspended}, c.Reason) {
			all = append(all, fact{fmt.Sprintf("has condition %s=%s, %s", c.Type, c.Status, c.Reason), ": " + c.Message})
		}
	}
	if p := s.Progress; p != nil {
		all = append(all, progressFact(p))
	}
	for _, row := range s.Results {
		if row.Verdict != v1beta1.VerdictPending || len(row.Reasons) > 0 {
			all = append(all, fact{what: "has a row: " + rowText(row) + besideText(row)})
		}
	}
	all = append(all, answerFacts(s)...)
	return append(all, fact{what: "shows " + strings.Join(strings.Fields(fmt.Sprint(s.Display)), " ")})
}

func progressFact(p *v1beta1.Progress) fact {
	f := fact{what: fmt.Sprintf("has %d of %d trials ended", p.Finished, p.Trials)}
	if len(p.Running) > 0 {
		f.what += ", measures " + strings.Join(p.Running, " and ")
	}
	if p.QueuePosition != nil {
		f.what += fmt.Sprintf(", is at position %d of the queue", *p.QueuePosition)
	}
	if p.EstimatedEndTime != nil {
		f.detail = ", should end at " + at(p.EstimatedEndTime.Time)
	}
	return f
}

func trialFacts(trial *v1beta1.SizingTrial) []fact {
	s := trial.Status
	all := []fact{{what: "waits for its turn"}}
	if !trial.Spec.Suspend {
		all[0].what = "has its turn"
	}
	all = append(all, fact{what: fmt.Sprintf("is %s, %s: %s", s.Phase, s.Reason, s.Message)})
	if c := s.Calibration; c != nil {
		all = append(all, fact{what: fmt.Sprintf("is calibrated: %d µs a hash", c.HashMicroseconds)})
	}
	for _, a := range s.Attempts {
		if a.EndTime != nil {
			all = append(all, fact{what: fmt.Sprintf("attempt %d is %s, %s: %s", a.Number, a.Outcome, a.Reason, a.Message)})
		}
	}
	for _, c := range s.Conditions {
		all = append(all, fact{what: fmt.Sprintf("has condition %s=%s, %s", c.Type, c.Status, c.Reason)})
	}
	if s.Result != nil {
		all = append(all, fact{what: "has a result: " + rowText(*s.Result)})
	}
	return all
}

// rowText returns a short form of a row of results.
func rowText(row v1beta1.VariantResult) string {
	number := func(n *int64) string {
		if n == nil {
			return "none"
		}
		return fmt.Sprint(*n)
	}
	text := fmt.Sprintf("%s is %s, p95 %s µs, capacity %s, maximum %s milli/s, of %d trials", row.Variant, row.Verdict,
		number(row.P95Microseconds), number(row.CapacityMilliPerSecond), number(row.MaxThroughputMilliPerSecond), row.Trials)
	for _, reason := range row.Reasons {
		text += fmt.Sprintf("; %s %s: %s", reason.Type, reason.Verdict, reason.Message)
	}
	return text
}

// eventRecorder records events. It checks the limits of the API server, which refuses longer
// events without an error for the operator.
type eventRecorder struct{ cluster *testCluster }

// Eventf writes an event as a line of the transcript.
func (g eventRecorder) Eventf(about, _ runtime.Object, kind, reason, action, format string, args ...any) {
	note, object := fmt.Sprintf(format, args...), about.(client.Object)
	if len(note) > 1024 || reason == "" || len(reason) > 128 || action == "" || len(action) > 128 {
		g.cluster.t.Errorf("the API server refuses this event: reason %q, action %q, note of %d bytes %q", reason, action, len(note), note)
	}
	g.cluster.log("event", fmt.Sprintf("%s, %s on %s %s: %s", kind, reason, kindOf(object), object.GetName(), note))
}

// checkOverlap checks what must be true at every moment: no trial has two Jobs or two running
// generators, no more trials are under load than the operator's limit, and the steps of each trial are
// those of its attempt.
func (w *testCluster) checkOverlap() {
	w.t.Helper()
	jobs, generators, underLoad := map[types.UID]int{}, map[string]int{}, map[string]bool{}
	for _, object := range w.everything() {
		trial := object.GetLabels()[v1beta1.LabelTrialUID]
		switch object := object.(type) {
		case *batchv1.Job:
			if object.DeletionTimestamp != nil {
				continue // a finalizer keeps it
			}
			if jobs[types.UID(trial)]++; jobs[types.UID(trial)] > 1 {
				w.t.Fatalf("%s: a trial has two Jobs at once", at(w.now()))
			}
			if object.Labels[v1beta1.LabelTrialUID] != "" && len(object.Status.Conditions) == 0 {
				underLoad[trial] = true
			}
		case *corev1.Pod:
			if object.Labels[v1beta1.LabelComponent] == v1beta1.ComponentGenerator && object.Status.Phase == corev1.PodRunning &&
				w.now().Format(time.RFC3339) <= simulated.Variable(object.Spec.Containers[0], "HASHMARK_DEADLINE") {
				underLoad[trial] = true
				if generators[trial]++; generators[trial] > 1 {
					w.t.Fatalf("%s: two generators load one service", at(w.now()))
				}
			}
		}
	}
	if len(underLoad) > w.limit {
		w.t.Fatalf("%s: %d trials are under load at once, of at most %d", at(w.now()), len(underLoad), w.limit)
	}
	trials := w.trials()
	for i := range trials {
		w.checkPlanned(&trials[i])
	}
}

// checkPlanned checks that a trial under load has steps that are planned, that one with a result has
// steps that were run, and that no other has any.
func (w *testCluster) checkPlanned(trial *v1beta1.SizingTrial) {
	status := &trial.Status
	attempt := lifecycle.Current(status)
	loading := attempt != nil && attempt.JobUID != ""
	if loading != slices.ContainsFunc(status.Steps, func(s v1beta1.Step) bool { return s.Outcome == v1beta1.StepPlanned }) {
		w.t.Fatalf("%s: trial %s is loaded: %t; its steps are %+v", at(w.now()), trial.Name, loading, status.Steps)
	}
	if !loading && status.Result == nil && len(status.Steps) > 0 {
		w.t.Fatalf("%s: trial %s is not loaded and has no result, but has %d steps", at(w.now()), trial.Name, len(status.Steps))
	}
}
