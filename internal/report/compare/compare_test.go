package compare_test

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/hashmark-dev/hashmark/api/handover"
	"github.com/hashmark-dev/hashmark/api/v1beta1"
	"github.com/hashmark-dev/hashmark/internal/report"
	"github.com/hashmark-dev/hashmark/internal/report/compare"
	"github.com/hashmark-dev/hashmark/test/fixture"
)

var update = flag.Bool("update", false, "write the golden files")

// quickstart is the real experiment that reports are tested with. Its trials are repeated,
// each time with values a thousandth higher, and then changed.
func quickstart(repetitions int, change func(*v1beta1.SizingExperiment, []v1beta1.SizingTrial)) report.Document {
	experiment, trials := fixture.Quickstart()
	for repetition := 1; repetition < repetitions; repetition++ {
		_, again := fixture.Quickstart()
		for _, trial := range again {
			result := trial.Status.Result
			for _, n := range []*int64{result.P95Microseconds, result.CapacityMilliPerSecond, result.MaxThroughputMilliPerSecond, &result.Calibration.HashMicroseconds} {
				*n += int64(repetition) * *n / 1000
			}
		}
		trials = append(trials, again...)
	}
	if change != nil {
		change(experiment, trials)
	}
	return report.New(experiment, trials)
}

// slower multiplies every latency, and divides every rate, by two.
func slower(experiment *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
	experiment.Name = "slower"
	for i := range trials {
		result := trials[i].Status.Result
		*result.P95Microseconds *= 2
		*result.CapacityMilliPerSecond /= 2
		*result.MaxThroughputMilliPerSecond /= 2
		result.Calibration.HashMicroseconds *= 2
	}
	for i := range experiment.Status.Results {
		row := &experiment.Status.Results[i]
		row.Calibration.HashMicroseconds *= 2
		row.P95Interval.LowMicroseconds, row.P95Interval.HighMicroseconds = 2*row.P95Interval.LowMicroseconds, 2*row.P95Interval.HighMicroseconds
		row.CapacityInterval.LowMilliPerSecond, row.CapacityInterval.HighMilliPerSecond = row.CapacityInterval.LowMilliPerSecond/2, row.CapacityInterval.HighMilliPerSecond/2
	}
}

func figure(t *testing.T, c compare.Comparison, variant string, name compare.Name) compare.Figure {
	t.Helper()
	for _, p := range c.Variants {
		for _, f := range p.Figures {
			if p.Variant == variant && f.Name == name {
				return f
			}
		}
	}
	t.Fatalf("%s has no %s", variant, name)
	return compare.Figure{}
}

func TestDifferenceIsRealOnlyWithFourRepetitions(t *testing.T) {
	for name, test := range map[string]struct {
		repetitions int
		change      func(*v1beta1.SizingExperiment, []v1beta1.SizingTrial)
		want        compare.Finding
		chance      *int64
	}{
		"one repetition has no chance":                {1, slower, compare.Unknown, nil},
		"three can't give a small one":                {3, slower, compare.Unknown, ptr.To[int64](100)},
		"four can":                                    {4, slower, compare.Real, ptr.To[int64](29)},
		"chance explains what differs between equals": {4, nil, compare.Chance, ptr.To[int64](1000)},
	} {
		t.Run(name, func(t *testing.T) {
			c := compare.Of(quickstart(test.repetitions, nil), quickstart(test.repetitions, test.change))
			for _, name := range []compare.Name{compare.P95, compare.Capacity, compare.Maximum, compare.HashTime} {
				got := figure(t, c, "c10-500m", name)
				if got.Finding != test.want || !cmp.Equal(got.ChancePerMille, test.chance) {
					t.Errorf("%s is %s with a chance of %v, want %s and %v", name, got.Finding, ptr.Deref(got.ChancePerMille, -1), test.want, ptr.Deref(test.chance, -1))
				}
			}
		})
	}
}

func TestUnmetObjectiveIsCapacityZero(t *testing.T) {
	c := compare.Of(quickstart(1, nil), quickstart(1, func(_ *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		for i := range trials {
			trials[i].Status.Result.CapacityMilliPerSecond, trials[i].Status.Result.ObjectiveMet = nil, ptr.To(false)
		}
	}))
	if got := figure(t, c, "c10-1", compare.Capacity); got.B != "0" || *got.PerMille != -1000 {
		t.Errorf("got capacity %s, %d thousandths, want 0 and -1000", got.B, *got.PerMille)
	}
}

