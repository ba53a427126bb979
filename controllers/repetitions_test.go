//go:build integration

package controllers_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/hashmark-dev/hashmark/api/v1alpha1"
)

func TestAnExperimentWhoseBaselineIsNoVariantFailsAtOnce(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "ends")
	e := w.create(newExperiment("login", func(s *v1alpha1.SizingExperimentSpec) { s.Baseline = "c9-1" }), 0)
	w.toEnd(e)
	w.checkEnd(e, v1alpha1.ExperimentFailed, v1alpha1.ReasonNotAccepted)
	accepted := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionAccepted)
	if accepted == nil || !strings.Contains(accepted.Message, `"c9-1" is not a measured variant`) || !strings.Contains(accepted.Message, "c8-500m") {
		t.Errorf("the message does not list the variants: %+v", accepted)
	}
}

func TestRepetitionsAreHeldAgainstEachOther(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "ends")
	e := w.create(newExperiment("login", func(s *v1alpha1.SizingExperimentSpec) { s.Baseline, s.Repetitions = "c8-500m", 2 }), 0)
	w.toEnd(e)
	if accepted := meta.FindStatusCondition(e.Status.Conditions, v1alpha1.ConditionAccepted); accepted.Reason != v1alpha1.ReasonAccepted {
		t.Errorf("condition Accepted is %+v, want reason Accepted", accepted)
	}
	base, other := e.Status.Results[0], e.Status.Results[1]
	if base.Spread == nil || base.Comparison != nil {
		t.Errorf("the baseline has the spread %+v and the comparison %+v", base.Spread, base.Comparison)
	}
	if c := other.Comparison; c == nil || c.Against != "c8-500m" || c.MaxThroughput == nil || c.MaxThroughput.PerMille > -700 {
		t.Errorf("cost 10 differs from cost 8 by %+v", other.Comparison)
	}
	if fits := e.Status.CostFits; len(fits) != 1 || len(fits[0].Residuals) != 2 {
		t.Errorf("the fit of the costs is %+v", fits)
	}
}
