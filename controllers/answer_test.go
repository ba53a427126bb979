//go:build integration

package controllers_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// demanding adds a demand and prices to an experiment.
func demanding(spec *v1beta1.SizingExperimentSpec) {
	spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(10), MinimumCost: ptr.To[int32](4), MaxTotalCPU: ptr.To(intstr.Parse("2"))}
	spec.Prices = &v1beta1.Prices{PerCPUHour: ptr.To(intstr.Parse("0.04"))}
	spec.Objective.MaxErrorPerMille = ptr.To[int32](10) // which 500 logins can verify
}

// answersOnly matches the lines of a transcript about rows, predictions and recommendations, and the events of
// an experiment.
const answersOnly = "SizingExperiment login(: | has a row| has timed| predicts| decides| has checked| recommends| has a runner-up| finds| shows)"

// answerOf returns what an experiment reports from its trials, without anything that depends
// on the time.
func answerOf(e *v1beta1.SizingExperiment) v1beta1.SizingExperimentStatus {
	s := e.Status.DeepCopy()
	for i := range s.Results {
		// Its name ends with a part of the experiment's UID.
		s.Results[i].TrialName = s.Results[i].TrialName[:strings.LastIndex(s.Results[i].TrialName, "-")+1]
	}
	return v1beta1.SizingExperimentStatus{
		Results: s.Results, HashTimes: s.HashTimes, CostFits: s.CostFits,
		Predictions: s.Predictions, ModelCheck: s.ModelCheck, Decision: s.Decision, Recommendation: s.Recommendation, Display: s.Display,
	}
}

func TestADemandIsAnsweredFromTheCornersOfAMatrix(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", demanding, func(s *v1beta1.SizingExperimentSpec) {
		s.Matrix = v1beta1.Matrix{Costs: []int32{8, 9, 10, 11, 12}, CPULimits: fixture.Limits("500m", "750m", "1"), Measure: v1beta1.MeasureCorners}
		s.Baseline = "c8-1"
	}), 0)
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	w.checkGolden(t, "answered", answersOnly)
}

func TestADemandThatNoVariantMeetsNamesTheLimit(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", demanding, func(s *v1beta1.SizingExperimentSpec) { s.Demand.LoginsPerSecond = intstr.FromInt32(500) }), 0)
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	w.checkGolden(t, "nothing-fits", answersOnly)
}

func TestACancelledExperimentAnswersFromWhatItHas(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "ends")
	e := w.create(newExperiment("login", quick, demanding, everyVariant), 0)
	w.run("the second trial's load is running", func() bool { return w.underLoad("c7-500m") })
	w.reread(e)
	if e.Status.Recommendation != nil || e.Status.Predictions != nil || e.Status.Display.Recommended != "" {
		t.Errorf("before its end, the experiment recommends %+v and predicts %+v", e.Status.Recommendation, e.Status.Predictions)
	}
	w.edit(e, "cancels login", cancel)
	w.toEnd(e)
	w.checkAnswer(e, "1×c6-500m", "Recommended: 1×c6-500m")
}

func TestAnExperimentWithoutAUsableResultRecommendsNothing(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "ends")
	w.kubelet.mishap = mishap{of: service, always: true, calibration: exits(1, "no")}
	e := w.create(newExperiment("login", quick, demanding), 0)
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentFailed, v1beta1.ReasonNoneMeasured)
	w.checkAnswer(e, "none", "No size is recommended: no variant that can be recommended has a usable result")
}

// checkAnswer checks the Recommended column, and that the condition and the last event begin with
// the recommendation and contain a part of it.
func (w *testCluster) checkAnswer(e *v1beta1.SizingExperiment, column, sentence string) {
	w.t.Helper()
	finished := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionFinished)
	begins := strings.HasPrefix(finished.Message, "Recommended: ") || strings.HasPrefix(finished.Message, "No size is recommended: ")
	if e.Status.Display.Recommended != column || !begins || !strings.Contains(finished.Message, sentence) {
		w.t.Errorf("the column is %q, want %q; the condition is %q, which should begin with the recommendation and contain %q", e.Status.Display.Recommended, column, finished.Message, sentence)
	}
	note := "on SizingExperiment " + e.Name + ": " + finished.Message
	if !strings.Contains(w.transcript.text(), note) {
		w.t.Errorf("no event says %q", note)
	}
}

