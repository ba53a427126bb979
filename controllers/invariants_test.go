//go:build integration

package controllers_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/controllers"
	"github.com/hashmark-dev/hashmark/internal/measurement"
)

// finishedRun is a load that ended with a result, as its pod wrote it.
type finishedRun struct {
	trial, job types.UID
	run        measurement.Run
}

// outcome is the state at the end that must be the same whatever was disturbed.
type outcome struct {
	Experiments []end
	// Trials holds each trial's phase and attempts.
	Trials map[string][]string
	// Creates counts all objects that were created, by kind.
	Creates map[string]int
	// Left counts the objects that are left at the end, by kind.
	Left map[string]int
}

// end is an experiment's end.
type end struct {
	Phase  v1beta1.ExperimentPhase
	Answer v1beta1.SizingExperimentStatus
	// Verified lists what was verified.
	Verified []string
}

// outcome returns the outcome of all experiments, which have ended.
func (w *testCluster) outcome() outcome {
	w.t.Helper()
	o := outcome{Creates: w.creates, Trials: map[string][]string{}, Left: map[string]int{}}
	for _, e := range w.experiments() {
		o.Experiments = append(o.Experiments, end{Phase: e.Status.Phase, Answer: answerOf(&e), Verified: verifications(&e)})
	}
	for _, trial := range w.trials() {
		lines := []string{string(trial.Status.Phase)}
		for _, a := range trial.Status.Attempts {
			lines = append(lines, fmt.Sprintf("attempt %d: %s, %s; its Deployment, Job and %d pods are on record: %t",
				a.Number, a.Outcome, a.Reason, len(a.ServicePodUIDs), a.ServiceUID != "" && a.JobUID != ""))
		}
		o.Trials[trial.Labels[v1beta1.LabelExperiment]+" "+trial.Spec.Variant.Name+string(trial.Spec.Role)] = lines
	}
	for _, object := range w.everything() {
		o.Left[kindOf(object)]++
	}
	return o
}

// checkInvariants checks all that must be true once every experiment has ended, whatever was
// disturbed until then. What must be true at every moment is checked by checkOverlap. At the
// end nothing is left of the experiments.
func (w *testCluster) checkInvariants(want outcome, countsLost int) {
	w.t.Helper()
	if diff := cmp.Diff(want, w.outcome()); diff != "" {
		w.t.Errorf("the outcome, undisturbed and disturbed (-want +got):\n%s", diff)
	}
	experiments, trials := w.experiments(), w.trials()
	for i := range experiments {
		w.checkFinished(&experiments[i])
		w.checkRows(&experiments[i])
	}
	for i := range trials {
		w.checkMeasuredOnce(&trials[i])
	}
	w.checkCounted(countsLost)
	w.checkQuiet()
	w.checkNothingAfterDeletion(experiments)
}

// checkFinished checks that an experiment ended.
func (w *testCluster) checkFinished(e *v1beta1.SizingExperiment) {
	w.t.Helper()
	w.checkStamped(e)
	if !e.Status.Phase.Finished() || e.Status.CompletionTime == nil {
		w.t.Errorf("%s ended %q, at %v", e.Name, e.Status.Phase, e.Status.CompletionTime)
	}
}

// checkRows checks that each row was made from the kept results of its variant, each once.
func (w *testCluster) checkRows(e *v1beta1.SizingExperiment) {
	w.t.Helper()
	kept := map[string]int32{}
	for _, trial := range w.trialsOf(e) {
		loads := trial.Spec.Role != v1beta1.RoleVerification && trial.Spec.Role != v1beta1.RoleCalibration
		if loads && slices.ContainsFunc(trial.Status.Attempts, isKept) {
			kept[trial.Spec.Variant.Name]++
		}
	}
	for _, row := range e.Status.Results {
		if row.Trials != kept[row.Variant] {
			w.t.Errorf("the row of %s counts %d results, and %d were kept", row.Variant, row.Trials, kept[row.Variant])
		}
	}
}

func isKept(a v1beta1.Attempt) bool { return a.Outcome == v1beta1.OutcomeKept }

