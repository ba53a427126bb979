//go:build integration

package controllers_test

import (
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

// scenario is what is disturbed: experiments that end by themselves.
type scenario struct {
	name        string
	mishap      mishap
	experiments []*v1beta1.SizingExperiment
}

func scenarios() []scenario {
	cost := func(cost int32) func(*v1beta1.SizingExperimentSpec) {
		return func(s *v1beta1.SizingExperimentSpec) { s.Matrix.Costs = []int32{cost} }
	}
	return []scenario{
		{name: "a decision is verified", experiments: []*v1beta1.SizingExperiment{newExperiment("login", quick, demanding)}},
		{name: "a variant is not loaded", experiments: []*v1beta1.SizingExperiment{newExperiment("login", infeasibleAtCost12, cost(12))}},
		{
			name: "the first attempt is spoiled", mishap: mishap{of: generator, result: killed},
			experiments: []*v1beta1.SizingExperiment{newExperiment("login", quick, cost(6))},
		},
		{name: "two experiments take turns", experiments: []*v1beta1.SizingExperiment{
			newExperiment("first", quick, cost(6)), newExperiment("second", quick, cost(6)),
		}},
	}
}

// start creates the scenario's experiments, each in a namespace of its own.
func (s scenario) start(t *testing.T, d disturbance) *testCluster {
	t.Helper()
	names := []string{"faults", "others"}[:len(s.experiments)]
	w := newTestCluster(t, names...)
	w.kubelet.mishap, w.disturbance = s.mishap, d
	w.startOperator()
	for i, e := range s.experiments {
		w.create(e.DeepCopy(), i)
	}
	return w
}

// undisturbed returns the outcome without a fault, and the number of writes.
func (s scenario) undisturbed(t *testing.T) (outcome, int) {
	t.Helper()
	w := s.start(t, disturbance{})
	untilTheEnd(w)
	want, writes := w.outcome(), w.writes
	w.checkInvariants(want, 0)
	// A status that were not stored as it is written would be refused once before each write.
	if len(w.refused) > 0 {
		t.Errorf("the API server refused %q", w.refused)
	}
	return want, writes
}

// check runs the scenario with a disturbance. It returns false if the fault did not come, because
// its write or event is one of the last ones: with Kubernetes' own controllers, not all runs have the
// same number of them.
func (s scenario) check(t *testing.T, d disturbance, want outcome) (came bool) {
	t.Helper()
	w := s.start(t, d)
	untilTheEnd(w)
	came = w.history.count >= d.drop && (d.strike == nil || w.disturbance.struck)
	if !came && controllerManager == "" {
		t.Fatalf("the experiments ended after %d writes and %d events, before the fault", w.writes, w.history.count)
	}
	lost := 0
	if d.drop > 0 {
		w.wait(time.Minute) // the event may have been that of the last pod's end
	}
	if w.disturbance.struck {
		lost = 1 // the count of the write that was disturbed
		w.wait(time.Minute)
		want.Creates = w.creates // what a thawed operator creates is deleted again
	}
	w.checkInvariants(want, lost)
	return came
}

// strikesAt are the faults that happen to one write, by kind.
func strikesAt() map[string]disturbance {
	kinds := map[string]disturbance{
		"killed before the write":     {strike: killedBefore},
		"killed after the write":      {strike: killedAfter},
		"answered by 409":             {strike: answered(apierrors.NewConflict(anObject, "it", errKilled))},
		"answered by 429":             {strike: answered(apierrors.NewTooManyRequests("slow down", 1))},
		"answered by 500":             {strike: answered(apierrors.NewInternalError(errKilled))},
		"timed out":                   {strike: answered(errTimeout)},
		"done, but its reply is lost": {strike: replyLost},
		"frozen before the write, thawed a few steps later": {strike: frozen(someSteps)},
		"frozen before the write, thawed after the end":     {strike: frozen(untilTheEnd)},
	}
	for _, lag := range lags {
		kinds[fmt.Sprintf("killed after the write, continued with a cache %d events old", lag)] = disturbance{strike: killedAfter, lag: lag}
		kinds[fmt.Sprintf("killed after the write, continued with pods %d events old", lag)] = disturbance{strike: killedAfter, lag: lag, watch: "Pod"}
	}
	return kinds
}

// lags are the ages of old caches, in events.
var lags = []int{1, 5, 20}

// faultsOf returns every fault that can happen to a scenario, by kind.
func faultsOf(t *testing.T, s scenario, writes int) map[string][]disturbance {
	t.Helper()
	all := map[string][]disturbance{}
	for kind, d := range strikesAt() {
		for d.write = 1; d.write <= writes; d.write++ {
			all[kind] = append(all[kind], d)
		}
	}
	for _, lag := range lags {
		kind := fmt.Sprintf("a cache %d events old", lag)
		all[kind] = append(all[kind], disturbance{lag: lag})
		for _, watch := range kinds() {
			all[kind] = append(all[kind], disturbance{lag: lag, watch: watch})
		}
	}
	// The first event is never lost: it announces the experiment.
	last := s.events(t)
	for drop := 2; drop <= last; drop++ {
		all["an event is lost"] = append(all["an event is lost"], disturbance{byEvents: true, drop: drop})
	}
	return all
}

// events runs the scenario with passes only where an event calls for one, and returns the
// number of events until its end.
func (s scenario) events(t *testing.T) int {
	t.Helper()
	w := s.start(t, disturbance{byEvents: true})
	untilTheEnd(w)
	return w.history.count
}
