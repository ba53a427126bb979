package results_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/results"
)

// served returns a found result with a maximum in logins per second.
func served(p95, capacity, maximum int64) v1beta1.VariantResult {
	result := found(p95, capacity)
	result.MaxThroughputMilliPerSecond = ptr.To(maximum * 1000)
	return result
}

// repeated returns a trial for each result of a variant, as its repetitions 1, 2, 3.
func repeated(variant string, results ...v1beta1.VariantResult) []v1beta1.SizingTrial {
	var trials []v1beta1.SizingTrial
	for i, result := range results {
		trials = append(trials, aTrial(variant, measured(result), func(t *v1beta1.SizingTrial) { t.Spec.Repetition = int32(i + 1) }))
	}
	return trials
}

func TestRowHasSpreadOfRepetitions(t *testing.T) {
	spread := func(p95, capacity, maximum int64) *v1beta1.Spread {
		return &v1beta1.Spread{P95PerMille: &p95, CapacityPerMille: &capacity, MaxThroughputPerMille: &maximum}
	}
	tests := map[string]struct {
		results []v1beta1.VariantResult
		want    *v1beta1.Spread
	}{
		"a single repetition has no spread": {
			[]v1beta1.VariantResult{served(200, 20, 50)}, nil},
		"the range in thousandths of the median": {
			[]v1beta1.VariantResult{served(300, 22, 51), served(200, 20, 50), served(190, 19, 49)}, spread(550, 150, 40)},
		"of two, in thousandths of the less favourable": {
			[]v1beta1.VariantResult{served(300, 30, 60), served(200, 20, 50)}, spread(333, 500, 200)},
		"an invalid repetition does not count": {
			[]v1beta1.VariantResult{served(300, 30, 60), served(200, 20, 50), judged(served(900, 90, 90), v1beta1.VerdictInvalid)}, spread(333, 500, 200)},
		"one that met the objective at no rate counts as 0": {
			[]v1beta1.VariantResult{served(200, 30, 50), served(200, 20, 50), served(200, 0, 50)}, spread(0, 1500, 0)},
		"a median of 0 has no spread": {
			[]v1beta1.VariantResult{served(200, 0, 50), served(200, 0, 50)}, &v1beta1.Spread{P95PerMille: ptr.To[int64](0), MaxThroughputPerMille: ptr.To[int64](0)}},
		"a number of a single repetition has no spread": {
			[]v1beta1.VariantResult{found(200, 20), served(100, 10, 50)}, &v1beta1.Spread{P95PerMille: ptr.To[int64](500), CapacityPerMille: ptr.To[int64](1000)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, theRow(repeated("c8-1", test.results...)...).Spread); diff != "" {
				t.Errorf("spread (-want +got):\n%s", diff)
			}
		})
	}
}

// against returns the comparison of the row of c10-1 with the baseline.
func against(t *testing.T, baseline string, trials ...[]v1beta1.SizingTrial) *v1beta1.Comparison {
	t.Helper()
	var all []v1beta1.SizingTrial
	for _, some := range trials {
		all = append(all, some...)
	}
	rows := results.Results([]v1beta1.Variant{aVariant("c8-1", 8), aVariant("c10-1", 10)}, all, baseline)
	for _, row := range rows {
		if row.Variant == baseline && row.Comparison != nil {
			t.Errorf("the baseline is compared with itself: %+v", row.Comparison)
		}
	}
	return rows[1].Comparison
}

