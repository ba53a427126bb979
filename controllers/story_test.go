//go:build integration

package controllers_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
	"github.com/hashmark-dev/hashmark/internal/objects"
)

// story is what happened in a world, a line each: when, who, what.
type story struct {
	lines []string
	// names that hold a UID, and what to tell instead.
	aliases []string
}

// alias lets a name be told by another one.
func (s *story) alias(name, told string) { s.aliases = append(s.aliases, name, told) }

func (s *story) text() string {
	return strings.NewReplacer(s.aliases...).Replace(strings.Join(s.lines, "\n") + "\n")
}

func (w *world) tell(who, what string) {
	w.story.lines = append(w.story.lines, fmt.Sprintf("%s  %-8s  %s", at(w.now()), who, what))
}

// at is a time as minutes and seconds of the story.
func at(moment time.Time) string {
	seconds := int(moment.Sub(dawn).Seconds())
	return fmt.Sprintf("%02d:%02d", seconds/60, seconds%60)
}

// checkGolden compares the story with the one that was read before.
func (w *world) checkGolden(t *testing.T, name string) {
	t.Helper()
	file, got := filepath.Join("testdata", name+".golden"), w.story.text()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading the story as it was told before (write it with -update): %v", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the story goes otherwise than before (-want +got):\n%s", diff)
	}
}

// tellWrite tells what the operator wrote, in words.
func (w *world) tellWrite(verb string, before, after client.Object) {
	w.nameChildren(after)
	if verb != "patches" && verb != "patches the status of" {
		w.tell("operator", fmt.Sprintf("%s %s %s", verb, kindOf(after), after.GetName()))
		return
	}
	old := facts(before)
	for _, f := range facts(after) {
		known := slices.ContainsFunc(old, func(o fact) bool { return o.what == f.what })
		if !known {
			w.tell("operator", fmt.Sprintf("%s %s %s%s", kindOf(after), after.GetName(), f.what, f.detail))
		}
	}
}

// nameChildren gives what belongs to a new object a name that is the same each time.
func (w *world) nameChildren(object client.Object) {
	switch object := object.(type) {
	case *corev1.ServiceAccount:
		w.story.alias(object.Name, "<"+object.Labels[v1alpha1.LabelExperiment]+">")
	case *v1alpha1.SizingTrial:
		plain := object.Name[:strings.LastIndex(object.Name, "-")]
		w.story.alias(object.Name, plain)
		for attempt := range int32(9) {
			w.story.alias(objects.Child(object.UID, attempt+1), fmt.Sprintf("<%s, attempt %d>", plain, attempt+1))
		}
	}
}

// fact is a sentence about where an object stands. Its detail is told with it,
// and is no news by itself.
type fact struct{ what, detail string }

func facts(object client.Object) []fact {
	switch object := object.(type) {
	case *v1alpha1.SizingExperiment:
		return experimentFacts(object)
	case *v1alpha1.SizingTrial:
		return trialFacts(object)
	}
	return nil
}

func experimentFacts(e *v1alpha1.SizingExperiment) []fact {
	s := e.Status
	told := []fact{{what: "is " + string(s.Phase)}}
	for _, c := range s.Conditions {
		if c.Reason != v1alpha1.ReasonNotFinished {
			told = append(told, fact{fmt.Sprintf("has condition %s=%s, %s", c.Type, c.Status, c.Reason), ": " + c.Message})
		}
	}
	if p := s.Progress; p != nil {
		told = append(told, progressFact(p))
	}
	for _, row := range s.Results {
		if row.Verdict != v1alpha1.VerdictPending || len(row.Reasons) > 0 {
			told = append(told, fact{what: "has a row: " + rowText(row) + besideText(row)})
		}
	}
	told = append(told, answerFacts(s)...)
	return append(told, fact{what: "shows " + strings.Join(strings.Fields(fmt.Sprint(s.Display)), " ")})
}

func progressFact(p *v1alpha1.Progress) fact {
	f := fact{what: fmt.Sprintf("has %d of %d trials ended", p.Finished, p.Trials)}
	if len(p.Running) > 0 {
		f.what += ", measures " + strings.Join(p.Running, " and ")
	}
	if p.QueuePosition != nil {
		f.what += fmt.Sprintf(", stands in place %d of the queue", *p.QueuePosition)
	}
	if p.EstimatedEndTime != nil {
		f.detail = ", should end at " + at(p.EstimatedEndTime.Time)
	}
	return f
}

func trialFacts(trial *v1alpha1.SizingTrial) []fact {
	s := trial.Status
	told := []fact{{what: "waits for its turn"}}
	if !trial.Spec.Suspend {
		told[0].what = "has its turn"
	}
	told = append(told, fact{what: fmt.Sprintf("is %s, %s: %s", s.Phase, s.Reason, s.Message)})
	if c := s.Calibration; c != nil {
		told = append(told, fact{what: fmt.Sprintf("is calibrated: %d µs a hash", c.HashMicroseconds)})
	}
	for _, a := range s.Attempts {
		if a.EndTime != nil {
			told = append(told, fact{what: fmt.Sprintf("attempt %d is %s, %s: %s", a.Number, a.Outcome, a.Reason, a.Message)})
		}
	}
	for _, c := range s.Conditions {
		told = append(told, fact{what: fmt.Sprintf("has condition %s=%s, %s", c.Type, c.Status, c.Reason)})
	}
	if s.Result != nil {
		told = append(told, fact{what: "has a result: " + rowText(*s.Result)})
	}
	return told
}

// rowText is a row of results in short.
func rowText(row v1alpha1.VariantResult) string {
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

// gossip records events. It holds them against the bounds of the API server,
// which refuses longer ones without the operator ever hearing of it.
type gossip struct{ world *world }

// Eventf tells an event as a line of the story.
func (g gossip) Eventf(about, _ runtime.Object, kind, reason, action, format string, args ...any) {
	note, object := fmt.Sprintf(format, args...), about.(client.Object)
	if len(note) > 1024 || reason == "" || len(reason) > 128 || action == "" || len(action) > 128 {
		g.world.t.Errorf("the API server refuses this event: reason %q, action %q, note of %d bytes %q", reason, action, len(note), note)
	}
	g.world.tell("event", fmt.Sprintf("%s, %s on %s %s: %s", kind, reason, kindOf(object), object.GetName(), note))
}

// checkOverlap holds what must hold at every moment: no trial has two Jobs, and
// no more trials are under load than the operator's limit.
func (w *world) checkOverlap() {
	w.t.Helper()
	jobs, underLoad := map[types.UID]int{}, map[string]bool{}
	for _, object := range w.everything() {
		trial := object.GetLabels()[v1alpha1.LabelTrialUID]
		switch object := object.(type) {
		case *batchv1.Job:
			if jobs[types.UID(trial)]++; jobs[types.UID(trial)] > 1 {
				w.t.Fatalf("%s: a trial has two Jobs at once", at(w.now()))
			}
			if object.Labels[v1alpha1.LabelTrialUID] != "" && len(object.Status.Conditions) == 0 {
				underLoad[trial] = true
			}
		case *corev1.Pod:
			if object.Labels[v1alpha1.LabelComponent] == v1alpha1.ComponentGenerator && object.Status.Phase == corev1.PodRunning {
				underLoad[trial] = true
			}
		}
	}
	if len(underLoad) > w.limit {
		w.t.Fatalf("%s: %d trials are under load at once, of at most %d", at(w.now()), len(underLoad), w.limit)
	}
}
