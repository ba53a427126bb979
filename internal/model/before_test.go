package model_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
)

func TestBeforeOfAnInfeasibleVariant(t *testing.T) {
	cal := calibrated(func(c *handover.Calibration) { c.HashMicroseconds = 227_000 })
	expected := model.Before(aTrial(), cal)
	if !model.Infeasible(aTrial(), expected) {
		t.Errorf("%+v is feasible", expected)
	}
	if expected.CapacityMilliPerSecond != nil || expected.P95Microseconds != nil {
		t.Errorf("it has a capacity or a p95 under load: %+v", expected)
	}
	patient := aTrial(func(s *v1beta1.SizingTrialSpec) { s.Objective.P95Milliseconds = 2000 })
	if later := model.Before(patient, cal); model.Infeasible(patient, later) || later.CapacityMilliPerSecond == nil {
		t.Errorf("%+v is infeasible within two seconds", later)
	}
}

// A trial is loaded unless p95 rules it out, so its load needs the prediction whatever p99 is.
func TestAStrictP99LeavesThePredictedP95(t *testing.T) {
	strict := aTrial(func(s *v1beta1.SizingTrialSpec) {
		s.Objective.P95Milliseconds, s.Objective.P99Milliseconds = 2000, ptr.To[int32](1)
	})
	expected := model.Before(strict, calibrated())
	if model.Infeasible(strict, expected) || expected.P95Microseconds == nil || expected.CapacityMilliPerSecond != nil {
		t.Errorf("expected %+v, infeasible %t", expected, model.Infeasible(strict, expected))
	}
}

func TestInfeasibleIsAnObjectiveBelowWhatAnIdleServiceTakes(t *testing.T) {
	for micros, want := range map[int64]bool{500_000: false, 500_001: true} {
		p := &v1beta1.Prediction{NoLoadP95Microseconds: micros}
		if got := model.Infeasible(aTrial(), p); got != want {
			t.Errorf("%d µs for 500 ms: infeasible is %v", micros, got)
		}
	}
	if model.Infeasible(aTrial(), nil) {
		t.Error("infeasible without a prediction")
	}
}

func TestBeforeIsWhatTheModelExpects(t *testing.T) {
	// A pool on a whole CPU is M/D/1: p95 is 5.1 hashes at 70 % load, and within
	// ten hashes up to 85 %.
	whole := calibrated(func(c *handover.Calibration) { c.QuotaMilliCPU = nil })
	spec := aTrial(func(s *v1beta1.SizingTrialSpec) { s.Objective.P95Milliseconds = 570 })
	got := model.Before(spec, whole)
	if got.NoLoadP95Microseconds != 57_000 {
		t.Errorf("an idle service takes %d µs", got.NoLoadP95Microseconds)
	}
	if p95 := *got.P95Microseconds; p95 < 280_000 || p95 > 302_000 {
		t.Errorf("p95 is %d µs at 70 %%", p95)
	}
	bound := float64(loadplan.BoundMilliPerSecond(1, spec.Variant, whole))
	if share := float64(*got.CapacityMilliPerSecond) / bound; share < 0.835 || share > 0.865 {
		t.Errorf("capacity is %.3f of the bound", share)
	}
	if diff := cmp.Diff(got, model.Before(spec, whole)); diff != "" {
		t.Errorf("a second prediction differs:\n%s", diff)
	}
}

func TestBeforeLeavesOutWhatItCantKnow(t *testing.T) {
	sessions := aTrial(func(s *v1beta1.SizingTrialSpec) { s.Variant.Hash.Sessions = true })
	if got := model.Before(sessions, calibrated()); got != nil {
		t.Errorf("a variant with sessions has the prediction %+v", got)
	}
	if got := model.Before(aTrial(), handover.Calibration{}); got != nil {
		t.Errorf("a variant without calibration has the prediction %+v", got)
	}
	rates := aTrial(func(s *v1beta1.SizingTrialSpec) { s.Load.Rates = &v1beta1.RatesLoad{} })
	if got := model.Before(rates, calibrated()); got.P95Microseconds != nil || got.CapacityMilliPerSecond == nil {
		t.Errorf("with mode Rates the prediction is %+v", got)
	}
	impatient := aTrial(func(s *v1beta1.SizingTrialSpec) { s.Variant.Concurrency.QueueLength = ptr.To[int32](1) })
	if got := model.Before(impatient, calibrated()); got.P95Microseconds != nil {
		t.Errorf("the queue refuses more than 5 %%, but p95 is %d µs", *got.P95Microseconds)
	}
}

func TestLimitIsTheObjective(t *testing.T) {
	want := model.Limit{P95: 500 * time.Millisecond, ErrorShare: 0.001}
	if diff := cmp.Diff(want, model.LimitOf(aTrial().Objective)); diff != "" {
		t.Errorf("limit (-want +got):\n%s", diff)
	}
}