func TestIntervalsOverlap(t *testing.T) {
	for name, test := range map[string]struct {
		low, high int64
		want      bool
	}{
		"inside":         {300_000, 400_000, true},
		"touching below": {100_000, 294_334, true},
		"below":          {100_000, 294_333, false},
		"above":          {843_804, 900_000, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := compare.Of(quickstart(1, nil), quickstart(1, func(e *v1beta1.SizingExperiment, _ []v1beta1.SizingTrial) {
				row(e, "c10-500m").P95Interval = &handover.Interval{LowMicroseconds: test.low, HighMicroseconds: test.high}
			}))
			if got := figure(t, c, "c10-500m", compare.P95).IntervalsOverlap; got == nil || *got != test.want {
				t.Errorf("the intervals overlap: %v, want %v", got, test.want)
			}
		})
	}
	without := compare.Of(quickstart(1, nil), quickstart(1, func(e *v1beta1.SizingExperiment, _ []v1beta1.SizingTrial) {
		row(e, "c10-500m").P95Interval = nil
	}))
	if got := figure(t, without, "c10-500m", compare.P95).IntervalsOverlap; got != nil {
		t.Errorf("an interval that is not there overlaps: %v", *got)
	}
}

func row(e *v1beta1.SizingExperiment, variant string) *v1beta1.VariantResult {
	return &e.Status.Results[slices.IndexFunc(e.Status.Results, func(r v1beta1.VariantResult) bool { return r.Variant == variant })]
}

func TestPricesAreComparedAsDecimals(t *testing.T) {
	priced := func(price string) func(*v1beta1.SizingExperiment, []v1beta1.SizingTrial) {
		return func(e *v1beta1.SizingExperiment, _ []v1beta1.SizingTrial) {
			row(e, "c10-500m").Price = &v1beta1.Price{PerMillionLogins: price}
		}
	}
	for _, test := range []struct {
		a, b string
		want *int64
	}{
		{"0.80", "0.88", ptr.To[int64](100)}, {"0.80", "0.80", ptr.To[int64](0)}, {"2", "0.5", ptr.To[int64](-750)}, {"0", "1", nil}, {"nothing", "1", nil},
	} {
		c := compare.Of(quickstart(1, priced(test.a)), quickstart(1, priced(test.b)))
		if got := figure(t, c, "c10-500m", compare.LoginPrice); !cmp.Equal(got.PerMille, test.want) || got.Finding != "" {
			t.Errorf("from %s to %s it is %v thousandths, want %v", test.a, test.b, ptr.Deref(got.PerMille, -1), ptr.Deref(test.want, -1))
		}
	}
}

