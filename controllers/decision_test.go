//go:build integration

package controllers_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// everyVariant measures every variant.
func everyVariant(s *v1beta1.SizingExperimentSpec) { s.Matrix.Measure = v1beta1.MeasureAll }

// manyVariants has three costs on two CPU limits.
func manyVariants(s *v1beta1.SizingExperimentSpec) {
	s.Matrix.Costs, s.Matrix.CPULimits = []int32{6, 7, 8}, fixture.Limits("500m", "1")
}

func TestADecisionMeasuresOnlyWhatCanBeRecommended(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", quick, demanding, manyVariants), 0)
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	w.checkGolden(t, "decision", answersOnly+"|operator  creates")
	if d := e.Status.Decision; d.Stage != v1beta1.StageDecided || len(d.Open) > 0 || len(d.Loads)+len(d.Excluded) != 6 || len(e.Status.Results) != len(d.Loads) {
		t.Errorf("%d rows after the decision %+v", len(e.Status.Results), d)
	}
}

// A decision that is suspended during its first load goes on with that load.
func TestASuspendedDecisionGoesOn(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", quick, demanding, manyVariants), 0)
	w.run("the first load is running", func() bool { return w.underLoad("c8-500m") || w.underLoad("c8-1") })
	w.edit(e, "suspends login", suspend)
	w.wait(60 * time.Second)
	w.reread(e)
	before := e.Status.Decision.DeepCopy()
	w.edit(e, "resumes login", resume)
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	if after := e.Status.Decision; after.Loads[0] != before.Loads[0] || after.Stage != v1beta1.StageDecided {
		t.Errorf("the decision was %+v, and is %+v", before, after)
	}
}

// An experiment that has ended measures more, keeps what it has, and ends again. What is no variant changes nothing.
func TestAnEndedDecisionMeasuresMore(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", quick, demanding, manyVariants), 0)
	w.toEnd(e)
	before := e.Status.DeepCopy()
	also := func(names ...string) func(*v1beta1.SizingExperimentSpec) {
		return func(s *v1beta1.SizingExperimentSpec) { s.AlsoMeasure = names }
	}
	w.edit(e, "adds what is no variant", also("c9-500m"))
	w.wait(time.Minute)
	w.reread(e)
	if e.Status.Phase != v1beta1.ExperimentSucceeded || !strings.Contains(w.transcript.text(), `alsoMeasure names "c9-500m", which is no variant`) {
		t.Errorf("with a name that is no variant it is %s", e.Status.Phase)
	}
	w.edit(e, "adds c7-1, and what was measured", also("c9-500m", "c7-1", before.Decision.Loads[0].Variant))
	w.run("it goes on", func() bool { w.reread(e); return e.Status.Phase == v1beta1.ExperimentRunning })
	if finished := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionFinished); finished.Status != metav1.ConditionFalse || e.Status.CompletionTime != nil {
		t.Errorf("while it measures more, it is finished: %+v, at %v", finished, e.Status.CompletionTime)
	}
	w.toEnd(e)
	w.checkEnd(e, v1beta1.ExperimentSucceeded, v1beta1.ReasonAllMeasured)
	row := slices.IndexFunc(e.Status.Results, func(r v1beta1.VariantResult) bool { return r.Variant == "c7-1" })
	if row < 0 || len(e.Status.Results) != len(before.Results)+1 || e.Status.Results[row].CapacityMilliPerSecond == nil || len(e.Status.Verifications) != 1 {
		t.Errorf("%d rows, %d verifications, the one of c7-1 is %d", len(e.Status.Results), len(e.Status.Verifications), row)
	}
	if e.Status.Recommendation.Variant != before.Recommendation.Variant || e.Status.SuspendedSeconds < 60 {
		t.Errorf("it recommends %s, and %s before; it was suspended for %d s", e.Status.Recommendation.Variant, before.Recommendation.Variant, e.Status.SuspendedSeconds)
	}
}

// Without a size that fits, the nearest variant is measured, so that the answer does not rest on predictions alone.
func TestADecisionThatNothingFitsHasMeasuredTheNearest(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "team-a")
	e := w.create(newExperiment("login", quick, demanding, manyVariants, func(s *v1beta1.SizingExperimentSpec) {
		s.Demand.LoginsPerSecond = intstr.FromInt32(5000)
	}), 0)
	w.toEnd(e)
	w.checkAnswer(e, "none", "No size is recommended")
	if d := e.Status.Decision; len(d.Loads) != 1 || len(e.Status.Results) != 1 || e.Status.Recommendation.Nearest == nil || e.Status.Recommendation.Nearest.Variant != d.Loads[0].Variant {
		t.Errorf("the decision is %+v, the recommendation %+v", d, e.Status.Recommendation)
	}
}