// checkMeasuredOnce checks that at most one attempt of a trial counts, that it has the numbers
// that its Job wrote, and that no measurement which finished was lost.
func (w *testCluster) checkMeasuredOnce(trial *v1beta1.SizingTrial) {
	w.t.Helper()
	var counted []types.UID
	kept := 0
	for _, a := range trial.Status.Attempts {
		if isKept(a) {
			kept++
		}
		if a.JobUID != "" && (isKept(a) || a.Outcome == v1beta1.OutcomeInvalid) {
			counted = append(counted, a.JobUID)
		}
	}
	if kept > 1 {
		w.t.Errorf("%d results of trial %s count", kept, trial.Name)
	}
	if kept == 0 && trial.Status.Result != nil && trial.Status.Result.Verdict != v1beta1.VerdictInvalid {
		w.t.Errorf("trial %s has numbers of a spoiled attempt", trial.Name)
	}
	var finished []types.UID
	var last types.UID // the attempt whose numbers the trial shows
	if len(counted) > 0 {
		last = counted[len(counted)-1]
	}
	for _, run := range w.kubelet.finished {
		if run.trial != trial.UID {
			continue
		}
		finished = append(finished, run.job)
		if run.job == last {
			w.checkSteps(trial, run.run)
		}
	}
	slices.Sort(finished)
	slices.Sort(counted)
	if diff := cmp.Diff(finished, counted); diff != "" {
		w.t.Errorf("the Jobs of trial %s that finished, and those whose result was read (-finished +read):\n%s", trial.Name, diff)
	}
}

// checkSteps compares the steps in a trial's status with those that its load wrote.
func (w *testCluster) checkSteps(trial *v1beta1.SizingTrial, run measurement.Run) {
	w.t.Helper()
	type numbers struct {
		OK, Scheduled int64
		P95           *int64
	}
	var want, got []numbers
	for _, s := range run.Steps {
		want = append(want, numbers{s.OK, s.Scheduled, s.P95Microseconds})
	}
	for _, s := range trial.Status.Steps {
		if s.Ran() {
			got = append(got, numbers{s.OK, s.Scheduled, s.P95Microseconds})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("the steps of trial %s, as its Job wrote them and as they are kept (-written +kept):\n%s", trial.Name, diff)
	}
}

// checkQuiet checks that the operator writes nothing for five minutes.
func (w *testCluster) checkQuiet() {
	w.t.Helper()
	before := w.writes
	w.wait(5 * time.Minute)
	if w.writes != before {
		w.t.Errorf("the operator wrote %d times in the five minutes after the end", w.writes-before)
	}
}

// checkNothingAfterDeletion deletes the experiments, and checks that a minute later no object
// and no series of theirs is left.
func (w *testCluster) checkNothingAfterDeletion(experiments []v1beta1.SizingExperiment) {
	w.t.Helper()
	for i := range experiments {
		w.must("deleting", w.client.Delete(w.ctx, &experiments[i]))
	}
	w.wait(time.Minute)
	for _, object := range w.everything() {
		w.t.Errorf("a minute after the deletion %s %s is left, owned by %v", kindOf(object), object.GetName(), metav1.GetControllerOf(object))
	}
	if left := w.series(); len(left) > 0 {
		w.t.Errorf("a minute after the deletion these series are left: %v", left)
	}
}

// series returns the series that name one of the cluster's namespaces.
func (w *testCluster) series() (names []string) {
	w.t.Helper()
	elected := make(chan struct{})
	close(elected)
	registry := prometheus.NewRegistry()
	registry.MustRegister(&controllers.Metrics{
		Cache: scopedReader{Reader: w.client, cluster: w, process: &operator{}}, Clock: w.clock, Elected: elected, Tally: controllers.NewCounts(),
		MaxExperiments: 100, Queue: w.operator.experiments.Queue, StartTimeout: startTimeout,
	})
	families, err := registry.Gather()
	w.must("collecting metrics", err)
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if text := metric.String(); slices.ContainsFunc(w.namespaces, func(n string) bool { return strings.Contains(text, n) }) {
				names = append(names, family.GetName())
			}
		}
	}
	return names
}