func TestDifferencesOfSpecsComeFirst(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*v1beta1.SizingExperiment)
		want   string
	}{
		"objective": {func(e *v1beta1.SizingExperiment) { e.Spec.Objective.P95Milliseconds = 500 }, "The objective differs: p95 at most 1000 ms, at most 1 ‰ failed in A, p95 at most 500 ms, at most 1 ‰ failed in B."},
		"demand": {func(e *v1beta1.SizingExperiment) {
			e.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), HeadroomPercent: ptr.To[int32](30), MinimumCost: ptr.To[int32](10), MaxTotalCPU: ptr.To(intstr.Parse("8")), MaxReplicas: ptr.To[int32](4)}
		}, "The demand differs: none in A, 5 logins/s with 30 % headroom, at least cost 10, at most 8 CPU, at most 4 replicas in B."},
		"prices": {func(e *v1beta1.SizingExperiment) {
			e.Spec.Prices = &v1beta1.Prices{Currency: "EUR", PerCPUHour: ptr.To(intstr.Parse("0.04")), GuessesPerSecondAtCost10: ptr.To[int64](10_000)}
		}, "The prices differ: none in A, EUR 0.04 per CPU-hour, none per GPU-hour, 10000 guesses/s in B."},
		"hashes": {func(e *v1beta1.SizingExperiment) {
			e.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), Hashes: []v1beta1.HashKind{v1beta1.HashBcrypt, v1beta1.HashArgon2id}}
		}, "The demand differs: none in A, 5 logins/s, any of bcrypt and argon2id in B."},
		"prices of memory and of guesses at a hash": {func(e *v1beta1.SizingExperiment) {
			e.Spec.Prices = &v1beta1.Prices{Currency: "EUR", PerCPUHour: ptr.To(intstr.Parse("0.04")), PerGiBHour: ptr.To(intstr.Parse("0.005"))}
			e.Spec.Matrix.Hashes = []v1beta1.Hash{{Name: "argon", Argon2id: &v1beta1.Argon2id{MemoryKiB: 19_456, Iterations: 2, Parallelism: 1}, GuessesPerSecond: ptr.To[int64](12_000)}}
		}, "The prices differ: none in A, EUR 0.04 per CPU-hour, none per GPU-hour, 0.005 per GiB-hour, 12000 guesses/s at hash argon in B."},
		"mode":       {func(e *v1beta1.SizingExperiment) { e.Spec.Load.Capacity, e.Spec.Load.Rates = nil, &v1beta1.RatesLoad{} }, "The load's mode differs: Capacity in A, Rates in B."},
		"arrivals":   {func(e *v1beta1.SizingExperiment) { e.Spec.Load.Capacity.Arrivals = ptr.To(v1beta1.ArrivalsUniform) }, "The arrivals differ: Poisson in A, Uniform in B."},
		"steps":      {func(e *v1beta1.SizingExperiment) { e.Spec.Load.Capacity.MinSamples = ptr.To[int32](400) }, "The load's steps differ; p95 is at other rates or from other numbers of samples."},
		"encryption": {func(e *v1beta1.SizingExperiment) { e.Spec.Service.Builtin = &v1beta1.Builtin{TLS: &v1beta1.TLS{}} }, "The encryption of logins differs: none in A, TLS with a handshake for each login in B."},
		"replicas":   {func(e *v1beta1.SizingExperiment) { e.Spec.Service.Replicas = 2 }, "The replicas behind the Service differ: 1 in A, 2 in B."},
		"memory":     {func(e *v1beta1.SizingExperiment) { e.Spec.Service.MemoryLimit = ptr.To(intstr.Parse("256Mi")) }, "The service's memory limit differs: 128Mi in A, 256Mi in B."},
		"no end": {func(e *v1beta1.SizingExperiment) { e.Status.Phase = v1beta1.ExperimentSuspended },
			"hashmark-demo/quickstart (B) has not finished. Suspended after 6 of 6 trials. So far: Bcrypt cost 10 is the highest measured cost that meets the objective (p95 within 1s): c10-1 up to 16/s."},
		"nothing": {func(e *v1beta1.SizingExperiment) {
			e.Spec.Load.Capacity, e.Spec.Repetitions = &v1beta1.CapacityLoad{Arrivals: ptr.To(v1beta1.ArrivalsPoisson)}, ptr.To[int32](4)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := compare.Of(quickstart(1, nil), quickstart(1, func(e *v1beta1.SizingExperiment, _ []v1beta1.SizingTrial) { test.change(e) }))
			if got := strings.Join(c.Questions, "\n"); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			sections := c.Sections()
			if first := sections[0].Title; (first == "Not comparable") != (test.want != "") {
				t.Errorf("%q is first", first)
			}
		})
	}
}

func TestSummaryNamesBothRecommendations(t *testing.T) {
	none := func(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		asked(e, trials)
		e.Status.Recommendation = &v1beta1.Recommendation{Reason: "too much is asked"}
	}
	for name, test := range map[string]struct {
		b    func(*v1beta1.SizingExperiment, []v1beta1.SizingTrial)
		want string
	}{
		"the same": {asked, " Both recommend 1×c10-500m."},
		"none":     {none, " A recommends 1×c10-500m, B none."},
		"no answer yet": {func(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
			asked(e, trials)
			e.Status.Recommendation = nil
		}, " repetitions are needed."},
	} {
		t.Run(name, func(t *testing.T) {
			if got := compare.Of(quickstart(1, asked), quickstart(1, test.b)).Summary(); !strings.HasSuffix(got, test.want) {
				t.Errorf("%q does not end in %q", got, test.want)
			}
		})
	}
}

func TestVariantsAreMatchedByConfiguration(t *testing.T) {
	renamed := func(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		row(e, "c10-500m").Variant = "c10-500m-w1"
		for i := range trials {
			switch variant := &trials[i].Spec.Variant; variant.Name {
			case "c10-500m":
				variant.Name, variant.CPULimit = "c10-500m-w1", "0.5"
			case "c8-1":
				variant.Concurrency.Workers = ptr.To[int32](2)
			case "c8-250m":
				variant.Concurrency.QueueLength = ptr.To[int32](64)
			}
		}
	}
	c := compare.Of(quickstart(1, nil), quickstart(1, renamed))
	var names []string
	for _, p := range c.Variants {
		names = append(names, p.Variant+"="+p.VariantB)
	}
	if diff := cmp.Diff([]string{"c8-500m=", "c10-250m=", "c10-500m=c10-500m-w1", "c10-1="}, names); diff != "" {
		t.Errorf("the pairs differ (-want +got):\n%s", diff)
	}
	if only := []string{"c8-250m", "c8-1"}; !slices.Equal(c.OnlyA, only) || !slices.Equal(c.OnlyB, only) {
		t.Errorf("only A has %v and only B %v, want %v in both: their queues and workers differ", c.OnlyA, c.OnlyB, only)
	}
}