func TestRowHasDifferenceFromBaseline(t *testing.T) {
	differs := func(perMille, chance int64) *v1beta1.Difference {
		return &v1beta1.Difference{PerMille: perMille, ChancePerMille: &chance}
	}
	byOne := func(perMille int64) *v1beta1.Difference { return &v1beta1.Difference{PerMille: perMille} }
	base := repeated("c8-1", served(100, 40, 50), served(102, 41, 51), served(104, 42, 52))
	tests := map[string]struct {
		baseline string
		trials   []v1beta1.SizingTrial
		want     *v1beta1.Comparison
	}{
		"each number by the medians, with its chance": {
			"c8-1", repeated("c10-1", served(204, 30, 50), served(202, 20, 51), served(206, 10, 52)),
			&v1beta1.Comparison{Against: "c8-1", P95: differs(1000, 100), Capacity: differs(-512, 100), MaxThroughput: differs(0, 1000)}},
		"a number that is missing is left out": {
			"c8-1", repeated("c10-1", found(204, 30), found(202, 20), found(206, 10)),
			&v1beta1.Comparison{Against: "c8-1", P95: differs(1000, 100), Capacity: differs(-512, 100)}},
		"a number of a single repetition has no chance": {
			"c8-1", repeated("c10-1", found(204, 30), found(202, 20), served(206, 10, 52)),
			&v1beta1.Comparison{Against: "c8-1", P95: differs(1000, 100), Capacity: differs(-512, 100), MaxThroughput: byOne(20)}},
		"one that met the objective at no rate has a capacity of 0": {
			"c8-1", repeated("c10-1", served(204, 0, 51), served(202, 0, 51), served(206, 0, 51)),
			&v1beta1.Comparison{Against: "c8-1", P95: differs(1000, 100), Capacity: differs(-1000, 100), MaxThroughput: differs(0, 1000)}},
		"an invalid repetition does not count": {
			"c8-1", repeated("c10-1", served(204, 41, 51), judged(served(100, 30, 51), v1beta1.VerdictInvalid)),
			&v1beta1.Comparison{Against: "c8-1", P95: byOne(1000), Capacity: byOne(0), MaxThroughput: byOne(0)}},
		"if all are invalid, nothing is compared": {
			"c8-1", repeated("c10-1", judged(served(100, 30, 51), v1beta1.VerdictInvalid)), nil},
		"a single repetition is compared without a chance": {
			"c8-1", repeated("c10-1", served(204, 30, 51)),
			&v1beta1.Comparison{Against: "c8-1", P95: byOne(1000), Capacity: byOne(-268), MaxThroughput: byOne(0)}},
		"without a baseline nothing is compared": {
			"", repeated("c10-1", served(204, 30, 51), served(202, 20, 51)), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, against(t, test.baseline, base, test.trials)); diff != "" {
				t.Errorf("comparison (-want +got):\n%s", diff)
			}
		})
	}
}

// Whoever computes a difference from the rows gets the one that is shown.
func TestDifferenceFollowsFromRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(1, 1000)
		some := func(variant string) []v1beta1.SizingTrial {
			var all []v1beta1.VariantResult
			for range rapid.IntRange(1, 5).Draw(t, "repetitions of "+variant) {
				all = append(all, served(number.Draw(t, "p95"), number.Draw(t, "capacity"), number.Draw(t, "maximum")))
			}
			return repeated(variant, all...)
		}
		rows := results.Results([]v1beta1.Variant{aVariant("c8-1", 8), aVariant("c10-1", 10)}, append(some("c8-1"), some("c10-1")...), "c8-1")
		for name, shown := range map[string]struct {
			difference *v1beta1.Difference
			of         func(v1beta1.VariantResult) *int64
		}{
			"p95":      {rows[1].Comparison.P95, func(r v1beta1.VariantResult) *int64 { return r.P95Microseconds }},
			"capacity": {rows[1].Comparison.Capacity, func(r v1beta1.VariantResult) *int64 { return r.CapacityMilliPerSecond }},
			"maximum":  {rows[1].Comparison.MaxThroughput, func(r v1beta1.VariantResult) *int64 { return r.MaxThroughputMilliPerSecond }},
		} {
			base, this := *shown.of(rows[0]), *shown.of(rows[1])
			if want := results.PerMille(this-base, float64(base)); shown.difference.PerMille != want {
				t.Errorf("%s: from %d to %d is a difference of %d thousandths, want %d", name, base, this, shown.difference.PerMille, want)
			}
		}
	})
}
