//go:build integration

package controllers_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
)

func TestRepetitionsAreComparedWithTheBaseline(t *testing.T) {
	t.Parallel()
	w := newTestCluster(t, "ends")
	e := w.create(newExperiment("login", func(s *v1beta1.SizingExperimentSpec) { s.Baseline, s.Repetitions = "c8-500m", ptr.To[int32](2) }), 0)
	w.toEnd(e)
	if accepted := meta.FindStatusCondition(e.Status.Conditions, v1beta1.ConditionAccepted); accepted.Reason != v1beta1.ReasonAccepted {
		t.Errorf("condition Accepted is %+v, want reason Accepted", accepted)
	}
	base, other := e.Status.Results[0], e.Status.Results[1]
	if base.Spread == nil || base.Comparison != nil {
		t.Errorf("the baseline has the spread %+v and the comparison %+v", base.Spread, base.Comparison)
	}
	if c := other.Comparison; c == nil || c.Against != "c8-500m" || c.MaxThroughput == nil || c.MaxThroughput.PerMille > -700 {
		t.Errorf("cost 10 differs from cost 8 by %+v", other.Comparison)
	}
	if fits := e.Status.CostFits; len(fits) != 1 {
		t.Errorf("the fit of the costs is %+v", fits)
	}
}