func TestReferenceSpeedsThatDiffer(t *testing.T) {
	at := func(pool string, micros int64) report.Document {
		return quickstart(1, func(e *v1beta1.SizingExperiment, _ []v1beta1.SizingTrial) {
			e.Status.Speed = []v1beta1.PoolSpeed{{NodePool: pool, HashMicrosecondsAtCost8: micros, ErrorPerMille: 10, LowPerMille: 950, HighPerMille: 1060}}
		})
	}
	for name, test := range map[string]struct {
		a, b report.Document
		want []string
	}{
		"by more":               {at("", 14_000), at("", 14_700), []string{"The reference speed differs: a hash of cost 8 takes 14ms in A and 14.7ms in B (+5 %)."}},
		"of a node pool":        {at("small", 14_000), at("small", 13_000), []string{"The reference speed on small differs: a hash of cost 8 takes 14ms in A and 13ms in B (−7.1 %)."}},
		"by less":               {at("", 14_000), at("", 14_130), nil},
		"of different pools":    {at("small", 14_000), at("large", 20_000), nil},
		"known of A alone":      {at("", 14_000), quickstart(1, nil), nil},
		"without time, of an A": {at("", 0), at("", 14_000), nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, compare.Of(test.a, test.b).Circumstances); diff != "" {
				t.Errorf("circumstances (-want +got):\n%s", diff)
			}
		})
	}
}

// asked adds a demand and a recommendation.
func asked(e *v1beta1.SizingExperiment, _ []v1beta1.SizingTrial) {
	e.Spec.Demand = &v1beta1.Demand{LoginsPerSecond: intstr.FromInt32(5), HeadroomPercent: ptr.To[int32](30)}
	e.Status.Recommendation = &v1beta1.Recommendation{
		Size: v1beta1.Size{Variant: "c10-500m", Cost: 10, CPULimit: "500m", Replicas: 1, TotalCPU: "500m"}, Confidence: v1beta1.ConfidenceHigh, Reason: "because",
	}
}

// fewer adds a demand, and leaves out all but the first repetition of c10-250m.
func fewer(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
	asked(e, trials)
	seen := map[string]bool{}
	for i := range trials {
		if name := trials[i].Spec.Variant.Name; name == "c10-250m" && seen[name] {
			trials[i].Status.Result = nil
		} else {
			seen[name] = true
		}
	}
}

func without(e *v1beta1.SizingExperiment, variant string) {
	e.Status.Results = slices.DeleteFunc(e.Status.Results, func(r v1beta1.VariantResult) bool { return r.Variant == variant })
}

// richer has every kind of difference that a comparison shows.
func richer(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
	slower(e, trials)
	fewer(e, trials)
	without(e, "c8-500m")
	e.Spec.Objective.P95Milliseconds = 500
	e.Status.Recommendation.Variant, e.Status.Recommendation.Replicas, e.Status.Recommendation.TotalCPU = "c10-500m", 2, "1"
	row(e, "c8-1").Verdict = v1beta1.VerdictInvalid
	for i := range trials {
		trials[i].Status.Calibration.CPUModel = "another"
		switch trials[i].Spec.Variant.Name {
		case "c8-1":
			trials[i].Status.Result.Verdict = v1beta1.VerdictInvalid
		case "c10-1":
			trials[i].Status.Result.Calibration.HashMicroseconds /= 2 // as in A
		}
	}
	*row(e, "c10-500m").OfferedMilliPerSecond = 5_000
	*row(e, "c10-1").OfferedMilliPerSecond += 100 // less than 5 %
}

func TestFormatsMatchGoldenFiles(t *testing.T) {
	c := compare.Of(quickstart(4, func(e *v1beta1.SizingExperiment, trials []v1beta1.SizingTrial) {
		fewer(e, trials)
		without(e, "c8-250m")
	}), quickstart(4, richer))
	for ending, format := range map[string]func(io.Writer, compare.Comparison) error{"txt": compare.Table, "md": compare.Markdown, "json": compare.JSON} {
		t.Run(ending, func(t *testing.T) {
			var got bytes.Buffer
			if err := format(&got, c); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", "compared."+ending)
			if *update {
				if err := os.WriteFile(path, got.Bytes(), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.String()); diff != "" {
				t.Errorf("the comparison is not that of %s; if it should change, run the test with -update (-want +got):\n%s", path, diff)
			}
		})
	}
}