// answerFacts returns what an experiment reports besides its rows. Reasons and what would
// change the recommendation are left out, because the tests of package sizing check
// those sentences.
func answerFacts(s v1beta1.SizingExperimentStatus) []fact {
	var answer []fact
	add := func(format string, args ...any) { answer = append(answer, fact{what: fmt.Sprintf(format, args...)}) }
	for _, h := range s.HashTimes {
		add("has timed cost %d%s: %d µs ± %d on %s, in %d trials", h.Hash.Cost(), h.Hash.Name, h.HashMicroseconds, h.ErrorMicroseconds, h.CPUModel, h.Trials)
	}
	for _, p := range s.Predictions {
		add("predicts %s: capacity %s%s", p.Variant, milli(p.CapacityMilliPerSecond), takesText(p.Sizing, p.Price))
	}
	if s.ModelCheck != nil {
		add("has checked its model by %d variants, passed %t", len(s.ModelCheck.HeldOut), s.ModelCheck.Passed)
	}
	if d := s.Decision; d != nil {
		var loads, excluded []string
		for _, l := range d.Loads {
			loads = append(loads, fmt.Sprintf("%s at %d milli/s", l.Variant, l.OfferedMilliPerSecond))
		}
		for _, x := range d.Excluded {
			excluded = append(excluded, x.Variant+": "+x.Message)
		}
		add("decides: %s, open %q, loads %q, excluded %q", d.Stage, d.Open, loads, excluded)
	}
	r := s.Recommendation
	if r == nil {
		return answer
	}
	add("recommends %s", strings.TrimSpace(sizeText(&r.Size)+" "+string(r.Confidence)))
	if r.RunnerUp != nil {
		add("has a runner-up: %s", sizeText(r.RunnerUp))
	}
	if r.Nearest != nil {
		add("finds that %s broke, and nearest: %s", r.BrokenBound, sizeText(r.Nearest))
	}
	return answer
}

func sizeText(s *v1beta1.Size) string {
	if s.Variant == "" {
		return "nothing"
	}
	return fmt.Sprintf("%d×%s, %s CPU in all, up to %s, %s a month", s.Replicas, s.Variant, s.TotalCPU, milli(s.CapacityMilliPerSecond), s.PricePerMonth)
}

// besideText returns what a row reports besides its measurements.
func besideText(row v1beta1.VariantResult) string {
	text := takesText(row.Sizing, row.Price)
	if c := row.Comparison; c != nil {
		text += fmt.Sprintf("; against %s p95 %s, capacity %s, maximum %s, price %s", c.Against,
			differenceText(c.P95), differenceText(c.Capacity), differenceText(c.MaxThroughput), differenceText(c.PricePerMillionLogins))
	}
	return text
}

func takesText(s *v1beta1.Sizing, p *v1beta1.Price) string {
	text := ""
	if s != nil {
		text += fmt.Sprintf("; takes %d replicas, %s CPU, breaks %v", s.Replicas, s.TotalCPU, s.Breaks)
	}
	if p != nil {
		text += fmt.Sprintf("; costs %s a million, %s a month", p.PerMillionLogins, p.PerMonth)
	}
	return text
}

func differenceText(d *v1beta1.Difference) string {
	if d == nil {
		return "unknown"
	}
	return fmt.Sprintf("%+d ‰", d.PerMille)
}

func milli(n *int64) string {
	if n == nil {
		return "none"
	}
	return fmt.Sprintf("%d milli/s", *n)
}
