package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/sizing"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

// measured returns the quickstart: six Valid variants.
func measured() report.Document { return report.New(fixture.Quickstart()) }

// saved writes a file with an experiment with this demand and these prices. Its
// recommendation comes from the operator's own code.
func saved(t *testing.T, demand *v1beta1.Demand, prices *v1beta1.Prices) (file string, e *v1beta1.SizingExperiment) {
	t.Helper()
	d := measured()
	e = d.Experiment
	e.Spec.Demand, e.Spec.Prices = demand, prices
	// Two of its variants are enough, and take less time.
	e.Spec.Matrix.CPULimits = fixture.Limits("500m")
	d.Trials = slices.DeleteFunc(d.Trials, func(trial v1beta1.SizingTrial) bool { return trial.Spec.Variant.CPULimit != "500m" })
	if err := sizing.Rows(e.Spec, d.Trials, &e.Status); err != nil {
		t.Fatal(err)
	}
	if err := sizing.Conclude(e.Spec, d.Trials, &e.Status); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(t.TempDir(), "saved.json")
	if err := writeFile(file, report.New(e, d.Trials), report.JSON); err != nil {
		t.Fatal(err)
	}
	return file, e
}

// TestRecommendWithoutFlagsEqualsTheOperator is what makes a what-if worth
// anything.
func TestRecommendWithoutFlagsEqualsTheOperator(t *testing.T) {
	for name, demand := range map[string]*v1beta1.Demand{
		"that fits":       {LoginsPerSecond: intstr.FromInt32(5), MaxTotalCPU: ptr.To(intstr.Parse("1"))},
		"that needs many": {LoginsPerSecond: intstr.FromInt32(200), HeadroomPercent: ptr.To[int32](50), MinimumCost: ptr.To[int32](8)},
		"that fits never": {LoginsPerSecond: intstr.FromInt32(5), MinimumCost: ptr.To[int32](16)},
	} {
		t.Run(name, func(t *testing.T) {
			file, e := saved(t, demand, &v1beta1.Prices{Currency: "USD", PerCPUHour: ptr.To(intstr.Parse("0.04"))})
			got := carryOut(t, nil, "", "recommend", file, "-o", "json")
			other := answer{}
			if err := json.Unmarshal([]byte(got.out), &other); err != nil {
				t.Fatalf("it ended with %d, %s: %v", got.code, got.err, err)
			}
			if diff := cmp.Diff(e.Status.Recommendation, other.Recommendation); diff != "" {
				t.Errorf("the recommendation (-operator's +ours):\n%s", diff)
			}
			if diff := cmp.Diff(e.Status.Results, other.Results); diff != "" {
				t.Errorf("the rows (-operator's +ours):\n%s", diff)
			}
			if want := map[bool]int{true: 0, false: 1}[e.Status.Recommendation.Variant != ""]; got.code != want {
				t.Errorf("it ended with %d, want %d", got.code, want)
			}
		})
	}
}

func TestRecommendAppliesFlags(t *testing.T) {
	file, e := saved(t, &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), MaxTotalCPU: ptr.To(intstr.Parse("1"))}, nil)
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	small := e.Status.Recommendation.Replicas
	got := carryOut(t, nil, "", "recommend", file, "--rate=100", "--max-total-cpu=64", "--per-cpu-hour=0.04", "--currency=EUR", "-o", "yaml")
	other := answer{}
	if err := yaml.UnmarshalStrict([]byte(got.out), &other); err != nil || got.code != 0 {
		t.Fatalf("it ended with %d, %s: %v", got.code, got.err, err)
	}
	if r := other.Recommendation; r == nil || r.Replicas <= small || r.PricePerMonth == "" {
		t.Errorf("for 100 logins per second it recommends %+v", r)
	}
	if other.Demand.MilliPerSecond() != 100_000 || other.Prices.Currency != "EUR" {
		t.Errorf("its demand and prices are %+v, %+v", other.Demand, other.Prices)
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Error("the saved report was changed")
	}
}

// TestRecommendPrintsTheReportsTables leaves the words to package report.
func TestRecommendPrintsTheReportsTables(t *testing.T) {
	file, e := saved(t, &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(20), MaxTotalCPU: ptr.To(intstr.Parse("1"))}, nil)
	var want strings.Builder
	if err := report.Sizes(&want, report.New(e, nil)); err != nil {
		t.Fatal(err)
	}
	got := carryOut(t, nil, "", "recommend", file)
	if diff := cmp.Diff(want.String(), got.out); diff != "" || got.code != 1 {
		t.Errorf("it ended with %d, %s and printed (-want +got):\n%s", got.code, got.err, diff)
	}
	for _, words := range []string{"maxTotalCPU", "c10-500m", "REPLICAS"} {
		if !strings.Contains(got.out, words) {
			t.Errorf("it does not say %s", words)
		}
	}
}

func TestRecommendRefusesInvalidArguments(t *testing.T) {
	file, _ := saved(t, nil, nil)
	for name, tt := range map[string]struct {
		arguments []string
		want      string
	}{
		"nothing named":       {nil, "name an experiment, or give a saved report with -f"},
		"both named":          {[]string{file, "-f", file}, "name an experiment or a file, not both"},
		"no demand":           {[]string{file}, "rate"},
		"a rate of none":      {[]string{file, "--rate=0"}, "for \"--rate\" flag: must be above 0"},
		"a format of none":    {[]string{file, "--rate=1", "-o", "html"}, "must be one of json, table, yaml"},
		"no file":             {[]string{"nowhere.json"}, "nowhere.json: no such file"},
		"no name":             {[]string{"a/b/c"}, `"a/b/c" is not the name of an experiment`},
		"a file of no report": {[]string{"-f", "recommend_test.go"}, "recommend_test.go: "},
	} {
		t.Run(name, func(t *testing.T) {
			got := carryOut(t, nil, "", append([]string{"recommend"}, tt.arguments...)...)
			if got.code != 2 || !strings.Contains(got.err, tt.want) || got.out != "" {
				t.Errorf("it ended with %d, printed %q, and said %q, want %q in it", got.code, got.out, got.err, tt.want)
			}
		})
	}
}
