package model_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hashmark-dev/hashmark/internal/loadplan"
	"github.com/hashmark-dev/hashmark/internal/model"
)

func TestRedrawnIsTheSameStepWithOtherArrivals(t *testing.T) {
	step := loadplan.Step{Kind: loadplan.Open, Arrivals: "Poisson", SettleMilliseconds: 500, CountedMilliseconds: 5000,
		SettleRequests: 5, Requests: 50, Seed: 8}
	seen := [][]int64{}
	for run := -1; run < 20; run++ {
		a := model.ArrivalsOf(step)
		if run >= 0 {
			a = model.Redrawn(step, run)
		}
		if len(a.Due) != 55 || a.Counted != 5 || !slices.IsSorted(a.Due) {
			t.Fatalf("run %d has %d logins, %d of them settling", run, len(a.Due), a.Counted)
		}
		var due []int64
		for _, at := range a.Due {
			due = append(due, at.Microseconds())
		}
		for other, before := range seen {
			if slices.Equal(before, due) {
				t.Errorf("runs %d and %d have the same arrivals", run, other-1)
			}
		}
		seen = append(seen, due)
	}
	if diff := cmp.Diff(model.Redrawn(step, 3), model.Redrawn(step, 3)); diff != "" {
		t.Errorf("the same run is drawn in two ways:\n%s", diff)
	}
}
