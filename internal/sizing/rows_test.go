package sizing_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/sizing"
)

func twoReplicas(spec *v1beta1.SizingExperimentSpec) { spec.Service.Replicas = 2 }
func noPrices(spec *v1beta1.SizingExperimentSpec)    { spec.Prices = nil }
func noDemand(spec *v1beta1.SizingExperimentSpec)    { spec.Demand = nil }
func evenlySpaced(spec *v1beta1.SizingExperimentSpec) {
	spec.Load.Rates.Arrivals = ptr.To(v1beta1.ArrivalsUniform)
}
func comparedWithC8(spec *v1beta1.SizingExperimentSpec) { spec.Baseline = "c8-500m" }

func TestRowsTellWhatAVariantTakesAndCosts(t *testing.T) {
	two := &v1beta1.Sizing{Replicas: 2, TotalCPU: "1", LoadPerMille: 625}
	for name, c := range map[string]struct {
		spec     v1beta1.SizingExperimentSpec
		variant  string
		capacity int64
		verdict  v1beta1.Verdict
		sizing   *v1beta1.Sizing
		price    *v1beta1.Price
	}{
		"a cost has a size, a price of logins and a price of guesses": {
			small(), "c10-500m", 4000, v1beta1.VerdictValid,
			two, &v1beta1.Price{PerMillionLogins: "1.39", PerMonth: "29.20", AttackerPerBillionGuesses: "22.22"},
		},
		"the capacity of two replicas is split, and both are paid for": {
			small(twoReplicas), "c10-500m", 8000, v1beta1.VerdictValid,
			two, &v1beta1.Price{PerMillionLogins: "1.39", PerMonth: "29.20", AttackerPerBillionGuesses: "22.22"},
		},
		"a Suspect result is sized as well": {
			small(noPrices), "c10-500m", 4000, v1beta1.VerdictSuspect, two, nil,
		},
		"an Invalid result is neither sized nor priced": {
			small(), "c10-500m", 4000, v1beta1.VerdictInvalid, nil, &v1beta1.Price{AttackerPerBillionGuesses: "22.22"},
		},
		"without a demand there is nothing to size": {
			small(noDemand), "c10-500m", 4000, v1beta1.VerdictValid,
			nil, &v1beta1.Price{PerMillionLogins: "1.39", AttackerPerBillionGuesses: "22.22"},
		},
		"without prices a row has none": {
			small(noPrices), "c10-500m", 4000, v1beta1.VerdictValid, two, nil,
		},
		"a size lists the limits that it exceeds": {
			small(noPrices), "c8-500m", 4000, v1beta1.VerdictValid,
			&v1beta1.Sizing{Replicas: 2, TotalCPU: "1", LoadPerMille: 625, Breaks: []v1beta1.Bound{v1beta1.BoundMinimumCost}}, nil,
		},
		"a cost that has a name is like any other": {
			small(again), "again-500m", 4000, v1beta1.VerdictValid,
			two, &v1beta1.Price{PerMillionLogins: "1.39", PerMonth: "29.20", AttackerPerBillionGuesses: "22.22"},
		},
		"with sessions there is no price of guesses": {
			small(), "session-500m", 4000, v1beta1.VerdictValid, nil, &v1beta1.Price{PerMillionLogins: "1.39"},
		},
		"an unknown hash has no price of guesses": {
			small(), "cheap-500m", 4_000_000, v1beta1.VerdictValid, nil, &v1beta1.Price{PerMillionLogins: "0.0014"},
		},
		"evenly spaced logins are sized only at the end": {
			small(evenlySpaced), "c10-500m", 4000, v1beta1.VerdictValid, nil, &v1beta1.Price{PerMillionLogins: "1.39", AttackerPerBillionGuesses: "22.22"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var status v1beta1.SizingExperimentStatus
			trial := held(t, c.spec, c.variant, c.capacity, c.verdict)
			if err := sizing.Rows(c.spec, []v1beta1.SizingTrial{trial}, &status); err != nil {
				t.Fatal(err)
			}
			got := row(t, &status, c.variant)
			if diff := cmp.Diff(c.sizing, got.Sizing); diff != "" {
				t.Errorf("sizing (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(c.price, got.Price); diff != "" {
				t.Errorf("price (-want +got)\n%s", diff)
			}
		})
	}
}

func TestPricesDifferFromTheBaselineAsTheyAre(t *testing.T) {
	spec := small(comparedWithC8)
	var status v1beta1.SizingExperimentStatus
	err := sizing.Rows(spec, []v1beta1.SizingTrial{
		held(t, spec, "c8-500m", 16_000, v1beta1.VerdictValid), held(t, spec, "c10-500m", 4000, v1beta1.VerdictValid),
	}, &status)
	if err != nil {
		t.Fatal(err)
	}
	against := row(t, &status, "c10-500m").Comparison
	if against == nil || against.PricePerMillionLogins == nil || against.PricePerMillionLogins.PerMille != 3000 {
		t.Errorf("four times the price is shown as %+v", against)
	}
}

func TestRowsOfWhatIsNoQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*v1beta1.SizingExperimentSpec)
		says   string
	}{
		"a matrix without limits is empty":         {func(s *v1beta1.SizingExperimentSpec) { s.Matrix.CPULimits = nil }, "the matrix is empty"},
		"a price that is not a decimal is refused": {func(s *v1beta1.SizingExperimentSpec) { s.Prices.PerCPUHour = ptr.To(intstr.Parse("1/3")) }, "prices.perCPUHour"},
	} {
		t.Run(name, func(t *testing.T) {
			err := sizing.Rows(small(c.change), nil, &v1beta1.SizingExperimentStatus{})
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}
